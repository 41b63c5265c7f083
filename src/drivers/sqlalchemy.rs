//! SQLAlchemy 2.0 and 1.4, with sqlmodel and Flask-SQLAlchemy on top
//! (<https://docs.sqlalchemy.org/en/20/core/connections.html>,
//! <https://docs.sqlalchemy.org/en/20/orm/session_transaction.html>). The first statement begins a transaction; a
//! Session takes a connection from the pool for it and gives it back when the transaction ends. The pool rolls back on
//! return (<https://docs.sqlalchemy.org/en/20/core/pooling.html#reset-on-return>), which releases no session lock.
//! `isolation_level="AUTOCOMMIT"` among the arguments of an engine or of `execution_options` takes the transactions
//! away. `NullPool` keeps nothing: who closes a connection ends its session
//! (<https://docs.sqlalchemy.org/en/20/core/pooling.html#sqlalchemy.pool.NullPool>).

use crate::driver::{AtEnd, Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

const RUNS: &[&str] = &[
    "execute",
    "exec",
    "exec_driver_sql",
    "scalar",
    "scalars",
    "scalar_one",
    "scalar_one_or_none",
    "stream",
    "stream_scalars",
];

const SESSION_WRITES: &[&str] = &[
    "add",
    "add_all",
    "delete",
    "delete_all",
    "flush",
    "merge",
    "merge_all",
    "bulk_save_objects",
    "bulk_insert_mappings",
    "bulk_update_mappings",
];

const SESSION_NOTHING: &[&str] = &[
    "in_transaction",
    "in_nested_transaction",
    "get_transaction",
    "get_nested_transaction",
    "expire",
    "expire_all",
    "expunge",
    "expunge_all",
    "is_modified",
    "is_active",
    "info",
    "no_autoflush",
    "identity_map",
    "new",
    "dirty",
    "deleted",
];

const SESSION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (SESSION_WRITES, Does::Writes),
    (SESSION_NOTHING, Does::Nothing),
    (&["begin"], Does::Begins("SessionTransaction")),
    (&["begin_nested"], Does::Gives("Nested")),
    (&["connection"], Does::Gives("OfSession")),
    (&["sync_session"], Does::Gives("Session")),
    (&["get_bind", "bind"], Does::Gives("Engine")),
    (&["commit", "rollback"], Does::Ends),
    (&["close", "aclose", "reset", "remove"], Does::Returns),
    (&["invalidate"], Does::Closes),
    (&["()"], Does::Gives("Session")),
];

const CONNECTION: &[(&[&str], Does)] = &[
    (RUNS, Does::Run),
    (&["begin"], Does::Begins("Transaction")),
    (&["begin_nested"], Does::Gives("Nested")),
    (&["commit", "rollback"], Does::Ends),
    (&["execution_options"], Does::Autocommit),
    (&["close", "aclose"], Does::Returns),
    (&["invalidate"], Does::Closes),
    (&["engine"], Does::Gives("Engine")),
    (&["run_sync"], Does::Works),
];

/// A pool.
const ENGINE: Kind = Kind {
    name: "Engine",
    types: &[
        "sqlalchemy.Engine",
        "sqlalchemy.engine.Engine",
        "sqlalchemy.engine.base.Engine",
        "sqlalchemy.future.Engine",
        "sqlalchemy.ext.asyncio.AsyncEngine",
        "sqlalchemy.ext.asyncio.engine.AsyncEngine",
    ],
    owner: Owner::PerCall,
    begins: Begins::ByItself,
    pin: "`with engine.connect() as conn:`",
    methods: &[
        // Version 1.4 alone: each call takes a connection and commits what it knows to be a change.
        (&["execute", "scalar"], Does::Run),
        (&["connect"], Does::Borrows("Connection")),
        (&["begin"], Does::Begins("Begun")),
        (&["raw_connection"], Does::Borrows("Raw")),
        (&["execution_options"], Does::Autocommit),
        (&["sync_engine"], Does::Gives("Engine")),
        (&["dispose"], Does::Closes),
    ],
    otherwise: Does::Nothing,
    ..HANDLE
};

/// A connection of a pool.
const BORROWED: Kind = Kind {
    name: "Connection",
    owner: Owner::Borrowed,
    begins: Begins::ByItself,
    methods: CONNECTION,
    otherwise: Does::Nothing,
    at_end: AtEnd::Returns,
    ..HANDLE
};

/// The DB-API's connection of a pool.
const RAW: Kind = Kind {
    name: "Raw",
    owner: Owner::Borrowed,
    begins: Begins::ByItself,
    methods: &[
        (&["cursor"], Does::Gives("Cursor")),
        (&["commit", "rollback"], Does::Ends),
        (&["close"], Does::Returns),
        (&["invalidate"], Does::Closes),
        (&["autocommit", "set_isolation_level"], Does::Autocommit),
    ],
    otherwise: Does::Nothing,
    ..HANDLE
};

