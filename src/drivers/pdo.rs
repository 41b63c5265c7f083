//! PDO (<https://www.php.net/manual/en/pdo.transactions.php>: autocommit until `beginTransaction`; the connection is
//! closed when the object goes, unless it is persistent). `query` and `exec` run at once, `prepare` gives a statement.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY};
use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

/// What a PDO object does.
pub(super) const METHODS: &[(&[&str], Does)] = &[
    (&["query", "exec"], Does::Run),
    (&["prepare"], Does::Prepare("Statement")),
    (&["beginTransaction"], Does::Begins("Transaction")),
    (&["commit", "rollBack", "rollback"], Does::Ends),
];

/// A prepared statement.
pub(super) const STATEMENT: Kind = Kind {
    name: "Statement",
    methods: &[(&["execute"], Does::Execute), (&["fetch", "fetchAll", "fetchColumn", "fetchObject"], Does::Fetch)],
    otherwise: Does::Nothing,
    ..HANDLE
};

/// What `beginTransaction` begins: it gives a boolean, the PDO object is used on.
pub(super) const TRANSACTION: Kind = Kind { name: "Transaction", begins: Begins::Already, ..HANDLE };

pub(super) const DRIVER: Driver = Driver {
    name: "PDO",
    languages: &[HostLanguage::Php],
    kinds: &[
        // `new PDO(…)` and a parameter of that type alike; where it comes from, frameworks may keep it.
        Kind {
            name: "PDO",
            types: &["PDO"],
            owner: Owner::Own,
            begins: Begins::Never,
            methods: METHODS,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // The process keeps it for the next request, with what it holds.
        Kind {
            name: "Persistent",
            owner: Owner::Borrowed,
            begins: Begins::Never,
            methods: METHODS,
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { types: &["PDOStatement"], ..STATEMENT },
        TRANSACTION,
    ],
    variants: &[("PDO", &["ATTR_PERSISTENT => true", "ATTR_PERSISTENT=>true"], "Persistent")],
    ..LIBRARY
};
