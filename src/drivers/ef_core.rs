//! Entity Framework Core (<https://learn.microsoft.com/ef/core/saving/transactions>,
//! <https://learn.microsoft.com/ef/core/querying/sql-queries>). A context opens its connection for each statement and
//! gives it back after it, unless a transaction is open or `Database.OpenConnection` was called: in autocommit a
//! session lasts one statement. A context that the program was given may be in a transaction.

use super::npgsql::{COMMAND, RUNS, TRANSACTION};
use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const PIN: &str = "`await context.Database.OpenConnectionAsync()`";

pub(super) const DRIVER: Driver = Driver {
    name: "Entity Framework Core",
    languages: &[HostLanguage::CSharp],
    imports: &["Microsoft.EntityFrameworkCore"],
    kinds: &[
        Kind {
            name: "Context",
            types: &["Microsoft.EntityFrameworkCore.DbContext", "*Context"],
            owner: Owner::UntilCommit,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[
                (&["Database"], Does::Gives("Facade")),
                (&["SaveChanges", "SaveChangesAsync"], Does::Writes),
                (&["Find", "FindAsync"], Does::Works),
                (&["Set"], Does::Gives("Set")),
                (
                    &[
                        "Add",
                        "AddAsync",
                        "AddRange",
                        "AddRangeAsync",
                        "Update",
                        "UpdateRange",
                        "Remove",
                        "RemoveRange",
                        "Attach",
                        "Entry",
                        "ChangeTracker",
                        "Model",
                    ],
                    Does::Nothing,
                ),
                (&["Dispose", "DisposeAsync"], Does::Returns),
            ],
            otherwise: Does::Gives("Set"),
            at_end: AtEnd::Returns,
            joins: None,
        },
        Kind {
            name: "Facade",
            types: &["Microsoft.EntityFrameworkCore.Infrastructure.DatabaseFacade"],
            owner: Owner::UntilCommit,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[
                (
                    &[
                        "ExecuteSql",
                        "ExecuteSqlAsync",
                        "ExecuteSqlRaw",
                        "ExecuteSqlRawAsync",
                        "ExecuteSqlInterpolated",
                        "ExecuteSqlInterpolatedAsync",
                        "SqlQuery",
                        "SqlQueryRaw",
                    ],
                    Does::Run,
                ),
                (&["BeginTransaction", "BeginTransactionAsync"], Does::Begins("Transaction")),
                (&["UseTransaction", "UseTransactionAsync"], Does::Begins("Transaction")),
                (
                    &["CommitTransaction", "CommitTransactionAsync", "RollbackTransaction", "RollbackTransactionAsync"],
                    Does::Ends,
                ),
                (&["OpenConnection", "OpenConnectionAsync"], Does::Holds),
                (&["CloseConnection", "CloseConnectionAsync"], Does::Returns),
                (&["GetDbConnection"], Does::Gives("Connection")),
                (&["CreateExecutionStrategy"], Does::Gives("Strategy")),
                (&["Migrate", "MigrateAsync", "EnsureCreated", "EnsureCreatedAsync"], Does::Writes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Set",
            types: &["Microsoft.EntityFrameworkCore.DbSet"],
            owner: Owner::UntilCommit,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[
                (&["FromSql", "FromSqlRaw", "FromSqlInterpolated"], Does::Run),
                (&["ExecuteUpdate", "ExecuteUpdateAsync", "ExecuteDelete", "ExecuteDeleteAsync"], Does::Writes),
                (&["Add", "AddAsync", "AddRange", "AddRangeAsync", "Update", "Remove", "RemoveRange"], Does::Nothing),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        // Runs its function again after a failure of the network.
        Kind {
            name: "Strategy",
            owner: Owner::UntilCommit,
            begins: Begins::NeverByDefault,
            methods: &[(
                &["Execute", "ExecuteAsync"],
                Does::Within { gives: "Facade", transaction: false, session: false },
            )],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // `GetDbConnection()`, which may be closed: whoever opens it holds it.
        Kind {
            name: "Connection",
            owner: Owner::UntilCommit,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[
                (&["Open", "OpenAsync"], Does::Holds),
                (RUNS, Does::Run),
                (&["CreateCommand"], Does::Prepare("Command")),
                (&["BeginTransaction", "BeginTransactionAsync"], Does::Begins("Transaction")),
                (&["Close", "CloseAsync", "Dispose", "DisposeAsync"], Does::Returns),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { types: &["Microsoft.EntityFrameworkCore.Storage.IDbContextTransaction"], ..TRANSACTION },
        COMMAND,
    ],
    ..LIBRARY
};
