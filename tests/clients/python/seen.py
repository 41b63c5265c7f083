"""What the runs in Python share: they ask the server, over a connection of its own, and print what they saw.

A row is `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.
"""

import asyncio
import itertools
import subprocess
import threading
import time
from importlib.metadata import version

KEYS = itertools.count(1)


def server(sql: str) -> str:
    """What psql prints."""
    command = ["psql", "-XAtqc", sql]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def versions(*packages: str) -> None:
    print("versions", ", ".join(f"{package} {version(package)}" for package in packages), sep="\t")


def row(handle: str, call: str, claim: str, seen: str) -> None:
    print("row", handle, call, claim, seen, sep="\t", flush=True)


def key() -> int:
    """A key that nothing else uses."""
    return next(KEYS)


def state(pid: int) -> str:
    """The transaction of that backend. A client may wait for no answer to what it sends last."""
    for _ in range(100):
        found = server(f"SELECT state FROM pg_stat_activity WHERE pid = {pid}")
        if found != "active":
            break
        time.sleep(0.05)
    return {"": "the connection is closed", "idle": "no transaction is open"}.get(found, "a transaction is open")


def lock(pid: int, key: int) -> str:
    """What became of a session lock. A backend whose client has left goes on for a moment."""
    for _ in range(6):
        held = server(f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = {key} AND pid = {pid}")
        if held == "0":
            break
        time.sleep(0.05)
    if state(pid) == "the connection is closed":
        return "the connection is closed"
    return "a session lock is kept" if held == "1" else "a session lock is released"


def connections(*pids: int) -> str:
    return "one connection" if len(set(pids)) == 1 else "another connection"


def savepoint(outer: int, inner: int) -> str:
    """What an inner rollback took away, of two locks of the transaction."""
    held = server(f"SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN ({outer}, {inner})").split()
    if held == [str(outer)]:
        return "back to a savepoint"
    return "the transaction ended" if not held else "nothing is rolled back"


def at_once(call) -> str:
    """Whether the pids that two threads get by a call that takes a while are the same."""
    pids = []
    threads = [threading.Thread(target=lambda: pids.append(call())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 2, "a call failed"
    return connections(*pids)


async def both(call) -> str:
    """The same for two tasks."""
    return connections(*await asyncio.gather(call(), call()))


LOCK = "SELECT pg_backend_pid(), pg_advisory_lock({})"
XACT = "SELECT pg_advisory_xact_lock({})"
PID = "SELECT pg_backend_pid()"
SLOW = "SELECT pg_backend_pid() FROM pg_sleep(1)"
