//! Npgsql (<https://www.npgsql.org/doc/basic-usage.html>: a data source is a pool, and so is a connection string; an
//! open connection commits each statement outside of a transaction), with Dapper's extension methods
//! (<https://github.com/DapperLib/Dapper>). A connection that goes back is reset before its next use
//! (<https://www.npgsql.org/doc/performance.html#pooled-connection-reset>: DISCARD ALL or its like); with `Pooling=false`
//! in the connection string it is closed (<https://www.npgsql.org/doc/connection-string-parameters.html#pooling>).

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

/// Dapper's.
pub(super) const RUNS: &[&str] = &[
    "Execute",
    "ExecuteAsync",
    "ExecuteScalar",
    "ExecuteScalarAsync",
    "ExecuteReader",
    "ExecuteReaderAsync",
    "Query",
    "QueryAsync",
    "QueryFirst",
    "QueryFirstAsync",
    "QueryFirstOrDefault",
    "QueryFirstOrDefaultAsync",
    "QuerySingle",
    "QuerySingleAsync",
    "QuerySingleOrDefault",
    "QuerySingleOrDefaultAsync",
    "QueryMultiple",
    "QueryMultipleAsync",
    "QueryUnbufferedAsync",
];

/// What a connection does.
const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (&["CreateCommand"], Does::Prepare("Command")),
    (&["BeginTransaction", "BeginTransactionAsync"], Does::Begins("Transaction")),
    (&["Close", "CloseAsync", "Dispose", "DisposeAsync"], Does::Returns),
    (&["Open", "OpenAsync"], Does::Nothing),
];

/// A command.
pub(super) const COMMAND: Kind = Kind {
    name: "Command",
    methods: &[(
        &[
            "ExecuteNonQuery",
            "ExecuteNonQueryAsync",
            "ExecuteScalar",
            "ExecuteScalarAsync",
            "ExecuteReader",
            "ExecuteReaderAsync",
        ],
        Does::Execute,
    )],
    otherwise: Does::Nothing,
    ..HANDLE
};

/// A transaction. `Rollback` with a name goes to a savepoint, which the table does not tell apart.
pub(super) const TRANSACTION: Kind = Kind {
    name: "Transaction",
    begins: Begins::Already,
    methods: &[
        (&["Commit", "CommitAsync", "Rollback", "RollbackAsync"], Does::Ends),
        (&["RollbackToSavepoint", "RollbackToSavepointAsync"], Does::Inner),
        (&["Connection"], Does::Gives("Connection")),
    ],
    otherwise: Does::Nothing,
    at_end: AtEnd::Ends,
    ..HANDLE
};

/// What switches the pool off, in a connection string or its builder.
const UNPOOLED: &[&str] =
    &["Pooling=false", "Pooling = false", "Pooling=False", "pooling=false", "Pooling=no", "Pooling=0"];

pub(super) const DRIVER: Driver = Driver {
    name: "Npgsql",
    languages: &[HostLanguage::CSharp],
    imports: &["Npgsql", "Dapper", "System.Data"],
    kinds: &[
        Kind {
            name: "DataSource",
            types: &["Npgsql.NpgsqlDataSource", "Npgsql.NpgsqlMultiHostDataSource"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`await dataSource.OpenConnectionAsync()`",
            methods: &[
                (&["CreateCommand"], Does::Prepare("Command")),
                (&["OpenConnection", "OpenConnectionAsync", "CreateConnection"], Does::Borrows("Pooled")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "UnpooledSource",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`await dataSource.OpenConnectionAsync()`",
            methods: &[
                (&["CreateCommand"], Does::Prepare("Command")),
                (&["OpenConnection", "OpenConnectionAsync", "CreateConnection"], Does::Borrows("Unpooled")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Unpooled",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Pooled",
            types: &["Npgsql.NpgsqlConnection"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["System.Data.IDbConnection", "System.Data.Common.DbConnection"],
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            types: &["Npgsql.NpgsqlTransaction", "System.Data.IDbTransaction", "System.Data.Common.DbTransaction"],
            ..TRANSACTION
        },
        Kind { types: &["Npgsql.NpgsqlBatch", "System.Data.IDbCommand", "System.Data.Common.DbCommand"], ..COMMAND },
    ],
    makers: &[("NpgsqlDataSource.Create", "DataSource")],
    variants: &[("DataSource", UNPOOLED, "UnpooledSource"), ("Pooled", UNPOOLED, "Unpooled")],
    takes: &[(&["Npgsql.NpgsqlCommand", "NpgsqlCommand"], Does::Prepare("Command"))],
    ..LIBRARY
};
