//! Drizzle (<https://orm.drizzle.team/docs/transactions>, <https://orm.drizzle.team/docs/connect-overview>). What
//! `drizzle(…)` gives stands on a pool, a client or a URL, which its argument says: a URL makes a pool. An inner
//! transaction is a savepoint (`pg-core/session.ts`).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const WRITES: &[&str] = &["insert", "update", "delete", "refreshMaterializedView"];

const DATABASE: &[(&[&str], Does)] = &[
    (&["execute"], Does::Run),
    (WRITES, Does::Writes),
    (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
    (&["$client"], Does::Nothing),
];

pub(super) const DRIVER: Driver = Driver {
    name: "Drizzle",
    languages: SCRIPT,
    imports: &["drizzle-orm"],
    kinds: &[
        Kind {
            name: "Database",
            types: &[
                "drizzle-orm/node-postgres.NodePgDatabase",
                "drizzle-orm/postgres-js.PostgresJsDatabase",
                "drizzle-orm/pg-core.PgDatabase",
                "drizzle-orm/neon-serverless.NeonDatabase",
                "drizzle-orm/neon-http.NeonHttpDatabase",
                "drizzle-orm/vercel-postgres.VercelPgDatabase",
            ],
            owner: Owner::Unknown,
            pin: "`db.transaction(async (tx) => …)`",
            methods: DATABASE,
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Pool",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`db.transaction(async (tx) => …)`",
            methods: DATABASE,
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["drizzle-orm/pg-core.PgTransaction"],
            begins: Begins::Already,
            methods: &[
                (&["execute"], Does::Run),
                (WRITES, Does::Writes),
                (&["transaction"], Does::Within { gives: "Tx", transaction: false, session: false }),
                (&["rollback"], Does::Ends),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    makers: &[
        ("drizzle-orm/node-postgres.drizzle", "Pool"),
        ("drizzle-orm/postgres-js.drizzle", "Pool"),
        ("drizzle-orm/neon-serverless.drizzle", "Pool"),
        ("drizzle-orm/neon-http.drizzle", "Pool"),
        ("drizzle-orm/vercel-postgres.drizzle", "Pool"),
    ],
    ..LIBRARY
};
