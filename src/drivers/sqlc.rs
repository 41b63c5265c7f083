//! sqlc's generated Go (<https://docs.sqlc.dev/en/latest/howto/transactions.html>): `Queries` stands on a `DBTX`, a
//! pool or a transaction, which `New(db)` or `WithTx(tx)` was given; the type does not say.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::Owner;
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "sqlc",
    languages: &[HostLanguage::Go],
    kinds: &[
        Kind {
            name: "DBTX",
            types: &["DBTX"],
            owner: Owner::Unknown,
            methods: &[
                (&["ExecContext", "QueryContext", "QueryRowContext", "Exec", "Query", "QueryRow"], Does::Run),
                (&["PrepareContext"], Does::Prepare("Stmt")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Stmt",
            methods: &[(&["ExecContext", "QueryContext", "QueryRowContext"], Does::Execute)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    ..LIBRARY
};
