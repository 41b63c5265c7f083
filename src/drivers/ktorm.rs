//! Ktorm (<https://www.ktorm.org/en/connect-to-databases.html>,
//! <https://www.ktorm.org/en/transaction-management.html>): `useConnection` takes a connection of the data source, or
//! the thread's where `useTransaction` is open.

use super::jdbc::{CONNECTION, STATEMENT};
use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Ktorm",
    languages: &[HostLanguage::Kotlin],
    imports: &["org.ktorm", "me.liuwj.ktorm"],
    kinds: &[
        Kind {
            name: "Database",
            types: &["org.ktorm.database.Database", "me.liuwj.ktorm.database.Database"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`database.useConnection { connection -> … }`",
            methods: &[
                (&["useConnection"], Does::Within { gives: "Connection", transaction: false, session: true }),
                (&["useTransaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind { name: "Connection", methods: CONNECTION, otherwise: Does::Nothing, ..HANDLE },
        Kind {
            name: "Tx",
            begins: Begins::Already,
            methods: &[(&["commit", "rollback"], Does::Ends), (&["connection"], Does::Gives("Connection"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        STATEMENT,
    ],
    makers: &[("Database.connect", "Database"), ("Database.connectWithSpringSupport", "Database")],
    ambient: true,
    ..LIBRARY
};
