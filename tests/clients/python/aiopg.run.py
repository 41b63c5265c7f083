import asyncio

import aiopg
from seen import LOCK, PID, connections, key, lock, row, state, versions

versions("aiopg", "psycopg2-binary")


async def value(cursor, sql: str):
    await cursor.execute(sql)
    return (await cursor.fetchone())[0]


async def main() -> None:
    conn = await aiopg.connect("")
    async with conn.cursor() as cursor:
        pid = await value(cursor, PID)
        row("Own", "`cursor.execute(SELECT)`", "Begins::Never", state(pid))
        async with cursor.begin():
            await value(cursor, PID)
            row("Cursor", "`begin()`", "Does::Begins", state(pid))
        row("Transaction", "end of the block", "AtEnd::Ends", state(pid))
        one = key()
        await value(cursor, LOCK.format(one))
    await conn.close()
    row("Own", "`close()`", "Owner::Own", lock(pid, one))
    async with aiopg.connect("") as conn:
        async with conn.cursor() as cursor:
            pid = await value(cursor, PID)
    row("Own", "end of `async with`", "AtEnd::Closes", state(pid))
    async with aiopg.create_pool("", minsize=1, maxsize=2) as pool:
        async with pool.acquire() as first, pool.acquire() as second:
            async with first.cursor() as one, second.cursor() as two:
                pids = [await value(one, PID), await value(two, PID)]
        row("Pool", "two `acquire()` at once", "Owner::PerCall", connections(*pids))
        one = key()
        async with pool.acquire() as conn:
            async with conn.cursor() as cursor:
                pid = await value(cursor, PID)
                row("Pooled", "`cursor.execute(SELECT)`", "Begins::Never", state(pid))
                await value(cursor, LOCK.format(one))
        row("Pooled", "end of `async with pool.acquire()`", "Owner::Borrowed", lock(pid, one))
        row("Pooled", "end of `async with pool.acquire()`", "AtEnd::Returns", state(pid))
        one = key()
        with await pool.cursor() as cursor:
            pid = await value(cursor, PID)
            await value(cursor, LOCK.format(one))
        row("PoolCursor", "end of `with await pool.cursor()`", "Owner::Borrowed", lock(pid, one))
        conn = await pool.acquire()
        async with conn.cursor() as cursor:
            pid = await value(cursor, PID)
            await cursor.execute("BEGIN")
        pool.release(conn)
        row("Pooled", "`release()` in a transaction", "the connection is closed", state(pid))


asyncio.run(main())
