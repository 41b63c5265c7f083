//! asyncpg (<https://magicstack.github.io/asyncpg/current/usage.html>: each call on a pool takes a connection; outside
//! of `transaction()` each statement commits). A connection that goes back is reset: `Connection.get_reset_query` in
//! <https://github.com/MagicStack/asyncpg/blob/master/asyncpg/connection.py> begins with `pg_advisory_unlock_all()`.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["execute", "executemany", "fetch", "fetchrow", "fetchval", "fetchmany", "cursor"];
const COPIES: &[&str] = &["copy_to_table", "copy_records_to_table"];

pub(super) const DRIVER: Driver = Driver {
    name: "asyncpg",
    languages: &[HostLanguage::Python],
    imports: &["asyncpg"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["asyncpg.Pool", "asyncpg.pool.Pool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`async with pool.acquire() as conn:`",
            methods: &[
                (RUNS, Does::Run),
                (COPIES, Does::Writes),
                (&["acquire"], Does::Borrows("PoolConnection")),
                (&["close", "terminate"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "PoolConnection",
            types: &["asyncpg.pool.PoolConnectionProxy"],
            owner: Owner::Reset,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        // A parameter of this type may as well be a pool's.
        Kind {
            name: "Connection",
            types: &["asyncpg.Connection", "asyncpg.connection.Connection"],
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["asyncpg.transaction.Transaction"],
            begins: Begins::Already,
            methods: &[(&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        Kind {
            name: "Statement",
            methods: &[(&["fetch", "fetchrow", "fetchval", "executemany", "cursor"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("asyncpg.create_pool", "Pool"),
        ("asyncpg.pool.create_pool", "Pool"),
        ("asyncpg.connect", "Own"),
        ("asyncpg.connection.connect", "Own"),
    ],
    takes: &[(&["release"], Does::Returns)],
    ..LIBRARY
};

const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (COPIES, Does::Writes),
    (&["prepare"], Does::Prepare("Statement")),
    // `await tr.start()` begins it; `async with` does too.
    (&["transaction"], Does::Begins("Transaction")),
    (&["reset", "close", "terminate"], Does::Closes),
];
