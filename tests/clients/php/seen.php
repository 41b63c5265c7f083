<?php
// What the runs in PHP share: they ask the server, over a connection of its own, and print what they saw.
// A row is `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.

/** What psql prints. */
function server(string $sql): string
{
    return trim((string) shell_exec('psql -XAtqc ' . escapeshellarg($sql)));
}

/** The version of a package of Debian. */
function packaged(string $name): string
{
    return explode('+', (string) shell_exec("dpkg-query -W -f '\${source:Upstream-Version}' $name"))[0];
}

function versions(string ...$what): void
{
    echo implode("\t", ['versions', implode(', ', $what)]), "\n";
}

function row(string $handle, string $call, string $claim, string $seen): void
{
    echo implode("\t", ['row', $handle, $call, $claim, $seen]), "\n";
}

/** A key that nothing else uses. */
function key_of_its_own(): int
{
    static $last = 0;
    return ++$last;
}

/** The transaction of that backend. */
function state(int $pid): string
{
    return match (server("SELECT state FROM pg_stat_activity WHERE pid = $pid")) {
        '' => 'the connection is closed',
        'idle' => 'no transaction is open',
        default => 'a transaction is open',
    };
}

/** Whether a backend is gone; it needs a moment. */
function gone(int $pid): string
{
    for ($tries = 0; $tries < 100 && state($pid) !== 'the connection is closed'; $tries++) {
        usleep(50000);
    }
    return state($pid);
}

/** What became of a session lock. A backend whose client has left goes on for a moment. */
function lock(int $pid, int $key): string
{
    $held = '1';
    for ($tries = 0; $tries < 6 && $held === '1'; $tries++) {
        usleep(50000);
        $held = server("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = $key AND pid = $pid");
    }
    if ($held === '1') {
        return 'a session lock is kept';
    }
    return gone($pid) === 'the connection is closed' ? 'the connection is closed' : 'a session lock is released';
}

function connections(int ...$pids): string
{
    return count(array_unique($pids)) === 1 ? 'one connection' : 'another connection';
}

/** What an inner rollback took away, of two locks of the transaction. */
function savepoint(int $outer, int $inner): string
{
    return match (server("SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN ($outer, $inner)")) {
        "$outer" => 'back to a savepoint',
        '' => 'the transaction ended',
        default => 'nothing is rolled back',
    };
}

function truth(mixed $value): string
{
    return $value ? 'truthy' : 'falsy';
}

const PID = 'SELECT pg_backend_pid() AS pid';

function lock_sql(int $key): string
{
    return "SELECT pg_backend_pid() AS pid, pg_advisory_lock($key)";
}

function xact_sql(int $key): string
{
    return "SELECT pg_advisory_xact_lock($key)";
}
