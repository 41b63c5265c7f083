use super::*;
use crate::language::Language;
use crate::sql::lex::{TokenKind, lex};

const KNOWN: &[&str] = &["lock", "unlock", UNUSED, UNKNOWN];

/// The comments of SQL text.
fn comments(text: &str) -> Vec<Span> {
    lex(text)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .map(|token| Span::new(token.span().start, token.span().end))
        .collect()
}

struct Outcome {
    /// Rule and marked text of what is left.
    left: Vec<(&'static str, String)>,
    /// Rule, level and marked text of each complaint.
    complaints: Vec<(&'static str, Level, String)>,
}

/// Every `pg_x(…)` is a finding of `lock`, every `pg_y(…)` one of `unlock`; statements end at `;`.
fn run(text: &str) -> Outcome {
    let source = Source::new("a.sql".into(), Language::Sql, text.as_bytes().to_vec()).unwrap();
    let comments = comments(text);
    let mut findings = Vec::new();
    for (word, rule) in [("pg_x(", "lock"), ("pg_y(", "unlock")] {
        for (start, _) in text.match_indices(word) {
            let before = text[..start].rfind(';').map_or(0, |at| at + 1);
            let statement_start = text[before..].find("SELECT").map_or(before, |at| before + at);
            let end = start + text[start..].find(')').unwrap() + 1;
            let statement_end = text[start..].find(';').map_or(text.len(), |at| start + at + 1);
            findings.push(Finding {
                rule,
                level: Level::Error,
                message: String::new(),
                at: Place::new(FileId(0), Span::new(start, end)),
                related: Vec::new(),
                help: None,
                fix: None,
                statement: Span::new(statement_start, statement_end),
                unit: String::new(),
                fingerprint: String::new(),
                identity: String::new(),
            });
        }
    }
    let mut list = suppressions(&source, &comments, KNOWN);
    apply(&mut findings, &mut list, &source);
    let complaints = complaints_of(&list, &source);
    Outcome { left: findings.into_iter().map(|f| (f.rule, text[f.at.span.range()].to_owned())).collect(), complaints }
}

fn complaints_of(list: &[Suppression], source: &Source) -> Vec<(&'static str, Level, String)> {
    complaints(FileId(0), list, source, |_| true)
        .into_iter()
        .map(|f| (f.rule, f.level, source.text()[f.at.span.range()].to_owned()))
        .collect()
}

#[track_caller]
fn silent(text: &str) {
    let outcome = run(text);
    assert_eq!(outcome.left, [], "{text}");
    assert_eq!(outcome.complaints, [], "{text}");
}

#[test]
fn the_places_where_it_counts() {
    silent("SELECT pg_x(1); -- locklint: ignore[lock] why\n");
    silent("-- locklint: ignore[lock]\nSELECT pg_x(1);");
    silent("-- locklint: ignore[lock] and a reason\n-- that goes on\nSELECT\n 1, pg_x(1);");
    silent("/* locklint: ignore[lock] */ SELECT\n pg_x(1);");
    silent("/*\n * locklint: ignore[lock]\n */\nSELECT\n pg_x(1);");
    silent("SELECT\n -- locklint: ignore[lock]\n 1,\n pg_x(1);");
    silent("SELECT\n pg_x(1)\n FROM t; /* locklint: ignore[lock] */");
    silent("SELECT pg_x(1), pg_y(1); -- locklint: ignore[lock, unlock] both");
    silent("SELECT pg_x(1);\n\n-- locklint: ignore-file[lock] all over\n\nSELECT 1; SELECT pg_x(2);");
    silent("\u{FEFF}-- locklint: ignore[lock]\r\nSELECT pg_x(1);");
    silent("-- locklint: ignore[lock]\rSELECT pg_x(1);");
    silent("SELECT pg_x(1); -- deliberate; locklint: ignore[lock]");
}

#[test]
fn the_places_where_it_does_not() {
    for text in [
        // A comment at the end of a statement's line is not before the next statement.
        "SELECT 1; -- locklint: ignore[lock]\nSELECT pg_x(1);",
        "-- locklint: ignore[lock]\n\nSELECT pg_x(1);",
        "-- locklint: ignore[lock]\nSELECT 1;\nSELECT pg_x(1);",
        "SELECT pg_x(1);\n-- locklint: ignore[lock]\nSELECT 1;",
        "-- locklint: ignore[unlock]\nSELECT pg_x(1);",
    ] {
        let outcome = run(text);
        assert_eq!(outcome.left.len(), 1, "{text}");
        let [(rule, level, at)] = &outcome.complaints[..] else { panic!("{text}: {:?}", outcome.complaints) };
        assert_eq!((*rule, *level), (UNUSED, Level::Note));
        assert!(KNOWN.contains(&at.as_str()), "{at}");
    }
    // In a string it is no comment.
    assert_eq!(run("SELECT '-- locklint: ignore[lock]', pg_x(1);").left.len(), 1);
}

#[test]
fn an_unused_name_is_reported_beside_a_used_one() {
    let outcome = run("SELECT pg_x(1); -- locklint: ignore[unlock, lock]");
    assert_eq!(outcome.left, []);
    assert_eq!(outcome.complaints, [(UNUSED, Level::Note, "unlock".to_owned())]);
}

#[test]
fn a_malformed_one_silences_nothing_and_is_reported() {
    for (comment, at) in [
        ("-- locklint: ignore", "locklint: ignore"),
        ("-- locklint: ignore because", "locklint: ignore"),
        ("-- locklint: ignore[] x", "locklint: ignore[]"),
        ("-- locklint: ignore[ , ]", "locklint: ignore[ , ]"),
        ("-- locklint: ignore[lock", "locklint: ignore["),
        ("-- locklint: disable[lock]", "locklint: disable"),
        ("-- locklint:", "locklint:"),
        ("-- locklint: ignore[lok]", "lok"),
        ("-- locklint: ignore[*]", "*"),
        ("-- locklint ignore[lock] why", "locklint ignore["),
        ("-- LOCKLINT: IGNORE[lock]", "LOCKLINT: IGNORE["),
        ("-- Locklint: ignore-file [lock]", "Locklint: ignore-file ["),
    ] {
        let outcome = run(&format!("SELECT pg_x(1); {comment}\n"));
        assert_eq!(outcome.left.len(), 1, "{comment}");
        assert_eq!(outcome.complaints, [(UNKNOWN, Level::Warning, at.to_owned())], "{comment}");
    }
    let outcome = run("-- see the manual on locklint: ignore comments\nSELECT 1;");
    assert_eq!(outcome.complaints, []);
    let outcome = run("-- locklint ignores this, see array[1]\nSELECT 1;");
    assert_eq!(outcome.complaints, []);
}

#[test]
fn complaints_can_be_silenced_and_wait_for_proof() {
    silent("-- locklint: ignore-file[unused-suppression]\n-- locklint: ignore[lock]\nSELECT 1;");
    let source = Source::new("a.sql".into(), Language::Sql, b"-- locklint: ignore[lock, nope]".to_vec()).unwrap();
    let list = suppressions(&source, &comments(source.text()), KNOWN);
    let found = complaints(FileId(0), &list, &source, |_| false);
    assert_eq!(found.iter().map(|f| f.rule).collect::<Vec<_>>(), [UNKNOWN]);
}
