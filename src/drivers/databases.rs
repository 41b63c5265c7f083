//! encode's databases (<https://www.encode.io/databases/connections_and_transactions/>): each query takes the task's
//! connection, which goes back to the pool when nobody uses it; on asyncpg that resets it. `async with
//! database.connection()` and `transaction()` hold it.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["execute", "execute_many", "fetch_all", "fetch_one", "fetch_val", "iterate"];

pub(super) const DRIVER: Driver = Driver {
    name: "databases",
    languages: &[HostLanguage::Python],
    imports: &["databases"],
    kinds: &[
        // The caller may hold the task's connection.
        Kind {
            name: "Database",
            types: &["databases.Database", "databases.core.Database"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`async with database.connection() as connection:`",
            methods: &[
                (RUNS, Does::Run),
                (&["connection"], Does::Borrows("Connection")),
                (&["transaction"], Does::Begins("Transaction")),
                (&["disconnect"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["databases.core.Connection"],
            owner: Owner::Reset,
            begins: Begins::NeverByDefault,
            methods: &[(RUNS, Does::Run), (&["transaction"], Does::Begins("Transaction"))],
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["databases.core.Transaction"],
            begins: Begins::Already,
            methods: &[(&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
    ],
    ambient: true,
    ..LIBRARY
};
