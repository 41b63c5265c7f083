//! Sequel (<https://sequel.jeremyevans.net/rdoc/files/doc/transactions_rdoc.html>,
//! <https://sequel.jeremyevans.net/rdoc/classes/Sequel/Database.html#method-i-synchronize>): each call takes a
//! connection of the pool, unless the thread holds one in `synchronize` or `transaction`. Nothing is reset.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const METHODS: &[(&[&str], Does)] = &[
    (
        &[
            "run",
            "<<",
            "execute",
            "execute_ddl",
            "execute_dui",
            "execute_insert",
            "fetch",
            "fetch_rows",
            "[]",
            "get",
            "with_sql",
            "with_sql_single_value",
            "with_sql_first",
        ],
        Does::Run,
    ),
    (&["synchronize"], Does::Within { gives: "Raw", transaction: false, session: true }),
    (&["transaction"], Does::Within { gives: "Raw", transaction: true, session: true }),
    (&["rollback_on_exit"], Does::Nothing),
    (&["disconnect"], Does::Closes),
    (&["extension", "loggers", "literal", "in_transaction?", "after_commit", "after_rollback"], Does::Nothing),
];

pub(super) const DRIVER: Driver = Driver {
    name: "Sequel",
    languages: &[HostLanguage::Ruby],
    kinds: &[
        // A caller may hold the connection for the thread.
        Kind {
            name: "Database",
            types: &["Sequel.Database", "Sequel.Postgres.Database"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`DB.synchronize { … }`",
            methods: METHODS,
            otherwise: Does::Works,
            ..HANDLE
        },
        // The driver's connection, which the block gets.
        Kind {
            name: "Raw",
            owner: Owner::Borrowed,
            begins: Begins::NeverByDefault,
            methods: &[(&["exec", "exec_params", "async_exec", "execute", "query"], Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // `DB` by its name alone.
        Kind {
            name: "Named",
            owner: Owner::Unknown,
            pin: "`DB.synchronize { … }`",
            methods: METHODS,
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    makers: &[("Sequel.connect", "Database"), ("Sequel.postgres", "Database")],
    globals: &[("DB", "Named"), ("Sequel.Model.db", "Named")],
    ambient: true,
    ..LIBRARY
};
