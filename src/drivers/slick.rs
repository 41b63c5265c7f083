//! Slick (<https://scala-slick.org/doc/stable/dbio.html>): an action is a value; `db.run` runs it. Without
//! `transactionally` or `withPinnedSession` the parts of an action may use several connections, which the action says
//! and not the handle.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Slick",
    languages: &[HostLanguage::Scala],
    imports: &["slick"],
    kinds: &[
        Kind {
            name: "Database",
            types: &[
                "slick.jdbc.PostgresProfile.api.Database",
                "slick.jdbc.PostgresProfile.backend.Database",
                "slick.jdbc.PostgresProfile.backend.DatabaseDef",
                "slick.jdbc.JdbcBackend.Database",
                "slick.jdbc.JdbcBackend.DatabaseDef",
            ],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "one action `withPinnedSession`, run by one `db.run`",
            methods: &[(&["run"], Does::Within { gives: "Session", transaction: false, session: true })],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Session", otherwise: Does::Nothing, ..HANDLE },
    ],
    makers: &[
        ("Database.forConfig", "Database"),
        ("Database.forURL", "Database"),
        ("Database.forDataSource", "Database"),
    ],
    ..LIBRARY
};
