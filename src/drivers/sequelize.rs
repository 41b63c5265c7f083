//! Sequelize (<https://sequelize.org/docs/v6/other-topics/transactions/>): each query takes a connection of the pool,
//! unless it is given `{transaction: t}`, or CLS hands the transaction on.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

pub(super) const DRIVER: Driver = Driver {
    name: "Sequelize",
    languages: SCRIPT,
    imports: &["sequelize", "@sequelize/core", "sequelize-typescript"],
    kinds: &[
        Kind {
            name: "Sequelize",
            types: &["sequelize.Sequelize", "@sequelize/core.Sequelize", "sequelize-typescript.Sequelize"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`sequelize.transaction(async (t) => …)` and `{ transaction: t }`",
            methods: &[
                (&["query"], Does::Run),
                (&["transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["startUnmanagedTransaction"], Does::Begins("Tx")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["sequelize.Transaction", "@sequelize/core.Transaction"],
            begins: Begins::Already,
            methods: &[(&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    takes: &[
        (&["query"], Does::Run),
        (&["findOne", "findAll", "findByPk", "count", "reload"], Does::Works),
        (&["create", "bulkCreate", "update", "upsert", "destroy", "save", "increment", "decrement"], Does::Writes),
    ],
    ..LIBRARY
};
