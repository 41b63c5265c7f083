//! Vert.x's reactive clients (<https://vertx.io/docs/vertx-pg-client/java/>: a pool borrows a connection for each query
//! that is executed; `withConnection` and `withTransaction` hold one), and Mutiny's of the same shape.

use crate::driver::{Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::{Begins, Owner};

const PREPARES: &[&str] = &["query", "preparedQuery"];

pub(super) const DRIVER: Driver = Driver {
    name: "Vert.x SQL client",
    languages: JVM,
    imports: &["io.vertx"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &[
                "io.vertx.sqlclient.Pool",
                "io.vertx.pgclient.PgPool",
                "io.vertx.mutiny.sqlclient.Pool",
                "io.vertx.mutiny.pgclient.PgPool",
            ],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.withConnection(connection -> …)`",
            methods: &[
                (PREPARES, Does::Prepare("Query")),
                (&["getConnection", "connection"], Does::Borrows("Connection")),
                (&["withConnection"], Does::Within { gives: "Connection", transaction: false, session: true }),
                (&["withTransaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["io.vertx.sqlclient.SqlConnection", "io.vertx.mutiny.sqlclient.SqlConnection"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Tx", begins: Begins::Already, methods: CONNECTION, otherwise: Does::Nothing, ..HANDLE },
        Kind {
            name: "Transaction",
            types: &["io.vertx.sqlclient.Transaction", "io.vertx.mutiny.sqlclient.Transaction"],
            begins: Begins::Already,
            methods: &[(&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Query",
            methods: &[(&["execute", "executeBatch"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("PgPool.pool", "Pool"), ("Pool.pool", "Pool")],
    ..LIBRARY
};

const CONNECTION: &[(&[&str], Does)] = &[
    (PREPARES, Does::Prepare("Query")),
    (&["prepare"], Does::Prepare("Query")),
    (&["begin"], Does::Begins("Transaction")),
    (&["close"], Does::Returns),
];
