//! skunk (<https://typelevel.org/skunk/tutorial/Transactions.html>): a session is one connection, used as a resource,
//! of a pool or alone; `transaction` is a resource whose end commits.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::Begins;
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "skunk",
    languages: &[HostLanguage::Scala],
    imports: &["skunk"],
    kinds: &[
        Kind {
            name: "Session",
            types: &["skunk.Session"],
            methods: &[
                (&["execute", "unique", "option", "stream", "cursor"], Does::Run),
                (&["transaction"], Does::Begins("Transaction")),
            ],
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
