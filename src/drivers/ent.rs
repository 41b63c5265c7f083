//! ent (<https://entgo.io/docs/transactions/>, <https://entgo.io/docs/sql-integration/>): the generated `*ent.Client`
//! is a pool's or, as `tx.Client()`, a transaction's; with the sql/execquery feature both have `ExecContext` and
//! `QueryContext`.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["ExecContext", "QueryContext"];

pub(super) const DRIVER: Driver = Driver {
    name: "ent",
    languages: &[HostLanguage::Go],
    // The generated package has the program's path: only where ent itself is imported beside it is it known.
    imports: &["entgo.io/ent"],
    kinds: &[
        Kind {
            name: "Client",
            types: &["ent.Client"],
            owner: Owner::Unknown,
            methods: &[
                (RUNS, Does::Run),
                (&["Tx", "BeginTx"], Does::Begins("Tx")),
                (&["Debug"], Does::Gives("Client")),
                (&["Close"], Does::Closes),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["ent.Tx"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["Client"], Does::Gives("Tx")),
                (&["OnCommit", "OnRollback"], Does::Nothing),
                (&["Commit", "Rollback"], Does::Ends),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    ..LIBRARY
};
