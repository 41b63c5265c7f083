use super::*;
use crate::sql::lex::lex;

fn read(path: &str, text: &str) -> Vec<(String, Surroundings)> {
    sections(path, text, &lex(text)).into_iter().map(|s| (s.name, s.surroundings)).collect()
}

const EVIDENT: Surroundings = Surroundings::Autocommit { evident: true };
const PSQL: Surroundings = Surroundings::Autocommit { evident: false };

#[test]
fn runners_give_a_transaction_unless_told_otherwise() {
    let up_down = |a, b| vec![("up".to_owned(), a), ("down".to_owned(), b)];
    assert_eq!(
        read("a.sql", "-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;"),
        up_down(Surroundings::Runner, Surroundings::Runner)
    );
    assert_eq!(
        read("a.sql", "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;"),
        [("".to_owned(), EVIDENT), ("up".to_owned(), EVIDENT), ("down".to_owned(), EVIDENT)]
    );
    assert_eq!(
        read("a.sql", "-- migrate:up transaction:false\nSELECT 1;\n-- migrate:down\nSELECT 2;"),
        up_down(Surroundings::OneString, Surroundings::Runner)
    );
    assert_eq!(
        read("a.sql", "--liquibase formatted sql\n--changeset me:1 runInTransaction:false\nSELECT 1;"),
        [("".to_owned(), Surroundings::Runner), ("changeset".to_owned(), EVIDENT)]
    );
}

#[test]
fn layouts() {
    let of = |path| read(path, "SELECT 1;").remove(0).1;
    assert_eq!(of("db/nightly.sql"), PSQL);
    assert_eq!(of("db/migrations/nightly.sql"), Surroundings::Unknown);
    assert_eq!(of("prisma/migrations/20240101_x/migration.sql"), Surroundings::OneString);
    assert_eq!(of("migrations/2024-01-01_x/up.sql"), Surroundings::Runner);
    assert_eq!(of("sql/V1_2__x.sql"), Surroundings::Runner);
    assert_eq!(of("sql/Version__x.sql"), PSQL);
    assert_eq!(of("sql/0001_x.up.sql"), Surroundings::OneString);
}

#[test]
fn named_queries() {
    let text = "-- name: GetOne :one\nSELECT 1;\n/* @name Other */\nSELECT 2;\n-- :name hug :! :n\nSELECT 3;\n-- a name: none\n";
    let found: Vec<(String, SectionKind)> =
        sections("q.sql", text, &lex(text)).into_iter().map(|s| (s.name, s.kind)).collect();
    let query = |expects| SectionKind::Query { expects };
    assert_eq!(
        found,
        [
            ("GetOne".to_owned(), query(Expects::One)),
            ("Other".to_owned(), query(Expects::Unknown)),
            ("hug".to_owned(), query(Expects::Nothing))
        ]
    );
}
