//! MikroORM (<https://mikro-orm.io/docs/transactions>): an EntityManager holds a transaction from `begin` to `commit`,
//! and its raw queries run there; outside, each takes a connection of the pool. `getConnection().execute` is always the
//! pool's, unless it is given the transaction's context. Whether an EntityManager is in a transaction, its type does
//! not say.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const NOTHING: &[&str] = &["persist", "remove", "create", "assign", "clear", "map", "getReference", "getContext"];

const WRITES: &[&str] = &[
    "flush",
    "persistAndFlush",
    "removeAndFlush",
    "nativeInsert",
    "nativeUpdate",
    "nativeDelete",
    "upsert",
    "upsertMany",
    "insert",
    "insertMany",
];

pub(super) const DRIVER: Driver = Driver {
    name: "MikroORM",
    languages: SCRIPT,
    imports: &["@mikro-orm"],
    kinds: &[
        Kind {
            name: "ORM",
            types: &["@mikro-orm/core.MikroORM", "@mikro-orm/postgresql.MikroORM"],
            owner: Owner::Unknown,
            methods: &[(&["em"], Does::Gives("Manager")), (&["close"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Manager",
            types: &[
                "@mikro-orm/core.EntityManager",
                "@mikro-orm/postgresql.EntityManager",
                "@mikro-orm/postgresql.SqlEntityManager",
                "@mikro-orm/knex.EntityManager",
                "@mikro-orm/sql.EntityManager",
            ],
            owner: Owner::Unknown,
            pin: "`em.transactional(async (em) => …)`",
            methods: &[
                (&["execute"], Does::Run),
                (NOTHING, Does::Nothing),
                (WRITES, Does::Writes),
                (&["fork"], Does::Gives("Manager")),
                (&["getConnection"], Does::Opens("Connection")),
                (&["transactional"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["begin"], Does::Begins("Tx")),
                (&["commit", "rollback"], Does::Ends),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`em.execute(…)`, which runs in the transaction of `em`",
            joins: Some(3),
            methods: &[(&["execute"], Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            begins: Begins::Already,
            methods: &[
                (&["execute"], Does::Run),
                (NOTHING, Does::Nothing),
                (WRITES, Does::Writes),
                (&["getConnection"], Does::Opens("Connection")),
                (&["transactional"], Does::Within { gives: "Tx", transaction: false, session: false }),
                (&["commit", "rollback"], Does::Ends),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    makers: &[("MikroORM.init", "ORM"), ("MikroORM.initSync", "ORM")],
    ..LIBRARY
};
