//! Rails' Active Record (<https://api.rubyonrails.org/classes/ActiveRecord/ConnectionAdapters/ConnectionPool.html>,
//! <https://api.rubyonrails.org/classes/ActiveRecord/Transactions/ClassMethods.html>). The thread or request leases a
//! connection at its first use and keeps it until it ends; `checkin` resets nothing (`reset!` is called when a dead
//! thread's connection is reaped). Each statement commits unless `transaction do` is open; an inner one joins it, or is
//! a savepoint with `requires_new`.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, Migration};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "execute",
    "exec_query",
    "exec_update",
    "exec_delete",
    "exec_insert",
    "internal_exec_query",
    "select_value",
    "select_values",
    "select_one",
    "select_rows",
    "select_all",
    "insert",
    "update",
    "delete",
    "truncate",
    "query",
    "query_value",
    "query_values",
    "query_rows",
    "query_one",
    "query_command",
];

const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (&["transaction"], Does::Within { gives: "Connection", transaction: true, session: false }),
    (&["begin_db_transaction", "begin_transaction"], Does::Begins("Transaction")),
    (&["commit_db_transaction", "rollback_db_transaction", "commit_transaction", "rollback_transaction"], Does::Ends),
    (&["exec_rollback_to_savepoint", "rollback_to_savepoint"], Does::Inner),
    (&["raw_connection"], Does::Gives("Raw")),
    (&["pool"], Does::Gives("Pool")),
    (&["close"], Does::Returns),
    (&["disconnect!", "reconnect!", "discard!", "throw_away!", "reset!"], Does::Closes),
];

pub(super) const DRIVER: Driver = Driver {
    name: "Active Record",
    languages: &[HostLanguage::Ruby],
    kinds: &[
        // A model class, or what all of them inherit from.
        Kind {
            name: "Base",
            types: &["ActiveRecord.Base", "ApplicationRecord"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["connection", "lease_connection", "retrieve_connection"], Does::Gives("Connection")),
                (&["with_connection"], Does::Within { gives: "Connection", transaction: false, session: true }),
                (&["connection_pool"], Does::Gives("Pool")),
                (&["transaction"], Does::Within { gives: "Connection", transaction: true, session: false }),
                (&["find_by_sql", "async_find_by_sql", "count_by_sql"], Does::Run),
                (&["release_connection"], Does::Returns),
                (&["connected_to", "connected_to_many"], Does::Nothing),
                (&["remove_connection", "establish_connection"], Does::Closes),
                (
                    &["create", "create!", "insert_all", "upsert_all", "update_all", "delete_all", "destroy_all"],
                    Does::Writes,
                ),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &[
                "ActiveRecord.ConnectionAdapters.AbstractAdapter",
                "ActiveRecord.ConnectionAdapters.PostgreSQLAdapter",
            ],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Pool",
            types: &["ActiveRecord.ConnectionAdapters.ConnectionPool"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["connection", "lease_connection"], Does::Gives("Connection")),
                (&["with_connection"], Does::Within { gives: "Connection", transaction: false, session: true }),
                (&["checkout"], Does::Borrows("CheckedOut")),
                (&["release_connection"], Does::Returns),
                (&["disconnect!", "discard!"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Not the thread's: `checkout` gives another one each time.
        Kind {
            name: "CheckedOut",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Transaction", owner: Owner::Ambient, begins: Begins::Already, ..HANDLE },
        // What a migration with `disable_ddl_transaction!` executes.
        Kind {
            name: "Alone",
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["transaction"], Does::Within { gives: "Alone", transaction: true, session: false }),
            ],
            ..HANDLE
        },
        // The PG::Connection below it.
        Kind {
            name: "Raw",
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["exec", "exec_params", "async_exec", "query"], Does::Run),
                (&["transaction"], Does::Within { gives: "Raw", transaction: true, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    globals: &[("ActiveRecord.Base", "Base"), ("ApplicationRecord", "Base"), ("connection", "Connection")],
    takes: &[(&["checkin"], Does::Returns)],
    // <https://guides.rubyonrails.org/active_record_migrations.html>
    migration: Some(Migration {
        mark: "ActiveRecord::Migration",
        opts_out: &["disable_ddl_transaction!"],
        kind: "Alone",
    }),
    ambient: true,
    ..LIBRARY
};
