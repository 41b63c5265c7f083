import os

from peewee import PostgresqlDatabase
from playhouse.pool import PooledPostgresqlDatabase
from seen import LOCK, PID, XACT, at_once, connections, key, lock, row, savepoint, state, versions

versions("peewee", "psycopg2-binary")
WHERE = {"host": os.environ["PGHOST"], "user": os.environ["PGUSER"]}


def value(db, sql: str):
    return db.execute_sql(sql).fetchone()[0]


db = PostgresqlDatabase(os.environ["PGDATABASE"], **WHERE)
pid = value(db, PID)
row("Database", "`execute_sql(SELECT)`", "Begins::NeverByDefault", state(pid))
row("Database", "one `execute_sql()` after another", "Owner::Ambient", connections(pid, value(db, PID)))
row("Database", "one database in two threads", "another connection", at_once(lambda: value(db, PID)))
for name, block in (("atomic", db.atomic), ("transaction", db.transaction)):
    with block():
        value(db, PID)
        row("Database", f"`with db.{name}():`", "Does::Within", state(pid))
row("Database", "end of the block", "no transaction is open", state(pid))
outer, inner = key(), key()
with db.atomic():
    value(db, XACT.format(outer))
    with db.atomic() as nested:
        value(db, XACT.format(inner))
        nested.rollback()
    row("Database", "`rollback()` in an inner `atomic()`", "back to a savepoint", savepoint(outer, inner))
db.begin()
value(db, PID)
row("Database", "`begin()`", "Does::Begins", state(pid))
db.rollback()
row("Database", "`rollback()`", "Does::Ends", state(pid))
db.close()
row("Database", "`close()`, no pool", "the connection is closed", state(pid))

db = PooledPostgresqlDatabase(os.environ["PGDATABASE"], max_connections=2, **WHERE)
with db.connection_context():
    pid, one = value(db, PID), key()
    row("Database", "one call after another in `connection_context()`", "one connection", connections(pid, value(db, PID)))
    value(db, LOCK.format(one))
row("Database", "end of `connection_context()`, with a pool", "a session lock is kept", lock(pid, one))
pid, one = value(db, PID), key()
value(db, LOCK.format(one))
db.close()
row("Database", "`close()`, with a pool", "a session lock is kept", lock(pid, one))
row("Database", "`close()`, with a pool", "Does::Returns", state(pid))
