<?php
require __DIR__ . '/seen.php';

versions('PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.' . PHP_RELEASE_VERSION . ' with PDO');
$dsn = 'pgsql:host=' . getenv('PGHOST') . ';dbname=' . getenv('PGDATABASE') . ';user=' . getenv('PGUSER');

$pdo = new PDO($dsn);
$pid = $pdo->query(PID)->fetchColumn();
row('PDO', '`query(SELECT)`', 'Begins::Never', state($pid));
row('PDO', '`query()` of a false, the answer', 'truthy', truth($pdo->query('SELECT false')));
row('PDO', '`query()` of a false, `fetch()`', 'truthy', truth($pdo->query('SELECT false')->fetch()));
row('PDO', '`query()` of a false, `fetchColumn()`', 'falsy', truth($pdo->query('SELECT false')->fetchColumn()));
row('PDO', '`exec()` of a true: rows that changed', 'falsy', truth($pdo->exec('SELECT true')));
$key = key_of_its_own();
$pdo->beginTransaction();
row('PDO', '`beginTransaction()`', 'Does::Begins', state($pid));
$pdo->query(lock_sql($key))->fetchAll();
row('Transaction', 'after `beginTransaction()`', 'Begins::Already', state($pid));
$pdo->commit();
row('PDO', '`commit()`', 'Does::Ends', state($pid));
$pdo->beginTransaction();
$pdo->rollBack();
row('PDO', '`rollBack()`', 'Does::Ends', state($pid));
row('PDO', '`rollBack()`', 'a session lock is kept', lock($pid, $key));
$pdo = null;
row('PDO', 'the object goes', 'Owner::Own', lock($pid, $key));

$pdo = new PDO($dsn, options: [PDO::ATTR_PERSISTENT => true]);
$pid = $pdo->query(PID)->fetchColumn();
row('Persistent', '`query(SELECT)`', 'Begins::Never', state($pid));
$key = key_of_its_own();
$pdo->query(lock_sql($key))->fetchAll();
$pdo = null;
row('Persistent', 'the object goes', 'Owner::Borrowed', lock($pid, $key));
$pdo = new PDO($dsn, options: [PDO::ATTR_PERSISTENT => true]);
row('Persistent', 'the next one', 'one connection', connections($pid, $pdo->query(PID)->fetchColumn()));
$pdo->beginTransaction();
$pdo = null;
row('Persistent', 'the object goes, in a transaction', 'no transaction is open', state($pid));
