//! Kysely (<https://kysely.dev/docs/examples/transactions/simple-transaction>, `src/kysely.ts`): a query is a value,
//! executed on what it was built from or given (`sql`…`.execute(db)`); each takes a connection of the pool.
//! `db.connection().execute(fn)` holds one, `db.transaction().execute(fn)` begins a transaction. A `Transaction` is a
//! `Kysely` too, so a parameter of that type says nothing.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const WRITES: &[&str] = &["insertInto", "updateTable", "deleteFrom", "mergeInto", "replaceInto"];
const SAME: &[&str] = &["withSchema", "withPlugin", "withoutPlugins", "withTables", "with"];

pub(super) const DRIVER: Driver = Driver {
    name: "Kysely",
    languages: SCRIPT,
    imports: &["kysely"],
    kinds: &[
        Kind {
            name: "Kysely",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.connection().execute(async (db) => …)`",
            methods: &[
                (&["executeQuery"], Does::Run),
                (WRITES, Does::Writes),
                (SAME, Does::Gives("Kysely")),
                (&["transaction"], Does::Gives("Transactions")),
                (&["connection"], Does::Gives("Connections")),
                (&["startTransaction"], Does::Gives("Controlled")),
                (&["destroy"], Does::Closes),
                (&["fn", "schema", "introspection", "dynamic"], Does::Nothing),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Handle",
            types: &["kysely.Kysely"],
            owner: Owner::Unknown,
            methods: &[
                (&["executeQuery"], Does::Run),
                (WRITES, Does::Writes),
                (SAME, Does::Gives("Handle")),
                (&["transaction"], Does::Gives("Transactions")),
                (&["connection"], Does::Gives("Connections")),
                (&["startTransaction"], Does::Gives("Controlled")),
                (&["destroy"], Does::Closes),
                (&["fn", "schema", "introspection", "dynamic"], Does::Nothing),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        // `db.transaction()`, which begins when it is executed.
        Kind {
            name: "Transactions",
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`db.connection().execute(async (db) => …)`",
            methods: &[
                (&["execute"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["setIsolationLevel", "setAccessMode"], Does::Gives("Transactions")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connections",
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`db.connection().execute(async (db) => …)`",
            methods: &[(&["execute"], Does::Within { gives: "Held", transaction: false, session: true })],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Controlled",
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`db.connection().execute(async (db) => …)`",
            methods: &[
                (&["execute"], Does::Begins("Tx")),
                (&["setIsolationLevel", "setAccessMode"], Does::Gives("Controlled")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Held",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (&["executeQuery"], Does::Run),
                (WRITES, Does::Writes),
                (SAME, Does::Gives("Held")),
                (&["transaction"], Does::Gives("HeldTransactions")),
                (&["fn", "schema", "introspection", "dynamic"], Does::Nothing),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "HeldTransactions",
            methods: &[
                (&["execute"], Does::Within { gives: "Tx", transaction: true, session: false }),
                (&["setIsolationLevel", "setAccessMode"], Does::Gives("HeldTransactions")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["kysely.Transaction", "kysely.ControlledTransaction"],
            begins: Begins::Already,
            methods: &[
                (&["executeQuery"], Does::Run),
                (WRITES, Does::Writes),
                (SAME, Does::Gives("Tx")),
                (&["commit", "rollback"], Does::Gives("End")),
                (&["rollbackToSavepoint"], Does::Inner),
                (&["savepoint", "releaseSavepoint", "fn", "schema", "introspection", "dynamic"], Does::Nothing),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        // A controlled transaction ends when its `commit()` or `rollback()` is executed.
        Kind { name: "End", methods: &[(&["execute"], Does::Ends)], otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[("kysely.Kysely", "Kysely")],
    takes: &[(&["execute"], Does::Run)],
    ..LIBRARY
};
