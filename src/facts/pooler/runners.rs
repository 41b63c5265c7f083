//! Which connection settings are a migration runner's own. The page `rules/session-lock-behind-pooler.md` says where each
//! claim comes from.

/// How a runner is told where to connect.
#[derive(Debug)]
pub(super) struct Runner {
    /// The name that the script's marks give it.
    pub(super) name: &'static str,
    /// Words by which an image or a command is known to run it.
    pub(super) programs: &'static [&'static str],
    /// Names of its settings, with the file's name where the name alone says too little. Of these lists the first of which the tree has any decides, as the runner prefers it.
    pub(super) settings: &'static [&'static [&'static str]],
}

const DATABASE_URL: &[&[&str]] = &[&["DATABASE_URL"]];
const SPRING: &[&str] = &[
    "spring.datasource.url",
    "SPRING_DATASOURCE_URL",
    "spring.datasource.hikari.jdbc-url",
    "quarkus.datasource.jdbc.url",
    "QUARKUS_DATASOURCE_JDBC_URL",
];

const RUNNERS: &[Runner] = &[
    Runner { name: "goose", programs: &["goose"], settings: &[&["GOOSE_DBSTRING"]] },
    Runner { name: "dbmate", programs: &["dbmate"], settings: DATABASE_URL },
    Runner { name: "sqlx", programs: &["sqlx"], settings: DATABASE_URL },
    Runner { name: "Diesel", programs: &["diesel"], settings: DATABASE_URL },
    Runner { name: "node-pg-migrate", programs: &["node-pg-migrate"], settings: DATABASE_URL },
    Runner { name: "golang-migrate", programs: &["migrate/migrate", "-database"], settings: &[] },
    Runner { name: "Atlas", programs: &["atlas", "arigaio/atlas"], settings: &[] },
    Runner { name: "sql-migrate", programs: &["sql-migrate"], settings: &[] },
    Runner { name: "tern", programs: &["tern"], settings: &[] },
    Runner { name: "Supabase", programs: &["supabase"], settings: &[] },
    Runner {
        name: "Prisma",
        programs: &["prisma"],
        settings: &[
            &["DIRECT_URL", "DIRECT_DATABASE_URL", "DATABASE_URL_UNPOOLED", "POSTGRES_URL_NON_POOLING"],
            &["DATABASE_URL", "POSTGRES_PRISMA_URL"],
        ],
    },
    Runner {
        name: "Flyway",
        programs: &["flyway"],
        settings: &[&["FLYWAY_URL", "flyway.url", "spring.flyway.url", "SPRING_FLYWAY_URL"], SPRING],
    },
    Runner {
        name: "Liquibase",
        programs: &["liquibase"],
        settings: &[
            &[
                "LIQUIBASE_COMMAND_URL",
                "liquibase.command.url",
                "spring.liquibase.url",
                "SPRING_LIQUIBASE_URL",
                "liquibase.properties/url",
            ],
            SPRING,
        ],
    },
];

/// The runner of that name.
pub(super) fn runner(name: &str) -> Option<&'static Runner> {
    RUNNERS.iter().find(|runner| runner.name == name)
}
