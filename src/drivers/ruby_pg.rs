//! Ruby's pg (<https://deveiate.org/code/pg/PG/Connection.html>): a PG::Connection is one connection, which commits
//! each statement outside of `transaction do |conn|`. With the connection_pool gem
//! (<https://github.com/mperham/connection_pool>) `with` checks one out.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const CONNECTION: &[(&[&str], Does)] = &[
    (
        &[
            "exec",
            "exec_params",
            "async_exec",
            "async_exec_params",
            "sync_exec",
            "sync_exec_params",
            "query",
            "async_query",
            "send_query",
            "send_query_params",
        ],
        Does::Run,
    ),
    (&["prepare", "exec_prepared"], Does::Works),
    (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: false }),
    (&["close", "finish", "reset"], Does::Closes),
];

pub(super) const DRIVER: Driver = Driver {
    name: "pg",
    languages: &[HostLanguage::Ruby],
    kinds: &[
        Kind {
            name: "Connection",
            types: &["PG.Connection", "PGconn"],
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        // The block's argument is the connection itself.
        Kind { name: "Tx", begins: Begins::Already, methods: CONNECTION, otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[
        ("PG.connect", "Connection"),
        ("PG.Connection.open", "Connection"),
        ("PG.Connection.connect", "Connection"),
    ],
    ..LIBRARY
};
