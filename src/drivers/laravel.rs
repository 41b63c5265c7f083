//! Laravel's `DB` facade and connections (<https://laravel.com/docs/database>: `DB::transaction` runs its closure in a
//! transaction, an inner one is a savepoint). One connection a name and process, kept in
//! `DatabaseManager::$connections`; each statement commits unless a transaction is open
//! (`Illuminate\Database\Connection` on PDO).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "select",
    "selectOne",
    "selectFromWriteConnection",
    "selectResultSets",
    "scalar",
    "cursor",
    "insert",
    "update",
    "delete",
    "statement",
    "affectingStatement",
    "unprepared",
];

pub(super) const DRIVER: Driver = Driver {
    name: "Laravel",
    languages: &[HostLanguage::Php],
    imports: &["Illuminate", "DB"],
    kinds: &[
        Kind {
            name: "Connection",
            types: &[
                "Illuminate.Support.Facades.DB",
                "Illuminate.Database.Connection",
                "Illuminate.Database.ConnectionInterface",
                "Illuminate.Database.PostgresConnection",
                "Illuminate.Database.DatabaseManager",
            ],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (RUNS, Does::Run),
                (&["connection"], Does::Gives("Connection")),
                (&["transaction"], Does::Within { gives: "Connection", transaction: true, session: false }),
                (&["beginTransaction"], Does::Begins("Transaction")),
                (&["commit", "rollBack", "rollback"], Does::Ends),
                (&["getPdo", "getReadPdo", "getRawPdo"], Does::Gives("Pdo")),
                (&["table", "query"], Does::Works),
                // Another connection comes with the next statement.
                (&["disconnect", "reconnect", "purge"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The PDO below it: the same session.
        Kind {
            name: "Pdo",
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: super::pdo::METHODS,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        super::pdo::STATEMENT,
        super::pdo::TRANSACTION,
    ],
    globals: &[("DB", "Connection")],
    makers: &[("DB.connection", "Connection")],
    ambient: true,
    ..LIBRARY
};
