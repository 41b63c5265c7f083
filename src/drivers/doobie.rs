//! doobie (<https://typelevel.org/doobie/docs/14-Managing-Connections.html>,
//! <https://typelevel.org/doobie/docs/03-Connecting.html>): a program is a value; `transact` runs it on one connection,
//! in a transaction that commits at its end.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const TRANSACT: &[(&[&str], Does)] = &[(&["transact"], Does::Within { gives: "Tx", transaction: true, session: true })];

pub(super) const DRIVER: Driver = Driver {
    name: "doobie",
    languages: &[HostLanguage::Scala],
    imports: &["doobie"],
    kinds: &[
        Kind {
            name: "Transactor",
            types: &["doobie.Transactor", "doobie.util.transactor.Transactor", "doobie.hikari.HikariTransactor"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "one program, run by one `transact`",
            methods: TRANSACT,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Tx", begins: Begins::Already, otherwise: Does::Nothing, ..HANDLE },
        // A program: who transacts it is not known.
        Kind {
            name: "Program",
            types: &["doobie.ConnectionIO", "doobie.free.connection.ConnectionIO"],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("Transactor.fromDriverManager", "Transactor"),
        ("Transactor.fromDataSource", "Transactor"),
        ("HikariTransactor.newHikariTransactor", "Transactor"),
        ("HikariTransactor.fromHikariConfig", "Transactor"),
    ],
    ..LIBRARY
};
