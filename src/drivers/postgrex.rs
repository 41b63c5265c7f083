//! Postgrex (<https://hexdocs.pm/postgrex/Postgrex.html>). What `start_link` starts is a pool, of one connection by
//! default (`:pool_size` of DBConnection), so a call through it proves nothing. The function of `transaction` gets the
//! connection.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Postgrex",
    languages: &[HostLanguage::Elixir],
    kinds: &[
        // One connection unless a pool size is given.
        Kind {
            name: "Pool",
            owner: Owner::Unknown,
            begins: Begins::Never,
            pin: "`DBConnection.run(pool, fn conn -> … end)`",
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A pool of which the file gives the size.
        Kind {
            name: "Pooled",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`DBConnection.run(pool, fn conn -> … end)`",
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Conn", types: &["DBConnection.t"], otherwise: Does::Nothing, ..HANDLE },
        Kind { name: "Tx", begins: Begins::Already, otherwise: Does::Nothing, ..HANDLE },
        Kind { name: "Query", otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[("Postgrex.start_link", "Pool"), ("Postgrex.child_spec", "Pool")],
    variants: &[("Pool", &["pool_size:"], "Pooled")],
    takes: &[
        (
            &[
                "Postgrex.query",
                "Postgrex.query!",
                "Postgrex.prepare_execute",
                "Postgrex.prepare_execute!",
                "Postgrex.stream",
            ],
            Does::Run,
        ),
        (&["Postgrex.prepare", "Postgrex.prepare!"], Does::Prepare("Query")),
        (&["Postgrex.execute", "Postgrex.execute!"], Does::Execute),
        (
            &["Postgrex.transaction", "DBConnection.transaction"],
            Does::Within { gives: "Tx", transaction: true, session: true },
        ),
        (&["DBConnection.run"], Does::Within { gives: "Conn", transaction: false, session: true }),
        (&["Postgrex.rollback", "DBConnection.rollback"], Does::Ends),
        (&["GenServer.stop"], Does::Closes),
    ],
    ..LIBRARY
};
