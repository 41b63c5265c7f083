//! go-pg (<https://pg.uptrace.dev/transactions/>, <https://pkg.go.dev/github.com/go-pg/pg/v10>): `*pg.DB` is a pool,
//! `db.Conn()` holds one connection until `Close`, and nothing is reset (`internal/pool`).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] =
    &["Exec", "ExecContext", "ExecOne", "ExecOneContext", "Query", "QueryContext", "QueryOne", "QueryOneContext"];

const SAME: &[&str] = &["WithContext", "WithTimeout", "WithParam"];

pub(super) const DRIVER: Driver = Driver {
    name: "go-pg",
    languages: &[HostLanguage::Go],
    imports: &["github.com/go-pg/pg"],
    kinds: &[
        Kind {
            name: "DB",
            types: &["pg.DB"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.Conn()`",
            methods: &[
                (RUNS, Does::Run),
                (&["Prepare"], Does::Prepare("Stmt")),
                (&["Model", "ModelContext"], Does::Works),
                (&["CopyFrom"], Does::Writes),
                (SAME, Does::Gives("DB")),
                (&["Conn"], Does::Borrows("Conn")),
                (&["Begin", "BeginContext"], Does::Begins("Tx")),
                (&["RunInTransaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["Close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Conn",
            types: &["pg.Conn"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["Prepare"], Does::Prepare("Stmt")),
                (&["Model", "ModelContext"], Does::Works),
                (&["CopyFrom"], Does::Writes),
                (SAME, Does::Gives("Conn")),
                (&["Begin", "BeginContext"], Does::Begins("Tx")),
                (&["RunInTransaction"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["Close"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["pg.Tx"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (&["Prepare"], Does::Prepare("Stmt")),
                (&["Model", "ModelContext"], Does::Works),
                (&["CopyFrom"], Does::Writes),
                // The same transaction, which the end of the function ends.
                (&["Begin", "BeginContext"], Does::Gives("Tx")),
                (&["RunInTransaction"], Does::Within { gives: "Tx", transaction: true, session: false }),
                // `Close` rolls back what was not committed.
                (&["Commit", "CommitContext", "Rollback", "RollbackContext", "Close", "CloseContext"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Stmt",
            types: &["pg.Stmt"],
            methods: &[(RUNS, Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("pg.Connect", "DB")],
    ..LIBRARY
};
