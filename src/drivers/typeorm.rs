//! TypeORM (<https://typeorm.io/docs/query-runner/>, <https://typeorm.io/docs/advanced-topics/transactions>): a
//! DataSource takes a connection of the pool for each query; a QueryRunner holds one from its first query until
//! `release()`, which resets nothing. An EntityManager and a Repository belong to either, which their type does not
//! say.

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &["query", "sql"];

const WRITES: &[&str] = &[
    "save",
    "insert",
    "update",
    "upsert",
    "delete",
    "remove",
    "increment",
    "decrement",
    "softDelete",
    "softRemove",
    "restore",
    "clear",
];

const NOTHING: &[&str] =
    &["create", "merge", "metadata", "target", "connection", "dataSource", "hasId", "getId", "preload"];

pub(super) const DRIVER: Driver = Driver {
    name: "TypeORM",
    languages: SCRIPT,
    imports: &["typeorm", "@nestjs/typeorm"],
    kinds: &[
        Kind {
            name: "DataSource",
            types: &["typeorm.DataSource", "typeorm.Connection"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`const queryRunner = dataSource.createQueryRunner()`",
            methods: &[
                (RUNS, Does::Run),
                (&["createQueryRunner"], Does::Borrows("Runner")),
                (&["transaction"], Does::Within { gives: "TxManager", transaction: true, session: true }),
                (&["manager"], Does::Gives("PoolManager")),
                (&["createQueryBuilder"], Does::Works),
                (&["getRepository"], Does::Gives("PoolManager")),
                (&["destroy", "close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Runner",
            types: &["typeorm.QueryRunner"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["startTransaction"], Does::Begins("Tx")),
                (&["commitTransaction", "rollbackTransaction"], Does::Ends),
                (&["manager"], Does::Gives("Manager")),
                (&["release"], Does::Returns),
                (&["connect", "isTransactionActive", "isReleased", "data", "connection"], Does::Nothing),
            ],
            otherwise: Does::Works,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind { name: "Tx", begins: Begins::Already, ..HANDLE },
        Kind {
            name: "PoolManager",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`const queryRunner = dataSource.createQueryRunner()`",
            methods: &[
                (RUNS, Does::Run),
                (WRITES, Does::Writes),
                (NOTHING, Does::Nothing),
                (&["transaction"], Does::Within { gives: "TxManager", transaction: true, session: true }),
                (&["getRepository", "withRepository", "manager"], Does::Gives("PoolManager")),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "TxManager",
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                (WRITES, Does::Writes),
                (NOTHING, Does::Nothing),
                // A savepoint.
                (&["transaction"], Does::Within { gives: "TxManager", transaction: false, session: false }),
                (&["getRepository", "withRepository", "manager"], Does::Gives("TxManager")),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Manager",
            types: &["typeorm.EntityManager", "typeorm.Repository", "typeorm.TreeRepository"],
            owner: Owner::Unknown,
            pin: "`const queryRunner = dataSource.createQueryRunner()`",
            methods: &[
                (RUNS, Does::Run),
                (WRITES, Does::Writes),
                (NOTHING, Does::Nothing),
                (&["transaction"], Does::Within { gives: "TxManager", transaction: true, session: true }),
                (&["getRepository", "withRepository", "manager"], Does::Gives("Manager")),
                (&["queryRunner"], Does::Gives("Runner")),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    makers: &[
        ("typeorm.createConnection", "DataSource"),
        ("typeorm.getConnection", "DataSource"),
        ("typeorm.getManager", "PoolManager"),
    ],

    ..LIBRARY
};
