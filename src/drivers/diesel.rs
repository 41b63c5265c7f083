//! Diesel and diesel-async (<https://docs.diesel.rs/master/diesel/connection/trait.Connection.html>): a query is a
//! value, run on the connection that it is given; a connection commits each statement outside of `transaction(|conn|
//! …)`; an inner one is a savepoint. The pools reset nothing. Rust's r2d2 and bb8 pools are in the table of
//! tokio-postgres.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const CONNECTION: &[(&[&str], Does)] = &[
    (&["batch_execute"], Does::Run),
    (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: false }),
    (&["build_transaction"], Does::Gives("Builder")),
    (&["interact"], Does::Within { gives: "Connection", transaction: false, session: false }),
    (&["deref_mut", "as_mut"], Does::Gives("Connection")),
];

pub(super) const DRIVER: Driver = Driver {
    name: "Diesel",
    languages: &[HostLanguage::Rust],
    imports: &["diesel", "diesel_async", "deadpool_diesel"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &[
                "diesel.r2d2.Pool",
                "deadpool_diesel.postgres.Pool",
                "diesel_async.pooled_connection.deadpool.Pool",
                "diesel_async.pooled_connection.bb8.Pool",
            ],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.get()?`",
            methods: &[
                (&["get", "get_owned", "try_get", "get_timeout"], Does::Borrows("Pooled")),
                (&["clone"], Does::Gives("Pool")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Pooled",
            types: &["diesel.r2d2.PooledConnection"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // From `establish`.
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A pool's connection is passed on as this type, and one in a transaction.
        Kind {
            name: "Connection",
            types: &["diesel.PgConnection", "diesel.pg.PgConnection", "diesel_async.AsyncPgConnection"],
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Builder",
            types: &["diesel.pg.TransactionBuilder"],
            methods: &[(&["run"], Does::Within { gives: "Tx", transaction: true, session: false })],
            otherwise: Does::Gives("Builder"),
            ..HANDLE
        },
        Kind {
            name: "Tx",
            begins: Begins::Already,
            methods: &[
                (&["batch_execute"], Does::Run),
                (&["transaction"], Does::Within { gives: "Tx", transaction: false, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("PgConnection.establish", "Own"), ("AsyncPgConnection.establish", "Own")],
    takes: &[(&["execute", "load", "load_iter", "load_stream", "get_result", "get_results", "first"], Does::Run)],
    ..LIBRARY
};
