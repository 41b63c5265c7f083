import os

import pg8000.dbapi
import pg8000.native
from seen import LOCK, PID, key, lock, row, state, versions

versions("pg8000")
WHERE = {"user": os.environ["PGUSER"], "database": os.environ["PGDATABASE"]}
WHERE["unix_sock"] = f"{os.environ['PGHOST']}/.s.PGSQL.5432"

conn = pg8000.native.Connection(**WHERE)
pid = conn.run(PID)[0][0]
row("Native", "`run(SELECT)`", "Begins::Never", state(pid))
conn.run("START TRANSACTION")
conn.run(PID)
row("Native", "`run(START TRANSACTION)`", "a transaction is open", state(pid))
conn.run("COMMIT")
one = key()
conn.run(LOCK.format(one))
conn.close()
row("Native", "`close()`", "Owner::Own", lock(pid, one))
row("Native", "`close()`", "Does::Closes", state(pid))
with pg8000.native.Connection(**WHERE) as conn:
    pid = conn.run(PID)[0][0]
row("Native", "end of `with`", "AtEnd::Closes", state(pid))

conn = pg8000.dbapi.connect(**WHERE)
cursor = conn.cursor()


def value(sql: str):
    cursor.execute(sql)
    return cursor.fetchone()[0]


pid = value(PID)
row("Connection", "`cursor.execute(SELECT)`", "Begins::ByItself", state(pid))
conn.commit()
row("Connection", "`commit()`", "Does::Ends", state(pid))
value(PID)
conn.rollback()
row("Connection", "`rollback()`", "Does::Ends", state(pid))
conn.autocommit = True
value(PID)
row("Connection", "`autocommit = True`, a SELECT", "no transaction is open", state(pid))
one = key()
value(LOCK.format(one))
conn.close()
row("Connection", "`close()`", "Owner::Own", lock(pid, one))
with pg8000.dbapi.connect(**WHERE) as conn:
    cursor = conn.cursor()
    pid = value(PID)
row("Connection", "end of `with`", "AtEnd::Closes", state(pid))
