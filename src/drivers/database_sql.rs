//! Go's `database/sql`, and sqlx and pgx's stdlib on top of it (<https://pkg.go.dev/database/sql>: a DB is a pool, each
//! call may use another connection; Conn.Close and Tx.Commit give the connection back without a reset). Of a call whose
//! context was cancelled before, pgx's stdlib says `ErrBadConn` where it is `Exec`, so that the pool closes the
//! connection, and keeps it where it is `Query` (`stdlib/sql.go`); lib/pq sends either, or closes (`watchCancel`).

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "Exec",
    "ExecContext",
    "MustExec",
    "MustExecContext",
    "NamedExec",
    "NamedExecContext",
    "Query",
    "QueryContext",
    "QueryRow",
    "QueryRowContext",
    "Queryx",
    "QueryxContext",
    "QueryRowx",
    "QueryRowxContext",
    "NamedQuery",
    "NamedQueryContext",
    "Get",
    "GetContext",
    "Select",
    "SelectContext",
];

/// What ends in the driver's `Exec`.
pub(super) const EXECS: &[&str] =
    &["Exec", "ExecContext", "MustExec", "MustExecContext", "NamedExec", "NamedExecContext"];

const PREPARES: &[&str] =
    &["Prepare", "PrepareContext", "Preparex", "PreparexContext", "PrepareNamed", "PrepareNamedContext"];

/// The pool, without its types; libraries on top of it give it out.
pub(super) const DB: Kind = Kind {
    name: "DB",
    owner: Owner::PerCall,
    begins: Begins::Never,
    pin: "`db.Conn(ctx)`",
    methods: &[
        (RUNS, Does::Run),
        (PREPARES, Does::Prepare("Stmt")),
        (&["Conn", "Connx"], Does::Borrows("Conn")),
        (&["Begin", "BeginTx", "Beginx", "BeginTxx", "MustBegin", "MustBeginTx"], Does::Begins("Tx")),
        (&["SetMaxOpenConns"], Does::Limit),
        (&["Close"], Does::Closes),
        (&["Unsafe"], Does::Gives("DB")),
    ],
    otherwise: Does::Nothing,
    ..HANDLE
};

/// One connection of it, without its types.
pub(super) const CONN: Kind = Kind {
    name: "Conn",
    owner: Owner::Borrowed,
    begins: Begins::Never,
    methods: &[
        (RUNS, Does::Run),
        (PREPARES, Does::Prepare("Stmt")),
        (&["BeginTx", "BeginTxx"], Does::Begins("Tx")),
        (&["Close"], Does::Returns),
    ],
    otherwise: Does::Nothing,
    at_end: AtEnd::Returns,
    ..HANDLE
};

/// A transaction, without its types.
pub(super) const TX: Kind = Kind {
    name: "Tx",
    begins: Begins::Already,
    methods: &[
        (RUNS, Does::Run),
        (PREPARES, Does::Prepare("Stmt")),
        (&["Stmt", "StmtContext", "Stmtx", "StmtxContext", "NamedStmt", "NamedStmtContext"], Does::Gives("Stmt")),
        (&["Unsafe"], Does::Gives("Tx")),
        (&["Commit", "Rollback"], Does::Ends),
    ],
    otherwise: Does::Nothing,
    ..HANDLE
};

/// A prepared statement, without its types.
pub(super) const STMT: Kind =
    Kind { name: "Stmt", methods: &[(RUNS, Does::Execute)], otherwise: Does::Nothing, ..HANDLE };

pub(super) const DRIVER: Driver = Driver {
    name: "database/sql",
    languages: &[HostLanguage::Go],
    imports: &["database/sql", "github.com/jmoiron/sqlx"],
    kinds: &[
        Kind { types: &["sql.DB", "sqlx.DB"], ..DB },
        Kind { types: &["sql.Conn", "sqlx.Conn"], ..CONN },
        Kind { types: &["sql.Tx", "sqlx.Tx"], ..TX },
        Kind { types: &["sql.Stmt", "sqlx.Stmt", "sqlx.NamedStmt"], ..STMT },
        // What a DB and a Tx have in common: which of them it is, the code does not say.
        Kind {
            name: "Ext",
            types: &[
                "sqlx.Ext",
                "sqlx.ExtContext",
                "sqlx.Execer",
                "sqlx.ExecerContext",
                "sqlx.Queryer",
                "sqlx.QueryerContext",
            ],
            owner: Owner::Unknown,
            methods: &[(RUNS, Does::Run), (PREPARES, Does::Prepare("Stmt"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("sql.Open", "DB"),
        ("sql.OpenDB", "DB"),
        ("sqlx.Open", "DB"),
        ("sqlx.MustOpen", "DB"),
        ("sqlx.Connect", "DB"),
        ("sqlx.ConnectContext", "DB"),
        ("sqlx.MustConnect", "DB"),
        ("sqlx.NewDb", "DB"),
        ("stdlib.OpenDB", "DB"),
        ("stdlib.OpenDBFromPool", "DB"),
    ],
    takes: &[(
        &[
            "sqlx.Get",
            "sqlx.GetContext",
            "sqlx.Select",
            "sqlx.SelectContext",
            "sqlx.NamedExec",
            "sqlx.NamedExecContext",
            "sqlx.NamedQuery",
            "sqlx.NamedQueryContext",
            "sqlx.MustExec",
            "sqlx.MustExecContext",
            "sqlscan.Get",
            "sqlscan.Select",
        ],
        Does::Run,
    )],
    closes_cancelled: EXECS,
    ..LIBRARY
};
