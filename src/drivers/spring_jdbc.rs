//! Spring's JdbcTemplate and its kin (<https://docs.spring.io/spring-framework/reference/data-access/jdbc/core.html>:
//! each call gets a connection from the DataSource, or the thread's where a transaction is open), and
//! TransactionTemplate (<https://docs.spring.io/spring-framework/reference/data-access/transaction/programmatic.html>).
//! `execute` with a ConnectionCallback holds one connection for the callback.

use crate::driver::{Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &[
    "execute",
    "query",
    "queryForObject",
    "queryForList",
    "queryForMap",
    "queryForRowSet",
    "queryForStream",
    "update",
    "batchUpdate",
];

const PIN: &str = "a transaction around both, or `jdbcTemplate.execute((ConnectionCallback<…>) con -> …)`";

pub(super) const DRIVER: Driver = Driver {
    name: "Spring JDBC",
    languages: JVM,
    imports: &["org.springframework"],
    kinds: &[
        Kind {
            name: "Template",
            types: &[
                "org.springframework.jdbc.core.JdbcTemplate",
                "org.springframework.jdbc.core.JdbcOperations",
                "org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate",
                "org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations",
            ],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[
                (RUNS, Does::Run),
                (&["getJdbcTemplate", "jdbcTemplate", "getJdbcOperations", "jdbcOperations"], Does::Gives("Template")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A data source of one connection, which it gives each time
        // (<https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/jdbc/datasource/SingleConnectionDataSource.html>).
        Kind {
            name: "SingleTemplate",
            methods: &[(RUNS, Does::Run), (&["getJdbcTemplate", "getJdbcOperations"], Does::Gives("SingleTemplate"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Client",
            types: &["org.springframework.jdbc.core.simple.JdbcClient"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[(&["sql"], Does::Prepare("Spec"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Spec",
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[
                (&["query", "update"], Does::Execute),
                (&["param", "params", "paramSource"], Does::Gives("Spec")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The calls inside run on the thread's connection.
        Kind {
            name: "Transactions",
            types: &[
                "org.springframework.transaction.support.TransactionTemplate",
                "org.springframework.transaction.support.TransactionOperations",
            ],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[(
                &["execute", "executeWithoutResult"],
                Does::Within { gives: "Status", transaction: true, session: true },
            )],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Manager",
            types: &[
                "org.springframework.transaction.PlatformTransactionManager",
                "org.springframework.jdbc.datasource.DataSourceTransactionManager",
                "org.springframework.jdbc.support.JdbcTransactionManager",
            ],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: PIN,
            methods: &[(&["getTransaction"], Does::Begins("Status")), (&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Status",
            types: &["org.springframework.transaction.TransactionStatus"],
            begins: Begins::Already,
            methods: &[(&["rollbackToSavepoint"], Does::Inner)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("JdbcClient.create", "Client")],
    variants: &[("Template", &["SingleConnectionDataSource"], "SingleTemplate")],
    gives_heirs: &[
        ("JdbcDaoSupport", "jdbcTemplate", "Template"),
        ("JdbcDaoSupport", "getJdbcTemplate", "Template"),
        ("NamedParameterJdbcDaoSupport", "namedParameterJdbcTemplate", "Template"),
        ("NamedParameterJdbcDaoSupport", "getNamedParameterJdbcTemplate", "Template"),
    ],
    ambient: true,
    ..LIBRARY
};
