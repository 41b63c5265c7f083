//! Django (<https://docs.djangoproject.com/en/stable/topics/db/transactions/>: autocommit by default; `atomic` and
//! `ATOMIC_REQUESTS` give transactions; an inner `atomic` is a savepoint.
//! <https://docs.djangoproject.com/en/stable/ref/databases/>: each thread has its connection, which stays open between
//! requests for `CONN_MAX_AGE` and is not reset).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

pub(super) const DRIVER: Driver = Driver {
    name: "Django",
    languages: &[HostLanguage::Python],
    imports: &["django"],
    shows: &[".objects.select_for_update("],
    kinds: &[
        Kind {
            name: "Connection",
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["cursor"], Does::Gives("Cursor")),
                (&["chunked_cursor"], Does::Gives("Cursor")),
                (&["execute_wrapper", "in_atomic_block", "vendor", "ops", "features"], Does::Nothing),
                (&["connection"], Does::Gives("Raw")),
                (&["commit", "rollback"], Does::Ends),
                (&["savepoint_rollback"], Does::Inner),
                (&["set_autocommit"], Does::Autocommit),
                (&["close"], Does::Closes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Cursor",
            types: &["django.db.backends.utils.CursorWrapper"],
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["execute", "executemany", "callproc"], Does::Run),
                (&["fetchone", "fetchall", "fetchmany"], Does::Fetch),
                (&["copy", "copy_from", "copy_expert"], Does::Writes),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The psycopg connection below it.
        Kind {
            name: "Raw",
            owner: Owner::Ambient,
            methods: &[(&["cursor"], Does::Gives("Cursor")), (&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The module `django.db.transaction`.
        Kind {
            name: "Transaction",
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["atomic"], Does::Within { gives: "Connection", transaction: true, session: false }),
                (&["commit", "rollback"], Does::Ends),
                (&["savepoint_rollback"], Does::Inner),
                (&["set_autocommit"], Does::Autocommit),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // `Model.objects` and what it gives.
        Kind {
            name: "Manager",
            owner: Owner::Ambient,
            begins: Begins::NeverByDefault,
            methods: &[
                (&["raw"], Does::Run),
                (
                    &["create", "bulk_create", "bulk_update", "update", "delete", "get_or_create", "update_or_create"],
                    Does::Writes,
                ),
                (
                    &[
                        "select_for_update",
                        "filter",
                        "exclude",
                        "all",
                        "using",
                        "order_by",
                        "select_related",
                        "annotate",
                        "values",
                        "values_list",
                        "only",
                        "defer",
                        "extra",
                    ],
                    Does::Gives("Manager"),
                ),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    globals: &[
        ("connection", "Connection"),
        ("connections", "Connection"),
        ("django.db.connection", "Connection"),
        ("django.db.connections", "Connection"),
        ("transaction", "Transaction"),
        ("django.db.transaction", "Transaction"),
        ("objects", "Manager"),
    ],
    makers: &[("transaction.get_connection", "Connection"), ("django.db.transaction.get_connection", "Connection")],
    ambient: true,
    ..LIBRARY
};
