//! R2DBC (<https://r2dbc.io/spec/1.0.0.RELEASE/spec/html/>: a connection begins in auto-commit mode) and Spring's
//! DatabaseClient on it (<https://docs.spring.io/spring-framework/reference/data-access/r2dbc.html>). Where a
//! connection comes from, a factory does not say: it may be a pool.

use crate::driver::{Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::{Begins, Owner};

pub(super) const DRIVER: Driver = Driver {
    name: "R2DBC",
    languages: JVM,
    imports: &["io.r2dbc", "org.springframework.r2dbc"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["io.r2dbc.pool.ConnectionPool"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`Mono.usingWhen(pool.create(), connection -> …, Connection::close)`",
            methods: &[(&["create"], Does::Borrows("Connection"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["io.r2dbc.spi.Connection", "io.r2dbc.postgresql.api.PostgresqlConnection"],
            methods: &[
                (&["createStatement"], Does::Prepare("Statement")),
                (&["beginTransaction"], Does::Begins("Tx")),
                (&["commitTransaction", "rollbackTransaction"], Does::Ends),
                (&["rollbackTransactionToSavepoint"], Does::Inner),
                (&["setAutoCommit"], Does::Autocommit),
                (&["close"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Tx", begins: Begins::Already, otherwise: Does::Nothing, ..HANDLE },
        Kind {
            name: "Statement",
            types: &["io.r2dbc.spi.Statement"],
            methods: &[(&["execute"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A reactive transaction around the call may hold the connection.
        Kind {
            name: "Client",
            types: &["org.springframework.r2dbc.core.DatabaseClient"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`databaseClient.inConnection(connection -> …)`",
            methods: &[
                (&["sql"], Does::Prepare("Spec")),
                (
                    &["inConnection", "inConnectionMany"],
                    Does::Within { gives: "Connection", transaction: false, session: true },
                ),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Spec",
            methods: &[
                (&["fetch", "then", "map", "mapValue", "mapProperties", "await", "awaitSingle"], Does::Execute),
                (&["bind", "bindNull", "bindValues", "filter"], Does::Gives("Spec")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    ..LIBRARY
};
