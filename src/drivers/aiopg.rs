//! aiopg (<https://aiopg.readthedocs.io/en/stable/core.html>): psycopg 2 in asynchronous mode, which is always in
//! autocommit; `Pool.release` keeps the session's state (`aiopg/pool.py`).

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const CURSOR: &[(&[&str], Does)] = &[
    (&["execute", "executemany", "callproc"], Does::Run),
    (&["fetchone", "fetchall", "fetchmany"], Does::Fetch),
    (&["begin"], Does::Begins("Transaction")),
];

pub(super) const DRIVER: Driver = Driver {
    name: "aiopg",
    languages: &[HostLanguage::Python],
    imports: &["aiopg"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["aiopg.Pool", "aiopg.pool.Pool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`async with pool.acquire() as conn:`",
            methods: &[
                (&["acquire"], Does::Borrows("Pooled")),
                (&["cursor"], Does::Borrows("PoolCursor")),
                (&["close", "terminate"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Pooled",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[(&["cursor"], Does::Gives("Cursor")), (&["close"], Does::Closes)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        // `pool.cursor()`: a connection that goes back with its cursor.
        Kind {
            name: "PoolCursor",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CURSOR,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: &[(&["cursor"], Does::Gives("Cursor")), (&["close"], Does::Closes)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["aiopg.Connection", "aiopg.connection.Connection"],
            begins: Begins::Never,
            methods: &[(&["cursor"], Does::Gives("Cursor")), (&["close"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Cursor",
            types: &["aiopg.Cursor"],
            begins: Begins::Never,
            methods: CURSOR,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Transaction", begins: Begins::Already, at_end: AtEnd::Ends, ..HANDLE },
    ],
    makers: &[("aiopg.create_pool", "Pool"), ("aiopg.connect", "Own")],
    takes: &[(&["release"], Does::Returns)],
    ..LIBRARY
};
