//! KotliQuery (<https://github.com/seratch/kotliquery>: `sessionOf` borrows a connection, which `using` gives back;
//! autocommit but in `transaction`).

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] =
    &["run", "execute", "update", "updateAndReturnGeneratedKey", "list", "single", "forEach", "batchPreparedStatement"];

pub(super) const DRIVER: Driver = Driver {
    name: "KotliQuery",
    languages: &[HostLanguage::Kotlin],
    imports: &["kotliquery"],
    kinds: &[
        Kind {
            name: "Session",
            types: &["kotliquery.Session"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["close"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["kotliquery.TransactionalSession"],
            begins: Begins::Already,
            methods: &[(RUNS, Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("kotliquery.sessionOf", "Session")],
    ..LIBRARY
};
