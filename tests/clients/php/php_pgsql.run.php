<?php
require __DIR__ . '/seen.php';

versions('PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.' . PHP_RELEASE_VERSION . ' with pgsql');
$dsn = 'host=' . getenv('PGHOST') . ' dbname=' . getenv('PGDATABASE') . ' user=' . getenv('PGUSER');

function pid_of($conn): int
{
    return (int) pg_fetch_result(pg_query($conn, PID), 0, 0);
}

$conn = pg_connect($dsn);
$pid = pid_of($conn);
row('Connection', '`pg_query(SELECT)`', 'Begins::Never', state($pid));
row('Connection', '`pg_connect()` again', 'one connection', connections($pid, pid_of(pg_connect($dsn))));
$answer = pg_query($conn, 'SELECT false');
row('Connection', '`pg_query()` of a false, the answer', 'truthy', truth($answer));
row('Connection', '`pg_query()` of a false, `pg_fetch_row()`', 'truthy', truth(pg_fetch_row($answer)));
row('Connection', '`pg_query()` of a false, `pg_fetch_result()`: the text `f`', 'truthy', truth(pg_fetch_result($answer, 0, 0)));
$key = key_of_its_own();
pg_query($conn, lock_sql($key));
pg_close($conn);
unset($conn);
row('Connection', '`pg_close()`', 'Owner::Own', lock($pid, $key));
row('Connection', '`pg_close()`', 'Does::Closes', gone($pid));

$conn = pg_pconnect($dsn);
$pid = pid_of($conn);
row('Kept', '`pg_query(SELECT)`', 'Begins::Never', state($pid));
$key = key_of_its_own();
pg_query($conn, lock_sql($key));
row('Kept', '`pg_close()` gives', 'truthy', truth(pg_close($conn)));
unset($conn, $answer);
row('Kept', '`pg_close()`', 'Owner::Borrowed', lock($pid, $key));
row('Kept', '`pg_pconnect()` again', 'one connection', connections($pid, pid_of(pg_pconnect($dsn))));
