//! SeaORM (<https://docs.rs/sea-orm/latest/sea_orm/struct.DatabaseConnection.html>,
//! <https://www.sea-ql.org/SeaORM/docs/advanced-query/transaction/>): a DatabaseConnection is sqlx's pool; `begin` and
//! `transaction` hold a connection. A nested one is a savepoint.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "execute",
    "execute_raw",
    "execute_unprepared",
    "query_one",
    "query_one_raw",
    "query_all",
    "query_all_raw",
    "stream",
];

pub(super) const DRIVER: Driver = Driver {
    name: "SeaORM",
    languages: &[HostLanguage::Rust],
    imports: &["sea_orm", "sea_orm_migration"],
    kinds: &[
        Kind {
            name: "Database",
            types: &["sea_orm.DatabaseConnection", "sea_orm.DbConn"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.begin().await?`",
            methods: &[
                (RUNS, Does::Run),
                (&["begin", "begin_with_config", "begin_with_options"], Does::Begins("Tx")),
                (
                    &["transaction", "transaction_with_config"],
                    Does::Within { gives: "Tx", transaction: true, session: true },
                ),
                (&["clone"], Does::Gives("Database")),
                (&["close", "close_by_ref"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["sea_orm.DatabaseTransaction"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["begin"], Does::Gives("Nested")),
                (&["transaction"], Does::Within { gives: "Tx", transaction: false, session: false }),
                (&["commit", "rollback"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Nested",
            begins: Begins::Already,
            methods: &[(RUNS, Does::Run), (&["begin"], Does::Gives("Nested")), (&["commit", "rollback"], Does::Inner)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // `&impl ConnectionTrait`: either.
        Kind {
            name: "Either",
            types: &["sea_orm.ConnectionTrait", "sea_orm_migration.SchemaManagerConnection"],
            owner: Owner::Unknown,
            methods: &[(RUNS, Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("Database.connect", "Database")],
    takes: &[
        (&["one", "all", "count", "exists"], Does::Works),
        (&["exec", "insert", "update", "delete", "save"], Does::Writes),
    ],
    ..LIBRARY
};
