//! tokio-postgres and the blocking postgres crate
//! (<https://docs.rs/tokio-postgres/latest/tokio_postgres/struct.Client.html>), with the pools deadpool-postgres
//! (<https://docs.rs/deadpool-postgres/latest/deadpool_postgres/enum.RecyclingMethod.html>: `Fast`, which resets
//! nothing, is the default; `Clean` resets a connection when it is handed out again), bb8 and r2d2. A client is one
//! connection; a pool's object derefs to it and goes back when it is dropped.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "execute",
    "execute_raw",
    "execute_typed",
    "query",
    "query_one",
    "query_opt",
    "query_raw",
    "query_typed",
    "query_typed_raw",
    "query_scalar",
    "simple_query",
    "batch_execute",
    "copy_in",
    "copy_out",
];

const PREPARES: &[&str] = &["prepare", "prepare_typed", "prepare_cached", "prepare_typed_cached"];

const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (PREPARES, Does::Prepare("Statement")),
    (&["transaction"], Does::Begins("Transaction")),
    (&["build_transaction"], Does::Gives("Builder")),
    (&["close"], Does::Closes),
    (&["as_mut", "deref_mut", "client"], Does::Gives("Client")),
];

pub(super) const DRIVER: Driver = Driver {
    name: "tokio-postgres",
    languages: &[HostLanguage::Rust],
    imports: &["tokio_postgres", "postgres", "deadpool_postgres", "bb8_postgres", "bb8", "r2d2_postgres", "r2d2"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["deadpool_postgres.Pool", "bb8.Pool", "r2d2.Pool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.get().await?`",
            methods: &[
                (&["get", "get_owned", "try_get", "get_timeout", "timeout_get"], Does::Borrows("Object")),
                (&["dedicated_connection"], Does::Opens("Own")),
                (&["clone"], Does::Gives("Pool")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Object",
            types: &[
                "deadpool_postgres.Object",
                "deadpool_postgres.Client",
                "deadpool_postgres.ClientWrapper",
                "bb8.PooledConnection",
                "r2d2.PooledConnection",
            ],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // From `connect`.
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A pool's object is passed on as `&Client` too.
        Kind {
            name: "Client",
            types: &["tokio_postgres.Client", "postgres.Client"],
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A client or a transaction.
        Kind {
            name: "Generic",
            types: &["tokio_postgres.GenericClient", "deadpool_postgres.GenericClient", "postgres.GenericClient"],
            owner: Owner::Unknown,
            methods: &[(RUNS, Does::Run), (PREPARES, Does::Prepare("Statement"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Builder",
            types: &["tokio_postgres.TransactionBuilder", "deadpool_postgres.TransactionBuilder"],
            methods: &[(&["start"], Does::Begins("Transaction"))],
            otherwise: Does::Gives("Builder"),
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["tokio_postgres.Transaction", "deadpool_postgres.Transaction", "postgres.Transaction"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (PREPARES, Does::Prepare("Statement")),
                (&["transaction", "savepoint"], Does::Gives("Savepoint")),
                (&["commit", "rollback"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Savepoint",
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (PREPARES, Does::Prepare("Statement")),
                (&["transaction", "savepoint"], Does::Gives("Savepoint")),
                (&["commit", "rollback"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Statement", otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[("tokio_postgres.connect", "Own"), ("postgres.Client.connect", "Own")],
    takes: &[(RUNS, Does::Run)],
    ..LIBRARY
};
