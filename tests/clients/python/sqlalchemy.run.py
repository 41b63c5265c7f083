import asyncio

from seen import LOCK, PID, XACT, connections, key, lock, row, savepoint, server, state, versions
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session, sessionmaker

versions("SQLAlchemy", "psycopg", "asyncpg")


def value(on, sql: str):
    return on.execute(text(sql)).first()[0]


engine = create_engine("postgresql+psycopg://", pool_size=2)
with engine.connect() as first, engine.connect() as second:
    row("Engine", "two `connect()` at once", "Owner::PerCall", connections(value(first, PID), value(second, PID)))
one = key()
with engine.connect() as conn:
    pid = value(conn, PID)
    row("Connection", "`execute(SELECT)`", "Begins::ByItself", state(pid))
    value(conn, LOCK.format(one))
row("Connection", "end of `with engine.connect()`", "Owner::Borrowed", lock(pid, one))
row("Connection", "end of `with engine.connect()`", "AtEnd::Returns", state(pid))
conn = engine.connect()
pid = value(conn, PID)
conn.commit()
row("Connection", "`commit()`", "Does::Ends", state(pid))
conn.rollback()
outer, inner = key(), key()
value(conn, XACT.format(outer))
nested = conn.begin_nested()
value(conn, XACT.format(inner))
nested.rollback()
row("Nested", "`rollback()`", "Does::Inner", savepoint(outer, inner))
conn.rollback()
row("Connection", "`rollback()`", "Does::Ends", state(pid))
with conn.begin():
    value(conn, PID)
    row("Transaction", "`with conn.begin():`", "Begins::Already", state(pid))
row("Transaction", "end of the block", "AtEnd::Ends", state(pid))
one = key()
value(conn, LOCK.format(one))
conn.close()
row("Connection", "`close()`", "Does::Returns", state(pid))
row("Connection", "`close()`", "a session lock is kept", lock(pid, one))
with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
    pid = value(conn, PID)
    row("Connection", "`execution_options(AUTOCOMMIT)`, a SELECT", "no transaction is open", state(pid))
with engine.connect() as conn:
    row("Connection", "the same connection's next borrower", "a transaction is open", state(value(conn, PID)))
with engine.begin() as conn:
    pid = value(conn, PID)
    row("Begun", "`with engine.begin() as conn:`", "Begins::Already", state(pid))
row("Begun", "end of the block", "AtEnd::Returns", state(pid))
conn = engine.connect()
pid = value(conn, PID)
conn.invalidate()
row("Connection", "`invalidate()`", "Does::Closes", state(pid))
conn.close()
raw = engine.raw_connection()
cursor = raw.cursor()
one = key()
pid = cursor.execute(LOCK.format(one)).fetchone()[0]
row("Raw", "`cursor.execute(SELECT)`", "Begins::ByItself", state(pid))
raw.close()
row("Raw", "`close()`", "Owner::Borrowed", lock(pid, one))
row("Raw", "`close()`", "Does::Returns", state(pid))
engine.dispose()
row("Engine", "`dispose()`", "Does::Closes", state(pid))

engine = create_engine("postgresql+psycopg://", isolation_level="AUTOCOMMIT")
with engine.connect() as conn:
    row("Engine", "`isolation_level=\"AUTOCOMMIT\"`, a SELECT", "no transaction is open", state(value(conn, PID)))
engine.dispose()


def back(pid: int, key: int, pool) -> str:
    """After COMMIT: whether the pool hands the connection to somebody else, with the lock on it."""
    with engine.connect() as conn:
        if value(conn, PID) != pid or pool.checkedout() != 1:
            return "the connection is kept"
        return "the pool has it back, with a session lock" if lock(pid, key) == "a session lock is kept" else lock(pid, key)


engine = create_engine("postgresql+psycopg://", pool_size=1)
session = Session(engine)
one = key()
pid = value(session, LOCK.format(one))
row("Session", "`execute(SELECT)`", "Begins::ByItself", state(pid))
row("Session", "one `execute()` after another, before COMMIT", "one connection", connections(pid, value(session, PID)))
session.commit()
row("Session", "`commit()`", "Does::Ends", state(pid))
row("Session", "`commit()`", "Owner::UntilCommit", back(pid, one, engine.pool))
outer, inner = key(), key()
value(session, XACT.format(outer))
nested = session.begin_nested()
value(session, XACT.format(inner))
nested.rollback()
row("Nested", "`session.begin_nested()`, `rollback()`", "back to a savepoint", savepoint(outer, inner))
session.rollback()
row("Session", "`rollback()`", "Does::Ends", state(pid))
row("Session", "`rollback()`", "Owner::UntilCommit", back(pid, one, engine.pool))
with session.begin():
    value(session, PID)
    row("SessionTransaction", "`with session.begin():`", "Begins::Already", state(pid))
row("SessionTransaction", "end of the block", "AtEnd::Ends", state(pid))
one = key()
value(session.connection(), LOCK.format(one))
session.commit()
row("OfSession", "`session.commit()`", "Owner::UntilCommit", back(pid, one, engine.pool))
one = key()
value(session, LOCK.format(one))
session.close()
row("Session", "`close()`", "Does::Returns", state(pid))
row("Session", "`close()`", "a session lock is kept", lock(pid, one))
with Session(engine) as session:
    pid = value(session, PID)
row("Session", "end of `with Session(engine)`", "AtEnd::Returns", state(pid))
with sessionmaker(engine).begin() as session:
    pid = value(session, PID)
    row("BegunSession", "`with Sessions.begin() as session:`", "Begins::Already", state(pid))
row("BegunSession", "end of the block", "AtEnd::Returns", state(pid))
session = Session(engine)
pid = value(session, PID)
session.invalidate()
row("Session", "`invalidate()`", "Does::Closes", state(pid))
engine.dispose()


async def asynchronous() -> None:
    for driver, claim in (("asyncpg", "a session lock is kept"), ("psycopg", "a session lock is kept")):
        engine = create_async_engine(f"postgresql+{driver}://", pool_size=1)
        one = key()
        async with engine.connect() as conn:
            pid = (await conn.execute(text(LOCK.format(one)))).first()[0]
            row("Connection", f"`execute(SELECT)` on {driver}", "Begins::ByItself", state(pid))
        row("Connection", f"end of `async with engine.connect()` on {driver}", "Owner::Borrowed", lock(pid, one))
        async with AsyncSession(engine) as session:
            one = key()
            pid = (await session.execute(text(LOCK.format(one)))).first()[0]
            await session.commit()
            row("Session", f"`AsyncSession.commit()` on {driver}", "a session lock is kept", lock(pid, one))
            # A task that is cancelled while the server works.
            task = asyncio.create_task(session.execute(text("SELECT pg_sleep(5)")))
            await asyncio.sleep(0.3)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            active = server(f"SELECT state FROM pg_stat_activity WHERE pid = {pid}")
            row("Session", f"a task cancelled in `execute` on {driver}", "the connection is closed", {
                "": "the connection is closed", "active": "the statement runs on",
            }.get(active, "the statement is cancelled"))
        await engine.dispose()


asyncio.run(asynchronous())
