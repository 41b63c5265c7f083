//! JDBI (<https://jdbi.org/#_handle>, <https://jdbi.org/#_transactions>): `useHandle` and `withHandle` run a callback on one
//! connection of the data source, in its autocommit mode; `useTransaction` and `inTransaction` in a transaction. `open`
//! gives a handle that `close` gives back.

use crate::driver::{AtEnd, Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::{Begins, Owner};

const HANDLES: &[&str] = &["useHandle", "withHandle", "withHandleUnchecked", "useHandleUnchecked"];
const TRANSACTIONS: &[&str] = &["useTransaction", "inTransaction", "inTransactionUnchecked", "useTransactionUnchecked"];

const METHODS: &[(&[&str], Does)] = &[
    (&["execute"], Does::Run),
    (
        &["createQuery", "createUpdate", "select", "createCall", "createScript", "prepareBatch"],
        Does::Prepare("Statement"),
    ),
    (TRANSACTIONS, Does::Within { gives: "Tx", transaction: true, session: false }),
    (&["begin"], Does::Begins("Handle")),
    (&["commit", "rollback"], Does::Ends),
    (&["getConnection", "connection"], Does::Gives("Handle")),
    (&["close"], Does::Returns),
];

pub(super) const DRIVER: Driver = Driver {
    name: "JDBI",
    languages: JVM,
    imports: &["org.jdbi"],
    kinds: &[
        Kind {
            name: "Jdbi",
            types: &["org.jdbi.v3.core.Jdbi"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`jdbi.useHandle(handle -> …)`",
            methods: &[
                (HANDLES, Does::Within { gives: "Handle", transaction: false, session: true }),
                (TRANSACTIONS, Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["open"], Does::Borrows("Handle")),
                (&["installPlugin", "installPlugins", "setSqlLogger"], Does::Gives("Jdbi")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Handle",
            types: &["org.jdbi.v3.core.Handle"],
            owner: Owner::Borrowed,
            begins: Begins::NeverByDefault,
            methods: METHODS,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind { name: "Tx", begins: Begins::Already, methods: METHODS, otherwise: Does::Nothing, ..HANDLE },
        Kind {
            name: "Statement",
            methods: &[(
                &[
                    "execute",
                    "one",
                    "findOne",
                    "findFirst",
                    "first",
                    "findOnly",
                    "list",
                    "stream",
                    "iterator",
                    "mapTo",
                    "map",
                    "mapToMap",
                    "mapToBean",
                    "useStream",
                ],
                Does::Execute,
            )],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("Jdbi.create", "Jdbi"), ("org.jdbi.v3.core.Jdbi.create", "Jdbi")],
    ..LIBRARY
};
