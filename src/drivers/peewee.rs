//! Peewee (<https://docs.peewee-orm.com/en/latest/peewee/database.html>): one connection a thread; each statement
//! commits outside of `atomic()` and `transaction()`, and an inner `atomic` is a savepoint. A pooled database keeps the
//! connection for the thread until it is closed, and resets nothing (`playhouse/pool.py`).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Peewee",
    languages: &[HostLanguage::Python],
    imports: &["peewee", "playhouse"],
    kinds: &[
        Kind {
            name: "Database",
            types: &[
                "peewee.Database",
                "peewee.PostgresqlDatabase",
                "peewee.DatabaseProxy",
                "playhouse.postgres_ext.PostgresqlExtDatabase",
                "playhouse.pool.PooledPostgresqlDatabase",
                "playhouse.pool.PooledPostgresqlExtDatabase",
            ],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["execute_sql"], Does::Run),
                (&["execute"], Does::Works),
                (&["cursor"], Does::Gives("Cursor")),
                (&["atomic", "transaction"], Does::Within { gives: "Database", transaction: true, session: false }),
                (&["savepoint"], Does::Within { gives: "Database", transaction: false, session: false }),
                (&["connection_context"], Does::Within { gives: "Database", transaction: false, session: true }),
                (&["begin"], Does::Begins("Transaction")),
                (&["commit", "rollback"], Does::Ends),
                (&["close"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Cursor",
            owner: Owner::Ambient,
            methods: &[(&["execute"], Does::Run), (&["fetchone", "fetchall", "fetchmany"], Does::Fetch)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Transaction", owner: Owner::Ambient, begins: Begins::Already, ..HANDLE },
    ],
    ambient: true,
    ..LIBRARY
};
