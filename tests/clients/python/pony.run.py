import os

from pony.orm import Database, db_session
from seen import LOCK, PID, connections, key, lock, row, state, versions

versions("pony", "psycopg2-binary")
db = Database(provider="postgres", host=os.environ["PGHOST"], user=os.environ["PGUSER"], database=os.environ["PGDATABASE"])


def value(sql: str):
    return db.execute(sql).fetchone()[0]


with db_session:
    pid = value(PID)
    row("Database", "one `execute()` after another", "one connection", connections(pid, value(PID)))
    row("Database", "`execute(SELECT)`", "Begins::ByItself", state(pid))
    db.commit()
    row("Database", "`commit()`", "Does::Ends", state(pid))
    one = key()
    value(LOCK.format(one))
row("Database", "end of `db_session`", "no transaction is open", state(pid))
row("Database", "end of `db_session`", "Owner::Reset", lock(pid, one))
with db_session:
    pid = value(PID)
db.disconnect()
row("Database", "`disconnect()`", "Does::Closes", state(pid))
