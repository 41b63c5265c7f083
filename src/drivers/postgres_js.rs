//! postgres.js (<https://github.com/porsager/postgres#transactions>,
//! <https://github.com/porsager/postgres#reserving-connections>): the `sql` tag takes a connection of the pool for each
//! query, `sql.reserve()` holds one, `sql.begin` gives a tag in a transaction. Nothing is reset. Bun's `SQL`
//! (<https://bun.sh/docs/api/sql>) has the shape of postgres.js.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &["()", "unsafe", "file"];

pub(super) const DRIVER: Driver = Driver {
    name: "postgres.js",
    languages: SCRIPT,
    imports: &["postgres", "bun"],
    kinds: &[
        Kind {
            name: "Sql",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`await sql.reserve()`",
            methods: &[
                (RUNS, Does::Run),
                (&["begin", "transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["reserve"], Does::Borrows("Reserved")),
                (&["end", "close"], Does::Closes),
                (&["json", "array", "typed", "listen", "notify"], Does::Nothing),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The type of the pool, of a reserved connection and of a transaction, which extend it.
        Kind {
            name: "Handle",
            types: &["postgres.Sql", "postgres.ISql", "bun.SQL"],
            owner: Owner::Unknown,
            methods: &[
                (RUNS, Does::Run),
                (&["begin", "transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["reserve"], Does::Borrows("Reserved")),
                (&["end", "close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Reserved",
            types: &["postgres.ReservedSql", "bun.ReservedSQL"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[(RUNS, Does::Run), (&["release"], Does::Returns)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["postgres.TransactionSql", "bun.TransactionSQL"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["savepoint"], Does::Within { gives: "Tx", transaction: false, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("postgres", "Sql"), ("postgres.default", "Sql"), ("bun.SQL", "Sql")],
    globals: &[("bun.sql", "Sql")],
    ..LIBRARY
};
