import asyncio

import asyncpg
from seen import LOCK, PID, SLOW, XACT, both, connections, key, lock, row, savepoint, server, state, versions

versions("asyncpg")


async def main() -> None:
    conn = await asyncpg.connect()
    pid = await conn.fetchval(PID)
    row("Own", "`fetchval(SELECT)`", "Begins::Never", state(pid))
    async with conn.transaction():
        row("Transaction", "`async with conn.transaction():`", "Begins::Already", state(pid))
    row("Transaction", "end of the block", "AtEnd::Ends", state(pid))
    tr = conn.transaction()
    await tr.start()
    row("Own", "`transaction()` and `start()`", "Does::Begins", state(pid))
    await tr.rollback()
    row("Transaction", "`rollback()`", "Does::Ends", state(pid))
    outer, inner = key(), key()
    async with conn.transaction():
        await conn.execute(XACT.format(outer))
        tr = conn.transaction()
        await tr.start()
        await conn.execute(XACT.format(inner))
        await tr.rollback()
        row("Own", "inner `conn.transaction()`", "back to a savepoint", savepoint(outer, inner))
    one = key()
    await conn.execute(LOCK.format(one))
    await conn.reset()
    row("Own", "`reset()`", "a session lock is released", lock(pid, one))
    # A task that is cancelled, or has waited long enough, while the server works.
    await conn.execute(LOCK.format(one))
    try:
        await conn.execute("SELECT pg_sleep(5)", timeout=0.2)
    except asyncio.TimeoutError:
        pass
    row("Own", "`execute(…, timeout=…)` that takes longer", "a session lock is kept", lock(pid, one))
    task = asyncio.create_task(conn.execute("SELECT pg_sleep(5)"))
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.sleep(0.5)
    active = server(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid} AND state = 'active'")
    seen = "the statement runs on" if active == "1" else "the statement is cancelled"
    row("Own", "a task cancelled in `execute`", "the statement is cancelled", seen)
    row("Own", "a task cancelled in `execute`", "a session lock is kept", lock(pid, one))
    await conn.close()
    row("Own", "`close()`", "Owner::Own", lock(pid, one))
    row("Own", "`close()`", "Does::Closes", lock(pid, one))

    async with asyncpg.create_pool(min_size=1, max_size=2) as pool:
        row("Pool", "two `fetchval()` at once", "Owner::PerCall", await both(lambda: pool.fetchval(SLOW)))
        pid = await pool.fetchval(PID)
        row("Pool", "`fetchval(SELECT)`", "Begins::Never", state(pid))
        one = key()
        pid = await pool.fetchval(LOCK.format(one))
        row("Pool", "`fetchval(pg_advisory_lock)`", "a session lock is released", lock(pid, one))
        async with pool.acquire() as conn:
            pid, one = await conn.fetchval(PID), key()
            row("PoolConnection", "`fetchval(SELECT)`", "Begins::Never", state(pid))
            await conn.execute(LOCK.format(one))
        row("PoolConnection", "end of `async with pool.acquire()`", "Owner::Reset", lock(pid, one))
        row("PoolConnection", "end of `async with pool.acquire()`", "AtEnd::Returns", state(pid))
        conn = await pool.acquire()
        pid, one = await conn.fetchval(PID), key()
        await conn.execute("BEGIN")
        await conn.execute(LOCK.format(one))
        await pool.release(conn)
        row("PoolConnection", "`pool.release()`", "a session lock is released", lock(pid, one))
        row("PoolConnection", "`pool.release()` in a transaction", "no transaction is open", state(pid))
        conn = await pool.acquire()
        pid = await conn.fetchval(PID)
        await conn.close()
        row("PoolConnection", "`close()`", "Does::Closes", state(pid))
        await pool.release(conn)
        first = await pool.acquire()
        second = await pool.acquire()
        pids = await first.fetchval(PID), await second.fetchval(PID)
        row("Pool", "two `acquire()`", "another connection", connections(*pids))
        await pool.release(first)
        await pool.release(second)
    row("Pool", "`close()`", "Does::Closes", state(pids[0]))


asyncio.run(main())
