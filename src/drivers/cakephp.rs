//! CakePHP (<https://book.cakephp.org/5/en/orm/database-basics.html>): `ConnectionManager::get` gives the one
//! connection of that name; `transactional` and `begin` begin a transaction.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "CakePHP",
    languages: &[HostLanguage::Php],
    imports: &["Cake"],
    kinds: &[
        Kind {
            name: "Connection",
            types: &["Cake.Database.Connection", "Cake.Datasource.ConnectionInterface"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["execute", "query"], Does::Run),
                (&["prepare"], Does::Prepare("Statement")),
                (&["insert", "update", "delete"], Does::Writes),
                (&["transactional"], Does::Within { gives: "Connection", transaction: true, session: false }),
                (&["begin"], Does::Begins("Transaction")),
                (&["commit", "rollback"], Does::Ends),
                (&["rollbackSavepoint"], Does::Inner),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Statement",
            methods: &[(&["execute"], Does::Execute), (&["fetch", "fetchAll", "fetchAssoc"], Does::Fetch)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Transaction", owner: Owner::Ambient, begins: Begins::Already, ..HANDLE },
    ],
    makers: &[("Cake.Datasource.ConnectionManager.get", "Connection")],
    ambient: true,
    ..LIBRARY
};
