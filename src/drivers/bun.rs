//! Go's bun (<https://bun.uptrace.dev/guide/transactions.html>, <https://pkg.go.dev/github.com/uptrace/bun>): `*bun.DB`
//! is database/sql's pool, `bun.Conn` one connection of it, `bun.Tx` a transaction; `bun.IDB` is any of them. A query
//! of the builder is a value, run on what made it, or on what `Conn(db)` gave it.

use super::database_sql::EXECS;
use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["Exec", "ExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext"];
const READS: &[&str] = &["NewSelect", "NewValues"];
const WRITES: &[&str] = &["NewInsert", "NewUpdate", "NewDelete", "NewMerge", "NewTruncateTable"];

pub(super) const DRIVER: Driver = Driver {
    name: "bun",
    languages: &[HostLanguage::Go],
    imports: &["github.com/uptrace/bun"],
    kinds: &[
        Kind {
            name: "DB",
            types: &["bun.DB"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.Conn(ctx)`",
            methods: &[
                (RUNS, Does::Run),
                (&["NewRaw"], Does::Prepare("Raw")),
                (READS, Does::Works),
                (WRITES, Does::Writes),
                (&["Prepare", "PrepareContext"], Does::Prepare("Stmt")),
                (&["Conn"], Does::Borrows("Conn")),
                (&["Begin", "BeginTx"], Does::Begins("Tx")),
                (&["RunInTx"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["WithNamedArg", "WithQueryHook"], Does::Gives("DB")),
                (&["SetMaxOpenConns"], Does::Limit),
                (&["Close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Conn",
            types: &["bun.Conn"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["NewRaw"], Does::Prepare("Raw")),
                (READS, Does::Works),
                (WRITES, Does::Writes),
                (&["PrepareContext"], Does::Prepare("Stmt")),
                (&["BeginTx"], Does::Begins("Tx")),
                (&["RunInTx"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["Close"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["bun.Tx"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["NewRaw"], Does::Prepare("Raw")),
                (READS, Does::Works),
                (WRITES, Does::Writes),
                (&["Prepare", "PrepareContext"], Does::Prepare("Stmt")),
                // Savepoints.
                (&["Begin", "BeginTx"], Does::Gives("Savepoint")),
                (&["RunInTx"], Does::Within { gives: "Tx", transaction: false, session: false }),
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
                (&["NewRaw"], Does::Prepare("Raw")),
                (READS, Does::Works),
                (WRITES, Does::Writes),
                (&["Commit", "Rollback"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Any",
            types: &["bun.IDB", "bun.IConn"],
            owner: Owner::Unknown,
            methods: &[
                (RUNS, Does::Run),
                (&["NewRaw"], Does::Prepare("Raw")),
                (READS, Does::Works),
                (WRITES, Does::Writes),
                (&["BeginTx"], Does::Begins("Tx")),
                (&["RunInTx"], Does::Within { gives: "Tx", transaction: true, session: true }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Raw", methods: &[(&["Exec", "Scan"], Does::Execute)], otherwise: Does::Nothing, ..HANDLE },
        Kind {
            name: "Stmt",
            types: &["bun.Stmt"],
            methods: &[(RUNS, Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("bun.NewDB", "DB")],
    closes_cancelled: EXECS,
    ..LIBRARY
};
