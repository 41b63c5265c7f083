<?php
require __DIR__ . '/seen.php';
require_once '/usr/share/php/Doctrine/DBAL/autoload.php';

use Doctrine\DBAL\DriverManager;

versions('doctrine/dbal ' . packaged('php-doctrine-dbal'));
$where = ['driver' => 'pdo_pgsql', 'host' => getenv('PGHOST'), 'dbname' => getenv('PGDATABASE'), 'user' => getenv('PGUSER')];
$conn = DriverManager::getConnection($where);
$pid = $conn->fetchOne(PID);
row('Connection', 'one `fetchOne()` after another', 'Owner::Ambient', connections($pid, $conn->fetchOne(PID)));
row('Connection', '`fetchOne(SELECT)`', 'Begins::NeverByDefault', state($pid));
row('Connection', '`fetchOne()` of a false', 'falsy', truth($conn->fetchOne('SELECT false')));
row('Connection', '`fetchAssociative()` of a false', 'truthy', truth($conn->fetchAssociative('SELECT false')));
row('Connection', '`executeQuery()` of a false', 'truthy', truth($conn->executeQuery('SELECT false')));
row('Connection', '`executeStatement()` of a true: rows that changed', 'falsy', truth($conn->executeStatement('SELECT true')));
row('Pdo', '`getNativeConnection()`', 'Owner::Ambient', connections($pid, $conn->getNativeConnection()->query(PID)->fetchColumn()));
row('Pdo', '`query(SELECT)`', 'Begins::NeverByDefault', state($pid));
$key = key_of_its_own();
$conn->transactional(function ($conn) use ($pid, $key) {
    $conn->fetchOne(lock_sql($key));
    row('Connection', '`transactional()`', 'Does::Within', state($pid));
});
row('Connection', 'end of `transactional()`', 'no transaction is open', state($pid));
row('Connection', 'end of `transactional()`', 'a session lock is kept', lock($pid, $key));
$conn->beginTransaction();
row('Connection', '`beginTransaction()`', 'Does::Begins', state($pid));
$conn->rollBack();
row('Connection', '`rollBack()`', 'Does::Ends', state($pid));
$conn->beginTransaction();
$conn->commit();
row('Connection', '`commit()`', 'Does::Ends', state($pid));
$conn->close();
row('Connection', '`close()`', 'Does::Closes', lock($pid, $key));
$conn->setAutoCommit(false);
row('Connection', '`setAutoCommit(false)` before it connects, a SELECT', 'a transaction is open', state($conn->fetchOne(PID)));
