//! The client libraries, one file each.

mod active_record;
mod aiopg;
mod alembic;
mod amphp;
mod asyncpg;
mod bun;
mod cakephp;
mod connection_pool;
mod database_sql;
mod databases;
mod deno_postgres;
mod diesel;
mod django;
mod doctrine;
mod doobie;
mod drizzle;
mod ecto;
mod ef_core;
mod ent;
mod exposed;
mod go_pg;
mod gorm;
mod jdbc;
mod jdbi;
mod jooq;
mod jpa;
mod knex;
mod kotliquery;
mod ktorm;
mod kysely;
mod laravel;
mod mikro_orm;
mod node_postgres;
mod npgsql;
mod pdo;
mod peewee;
mod pg8000;
mod pg_promise;
mod pgx;
mod php_pgsql;
mod play;
mod pony;
mod postgres_js;
mod postgrex;
mod prisma;
mod psycopg;
mod r2dbc;
mod ruby_pg;
mod scalikejdbc;
mod sea_orm;
mod sequel;
mod sequelize;
mod skunk;
mod slick;
mod slonik;
mod spring_jdbc;
mod sqlalchemy;
mod sqlc;
mod sqlx;
mod supabase;
#[cfg(test)]
mod tests;
mod tokio_postgres;
mod tortoise;
mod typeorm;
mod vertx;
mod yii;

use crate::driver::Driver;
use crate::language::HostLanguage;

/// All of them.
pub const DRIVERS: &[Driver] = &[
    active_record::DRIVER,
    aiopg::DRIVER,
    alembic::DRIVER,
    amphp::DRIVER,
    asyncpg::DRIVER,
    bun::DRIVER,
    cakephp::DRIVER,
    connection_pool::DRIVER,
    database_sql::DRIVER,
    databases::DRIVER,
    deno_postgres::DRIVER,
    diesel::DRIVER,
    django::DRIVER,
    doctrine::DRIVER,
    doobie::DRIVER,
    drizzle::DRIVER,
    ecto::DRIVER,
    ef_core::DRIVER,
    ent::DRIVER,
    exposed::DRIVER,
    go_pg::DRIVER,
    gorm::DRIVER,
    jdbc::DRIVER,
    jdbi::DRIVER,
    jooq::DRIVER,
    jpa::DRIVER,
    knex::DRIVER,
    kotliquery::DRIVER,
    ktorm::DRIVER,
    kysely::DRIVER,
    laravel::DRIVER,
    mikro_orm::DRIVER,
    node_postgres::DRIVER,
    npgsql::DRIVER,
    pdo::DRIVER,
    peewee::DRIVER,
    pg8000::DRIVER,
    pg_promise::DRIVER,
    pgx::DRIVER,
    php_pgsql::DRIVER,
    play::DRIVER,
    pony::DRIVER,
    postgres_js::DRIVER,
    postgrex::DRIVER,
    prisma::DRIVER,
    psycopg::DRIVER,
    r2dbc::DRIVER,
    ruby_pg::DRIVER,
    scalikejdbc::DRIVER,
    sea_orm::DRIVER,
    sequel::DRIVER,
    sequelize::DRIVER,
    skunk::DRIVER,
    slick::DRIVER,
    slonik::DRIVER,
    spring_jdbc::DRIVER,
    sqlalchemy::DRIVER,
    sqlc::DRIVER,
    sqlx::DRIVER,
    supabase::DRIVER,
    tokio_postgres::DRIVER,
    tortoise::DRIVER,
    typeorm::DRIVER,
    vertx::DRIVER,
    yii::DRIVER,
];

/// Whether the content of a file in a language may use a client library, by what it would have to import.
pub fn may_use(language: HostLanguage, content: &[u8]) -> bool {
    let has = |word: &str| memchr::memmem::find(content, word.trim_start_matches("*.").as_bytes()).is_some();
    let mut mine = DRIVERS.iter().filter(|driver| driver.languages.contains(&language));
    mine.any(|driver| driver.imports.is_empty() || driver.imports.iter().chain(driver.shows).any(|word| has(word)))
}
