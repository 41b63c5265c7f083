use super::*;
use crate::flow::lower::MAX_STATEMENTS;
use crate::language::Language;

fn with<R>(text: &str, test: impl FnOnce(&File<'_>) -> R) -> R {
    let source = Source::new("x.sql".into(), Language::Sql, text.as_bytes().to_vec()).unwrap();
    let mut regions = Vec::new();
    test(&File::new(FileId(0), &source, &mut regions, &Elsewhere::default(), None))
}

#[test]
fn a_dump_leaves_behind_what_rules_look_at() {
    let rows = "INSERT INTO t VALUES (1, 'x');SET a = 1;SELECT now();UPDATE t SET a = 1;".repeat(1000);
    let relevant = [
        "SELECT pg_advisory_lock(1)",
        "SELECT my_advisory_check()",
        "SELECT * FROM t FOR UPDATE",
        "UPDATE t SET a = 1 WHERE id = (SELECT id FROM t LIMIT 1) RETURNING id",
        "SELECT * FROM pg_locks",
        "LOCK TABLE t",
    ];
    let text = relevant.map(|statement| format!("{rows}{statement};")).concat();
    with(&text, |file| {
        let kept: Vec<&str> = file.statements.iter().map(|one| file.source.slice(one.span)).collect();
        assert_eq!(kept, relevant);
        assert!(file.units[0].unit.steps.len() < 20, "{}", file.units[0].unit.steps.len());
        assert_eq!((file.lock_sites, file.understood), (2, 2));
    });
}

#[test]
fn comments_of_a_statement_are_near_it() {
    let text = format!("/* before */ SELECT /* in */ 1; {}", "/* after */ SELECT 2; ".repeat(100));
    with(&text, |file| {
        let at = text.find(';').unwrap();
        let found: Vec<&str> = file.comments_at(Span::new(13, at)).collect();
        assert_eq!(found.len(), 2 + MAX_COMMENTS);
        assert_eq!(found[found.len() - 2..], ["/* in */", "/* before */"]);
    });
}

#[test]
fn sites_beyond_the_bound_are_counted_as_not_understood() {
    let text = "SELECT pg_advisory_lock(1);".repeat(MAX_SITES + 5);
    with(&text, |file| {
        assert_eq!((file.lock_sites, file.understood), (MAX_SITES + 5, MAX_SITES));
    });
}

#[test]
fn statements_beyond_the_bound_are_counted_as_not_understood() {
    let text = "SELECT id FROM job FOR UPDATE SKIP LOCKED;".repeat(MAX_STATEMENTS + 5) + "SELECT pg_advisory_lock(1);";
    with(&text, |file| {
        assert_eq!((file.lock_sites, file.statements.len()), (MAX_STATEMENTS + 6, MAX_STATEMENTS));
        assert_eq!(file.understood, MAX_SITES);
    });
}

#[test]
fn calls_beyond_the_bound_are_counted_as_not_understood() {
    let text = format!("SELECT pg_advisory_lock(1){};", ", pg_advisory_lock(2)".repeat(5000));
    with(&text, |file| assert_eq!((file.lock_sites, file.understood), (5001, 4096)));
}

#[test]
fn locks_that_nest_too_deep_are_counted_as_not_understood() {
    for (opens, closes) in [("IF x THEN ", "END IF; "), ("LOOP ", "END LOOP; "), ("BEGIN ", "END; ")] {
        let inner = "PERFORM pg_advisory_lock(1); UPDATE a SET x = 1; ";
        let text = format!("DO $$ BEGIN {}{inner}{}END $$;", opens.repeat(200), closes.repeat(200));
        with(&text, |file| assert_eq!((file.lock_sites, file.understood), (1, 0), "{opens}"));
    }
}

#[test]
fn what_stands_in_a_body_that_breaks_off_is_not_understood() {
    for (body, understood) in [("PERFORM pg_advisory_lock(1); END", 1), ("PERFORM pg_advisory_lock(1); IF x THEN", 0)] {
        with(&format!("DO $$BEGIN {body}$$;"), |file| assert_eq!((file.lock_sites, file.understood), (1, understood)));
    }
}
