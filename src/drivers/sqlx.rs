//! Rust's sqlx (<https://docs.rs/sqlx/latest/sqlx/struct.Pool.html>,
//! <https://docs.rs/sqlx/latest/sqlx/trait.Executor.html>): a query is a value, run on the executor that it is given;
//! `&PgPool` acquires a connection for each. A connection that is dropped goes back without a reset; `detach` and
//! `leak` take it out of the pool. A dropped transaction is rolled back; `begin` in one is a savepoint.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["execute", "execute_many", "fetch", "fetch_all", "fetch_many", "fetch_one", "fetch_optional"];

const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (&["prepare", "prepare_with"], Does::Prepare("Statement")),
    (&["begin", "begin_with"], Does::Begins("Transaction")),
    (&["transaction"], Does::Within { gives: "Transaction", transaction: true, session: false }),
    (&["return_to_pool"], Does::Returns),
    (&["close", "close_hard"], Does::Closes),
    (&["detach", "leak"], Does::Opens("Own")),
    (&["as_mut", "deref_mut", "borrow_mut"], Does::Gives("Connection")),
];

pub(super) const DRIVER: Driver = Driver {
    name: "sqlx",
    languages: &[HostLanguage::Rust],
    imports: &["sqlx", "sqlx_core", "sqlx_postgres"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["sqlx.PgPool", "sqlx.Pool", "sqlx.postgres.PgPool", "sqlx.pool.Pool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.acquire().await?`",
            methods: &[
                (RUNS, Does::Run),
                (&["acquire", "try_acquire"], Does::Borrows("Pooled")),
                (&["begin", "try_begin", "begin_with", "try_begin_with"], Does::Begins("Transaction")),
                (&["clone"], Does::Gives("Pool")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Options",
            types: &["sqlx.postgres.PgPoolOptions", "sqlx.pool.PoolOptions"],
            owner: Owner::Unknown,
            methods: &[
                (&["connect", "connect_with", "connect_lazy", "connect_lazy_with"], Does::Opens("Pool")),
                (&["max_connections"], Does::Gives("Options")),
            ],
            otherwise: Does::Gives("Options"),
            ..HANDLE
        },
        Kind {
            name: "Pooled",
            types: &["sqlx.pool.PoolConnection"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // `&mut PgConnection` is what a pool's connection and a transaction are passed on as.
        Kind {
            name: "Connection",
            types: &["sqlx.PgConnection", "sqlx.postgres.PgConnection"],
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["sqlx.Transaction", "sqlx.PgTransaction"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["prepare", "prepare_with"], Does::Prepare("Statement")),
                (&["commit", "rollback"], Does::Ends),
                (&["begin"], Does::Gives("Nested")),
                (&["as_mut", "deref_mut", "borrow_mut"], Does::Gives("Transaction")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Nested",
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["commit", "rollback"], Does::Inner),
                (&["begin"], Does::Gives("Nested")),
                (&["as_mut", "deref_mut", "borrow_mut"], Does::Gives("Nested")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Statement", otherwise: Does::Nothing, ..HANDLE },
        // `impl PgExecutor<'_>`: a pool or a connection.
        Kind {
            name: "Executor",
            types: &["sqlx.PgExecutor", "sqlx.Executor"],
            owner: Owner::Unknown,
            methods: &[(RUNS, Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("PgPool.connect", "Pool"),
        ("PgPool.connect_with", "Pool"),
        ("PgPool.connect_lazy", "Pool"),
        ("PgPool.connect_lazy_with", "Pool"),
        ("Pool.connect", "Pool"),
        ("Pool.connect_with", "Pool"),
        ("PgConnection.connect", "Own"),
        ("PgConnection.connect_with", "Own"),
        ("PgPoolOptions.new", "Options"),
    ],
    takes: &[(RUNS, Does::Run)],
    ..LIBRARY
};
