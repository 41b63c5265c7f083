//! Ecto SQL (<https://hexdocs.pm/ecto_sql/Ecto.Adapters.SQL.html>,
//! <https://hexdocs.pm/ecto/Ecto.Repo.html#c:checkout/2>: each call takes a connection of the pool, unless the process
//! is in `checkout`, `transaction` or `transact`, whose function runs on one connection). DBConnection's pool resets
//! nothing on check-in. The caller may be in a transaction.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, Migration};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &["query", "query!", "query_many", "query_many!"];

const WRITES: &[&str] = &[
    "insert",
    "insert!",
    "insert_all",
    "insert_or_update",
    "insert_or_update!",
    "update",
    "update!",
    "update_all",
    "delete",
    "delete!",
    "delete_all",
];

const NOTHING: &[&str] =
    &["to_sql", "in_transaction?", "checked_out?", "config", "get_dynamic_repo", "put_dynamic_repo", "preload"];

const METHODS: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (WRITES, Does::Writes),
    (NOTHING, Does::Nothing),
    (&["checkout"], Does::Within { gives: "Held", transaction: false, session: true }),
    (&["transaction", "transact"], Does::Within { gives: "Held", transaction: true, session: true }),
    (&["rollback"], Does::Ends),
];

pub(super) const DRIVER: Driver = Driver {
    name: "Ecto",
    languages: &[HostLanguage::Elixir],
    kinds: &[
        Kind {
            name: "Repo",
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`Repo.checkout(fn -> … end)`",
            methods: METHODS,
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Held",
            owner: Owner::Borrowed,
            begins: Begins::NeverByDefault,
            methods: METHODS,
            otherwise: Does::Works,
            ..HANDLE
        },
        // A migration's `repo()`: the runner holds it, and gives a transaction unless @disable_ddl_transaction.
        Kind { name: "Migrated", methods: METHODS, ..HANDLE },
        // What a migration with @disable_ddl_transaction executes.
        Kind { name: "Alone", begins: Begins::Never, methods: &[(&["execute"], Does::Run)], ..HANDLE },
    ],
    globals: &[("Repo", "Repo"), ("repo", "Migrated"), ("Ecto.Migration.repo", "Migrated")],
    makers: &[("repo", "Migrated")],
    takes: &[(
        &[
            "Ecto.Adapters.SQL.query",
            "Ecto.Adapters.SQL.query!",
            "Ecto.Adapters.SQL.query_many",
            "Ecto.Adapters.SQL.query_many!",
            "Ecto.Adapters.SQL.stream",
            "SQL.query",
            "SQL.query!",
        ],
        Does::Run,
    )],
    // <https://hexdocs.pm/ecto_sql/Ecto.Migration.html>
    migration: Some(Migration {
        mark: "use Ecto.Migration",
        opts_out: &["@disable_ddl_transaction true"],
        kind: "Alone",
    }),
    ambient: true,
    ..LIBRARY
};
