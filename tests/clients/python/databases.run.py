import asyncio
import os

from databases import Database
from seen import LOCK, PID, SLOW, both, connections, key, lock, row, state, versions

versions("databases", "asyncpg")
URL = f"postgresql+asyncpg://{os.environ['PGUSER']}@/{os.environ['PGDATABASE']}?host={os.environ['PGHOST']}&min_size=1&max_size=2"


async def main() -> None:
    async with Database(URL) as database:
        async def slow() -> int:
            return await database.fetch_val(SLOW)

        row("Database", "`fetch_val()` of two tasks at once", "Owner::PerCall", await both(slow))
        pid = await database.fetch_val(PID)
        row("Database", "`fetch_val(SELECT)`", "Begins::NeverByDefault", state(pid))
        one = key()
        pid = await database.fetch_val(LOCK.format(one))
        row("Database", "`fetch_val(pg_advisory_lock)`", "a session lock is released", lock(pid, one))
        one = key()
        async with database.connection() as connection:
            pid = await connection.fetch_val(LOCK.format(one))
            row("Connection", "one call after another", "one connection", connections(pid, await connection.fetch_val(PID)))
            row("Connection", "`fetch_val(SELECT)`", "Begins::NeverByDefault", state(pid))
        row("Connection", "end of `async with database.connection()`", "Owner::Reset", lock(pid, one))
        row("Connection", "end of `async with database.connection()`", "AtEnd::Returns", state(pid))
        async with database.transaction():
            pid = await database.fetch_val(PID)
            row("Transaction", "`async with database.transaction():`", "Begins::Already", state(pid))
            row("Database", "one call after another in it", "one connection", connections(pid, await database.fetch_val(PID)))
        row("Transaction", "end of the block", "AtEnd::Ends", state(pid))


asyncio.run(main())
