//! Tortoise ORM (<https://tortoise.github.io/transactions.html>, <https://tortoise.github.io/connections.html>):
//! `connections.get` gives a client that stands on a pool; `in_transaction()` gives one in a transaction, which the
//! task's queries use too.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["execute_query", "execute_query_dict", "execute_script", "execute_insert", "execute_many"];

pub(super) const DRIVER: Driver = Driver {
    name: "Tortoise",
    languages: &[HostLanguage::Python],
    imports: &["tortoise"],
    kinds: &[
        Kind {
            name: "Connections",
            owner: Owner::Unknown,
            methods: &[(&["get"], Does::Opens("Client"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A transaction of the task may be open.
        Kind {
            name: "Client",
            types: &["tortoise.backends.base.client.BaseDBAsyncClient", "tortoise.BaseDBAsyncClient"],
            owner: Owner::Unknown,
            pin: "`async with in_transaction() as conn:`",
            methods: &[(RUNS, Does::Run), (&["_in_transaction"], Does::Begins("Tx"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            begins: Begins::Already,
            methods: &[(RUNS, Does::Run), (&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
    ],
    makers: &[
        ("tortoise.transactions.in_transaction", "Tx"),
        ("tortoise.Tortoise.get_connection", "Client"),
        ("tortoise.connection.get_connection", "Client"),
        ("tortoise.connection.get_connections", "Connections"),
    ],
    globals: &[("tortoise.connections", "Connections"), ("tortoise.connection.connections", "Connections")],
    ambient: true,
    ..LIBRARY
};
