//! pg8000 (<https://github.com/tlocke/pg8000>): a DB-API connection begins a transaction with its first statement
//! unless `autocommit` is set; a `pg8000.native.Connection` commits each statement outside of START TRANSACTION.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "pg8000",
    languages: &[HostLanguage::Python],
    imports: &["pg8000"],
    kinds: &[
        Kind {
            name: "Native",
            types: &["pg8000.native.Connection"],
            owner: Owner::Own,
            begins: Begins::Never,
            methods: &[(&["run"], Does::Run), (&["prepare"], Does::Prepare("Statement")), (&["close"], Does::Closes)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["pg8000.dbapi.Connection", "pg8000.Connection"],
            owner: Owner::Own,
            begins: Begins::ByItself,
            methods: &[
                (&["cursor"], Does::Gives("Cursor")),
                (&["run"], Does::Run),
                (&["commit", "rollback"], Does::Ends),
                (&["autocommit"], Does::Autocommit),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Cursor",
            types: &["pg8000.dbapi.Cursor"],
            methods: &[(&["execute", "executemany"], Does::Run), (&["fetchone", "fetchall", "fetchmany"], Does::Fetch)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Statement", methods: &[(&["run"], Does::Execute)], otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[("pg8000.connect", "Connection"), ("pg8000.dbapi.connect", "Connection")],
    ..LIBRARY
};
