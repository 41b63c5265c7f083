//! Slick (<https://scala-slick.org/doc/stable/dbio.html>): an action is a value; `db.run` runs it. Without
//! `transactionally` or `withPinnedSession` the parts of an action may use several connections, which the action says
//! and not the handle.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const PIN: &str = "one action `withPinnedSession`, run by one `db.run`";

pub(super) const DRIVER: Driver = Driver {
    name: "Slick",
    languages: &[HostLanguage::Scala],
    imports: &["slick", "play.api.db.slick"],
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
            pin: PIN,
            methods: &[(&["run"], Does::Within { gives: "Session", transaction: false, session: true })],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Session", otherwise: Does::Nothing, ..HANDLE },
        // An action: who runs it is not known.
        Kind {
            name: "Action",
            types: &["slick.dbio.DBIO", "slick.dbio.DBIOAction"],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Play's (<https://www.playframework.com/documentation/latest/PlaySlick>).
        Kind {
            name: "Config",
            types: &["slick.basic.DatabaseConfig"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: PIN,
            methods: &[(&["db"], Does::Gives("Database"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Provider",
            types: &["play.api.db.slick.DatabaseConfigProvider"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: PIN,
            methods: &[(&["get"], Does::Gives("Config"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("Database.forConfig", "Database"),
        ("Database.forURL", "Database"),
        ("Database.forDataSource", "Database"),
        ("DatabaseConfig.forConfig", "Config"),
    ],
    gives_heirs: &[
        ("HasDatabaseConfigProvider", "db", "Database"),
        ("HasDatabaseConfigProvider", "dbConfig", "Config"),
        ("HasDatabaseConfig", "db", "Database"),
    ],
    ..LIBRARY
};
