//! skunk (<https://typelevel.org/skunk/tutorial/Transactions.html>): a session is one connection, used as a resource,
//! of a pool or alone; `transaction` is a resource whose end commits.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const SESSION: &[(&[&str], Does)] = &[
    (&["execute", "unique", "option", "stream", "cursor"], Does::Run),
    (&["prepare", "prepareR"], Does::Prepare("Prepared")),
    (&["transaction"], Does::Begins("Transaction")),
];

pub(super) const DRIVER: Driver = Driver {
    name: "skunk",
    languages: &[HostLanguage::Scala],
    imports: &["skunk"],
    kinds: &[
        // `Resource[F, Session[F]]`: each use takes another session.
        Kind {
            name: "Sessions",
            types: &["cats.effect.Resource", "cats.effect.kernel.Resource"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`sessions.use { session => … }`",
            methods: &[(&["use", "surround"], Does::Within { gives: "Used", transaction: false, session: true })],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Used",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: SESSION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Session", types: &["skunk.Session"], methods: SESSION, otherwise: Does::Nothing, ..HANDLE },
        Kind {
            name: "Prepared",
            types: &["skunk.PreparedQuery", "skunk.PreparedCommand"],
            methods: &[(&["execute", "unique", "option", "stream", "cursor"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["skunk.Transaction"],
            begins: Begins::Already,
            methods: &[
                (&["commit"], Does::Ends),
                // To its savepoint, or all of it.
                (&["rollback"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
    ],
    ..LIBRARY
};
