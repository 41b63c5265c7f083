import asyncio
import os

from seen import LOCK, PID, SLOW, XACT, both, key, lock, row, savepoint, state, versions
from tortoise import Tortoise, connections
from tortoise.transactions import in_transaction

versions("tortoise-orm", "asyncpg")


async def value(client, sql: str):
    return list((await client.execute_query_dict(sql))[0].values())[0]


async def main() -> None:
    credentials = {"host": os.environ["PGHOST"], "port": 5432, "user": os.environ["PGUSER"], "database": os.environ["PGDATABASE"],
                   "password": None, "minsize": 1, "maxsize": 2}
    await Tortoise.init(config={
        "connections": {"default": {"engine": "tortoise.backends.asyncpg", "credentials": credentials}}, "apps": {"models": {"models": ["__main__"]}},
    })
    client = connections.get("default")
    row("Client", "two `execute_query_dict()` at once", "another connection", await both(lambda: value(client, SLOW)))
    pid = await value(client, PID)
    row("Client", "`execute_query_dict(SELECT)`", "no transaction is open", state(pid))
    one = key()
    pid = await value(client, LOCK.format(one))
    row("Client", "`execute_query_dict(pg_advisory_lock)`", "a session lock is released", lock(pid, one))
    async with in_transaction() as conn:
        pid = await value(conn, PID)
        row("Tx", "`async with in_transaction() as conn:`", "Begins::Already", state(pid))
        outer, inner = key(), key()
        await value(conn, XACT.format(outer))
        try:
            async with in_transaction() as nested:
                await value(nested, XACT.format(inner))
                raise ValueError
        except ValueError:
            pass
        row("Tx", "inner `in_transaction()` that fails", "back to a savepoint", savepoint(outer, inner))
    row("Tx", "end of the block", "AtEnd::Ends", state(pid))
    async with in_transaction() as conn:
        pid = await value(conn, PID)
        await conn.commit()
        row("Tx", "`commit()`", "Does::Ends", state(pid))
    await Tortoise.close_connections()


asyncio.run(main())
