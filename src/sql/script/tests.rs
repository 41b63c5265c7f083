use super::*;
use crate::sql::lex::lex;
use std::collections::BTreeSet;

fn cut(path: &str, text: &str) -> Vec<Section> {
    sections(path, text, &lex(text), None)
}

const ALONE: Surroundings = Surroundings::Autocommit { evident: true };
const PSQL: Surroundings = Surroundings::Autocommit { evident: false };
use Surroundings::{OneString, Runner as Given, Unknown};

/// A runner, a file of it, and how the sections that hold statements are run.
type Row<'t> = (Runner, &'t str, &'t str, &'t [(&'t str, Surroundings)]);

const ROWS: &[Row<'_>] = &[
    (Runner::Atlas, "m/1.sql", "-- atlas:txmode none\n\nSELECT 1;", &[("", ALONE)]),
    (Runner::Atlas, "m/1.sql", "-- by hand\n-- atlas:txmode file\n \nSELECT 1;", &[("", Given)]),
    (Runner::Atlas, "m/1.sql", "-- atlas:txmode none\nSELECT 1;", &[("", Unknown)]),
    (Runner::Bytebase, "m/1.sql", "-- txn-mode = off\nSELECT 1;", &[("", ALONE)]),
    (Runner::Bytebase, "m/1.sql", "-- note\n\n-- TXN-MODE=on\nSELECT 1;", &[("", Given)]),
    (
        Runner::Dbmate,
        "m/1.sql",
        "-- migrate:up transaction:false\nSELECT 1;\n--migrate:down\nSELECT 2;",
        &[("up", OneString), ("down", Given)],
    ),
    (Runner::Diesel, "migrations/2024-01-01-000000_x/up.sql", "SELECT 1;", &[("up", Given)]),
    (Runner::Diesel, "migrations/2024-01-01-000000_x/down.sql", "SELECT 1;", &[("down", Given)]),
    (Runner::Diesel, "migrations/postgresql/20151219180527_x/up.sql", "SELECT 1;", &[("up", Given)]),
    (Runner::Drizzle, "m/1.sql", "SELECT 1;--> statement-breakpoint\nSELECT 2;", &[("", Given)]),
    (Runner::Drizzle, "drizzle/0003_x.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Drizzle, "db/drizzle/migrations/0003_x.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Drizzle, "drizzle/20260101000000_x/migration.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Ecto, "priv/repo/structure.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Flyway, "sql/V1_2__x.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Flyway, "sql/R__views.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Flyway, "sql/V2__x.sql", "CREATE UNIQUE INDEX CONCURRENTLY i ON t (a);", &[("", Unknown)]),
    (Runner::GolangMigrate, "m/0001_x.up.sql", "SELECT 1;", &[("up", OneString)]),
    (Runner::GolangMigrate, "m/0001_x.down.sql", "SELECT 1;", &[("down", OneString)]),
    (Runner::Goose, "m/1.sql", "-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;", &[("up", Given), ("down", Given)]),
    (
        Runner::Goose,
        "m/1.sql",
        "-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;\n-- +goose NO TRANSACTION",
        &[("up", ALONE), ("down", ALONE)],
    ),
    (
        Runner::Goose,
        "m/1.sql",
        "-- +goose NO TRANSACTION\n-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\nSELECT 2;\n-- +goose StatementEnd\n",
        &[("up", Unknown)],
    ),
    (
        Runner::Goose,
        "m/1.sql",
        "-- +goose NO TRANSACTION\n-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\n-- +goose StatementEnd\nSELECT 2;\n",
        &[("up", ALONE)],
    ),
    (
        Runner::Goose,
        "m/1.sql",
        "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT 1; SELECT 2;\n-- +goose Down\nSELECT 3; -- why\nSELECT 4;",
        &[("up", Unknown), ("down", ALONE)],
    ),
    (
        Runner::GraphileMigrate,
        "migrations/committed/000001-x.sql",
        "--! Previous: -\n--! Hash: sha1:0\n\nSELECT 1;",
        &[("", Given)],
    ),
    (Runner::GraphileMigrate, "m/1.sql", "--! Message: x\n\nSELECT 1;", &[("", Given)]),
    (
        Runner::GraphileMigrate,
        "migrations/current.sql",
        "--! no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a);",
        &[("", OneString)],
    ),
    (Runner::GraphileMigrate, "migrations/current/001-x.sql", "SELECT 1;", &[("", Given)]),
    (Runner::Hasura, "migrations/default/1584701234567_x/up.sql", "SELECT 1;", &[("up", Given)]),
    (Runner::Hasura, "migrations/1584701234567_x/down.sql", "SELECT 1;", &[("down", Given)]),
    (Runner::Hasura, "migrations/1584701234567_x/up.sql", "-- hasura:no-transaction\nSELECT 1;", &[("up", OneString)]),
    (
        Runner::Liquibase,
        "m/1.sql",
        "--liquibase formatted sql\n--changeset me:1 runInTransaction:false\nSELECT 1;\n-- changeset me:2\nSELECT 2;",
        &[("changeset", ALONE), ("changeset", Given)],
    ),
    (
        Runner::Liquibase,
        "m/1.sql",
        "--liquibase formatted sql\n--changeset me:1 runInTransaction:false splitStatements:false\nSELECT 1;",
        &[("changeset", OneString)],
    ),
    (
        Runner::Liquibase,
        "m/1.sql",
        "--liquibase formatted sql\n--changeset me:1 runInTransaction:false endDelimiter:/\nSELECT 1;",
        &[("changeset", Unknown)],
    ),
    (
        Runner::Liquibase,
        "m/1.sql",
        "--liquibase formatted sql\n--changeset me:1 runWith:psql\nSELECT 1;",
        &[("changeset", Unknown)],
    ),
    (
        Runner::NodePgMigrate,
        "m/1.sql",
        "-- Up Migration: x\nSELECT 1;\n---- down   migration\nSELECT 2;",
        &[("up", Given), ("down", Given)],
    ),
    (
        Runner::PostgresMigrations,
        "m/1.sql",
        "-- postgres-migrations disable-transaction\nSELECT 1;",
        &[("", OneString)],
    ),
    (Runner::Prisma, "prisma/migrations/20240101_x/migration.sql", "SELECT 1;", &[("", OneString)]),
    (
        Runner::Prisma,
        "prisma/migrations/20240101_x/migration.sql",
        "SELECT 1;\nDROP INDEX CONCURRENTLY i;",
        &[("", Unknown)],
    ),
    (
        Runner::Rambler,
        "m/1.sql",
        "-- rambler up\nSELECT 1;\n-- rambler up\nSELECT 2;\n-- rambler down\nSELECT 3;",
        &[("up", OneString), ("up", OneString), ("down", OneString)],
    ),
    (Runner::Sqitch, "deploy/x.sql", "-- Deploy flipr:x to pg\nSELECT 1;", &[("up", ALONE)]),
    (Runner::Sqitch, "revert/x.sql", "-- Revert flipr:x from pg\nSELECT 1;", &[("down", ALONE)]),
    (Runner::Sqitch, "verify/x.sql", "-- Verify flipr:x on pg\nSELECT 1;", &[("verify", ALONE)]),
    (
        Runner::SqlMigrate,
        "m/1.sql",
        "-- +migrate Up notransaction\nSELECT 1;\n-- +migrate Down\nSELECT 2;",
        &[("up", ALONE), ("down", Given)],
    ),
    (
        Runner::SqlMigrate,
        "m/1.sql",
        "-- +migrate Up notransaction\n-- +migrate StatementBegin\nSELECT 1;\nSELECT 2;\n-- +migrate StatementEnd\n",
        &[("up", Unknown)],
    ),
    (Runner::Sqlx, "migrations/1_x.sql", "-- no-transaction\nSELECT 1;", &[("", OneString)]),
    (Runner::Supabase, "supabase/migrations/20240101000000_x.sql", "SELECT 1;", &[("", OneString)]),
    (Runner::Supabase, "supabase/seed.sql", "SELECT 1;", &[("", OneString)]),
    (
        Runner::Tern,
        "m/001_x.sql",
        "SELECT 1;\n---- create above / drop below ----\nSELECT 2;",
        &[("", Given), ("down", Given)],
    ),
    (
        Runner::Tern,
        "m/001_x.sql",
        "---- tern: disable-tx ----\nSELECT 1;\n---- create above / drop below ----\nSELECT 2;",
        &[("", ALONE), ("down", Given)],
    ),
    (
        Runner::Tern,
        "m/001_x.sql",
        "SELECT 1;\n---- create above / drop below ----\n---- tern: disable-tx ----\nSELECT 2;",
        &[("", Given), ("down", ALONE)],
    ),
    (Runner::Yoyo, "m/1.sql", "-- x\n-- depends: 0\n-- transactional: false\n\nSELECT 1;", &[("", ALONE)]),
    (Runner::Yoyo, "m/1.sql", "-- transactional: true\nSELECT 1;", &[("", Given)]),
    (Runner::Yoyo, "m/1.rollback.sql", "SELECT 1;", &[("down", Unknown)]),
];

#[test]
fn each_runner_and_its_opt_outs() {
    for (runner, path, text, expected) in ROWS {
        let found = cut(path, text);
        let with_statements: Vec<&Section> = found.iter().filter(|s| text[s.span.range()].contains(';')).collect();
        let got: Vec<(&str, Surroundings)> =
            with_statements.iter().map(|s| (s.name.as_str(), s.surroundings)).collect();
        assert_eq!(&got, expected, "{runner:?}: {path}\n{text}");
        for section in with_statements {
            assert_eq!(section.runner(), Some(*runner), "{path}\n{text}");
        }
        let tiled: String = found.iter().map(|s| &text[s.span.range()]).collect();
        assert_eq!(tiled, *text);
    }
    let tried: BTreeSet<Runner> = ROWS.iter().map(|row| row.0).collect();
    assert_eq!(tried, Runner::ALL.iter().copied().collect(), "a row for each runner");
    let opted_out =
        |runner: Runner| ROWS.iter().any(|row| row.0 == runner && row.3.iter().any(|(_, s)| !matches!(s, Given)));
    let without: Vec<&str> = Runner::ALL.iter().filter(|r| !opted_out(**r)).map(|r| r.name()).collect();
    assert_eq!(without, ["Diesel", "Drizzle", "Ecto", "node-pg-migrate"], "no opt-out that a script shows");
}

#[test]
fn what_no_runner_reads_is_no_mark() {
    for (path, text) in [
        ("a.sql", "SELECT 1; -- +goose NO TRANSACTION\n"),
        ("a.sql", "-- why\n-- no-transaction\nSELECT 1;"),
        ("a.sql", "SELECT 1;\n-- transactional: false\n"),
        ("a.sql", "SELECT 1;\n-- txn-mode = off\n"),
        ("a.sql", "-- changeset me:1 runInTransaction:false\nSELECT 1;"),
        ("a.sql", "-- Deploy the app to pg hosts\nSELECT 1;"),
        ("a.sql", "-- upmigration\nSELECT 1;"),
        ("a.sql", "-- first\n-- hasura:no-transaction\nSELECT 1;"),
        ("a.sql", "-- name: of the job\nSELECT 1;"),
        ("a.sql", "/* -- rambler up */ SELECT 1;"),
        ("sql/Version__x.sql", "SELECT 1;"),
        ("db/nightly.sql", "SELECT 1;"),
        ("db/12.up.sql", "SELECT 1;"),
        ("db/x/up.sql", "SELECT 1;"),
        ("db/structure.sql", "SELECT 1;"),
    ] {
        let found: Vec<_> = cut(path, text).into_iter().map(|s| (s.kind, s.surroundings)).collect();
        assert_eq!(found, [(SectionKind::Script { runner: None }, PSQL)], "{path}\n{text}");
    }
    let unknown = cut("db/migrations/20240101_nightly.sql", "SELECT 1;");
    assert_eq!(unknown[0].surroundings, Unknown);
}

#[test]
fn what_refuses_a_transaction() {
    for (text, refuses) in [
        ("CREATE INDEX CONCURRENTLY i ON t (a);", true),
        ("SELECT 1; drop index /* c */ concurrently i", true),
        ("REINDEX (VERBOSE) TABLE t; REINDEX INDEX CONCURRENTLY i", true),
        ("VACUUM t;", true),
        ("ALTER SYSTEM SET a = 1;", true),
        ("CREATE INDEX concurrently_made ON t (a); DROP TABLE vacuum;", false),
        ("SELECT 'VACUUM'; -- CREATE INDEX CONCURRENTLY", false),
    ] {
        assert_eq!(statements::refuse_transaction(text, &lex(text)), refuses, "{text}");
    }
}

#[test]
fn the_file_beside_a_script() {
    assert_eq!(side_file("sql/V1__x.sql"), "sql/V1__x.sql.conf");
    for (content, says) in [
        ("executeInTransaction=false", Some(ALONE)),
        ("# why\r\n  executeInTransaction : FALSE\r\nencoding=UTF-8\r\n", Some(ALONE)),
        ("executeInTransaction=false\nexecuteInTransaction=true", Some(Given)),
        ("executeInTransaction=${tx}", Some(Unknown)),
        ("# executeInTransaction=false\nshouldExecute=true", None),
        ("", None),
    ] {
        assert_eq!(read_side_file(content), says, "{content}");
        let text = "CREATE INDEX CONCURRENTLY i ON t (a);";
        let found = sections("sql/V1__x.sql", text, &lex(text), read_side_file(content));
        assert_eq!(found[0].surroundings, says.unwrap_or(Unknown), "{content}");
        assert_eq!(found[0].runner(), Some(Runner::Flyway));
    }
}

#[test]
fn named_queries() {
    use Expects::{Many, Nothing, One};
    for (mark, name, expects) in [
        ("-- name: GetOne :one", "GetOne", One),
        ("/* name: All :many */", "All", Many),
        ("-- name: Copy :copyfrom", "Copy", Nothing),
        ("/* @name Other */", "Other", Expects::Unknown),
        ("/*\n  @name Spread\n  @param rows -> ((a)...)\n*/", "Spread", Expects::Unknown),
        ("-- :name hug :! :n", "hug", Nothing),
        ("-- :name hug-one :? :1", "hug-one", One),
        ("-- :name back :<! :1", "back", One),
        ("-- :name pug :scalar", "pug", One),
        ("-- :name later\n-- :result :many", "later", Many),
        ("-- name: get-all", "get-all", Expects::Unknown),
        ("-- name: get-one^", "get-one", One),
        ("-- name : get_value(a, b)$", "get_value", One),
        ("--name:insert<!", "insert", One),
        ("-- name: insert_all*!", "insert_all", Nothing),
        ("-- name: remove!", "remove", Nothing),
        ("-- name: script#", "script", Nothing),
    ] {
        let text = format!("SELECT 0;\n{mark}\nSELECT 1;\n");
        let found: Vec<_> = cut("q.sql", &text).into_iter().map(|s| (s.name, s.kind)).collect();
        let query = (name.to_owned(), SectionKind::Query { expects });
        assert_eq!(found, [(String::new(), SectionKind::Script { runner: None }), query], "{mark}");
    }
}
