//! PHP's extension for PostgreSQL (<https://www.php.net/manual/en/book.pgsql.php>): one connection, autocommit;
//! `pg_pconnect` gives one that the process keeps.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "pgsql",
    languages: &[HostLanguage::Php],
    kinds: &[
        Kind {
            name: "Connection",
            types: &["PgSql.Connection"],
            owner: Owner::Own,
            begins: Begins::Never,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Kept", owner: Owner::Borrowed, begins: Begins::Never, otherwise: Does::Nothing, ..HANDLE },
        Kind { name: "Statement", otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[("pg_connect", "Connection"), ("pg_pconnect", "Kept")],
    takes: &[
        (&["pg_query", "pg_query_params", "pg_send_query", "pg_send_query_params"], Does::Run),
        (&["pg_prepare"], Does::Prepare("Statement")),
        (&["pg_execute"], Does::Execute),
        (&["pg_close"], Does::Closes),
    ],
    ..LIBRARY
};
