//! Go's pgx (<https://pkg.go.dev/github.com/jackc/pgx/v5/pgxpool>: a Pool acquires a connection for each call; Release
//! gives one back without a reset, unless it is in a transaction or closed).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["Exec", "Query", "QueryRow", "ExecEx", "QueryEx", "QueryRowEx", "SendBatch"];

pub(super) const DRIVER: Driver = Driver {
    name: "pgx",
    languages: &[HostLanguage::Go],
    imports: &["github.com/jackc/pgx", "github.com/jackc/pgconn"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["pgxpool.Pool", "pgx.ConnPool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.Acquire(ctx)`",
            methods: &[
                (RUNS, Does::Run),
                (&["Acquire"], Does::Borrows("Conn")),
                (&["AcquireFunc"], Does::Within { gives: "Conn", transaction: false, session: true }),
                (&["Begin", "BeginTx"], Does::Begins("Tx")),
                (&["BeginFunc", "BeginTxFunc"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["Close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Conn",
            types: &["pgxpool.Conn"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["Conn"], Does::Gives("Conn")),
                (&["Begin", "BeginTx"], Does::Begins("Tx")),
                (&["BeginFunc", "BeginTxFunc"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["Release"], Does::Returns),
                (&["Hijack"], Does::Opens("Own")),
                (&["Close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A parameter of this type may be a pool's: `poolConn.Conn()`.
        Kind {
            name: "Given",
            types: &["pgx.Conn"],
            methods: &[
                (RUNS, Does::Run),
                (&["Begin", "BeginTx"], Does::Begins("Tx")),
                (&["BeginFunc", "BeginTxFunc"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["Close"], Does::Closes),
                (&["PgConn"], Does::Gives("Given")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["Begin", "BeginTx"], Does::Begins("Tx")),
                (&["BeginFunc", "BeginTxFunc"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["Close"], Does::Closes),
                (&["PgConn"], Does::Gives("Own")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["pgx.Tx", "pgxpool.Tx"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["Begin"], Does::Gives("Savepoint")),
                (&["BeginFunc"], Does::Within { gives: "Tx", transaction: false, session: false }),
                (&["Conn"], Does::Gives("Tx")),
                (&["Commit", "Rollback"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Savepoint",
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["Begin"], Does::Gives("Savepoint")),
                (&["Commit", "Rollback"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("pgxpool.New", "Pool"),
        ("pgxpool.NewWithConfig", "Pool"),
        ("pgxpool.Connect", "Pool"),
        ("pgxpool.ConnectConfig", "Pool"),
        ("pgx.Connect", "Own"),
        ("pgx.ConnectConfig", "Own"),
        ("pgx.ConnectWithOptions", "Own"),
    ],
    takes: &[
        (&["pgx.BeginFunc", "pgx.BeginTxFunc"], Does::Within { gives: "Tx", transaction: true, session: true }),
        (&["pgxscan.Get", "pgxscan.Select"], Does::Run),
    ],
    ..LIBRARY
};
