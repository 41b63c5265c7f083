//! psycopg 2 and 3 with their pools (<https://www.psycopg.org/psycopg3/docs/basic/transactions.html>,
//! <https://www.psycopg.org/docs/usage.html#with-statement>): the first statement begins a transaction unless
//! autocommit is on; `with` on a psycopg 3 connection commits and closes, on a psycopg 2 one commits alone.
//! `pool.connection()` commits and gives the connection back; the pools roll back an open transaction and keep the rest
//! of the session's state; psycopg 2's closes what comes back beyond `minconn` (`psycopg2/pool.py`), and so do null pools
//! (<https://www.psycopg.org/psycopg3/docs/advanced/pool.html#null-connection-pools>).

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["execute", "executemany", "copy", "copy_expert", "callproc", "stream"];
const FETCHES: &[&str] = &["fetchone", "fetchall", "fetchmany"];

const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (&["cursor"], Does::Gives("Cursor")),
    (&["commit", "rollback"], Does::Ends),
    (&["transaction"], Does::Begins("Transaction")),
    (&["close"], Does::Closes),
    (&["autocommit", "set_autocommit", "set_session", "set_isolation_level"], Does::Autocommit),
];

pub(super) const DRIVER: Driver = Driver {
    name: "psycopg",
    languages: &[HostLanguage::Python],
    imports: &["psycopg", "psycopg2", "psycopg_pool"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["psycopg_pool.ConnectionPool", "psycopg_pool.AsyncConnectionPool"],
            owner: Owner::PerCall,
            begins: Begins::ByItself,
            pin: "`with pool.connection() as conn:`",
            methods: &[
                (&["connection"], Does::Borrows("PoolConnection")),
                (&["getconn"], Does::Borrows("Pooled")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Closes what comes back, unless there is a limit and somebody waits for it.
        Kind {
            name: "NullPool",
            types: &["psycopg_pool.NullConnectionPool", "psycopg_pool.AsyncNullConnectionPool"],
            owner: Owner::PerCall,
            begins: Begins::ByItself,
            pin: "`with pool.connection() as conn:`",
            methods: &[
                (&["connection"], Does::Borrows("NullPoolConnection")),
                (&["getconn"], Does::Borrows("Closing")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "NullPoolConnection",
            owner: Owner::Own,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Pool2",
            types: &[
                "psycopg2.pool.SimpleConnectionPool",
                "psycopg2.pool.ThreadedConnectionPool",
                "psycopg2.pool.AbstractConnectionPool",
            ],
            owner: Owner::PerCall,
            begins: Begins::ByItself,
            pin: "`conn = pool.getconn()`",
            methods: &[(&["getconn"], Does::Borrows("Pooled")), (&["closeall"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // `minconn` is 0: what comes back is closed.
        Kind {
            name: "ClosingPool2",
            owner: Owner::PerCall,
            begins: Begins::ByItself,
            pin: "`conn = pool.getconn()`",
            methods: &[(&["getconn"], Does::Borrows("Closing")), (&["closeall"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Closing",
            owner: Owner::Own,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        Kind {
            name: "PoolConnection",
            owner: Owner::Borrowed,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Pooled",
            owner: Owner::Borrowed,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        // From `connect`.
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Own2",
            owner: Owner::Own,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        // A parameter of this type may be a pool's, and in autocommit.
        Kind {
            name: "Connection",
            types: &[
                "psycopg.Connection",
                "psycopg.AsyncConnection",
                "psycopg2.extensions.connection",
                "psycopg2._psycopg.connection",
            ],
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        Kind {
            name: "Cursor",
            types: &[
                "psycopg.Cursor",
                "psycopg.AsyncCursor",
                "psycopg.ServerCursor",
                "psycopg2.extensions.cursor",
                "psycopg2.extras.DictCursor",
                "psycopg2.extras.RealDictCursor",
            ],
            methods: &[
                (RUNS, Does::Run),
                (FETCHES, Does::Fetch),
                (&["copy_from"], Does::Writes),
                (&["connection"], Does::Gives("Connection")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Transaction", begins: Begins::Already, at_end: AtEnd::Ends, ..HANDLE },
    ],
    makers: &[
        ("psycopg.connect", "Own"),
        ("psycopg.Connection.connect", "Own"),
        ("psycopg.AsyncConnection.connect", "Own"),
        ("psycopg2.connect", "Own2"),
    ],
    variants: &[("Pool2", &["minconn=0", "Pool(0,"], "ClosingPool2"), ("NullPool", &["max_size"], "Pool")],
    takes: &[
        (&["putconn"], Does::Returns),
        (
            &[
                "psycopg2.extras.execute_values",
                "psycopg2.extras.execute_batch",
                "pandas.read_sql",
                "pandas.read_sql_query",
            ],
            Does::Run,
        ),
    ],
    ..LIBRARY
};
