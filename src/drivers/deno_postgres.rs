//! Deno's postgres module (<https://deno-postgres.com/>): a Client is one connection, a Pool gives clients; a
//! transaction is begun by its `begin()`.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &["queryArray", "queryObject"];

pub(super) const DRIVER: Driver = Driver {
    name: "deno-postgres",
    languages: SCRIPT,
    imports: &["https://deno.land/x/postgres", "jsr:@db/postgres", "@db/postgres"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["@db/postgres.Pool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`await pool.connect()`",
            methods: &[(&["connect"], Does::Borrows("PoolClient")), (&["end"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "PoolClient",
            types: &["@db/postgres.PoolClient"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["createTransaction"], Does::Gives("Transaction")),
                (&["release"], Does::Returns),
                (&["end"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Client",
            types: &["@db/postgres.Client"],
            owner: Owner::Own,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["createTransaction"], Does::Gives("Transaction")),
                (&["end"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["@db/postgres.Transaction"],
            methods: &[
                (RUNS, Does::Run),
                (&["begin"], Does::Begins("Transaction")),
                (&["commit"], Does::Ends),
                // To a savepoint, or all of it.
                (&["rollback"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    ..LIBRARY
};
