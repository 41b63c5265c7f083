//! Doctrine DBAL and its ORM's EntityManager, as Symfony uses them
//! (<https://www.doctrine-project.org/projects/doctrine-dbal/en/current/reference/transactions.html>): a Connection is
//! one connection, in autocommit by default; `transactional` runs its function in a transaction. A long-lived worker
//! keeps it.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, Migration};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "executeQuery",
    "executeStatement",
    "executeCacheQuery",
    "fetchAssociative",
    "fetchNumeric",
    "fetchOne",
    "fetchAllAssociative",
    "fetchAllNumeric",
    "fetchAllKeyValue",
    "fetchAllAssociativeIndexed",
    "fetchFirstColumn",
    "iterateAssociative",
    "iterateNumeric",
    "iterateColumn",
    "iterateKeyValue",
    "iterateAssociativeIndexed",
    // Of versions 2 and before.
    "exec",
    "query",
    "executeUpdate",
    "fetchAssoc",
    "fetchColumn",
    "fetchAll",
];

pub(super) const DRIVER: Driver = Driver {
    name: "Doctrine",
    languages: &[HostLanguage::Php],
    imports: &["Doctrine"],
    kinds: &[
        Kind {
            name: "Connection",
            types: &["Doctrine.DBAL.Connection", "Doctrine.DBAL.Driver.Connection"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (RUNS, Does::Run),
                (&["prepare"], Does::Prepare("Statement")),
                (&["insert", "update", "delete"], Does::Writes),
                (&["transactional"], Does::Within { gives: "Connection", transaction: true, session: false }),
                (&["beginTransaction"], Does::Begins("Transaction")),
                (&["commit", "rollBack"], Does::Ends),
                (&["rollbackSavepoint"], Does::Inner),
                (&["setAutoCommit"], Does::Autocommit),
                (&["getNativeConnection", "getWrappedConnection"], Does::Gives("Pdo")),
                (&["createQueryBuilder"], Does::Works),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Manager",
            types: &["Doctrine.ORM.EntityManagerInterface", "Doctrine.ORM.EntityManager"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["getConnection"], Does::Gives("Connection")),
                (
                    &["wrapInTransaction", "transactional"],
                    Does::Within { gives: "Manager", transaction: true, session: false },
                ),
                (&["beginTransaction"], Does::Begins("Transaction")),
                (&["commit", "rollback"], Does::Ends),
                (&["flush"], Does::Writes),
                (&["find", "lock", "refresh"], Does::Works),
                (&["createNativeQuery"], Does::Run),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Statement",
            types: &["Doctrine.DBAL.Statement"],
            methods: &[(&["executeQuery", "executeStatement", "execute"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Pdo",
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[(&["query", "exec"], Does::Run), (&["prepare"], Does::Prepare("Statement"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Transaction", owner: Owner::Ambient, begins: Begins::Already, ..HANDLE },
        // What a migration without a transaction adds.
        Kind { name: "Alone", begins: Begins::Never, methods: &[(&["addSql"], Does::Run)], ..HANDLE },
    ],
    makers: &[("Doctrine.DBAL.DriverManager.getConnection", "Connection")],
    // <https://www.doctrine-project.org/projects/doctrine-migrations/en/stable/reference/migration-classes.html>
    migration: Some(Migration {
        mark: "extends AbstractMigration",
        opts_out: &["function isTransactional(): bool", "return false;"],
        kind: "Alone",
    }),
    ambient: true,
    ..LIBRARY
};
