//! AMPHP's PostgreSQL client (<https://amphp.org/postgres>): a pool runs each query on an idle connection;
//! `beginTransaction` and `extractConnection` hold one.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["query", "execute"];

pub(super) const DRIVER: Driver = Driver {
    name: "AMPHP",
    languages: &[HostLanguage::Php],
    imports: &["Amp\\Postgres"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["Amp.Postgres.PostgresConnectionPool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`$pool->extractConnection()`",
            methods: &[
                (RUNS, Does::Run),
                (&["prepare"], Does::Prepare("Statement")),
                (&["beginTransaction"], Does::Begins("Transaction")),
                (&["extractConnection"], Does::Opens("Connection")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["Amp.Postgres.PostgresConnection"],
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["prepare"], Does::Prepare("Statement")),
                (&["beginTransaction"], Does::Begins("Transaction")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["Amp.Postgres.PostgresTransaction"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["prepare"], Does::Prepare("Statement")),
                (&["commit", "rollback"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Statement", methods: &[(&["execute"], Does::Execute)], otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[("Amp.Postgres.connect", "Connection")],
    ..LIBRARY
};
