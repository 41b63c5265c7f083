//! The names of runners and query compilers: one list.

macro_rules! runners {
    ($($variant:ident = $name:literal,)*) => {
        /// A migration runner.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Runner {
            $(#[doc = $name] $variant,)*
        }

        impl Runner {
            /// Every runner that is recognised.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name, as it writes it itself.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

runners! {
    Atlas = "Atlas",
    Bytebase = "Bytebase",
    Dbmate = "dbmate",
    Diesel = "Diesel",
    Drizzle = "Drizzle",
    Ecto = "Ecto",
    Flyway = "Flyway",
    GolangMigrate = "golang-migrate",
    Goose = "goose",
    GraphileMigrate = "graphile-migrate",
    Hasura = "Hasura",
    Liquibase = "Liquibase",
    NodePgMigrate = "node-pg-migrate",
    PostgresMigrations = "postgres-migrations",
    Prisma = "Prisma",
    Rambler = "Rambler",
    Sqitch = "Sqitch",
    SqlMigrate = "sql-migrate",
    Sqlx = "sqlx",
    Supabase = "Supabase",
    Tern = "tern",
    Yoyo = "yoyo",
}

/// The query compilers whose marks are known. They mark queries alike, so which of them it is does not matter.
pub const COMPILERS: &[&str] = &["aiosql", "dotsql", "HugSQL", "PgTyped", "PugSQL", "sqlc"];
