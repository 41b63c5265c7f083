//! Play's Database, on which anorm runs (<https://www.playframework.com/documentation/latest/AccessingAnSQLDatabase>):
//! `withConnection` and `withTransaction` run their function with a connection of the pool.

use super::jdbc::{CONNECTION, STATEMENT};
use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Play",
    languages: &[HostLanguage::Scala, HostLanguage::Java],
    imports: &["play.api.db", "play.db"],
    kinds: &[
        Kind {
            name: "Database",
            types: &["play.api.db.Database", "play.api.db.DBApi", "play.db.Database"],
            owner: Owner::PerCall,
            begins: Begins::NeverByDefault,
            pin: "`db.withConnection { connection => … }`",
            methods: &[
                (&["database", "getDatabase"], Does::Gives("Database")),
                (&["withConnection"], Does::Within { gives: "Connection", transaction: false, session: true }),
                (&["withTransaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["getConnection"], Does::Borrows("Connection")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Connection",
            owner: Owner::Borrowed,
            begins: Begins::NeverByDefault,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind { name: "Tx", begins: Begins::Already, methods: CONNECTION, otherwise: Does::Nothing, ..HANDLE },
        STATEMENT,
    ],
    ..LIBRARY
};
