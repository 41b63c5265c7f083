//! ScalikeJDBC (<http://scalikejdbc.org/documentation/transaction.html>, <https://github.com/scalikejdbc/scalikejdbc>):
//! `autoCommit` and `readOnly` run their function with a session of the pool, `localTx` in a transaction of it.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "ScalikeJDBC",
    languages: &[HostLanguage::Scala],
    imports: &["scalikejdbc"],
    kinds: &[
        Kind {
            name: "DB",
            types: &["scalikejdbc.DB", "scalikejdbc.NamedDB"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`DB.autoCommit { implicit session => … }`",
            methods: &[
                (&["autoCommit", "readOnly"], Does::Within { gives: "Session", transaction: false, session: true }),
                (&["localTx", "futureLocalTx"], Does::Within { gives: "Tx", transaction: true, session: true }),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Session", types: &["scalikejdbc.DBSession"], otherwise: Does::Works, ..HANDLE },
        Kind { name: "Tx", begins: Begins::Already, otherwise: Does::Works, ..HANDLE },
    ],
    globals: &[("DB", "DB")],
    ..LIBRARY
};
