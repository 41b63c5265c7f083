//! Ruby's connection_pool gem (<https://github.com/mperham/connection_pool>): `with` checks one object out for its
//! block, `checkout` for the thread until `checkin`. What the objects are, the block that made the pool says; nothing
//! is reset.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const POOL: &[(&[&str], Does)] = &[
    (&["with", "then"], Does::Within { gives: "Object", transaction: false, session: true }),
    (&["checkout"], Does::Borrows("Object")),
    (&["shutdown"], Does::Closes),
];

pub(super) const DRIVER: Driver = Driver {
    name: "connection_pool",
    languages: &[HostLanguage::Ruby],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["ConnectionPool"],
            owner: Owner::Unknown,
            methods: POOL,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Of connections to PostgreSQL.
        Kind {
            name: "Connections",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.with { |conn| … }`",
            methods: POOL,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Object",
            owner: Owner::Borrowed,
            methods: &[(&["exec", "exec_params", "async_exec", "query"], Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    variants: &[("Pool", &["PG.", "PG::"], "Connections")],
    ..LIBRARY
};