pub(super) const DRIVER: Driver = Driver {
    name: "SQLAlchemy",
    languages: &[HostLanguage::Python],
    imports: &["sqlalchemy", "sqlmodel", "flask_sqlalchemy"],
    kinds: &[
        ENGINE,
        Kind {
            name: "Unpooled",
            types: &[],
            methods: &[
                (&["execute", "scalar"], Does::Run),
                (&["connect"], Does::Borrows("UnpooledConnection")),
                (&["begin"], Does::Begins("UnpooledBegun")),
                (&["raw_connection"], Does::Borrows("UnpooledRaw")),
                (&["execution_options"], Does::Autocommit),
                (&["sync_engine"], Does::Gives("Unpooled")),
                (&["dispose"], Does::Closes),
            ],
            ..ENGINE
        },
        BORROWED,
        Kind { name: "UnpooledConnection", owner: Owner::Own, ..BORROWED },
        Kind {
            name: "Given",
            types: &[
                "sqlalchemy.Connection",
                "sqlalchemy.engine.Connection",
                "sqlalchemy.engine.base.Connection",
                "sqlalchemy.future.Connection",
                "sqlalchemy.ext.asyncio.AsyncConnection",
                "sqlalchemy.ext.asyncio.engine.AsyncConnection",
            ],
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind { name: "Begun", begins: Begins::Already, ..BORROWED },
        Kind { name: "UnpooledBegun", owner: Owner::Own, begins: Begins::Already, ..BORROWED },
        RAW,
        Kind { name: "UnpooledRaw", owner: Owner::Own, ..RAW },
        Kind {
            name: "Cursor",
            begins: Begins::ByItself,
            methods: &[(&["execute", "executemany"], Does::Run), (&["fetchone", "fetchall", "fetchmany"], Does::Fetch)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            begins: Begins::Already,
            methods: &[(&["commit", "rollback", "close"], Does::Ends)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        Kind {
            name: "Nested",
            begins: Begins::Already,
            methods: &[(&["commit", "rollback", "close"], Does::Inner)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind {
            name: "Session",
            types: &[
                "sqlalchemy.orm.Session",
                "sqlalchemy.orm.session.Session",
                "sqlalchemy.orm.scoped_session",
                "sqlalchemy.orm.scoping.scoped_session",
                "sqlalchemy.ext.asyncio.AsyncSession",
                "sqlalchemy.ext.asyncio.session.AsyncSession",
                "sqlalchemy.ext.asyncio.async_scoped_session",
                "sqlmodel.Session",
                "sqlmodel.ext.asyncio.session.AsyncSession",
            ],
            owner: Owner::UntilCommit,
            begins: Begins::ByItself,
            pin: "`with engine.connect() as conn:`",
            methods: SESSION,
            otherwise: Does::Works,
            at_end: AtEnd::Returns,
            joins: None,
        },
        Kind {
            name: "BegunSession",
            owner: Owner::UntilCommit,
            begins: Begins::Already,
            pin: "`with engine.connect() as conn:`",
            methods: SESSION,
            otherwise: Does::Works,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "SessionTransaction",
            begins: Begins::Already,
            methods: &[(&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            at_end: AtEnd::Ends,
            ..HANDLE
        },
        // `session.connection()`: goes back with the session's transaction.
        Kind {
            name: "OfSession",
            owner: Owner::UntilCommit,
            begins: Begins::ByItself,
            methods: CONNECTION,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Makes sessions; one that it makes is no session that was open before.
        Kind {
            name: "Sessions",
            types: &[
                "sqlalchemy.orm.sessionmaker",
                "sqlalchemy.orm.session.sessionmaker",
                "sqlalchemy.ext.asyncio.async_sessionmaker",
                "sqlalchemy.ext.asyncio.session.async_sessionmaker",
            ],
            owner: Owner::UntilCommit,
            begins: Begins::ByItself,
            methods: &[(&["()"], Does::Borrows("Session")), (&["begin"], Does::Begins("BegunSession"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // Flask-SQLAlchemy's `db`.
        Kind {
            name: "Flask",
            types: &["flask_sqlalchemy.SQLAlchemy"],
            owner: Owner::Unknown,
            methods: &[(&["session"], Does::Gives("Session")), (&["engine", "get_engine"], Does::Gives("Engine"))],
            otherwise: Does::Nothing,
            ..HANDLE
        },
    ],
    makers: &[
        ("sqlalchemy.create_engine", "Engine"),
        ("sqlalchemy.engine.create_engine", "Engine"),
        ("sqlalchemy.engine_from_config", "Engine"),
        ("sqlalchemy.ext.asyncio.create_async_engine", "Engine"),
        ("sqlalchemy.ext.asyncio.async_engine_from_config", "Engine"),
        ("sqlmodel.create_engine", "Engine"),
        ("sqlalchemy.orm.sessionmaker", "Sessions"),
        ("sqlalchemy.ext.asyncio.async_sessionmaker", "Sessions"),
        ("sqlalchemy.orm.scoped_session", "Sessions"),
    ],
    variants: &[("Engine", &["NullPool"], "Unpooled")],
    takes: &[(&["pandas.read_sql", "pandas.read_sql_query"], Does::Run)],
    ..LIBRARY
};
