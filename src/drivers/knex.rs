//! Knex (<https://knexjs.org/guide/transactions.html>, <https://knexjs.org/guide/raw.html>): `knex` takes a connection
//! of the pool for each query; `knex.transaction` gives a handle of the same shape; what is given `transacting(trx)`
//! runs there. The pool resets nothing. AdonisJS' Lucid has the same shape
//! (<https://lucid.adonisjs.com/docs/transactions>).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const BUILDERS: &[&str] = &[
    "()",
    "select",
    "from",
    "into",
    "table",
    "with",
    "withSchema",
    "queryBuilder",
    "insert",
    "update",
    "del",
    "delete",
    "batchInsert",
];

pub(super) const DRIVER: Driver = Driver {
    name: "Knex",
    languages: SCRIPT,
    imports: &["knex"],
    kinds: &[
        Kind {
            name: "Knex",
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`knex.transaction(async (trx) => …)`",
            methods: &[
                (&["raw"], Does::Run),
                (BUILDERS, Does::Works),
                (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["transactionProvider"], Does::Nothing),
                (&["destroy"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The type is a transaction's too.
        Kind {
            name: "Handle",
            types: &["knex.Knex"],
            owner: Owner::Unknown,
            methods: &[
                (&["raw"], Does::Run),
                (BUILDERS, Does::Works),
                (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["destroy"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["knex.Knex.Transaction", "Knex.Transaction"],
            begins: Begins::Already,
            methods: &[
                (&["raw"], Does::Run),
                (BUILDERS, Does::Works),
                // A savepoint.
                (&["transaction", "savepoint"], Does::Within { gives: "Tx", transaction: false, session: false }),
                (&["commit", "rollback"], Does::Ends),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[("knex", "Knex"), ("knex.knex", "Knex"), ("knex.default", "Knex")],
    takes: &[(&["transacting", "connection"], Does::Run)],
    ..LIBRARY
};
