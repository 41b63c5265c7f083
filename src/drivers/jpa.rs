//! JPA's EntityManager and Hibernate's Session (<https://jakarta.ee/specifications/persistence/3.1/>,
//! <https://docs.jboss.org/hibernate/orm/6.6/userguide/html_single/Hibernate_User_Guide.html>). The connection is
//! acquired for a statement or transaction and released after it. Whether a transaction is open, the container or the
//! caller knows.

use super::jdbc::{CONNECTION, STATEMENT};
use crate::driver::{AtEnd, Does, Driver, HANDLE, JVM, Kind, LIBRARY};
use crate::flow::Owner;

const MANAGER: &[(&[&str], Does)] = &[
    (&["createNativeQuery", "createNativeMutationQuery", "createSQLQuery"], Does::Prepare("Query")),
    (&["createQuery", "createNamedQuery", "createSelectionQuery", "createMutationQuery"], Does::Gives("Entities")),
    (&["find", "lock", "refresh", "getReference", "get"], Does::Works),
    (&["persist", "merge", "remove", "flush", "save", "delete"], Does::Writes),
    (&["getTransaction", "transaction"], Does::Gives("Transaction")),
    (&["beginTransaction"], Does::Begins("Transaction")),
    (&["unwrap", "getDelegate", "delegate"], Does::Gives("Manager")),
    (&["doWork", "doReturningWork"], Does::Within { gives: "Connection", transaction: false, session: false }),
    (&["close"], Does::Returns),
    (&["clear", "detach", "contains", "isOpen", "setFlushMode"], Does::Nothing),
];

pub(super) const DRIVER: Driver = Driver {
    name: "JPA",
    languages: JVM,
    imports: &["jakarta.persistence", "javax.persistence", "org.hibernate"],
    kinds: &[
        Kind {
            name: "Manager",
            types: &[
                "jakarta.persistence.EntityManager",
                "javax.persistence.EntityManager",
                "org.hibernate.Session",
                "org.hibernate.StatelessSession",
            ],
            owner: Owner::UntilCommit,
            pin: "`session.doWork(connection -> …)`",
            methods: MANAGER,
            otherwise: Does::Works,
            at_end: AtEnd::Returns,
            ..HANDLE
        },
        Kind {
            name: "Query",
            types: &["jakarta.persistence.Query", "javax.persistence.Query", "org.hibernate.query.NativeQuery"],
            owner: Owner::UntilCommit,
            methods: &[
                (
                    &[
                        "getSingleResult",
                        "getSingleResultOrNull",
                        "getResultList",
                        "getResultStream",
                        "singleResult",
                        "resultList",
                        "resultStream",
                        "executeUpdate",
                        "uniqueResult",
                        "uniqueResultOptional",
                        "list",
                        "stream",
                        "scroll",
                    ],
                    Does::Execute,
                ),
                (
                    &[
                        "setParameter",
                        "setLockMode",
                        "setHint",
                        "setMaxResults",
                        "setFirstResult",
                        "unwrap",
                        "addScalar",
                    ],
                    Does::Gives("Query"),
                ),
            ],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        // A query over entities, which has no SQL text.
        Kind {
            name: "Entities",
            types: &["jakarta.persistence.TypedQuery", "javax.persistence.TypedQuery"],
            owner: Owner::UntilCommit,
            methods: &[
                (
                    &["setParameter", "setLockMode", "setHint", "setMaxResults", "setFirstResult"],
                    Does::Gives("Entities"),
                ),
                (&["executeUpdate"], Does::Writes),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Transaction",
            types: &[
                "jakarta.persistence.EntityTransaction",
                "javax.persistence.EntityTransaction",
                "org.hibernate.Transaction",
            ],
            methods: &[(&["begin"], Does::Begins("Transaction")), (&["commit", "rollback"], Does::Ends)],
            otherwise: Does::Nothing,
            ..HANDLE
        },
        Kind { name: "Connection", methods: CONNECTION, otherwise: Does::Nothing, ..HANDLE },
        STATEMENT,
    ],
    ambient: true,
    ..LIBRARY
};
