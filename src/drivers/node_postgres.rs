//! node-postgres (<https://node-postgres.com/apis/pool>: `pool.query` runs on any idle client; `release()` keeps the
//! session's state, `release(true)` closes it), and what has its shape: Neon's serverless driver
//! (<https://neon.tech/docs/serverless/serverless-driver>) and Vercel's
//! (<https://www.npmjs.com/package/@vercel/postgres>).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

pub(super) const DRIVER: Driver = Driver {
    name: "node-postgres",
    languages: SCRIPT,
    imports: &["pg", "pg-pool", "@neondatabase/serverless", "@vercel/postgres"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &[
                "pg.Pool",
                "pg-pool.Pool",
                "pg-pool",
                "@neondatabase/serverless.Pool",
                "@vercel/postgres.VercelPool",
            ],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`await pool.connect()`",
            methods: &[
                (&["query", "sql"], Does::Run),
                (&["connect"], Does::Borrows("Client")),
                (&["end"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Client",
            types: &["pg.PoolClient", "@neondatabase/serverless.PoolClient", "@vercel/postgres.VercelPoolClient"],
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: &[(&["query", "sql"], Does::Run), (&["release"], Does::Returns), (&["end"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Own",
            types: &["pg.Client", "@neondatabase/serverless.Client", "@vercel/postgres.VercelClient"],
            owner: Owner::Own,
            begins: Begins::Never,
            methods: &[(&["query", "sql"], Does::Run), (&["end"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // What a pool's client and one's own have in common.
        Kind {
            name: "Base",
            types: &["pg.ClientBase"],
            methods: &[(&["query"], Does::Run), (&["release"], Does::Returns), (&["end"], Does::Closes)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Vercel's `sql` tag and `db`: a pool.
        Kind {
            name: "Vercel",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`await db.connect()`",
            methods: &[(&["()", "query", "sql"], Does::Run), (&["connect"], Does::Borrows("Client"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Neon's `neon(url)`: each call is an HTTP request, `transaction` sends several statements in one.
        Kind {
            name: "Http",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`new Pool(…)` and `await pool.connect()`",
            methods: &[(&["()", "query", "unsafe"], Does::Run), (&["transaction"], Does::Works)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("@neondatabase/serverless.neon", "Http"),
        ("@vercel/postgres.createPool", "Pool"),
        ("@vercel/postgres.createClient", "Own"),
    ],
    globals: &[("@vercel/postgres.sql", "Vercel"), ("@vercel/postgres.db", "Vercel")],
    ..LIBRARY
};
