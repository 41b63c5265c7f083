//! jOOQ (<https://www.jooq.org/doc/latest/manual/sql-execution/transaction-management/>). A DSLContext stands on a
//! connection, a data source or a transaction's configuration, all of one type, so only the callbacks say what it is.

use super::jdbc::{CONNECTION, STATEMENT};
use crate::driver::{Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &[
    "execute",
    "fetch",
    "fetchOne",
    "fetchSingle",
    "fetchOptional",
    "fetchValue",
    "fetchValues",
    "fetchAny",
    "fetchMany",
    "fetchExists",
    "fetchLazy",
    "fetchStream",
];

const WRITES: &[&str] = &["executeInsert", "executeUpdate", "executeDelete"];

pub(super) const DRIVER: Driver = Driver {
    name: "jOOQ",
    languages: JVM,
    imports: &["org.jooq"],
    kinds: &[
        Kind {
            name: "Context",
            types: &["org.jooq.DSLContext"],
            owner: Owner::Unknown,
            pin: "`ctx.connection(connection -> …)`",
            methods: &[
                (RUNS, Does::Run),
                (WRITES, Does::Writes),
                (&["query", "resultQuery"], Does::Prepare("Query")),
                (
                    &["transaction", "transactionResult"],
                    Does::Within { gives: "Configuration", transaction: true, session: true },
                ),
                (
                    &["connection", "connectionResult"],
                    Does::Within { gives: "Connection", transaction: false, session: true },
                ),
            ],
            ..HANDLE
        },
        // `trx` of `transaction(trx -> …)`.
        Kind {
            name: "Configuration",
            types: &["org.jooq.Configuration"],
            begins: Begins::Already,
            methods: &[(&["dsl"], Does::Gives("Tx"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (WRITES, Does::Writes),
                (&["query", "resultQuery"], Does::Prepare("Query")),
                // A savepoint.
                (
                    &["transaction", "transactionResult"],
                    Does::Within { gives: "Configuration", transaction: false, session: false },
                ),
            ],
            ..HANDLE
        },
        Kind { name: "Query", methods: &[(RUNS, Does::Execute)], otherwise: Does::Nothing, ..HANDLE },
        Kind { name: "Connection", methods: CONNECTION, otherwise: Does::Nothing, ..HANDLE },
        STATEMENT,
    ],
    takes: &[(&["org.jooq.impl.DSL.using", "DSL.using"], Does::Gives("Tx"))],
    ..LIBRARY
};
