//! Pony ORM (<https://docs.ponyorm.org/transactions.html>): every statement runs in a `db_session`, whose first one
//! begins a transaction and takes a connection; `commit()` ends the transaction. The end of the `db_session` gives the
//! connection back, which `DISCARD ALL` resets (`pony/orm/dbproviders/postgres.py`, `PGPool.release`).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Pony",
    languages: &[HostLanguage::Python],
    imports: &["pony"],
    kinds: &[Kind {
        name: "Database",
        types: &["pony.orm.Database", "pony.orm.core.Database"],
        owner: Owner::Reset,
        begins: Begins::ByItself,
        methods: &[
            (&["execute", "select", "get", "exists"], Does::Run),
            (&["insert", "flush"], Does::Writes),
            (&["commit", "rollback"], Does::Ends),
            (&["disconnect"], Does::Closes),
        ],
        otherwise: Does::Nothing,
        ..HANDLE
    }],
    ambient: true,
    ..LIBRARY
};
