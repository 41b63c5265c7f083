//! Slonik (<https://github.com/gajus/slonik#readme>): each query of a pool takes a connection; `pool.connect` and
//! `pool.transaction` hold one for their function. A connection that goes back is reset by DISCARD ALL, unless
//! `resetConnection` says otherwise.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &[
    "query",
    "any",
    "anyFirst",
    "exists",
    "many",
    "manyFirst",
    "maybeOne",
    "maybeOneFirst",
    "one",
    "oneFirst",
    "stream",
];

pub(super) const DRIVER: Driver = Driver {
    name: "Slonik",
    languages: SCRIPT,
    imports: &["slonik"],
    kinds: &[
        Kind {
            name: "Pool",
            types: &["slonik.DatabasePool"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`pool.connect(async (connection) => …)`",
            methods: &[
                (RUNS, Does::Run),
                (&["connect"], Does::Within { gives: "Connection", transaction: false, session: true }),
                (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["end"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            types: &["slonik.DatabasePoolConnection"],
            owner: Owner::Reset,
            begins: Begins::Never,
            methods: &[
                (RUNS, Does::Run),
                (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["slonik.DatabaseTransactionConnection"],
            begins: Begins::Already,
            methods: &[
                (RUNS, Does::Run),
                // A savepoint.
                (&["transaction"], Does::Within { gives: "Tx", transaction: false, session: false }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // What a pool and a connection have in common.
        Kind {
            name: "Common",
            types: &["slonik.CommonQueryMethods"],
            owner: Owner::Unknown,
            methods: &[(RUNS, Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("slonik.createPool", "Pool")],
    ..LIBRARY
};
