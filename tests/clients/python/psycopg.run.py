import asyncio

import psycopg
import psycopg2
import psycopg2.extensions
import psycopg2.pool
from psycopg_pool import AsyncConnectionPool, ConnectionPool
from seen import LOCK, PID, XACT, connections, key, lock, row, savepoint, server, state, versions

versions("psycopg", "psycopg-pool", "psycopg2-binary")


def pid_of(conn) -> int:
    cursor = conn.cursor()
    cursor.execute(PID)
    return cursor.fetchone()[0]


# One's own connection, of version 3.
conn = psycopg.connect("")
pid = pid_of(conn)
row("Own", "`conn.execute(SELECT)`", "Begins::ByItself", state(pid))
conn.commit()
row("Own", "`commit()`", "Does::Ends", state(pid))
conn.execute(PID)
conn.rollback()
row("Own", "`rollback()`", "Does::Ends", state(pid))
with conn.transaction():
    row("Transaction", "`with conn.transaction():`", "Begins::Already", state(pid))
row("Transaction", "end of the block", "AtEnd::Ends", state(pid))
outer, inner = key(), key()
with conn.transaction():
    conn.execute(XACT.format(outer))
    with conn.transaction(force_rollback=True):
        conn.execute(XACT.format(inner))
    row("Own", "inner `conn.transaction()`", "back to a savepoint", savepoint(outer, inner))
conn.execute(PID)
outer, inner = key(), key()
with conn.transaction():
    conn.execute(XACT.format(outer))
row("Own", "`conn.transaction()` after a SELECT", "a transaction is open", state(pid))
conn.rollback()
conn.autocommit = True
conn.execute(PID)
row("Own", "`autocommit = True`, a SELECT", "no transaction is open", state(pid))
conn.autocommit = False
one = key()
with conn:
    conn.execute(LOCK.format(one))
row("Own", "end of `with conn:`", "AtEnd::Closes", lock(pid, one))
conn = psycopg.connect("")
pid, one = pid_of(conn), key()
conn.execute(LOCK.format(one))
conn.close()
row("Own", "`close()`", "Does::Closes", lock(pid, one))
conn = psycopg.connect("")
one = key()
conn.execute(LOCK.format(one))
conn.rollback()
row("Own", "`rollback()`", "a session lock is kept", lock(pid_of(conn), one))
got = conn.execute("SELECT pg_try_advisory_lock(1) AND false").fetchone()
row("Cursor", "`fetchone()` of a false", "truthy", "truthy" if got else "falsy")
conn.close()

# Of version 2.
conn = psycopg2.connect("")
pid = pid_of(conn)
row("Own2", "`cursor.execute(SELECT)`", "Begins::ByItself", state(pid))
one = key()
with conn:
    conn.cursor().execute(LOCK.format(one))
row("Own2", "end of `with conn:`", "AtEnd::Ends", state(pid))
row("Own2", "end of `with conn:`", "a session lock is kept", lock(pid, one))
conn.set_isolation_level(psycopg2.extensions.ISOLATION_LEVEL_AUTOCOMMIT)
pid_of(conn)
row("Own2", "`set_isolation_level(AUTOCOMMIT)`, a SELECT", "no transaction is open", state(pid))
conn.set_session(autocommit=False)
pid_of(conn)
row("Own2", "`set_session(autocommit=False)`, a SELECT", "a transaction is open", state(pid))
conn.close()
row("Own2", "`close()`", "Does::Closes", state(pid))

# The pools.
with ConnectionPool("", min_size=1, max_size=2, open=True) as pool:
    with pool.connection() as first, pool.connection() as second:
        row("Pool", "two `connection()` at once", "Owner::PerCall", connections(pid_of(first), pid_of(second)))
    one = key()
    with pool.connection() as conn:
        pid = pid_of(conn)
        row("PoolConnection", "`execute(SELECT)`", "Begins::ByItself", state(pid))
        conn.execute(LOCK.format(one))
    row("PoolConnection", "end of `with pool.connection()`", "Owner::Borrowed", lock(pid, one))
    row("PoolConnection", "end of `with pool.connection()`", "AtEnd::Returns", state(pid))
    conn = pool.getconn()
    pid, one = pid_of(conn), key()
    conn.execute(LOCK.format(one))
    pool.putconn(conn)
    row("Pooled", "`putconn()`", "Does::Returns", state(pid))
    row("Pooled", "`putconn()` of version 3", "Owner::Borrowed", lock(pid, one))
    conn = pool.getconn()
    pid = pid_of(conn)
    conn.close()
    row("Pooled", "`close()` of version 3", "Does::Closes", state(pid))
    pool.putconn(conn)


async def asynchronous() -> None:
    async with AsyncConnectionPool("", min_size=1, max_size=2, open=False) as pool:
        one = key()
        async with pool.connection() as conn:
            pid = (await (await conn.execute(LOCK.format(one))).fetchone())[0]
        row("PoolConnection", "end of `async with pool.connection()`", "Owner::Borrowed", lock(pid, one))
        # A task that is cancelled while the server works.
        one = key()
        conn = await pool.getconn()
        pid = (await (await conn.execute(LOCK.format(one))).fetchone())[0]
        await conn.commit()
        task = asyncio.create_task(conn.execute("SELECT pg_sleep(5)"))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        active = server(f"SELECT state FROM pg_stat_activity WHERE pid = {pid}")
        row("Pooled", "a task cancelled in `execute`", "the statement is cancelled", {
            "": "the connection is closed", "active": "the statement runs on",
        }.get(active, "the statement is cancelled"))
        row("Pooled", "a task cancelled in `execute`", "a session lock is kept", lock(pid, one))
        await pool.putconn(conn)
        row("Pooled", "`putconn()` after that", "a session lock is kept", lock(pid, one))


asyncio.run(asynchronous())

pool = psycopg2.pool.ThreadedConnectionPool(1, 2, "")
first, second = pool.getconn(), pool.getconn()
row("Pool2", "two `getconn()` at once", "Owner::PerCall", connections(pid_of(first), pid_of(second)))
pid, one = pid_of(first), key()
row("Pooled", "`execute(SELECT)` of version 2", "Begins::ByItself", state(pid))
first.cursor().execute(LOCK.format(one))
pool.putconn(first)
row("Pooled", "`putconn()` of version 2", "Owner::Borrowed", lock(pid, one))
row("Pooled", "`putconn()` of version 2, in a transaction", "no transaction is open", state(pid))
other, one = pid_of(second), key()
second.cursor().execute(LOCK.format(one))
pool.putconn(second)
row("Pooled", "`putconn()` of version 2, where `minconn` are idle", "the connection is closed", lock(other, one))
pool.closeall()
row("Pool2", "`closeall()`", "Does::Closes", state(pid))
pool = psycopg2.pool.SimpleConnectionPool(0, 2, "")
conn = pool.getconn()
pid, one = pid_of(conn), key()
conn.cursor().execute(LOCK.format(one))
pool.putconn(conn)
row("Closing", "`putconn()` where `minconn` is 0", "Owner::Own", lock(pid, one))
