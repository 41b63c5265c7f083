//! Alembic (<https://alembic.sqlalchemy.org/en/latest/api/runtime.html>): a migration's `op` works on the runner's
//! connection, in its transaction; in the block of `autocommit_block()` there is none.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::Owner;
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Alembic",
    languages: &[HostLanguage::Python],
    imports: &["alembic"],
    kinds: &[
        Kind {
            name: "Op",
            owner: Owner::Ambient,
            methods: &[
                (&["execute"], Does::Run),
                (&["get_bind"], Does::Gives("Bind")),
                (&["get_context"], Does::Gives("Context")),
                (&["f", "batch_alter_table"], Does::Nothing),
            ],
            otherwise: Does::Writes,
            ..HANDLE
        },
        Kind {
            name: "Bind",
            owner: Owner::Ambient,
            methods: &[(&["execute", "exec_driver_sql", "scalar", "scalars"], Does::Run)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Context",
            owner: Owner::Ambient,
            methods: &[
                // Ends the runner's transaction first.
                (&["autocommit_block"], Does::Ends),
                (&["begin_transaction"], Does::Within { gives: "Op", transaction: true, session: false }),
                (&["bind", "connection"], Does::Gives("Bind")),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    globals: &[("alembic.op", "Op"), ("alembic.context", "Context")],
    ambient: true,
    ..LIBRARY
};
