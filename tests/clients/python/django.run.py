import os

import django
from django.conf import settings
from seen import LOCK, PID, XACT, at_once, connections, key, lock, row, savepoint, state, versions

settings.configure(DATABASES={"default": {
    "ENGINE": "django.db.backends.postgresql",
    "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
    "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"], "CONN_MAX_AGE": 600,
}})
django.setup()

from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction

versions("Django", "psycopg")


def value(sql: str):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def pid_of_thread() -> int:
    pid = value(PID)
    connection.close()
    return pid


pid = value(PID)
row("Cursor", "`cursor.execute(SELECT)`", "Begins::NeverByDefault", state(pid))
row("Connection", "one `cursor()` after another", "Owner::Ambient", connections(pid, value(PID)))
row("Connection", "`connection` in two threads", "another connection", at_once(pid_of_thread))
with transaction.atomic():
    value(PID)
    row("Transaction", "`with transaction.atomic():`", "Does::Within", state(pid))
row("Transaction", "end of the block", "no transaction is open", state(pid))
outer, inner = key(), key()
with transaction.atomic():
    value(XACT.format(outer))
    try:
        with transaction.atomic():
            value(XACT.format(inner))
            raise ValueError
    except ValueError:
        pass
    row("Transaction", "inner `atomic()` that fails", "back to a savepoint", savepoint(outer, inner))
outer, inner = key(), key()
with transaction.atomic():
    value(XACT.format(outer))
    sid = transaction.savepoint()
    value(XACT.format(inner))
    transaction.savepoint_rollback(sid)
    row("Transaction", "`savepoint_rollback()`", "Does::Inner", savepoint(outer, inner))
one = key()
with transaction.atomic():
    value(LOCK.format(one))
row("Transaction", "end of `atomic()`", "a session lock is kept", lock(pid, one))
# What the signals of a request do.
request_finished.send(None)
row("Connection", "the request ends, `CONN_MAX_AGE=600`", "a session lock is kept", lock(pid, one))
request_started.send(None)
row("Connection", "the next request", "one connection", connections(pid, value(PID)))
transaction.set_autocommit(False)
value(PID)
row("Transaction", "`set_autocommit(False)`, a SELECT", "a transaction is open", state(pid))
transaction.commit()
row("Transaction", "`commit()`", "Does::Ends", state(pid))
value(PID)
transaction.rollback()
row("Transaction", "`rollback()`", "Does::Ends", state(pid))
transaction.set_autocommit(True)
connection.settings_dict["CONN_MAX_AGE"] = 0
connection.close_at = 0
close_old_connections()
row("Connection", "the request ends, `CONN_MAX_AGE=0`", "the connection is closed", lock(pid, one))
pid = value(PID)
connection.close()
row("Connection", "`close()`", "Does::Closes", state(pid))
