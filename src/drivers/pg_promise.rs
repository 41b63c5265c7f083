//! pg-promise (<https://vitaly-t.github.io/pg-promise/Database.html>): each query method of a Database takes a
//! connection of the pool and gives it back; `task` and `tx` hold one for their function, `connect` until `done()`.
//! Nothing is reset.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &[
    "query",
    "none",
    "one",
    "oneOrNone",
    "many",
    "manyOrNone",
    "any",
    "result",
    "multi",
    "multiResult",
    "map",
    "each",
    "func",
    "proc",
    "stream",
];

pub(super) const DRIVER: Driver = Driver {
    name: "pg-promise",
    languages: SCRIPT,
    imports: &["pg-promise"],
    kinds: &[
        // What `pgp(…)` gives; called with a connection it makes a Database.
        Kind {
            name: "Root",
            types: &["pg-promise.IMain"],
            owner: Owner::Unknown,
            methods: &[(&["()"], Does::Opens("Database"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Database",
            types: &["pg-promise.IDatabase"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.task(async (t) => …)`",
            methods: &[
                (RUNS, Does::Run),
                (&["task", "taskIf"], Does::Within { gives: "Task", transaction: false, session: true }),
                (&["tx", "txIf"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["connect"], Does::Borrows("Connected")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connected",
            types: &["pg-promise.IConnected"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["task", "taskIf"], Does::Within { gives: "Task", transaction: false, session: false }),
                (&["tx", "txIf"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["done"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The type of a task's and of a transaction's argument.
        Kind {
            name: "Task",
            types: &["pg-promise.ITask"],
            methods: &[
                (RUNS, Does::Run),
                (&["task", "taskIf"], Does::Within { gives: "Task", transaction: false, session: false }),
                (&["tx", "txIf"], Does::Within { gives: "Tx", transaction: true, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                // A savepoint.
                (&["task", "taskIf", "tx", "txIf"], Does::Within { gives: "Tx", transaction: false, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("pg-promise", "Root"), ("pg-promise.default", "Root")],
    ..LIBRARY
};
