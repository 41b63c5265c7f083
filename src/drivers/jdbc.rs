//! JDBC (<https://docs.oracle.com/en/java/javase/17/docs/api/java.sql/java/sql/Connection.html>: autocommit is on until
//! it is switched off; `close` gives a pooled connection back). A DataSource may be no pool; HikariCP and its like keep
//! the session's state.

use crate::driver::{AtEnd, Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::{Begins, Owner};

pub(super) const DRIVER: Driver = Driver {
    name: "JDBC",
    languages: JVM,
    imports: &["java.sql", "javax.sql", "com.zaxxer.hikari", "org.postgresql"],
    kinds: &[
        Kind {
            name: "DataSource",
            types: &[
                "javax.sql.DataSource",
                "com.zaxxer.hikari.HikariDataSource",
                "org.apache.commons.dbcp2.BasicDataSource",
                "com.mchange.v2.c3p0.ComboPooledDataSource",
                "io.agroal.api.AgroalDataSource",
                "org.apache.tomcat.jdbc.pool.DataSource",
            ],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`dataSource.getConnection()`",
            methods: &[
                (&["getConnection", "connection"], Does::Borrows("Pooled")),
                (&["setMaximumPoolSize", "setMaxTotal", "setMaxPoolSize"], Does::Limit),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Plain",
            types: &["org.postgresql.ds.PGSimpleDataSource"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`dataSource.getConnection()`",
            methods: &[(&["getConnection", "connection"], Does::Opens("Own"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Pooled",
            owner: Owner::Borrowed,
            begins: Begins::NeverByDefault,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Own",
            owner: Owner::Own,
            begins: Begins::Never,
            methods: CONNECTION_OWN,
            otherwise: Does::Nothing,
            at_end: AtEnd::Closes,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["java.sql.Connection", "org.postgresql.PGConnection"],
            begins: Begins::Unknown,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            types: &["java.sql.Statement", "java.sql.PreparedStatement", "java.sql.CallableStatement"],
            ..STATEMENT
        },
    ],
    makers: &[("java.sql.DriverManager.getConnection", "Own")],
    ..LIBRARY
};

/// What a connection does that may be a pool's.
pub(super) const CONNECTION: &[(&[&str], Does)] = &[
    (&["createStatement"], Does::Gives("Statement")),
    (&["prepareStatement", "prepareCall"], Does::Prepare("Statement")),
    (&["commit", "rollback"], Does::Ends),
    (&["setAutoCommit", "autoCommit"], Does::Autocommit),
    (&["unwrap"], Does::Gives("Connection")),
    (&["close"], Does::Returns),
    (&["abort"], Does::Closes),
];

const CONNECTION_OWN: &[(&[&str], Does)] = &[
    (&["createStatement"], Does::Gives("Statement")),
    (&["prepareStatement", "prepareCall"], Does::Prepare("Statement")),
    (&["commit", "rollback"], Does::Ends),
    (&["setAutoCommit", "autoCommit"], Does::Autocommit),
    (&["close", "abort"], Does::Closes),
];

/// A statement, without its types.
pub(super) const STATEMENT: Kind = Kind {
    name: "Statement",
    methods: &[
        (
            &["execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "executeBatch", "executeLargeBatch"],
            Does::Execute,
        ),
        (&["getResultSet"], Does::Fetch),
    ],
    otherwise: Does::Nothing,
    ..HANDLE
};
