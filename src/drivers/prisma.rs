//! Prisma (<https://www.prisma.io/docs/orm/prisma-client/using-raw-sql/raw-queries>,
//! <https://www.prisma.io/docs/orm/prisma-client/queries/transactions>): each query takes a connection of the pool; the
//! function of an interactive `$transaction` gets a client on one; an array given to `$transaction` runs in one.

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

const RUNS: &[&str] = &["$queryRaw", "$queryRawUnsafe", "$queryRawTyped", "$executeRaw", "$executeRawUnsafe"];

/// What a model's own methods are called that write.
const WRITES: &[&str] = &[
    "create",
    "createMany",
    "createManyAndReturn",
    "delete",
    "deleteMany",
    "update",
    "updateMany",
    "updateManyAndReturn",
    "upsert",
];

pub(super) const DRIVER: Driver = Driver {
    name: "Prisma",
    languages: SCRIPT,
    // The client may be generated anywhere, and wrapped in a service.
    imports: &["@prisma/client", "*.PrismaClient", "*.PrismaService"],
    kinds: &[
        Kind {
            name: "Client",
            types: &["@prisma/client.PrismaClient", "*PrismaClient", "*PrismaService"],
            owner: Owner::PerCall,
            begins: Begins::Never,
            pin: "`prisma.$transaction(async (tx) => …)`",
            methods: &[
                (RUNS, Does::Run),
                (WRITES, Does::Writes),
                (&["$transaction"], Does::Within { gives: "Tx", transaction: true, session: true }),
                (&["$extends"], Does::Gives("Client")),
                (&["$connect", "$on", "$use"], Does::Nothing),
                (&["$disconnect"], Does::Closes),
            ],
            otherwise: Does::Works,
            ..HANDLE
        },
        Kind {
            name: "Tx",
            types: &["@prisma/client.Prisma.TransactionClient", "*.Prisma.TransactionClient"],
            begins: Begins::Already,
            methods: &[(RUNS, Does::Run), (WRITES, Does::Writes)],
            otherwise: Does::Works,
            ..HANDLE
        },
    ],
    ..LIBRARY
};
