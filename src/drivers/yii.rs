//! Yii 2 (<https://www.yiiframework.com/doc/guide/2.0/en/db-dao>): `Yii::$app->db` is one connection of the process; a
//! command is made of SQL and run by its query and execute methods; `transaction(fn)` and `beginTransaction` nest by
//! savepoints.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Yii",
    languages: &[HostLanguage::Php],
    imports: &["Yii", "yii"],
    kinds: &[
        Kind {
            name: "Connection",
            types: &["yii.db.Connection"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["createCommand"], Does::Prepare("Command")),
                (&["transaction"], Does::Within { gives: "Connection", transaction: true, session: false }),
                (&["beginTransaction"], Does::Begins("Transaction")),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Command",
            types: &["yii.db.Command"],
            methods: &[
                (&["execute", "query", "queryAll", "queryOne", "queryScalar", "queryColumn"], Does::Execute),
                (&["bindValue", "bindValues", "bindParam"], Does::Gives("Command")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &["yii.db.Transaction"],
            begins: Begins::Already,
            methods: &[(&["commit", "rollBack"], Does::Ends)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    globals: &[("Yii.app.db", "Connection"), ("Yii.$app.db", "Connection")],
    ambient: true,
    ..LIBRARY
};
