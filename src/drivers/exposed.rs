//! Exposed (<https://www.jetbrains.com/help/exposed/transactions.html>): every statement runs in a `transaction { … }`,
//! whose receiver is the transaction; an inner one joins it unless `useNestedTransactions` is set.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const WITHIN: Does = Does::Within { gives: "Tx", transaction: true, session: true };

pub(super) const DRIVER: Driver = Driver {
    name: "Exposed",
    languages: &[HostLanguage::Kotlin],
    imports: &["org.jetbrains.exposed"],
    kinds: &[
        // The packages of its functions.
        Kind {
            name: "Package",
            owner: Owner::Ambient,
            methods: &[(
                &[
                    "transaction",
                    "inTopLevelTransaction",
                    "newSuspendedTransaction",
                    "suspendTransaction",
                    "suspendedTransactionAsync",
                ],
                WITHIN,
            )],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &[
                "org.jetbrains.exposed.sql.Transaction",
                "org.jetbrains.exposed.v1.jdbc.JdbcTransaction",
                "org.jetbrains.exposed.v1.r2dbc.R2dbcTransaction",
            ],
            begins: Begins::Already,
            methods: &[
                (&["exec"], Does::Run),
                (&["commit", "rollback"], Does::Ends),
                (&["connection"], Does::Gives("Connection")),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        // Exposed's own wrapper of the JDBC connection.
        Kind {
            name: "Connection",
            begins: Begins::Already,
            methods: &[
                (&["prepareStatement"], Does::Prepare("Statement")),
                (&["executeInBatch"], Does::Works),
                (&["commit"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Statement",
            methods: &[(&["executeQuery", "executeUpdate", "executeMultiple"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("TransactionManager.current", "Tx")],
    globals: &[
        ("org.jetbrains.exposed.sql.transactions", "Package"),
        ("org.jetbrains.exposed.sql.transactions.experimental", "Package"),
        ("org.jetbrains.exposed.v1.jdbc.transactions", "Package"),
        ("org.jetbrains.exposed.v1.jdbc.transactions.experimental", "Package"),
        ("org.jetbrains.exposed.v1.r2dbc.transactions", "Package"),
    ],
    ambient: true,
    ..LIBRARY
};
