//! gorm (<https://gorm.io/docs/transactions.html>, <https://gorm.io/docs/generic_interface.html>). A `*gorm.DB` is the
//! pool, one connection of it (`db.Connection(func(tx *gorm.DB) error)`) or a transaction, all of one type: a parameter
//! or field of that type says nothing, `gorm.Open` and the callbacks do. `Raw` runs when it is scanned. A transaction
//! in a transaction is a savepoint. Statements by `Exec` and `Raw` get no transaction of their own
//! (`callbacks/raw.go`).

use super::database_sql::{CONN, DB, EXECS, STMT, TX};
use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

/// They run what was put together, a `Raw` text or a query of the builder.
const FINISHERS: &[&str] =
    &["Scan", "Row", "Rows", "Find", "First", "Take", "Last", "Pluck", "Count", "FindInBatches", "FirstOrInit"];

const WRITERS: &[&str] = &[
    "Create",
    "CreateInBatches",
    "Save",
    "Update",
    "Updates",
    "UpdateColumn",
    "UpdateColumns",
    "Delete",
    "FirstOrCreate",
];

/// They give a handle on the same session.
const CHAINED: &[&str] = &[
    "WithContext",
    "Session",
    "Debug",
    "Set",
    "InstanceSet",
    "Model",
    "Table",
    "Clauses",
    "Scopes",
    "Unscoped",
    "Where",
    "Not",
    "Or",
    "Select",
    "Omit",
    "Distinct",
    "Joins",
    "InnerJoins",
    "Group",
    "Having",
    "Order",
    "Limit",
    "Offset",
    "Preload",
    "Attrs",
    "Assign",
];

pub(super) const DRIVER: Driver = Driver {
    name: "gorm",
    languages: &[HostLanguage::Go],
    imports: &["gorm.io/gorm", "github.com/jinzhu/gorm"],
    kinds: &[
        Kind {
            name: "Gorm",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.Connection(func(tx *gorm.DB) error { … })`",
            methods: &[
                (&["Exec"], Does::Run),
                (&["Raw"], Does::Prepare("Raw")),
                (CHAINED, Does::Gives("Gorm")),
                (FINISHERS, Does::Works),
                (WRITERS, Does::Writes),
                (&["Begin"], Does::Begins("GormTx")),
                (&["Transaction"], Does::Within { gives: "GormTx", transaction: true, session: true }),
                (&["Connection"], Does::Within { gives: "GormConn", transaction: false, session: true }),
                (&["DB"], Does::Gives("DB")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "GormConn",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (&["Exec"], Does::Run),
                (&["Raw"], Does::Prepare("Raw")),
                (CHAINED, Does::Gives("GormConn")),
                (FINISHERS, Does::Works),
                (WRITERS, Does::Writes),
                (&["Begin"], Does::Begins("GormTx")),
                (&["Transaction"], Does::Within { gives: "GormTx", transaction: true, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "GormTx",
            begins: Begins::Already,
            methods: &[
                (&["Exec"], Does::Run),
                (&["Raw"], Does::Prepare("Raw")),
                (CHAINED, Does::Gives("GormTx")),
                (FINISHERS, Does::Works),
                (WRITERS, Does::Writes),
                (&["Transaction"], Does::Within { gives: "GormTx", transaction: false, session: false }),
                (&["Commit", "Rollback", "RollbackUnlessCommitted"], Does::Ends),
                (&["RollbackTo"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Handle",
            types: &["gorm.DB"],
            owner: Owner::Unknown,
            methods: &[
                (&["Exec"], Does::Run),
                (&["Raw"], Does::Prepare("Raw")),
                (CHAINED, Does::Gives("Handle")),
                (FINISHERS, Does::Works),
                (WRITERS, Does::Writes),
                (&["Begin"], Does::Begins("GormTx")),
                (&["Transaction"], Does::Within { gives: "GormTx", transaction: true, session: true }),
                (&["Connection"], Does::Within { gives: "GormConn", transaction: false, session: true }),
                (&["Commit", "Rollback"], Does::Ends),
                (&["RollbackTo"], Does::Inner),
                (&["DB"], Does::Gives("DB")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Raw", methods: &[(FINISHERS, Does::Execute)], otherwise: Does::Nothing, ..HANDLE },
        DB,
        CONN,
        TX,
        STMT,
    ],
    makers: &[("gorm.Open", "Gorm")],
    closes_cancelled: EXECS,
    ..LIBRARY
};
