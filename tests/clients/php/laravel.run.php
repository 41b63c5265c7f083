<?php
require __DIR__ . '/seen.php';
foreach (['Illuminate/Support', 'Illuminate/Database', 'Illuminate/Container'] as $part) {
    require_once "/usr/share/php/$part/autoload.php";
}

use Illuminate\Database\Capsule\Manager;

versions('illuminate/database ' . packaged('php-illuminate-database'));
$manager = new Manager();
$manager->addConnection([
    'driver' => 'pgsql', 'host' => getenv('PGHOST'), 'database' => getenv('PGDATABASE'), 'username' => getenv('PGUSER'), 'password' => '',
]);
$db = $manager->getDatabaseManager();

function pid_of($db, string $sql = PID): int
{
    return $db->selectOne($sql)->pid;
}

$pid = pid_of($db);
row('Connection', 'one `selectOne()` after another', 'Owner::Ambient', connections($pid, pid_of($db)));
row('Connection', '`connection()`', 'one connection', connections($pid, pid_of($db->connection())));
row('Connection', '`getPdo()`', 'one connection', connections($pid, $db->connection()->getPdo()->query(PID)->fetchColumn()));
row('Connection', '`selectOne(SELECT)`', 'Begins::NeverByDefault', state($pid));
row('Connection', '`selectOne()` of a false', 'truthy', truth($db->selectOne('SELECT false AS got')));
row('Connection', '`select()` of a false', 'truthy', truth($db->select('SELECT false AS got')));
row('Connection', '`scalar()` or `selectOne()->got` of a false', 'falsy', truth($db->selectOne('SELECT false AS got')->got));
row('Connection', '`statement()` of a false', 'truthy', truth($db->statement('SELECT false')));
$key = key_of_its_own();
$db->transaction(function () use ($db, $pid, $key) {
    pid_of($db, lock_sql($key));
    row('Connection', '`transaction()`', 'Does::Within', state($pid));
    [$outer, $inner] = [key_of_its_own(), key_of_its_own()];
    $db->select(xact_sql($outer));
    try {
        $db->transaction(function () use ($db, $inner) {
            $db->select(xact_sql($inner));
            throw new RuntimeException();
        });
    } catch (RuntimeException) {
    }
    row('Connection', 'inner `transaction()` that fails', 'back to a savepoint', savepoint($outer, $inner));
});
row('Connection', 'end of `transaction()`', 'no transaction is open', state($pid));
row('Connection', 'end of `transaction()`', 'a session lock is kept', lock($pid, $key));
$db->beginTransaction();
row('Connection', '`beginTransaction()`', 'Does::Begins', state($pid));
$db->rollBack();
row('Connection', '`rollBack()`', 'Does::Ends', state($pid));
$db->beginTransaction();
$db->commit();
row('Connection', '`commit()`', 'Does::Ends', state($pid));
$db->disconnect();
row('Connection', '`disconnect()`', 'Does::Closes', lock($pid, $key));
$pid = pid_of($db);
$db->reconnect();
row('Connection', '`reconnect()`', 'Does::Closes', gone($pid));
$pid = pid_of($db);
$db->purge();
row('Connection', '`purge()`', 'Does::Closes', gone($pid));
