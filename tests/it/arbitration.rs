//! Which of two findings about one lock site stands: the pairs of the order of ranks, each with a text where both would
//! be reported, and one where the loser is.

use locklint::lint::lint;
use locklint::project::{Memory, Targets};
use locklint::rules::RULES;
use locklint::settings::Settings;

/// The rules that report something in a script, in order, each once.
fn reported(sql: &str) -> Vec<&'static str> {
    let project = Memory::new([("script.sql", sql.as_bytes())]);
    let report = lint(&project, &Targets::all(&project), &Settings::default());
    let mut rules: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Winner, loser, a text with the causes of both, and one with the cause of the loser alone.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    (
        "invalid-lock-call",
        "lock-never-evaluated",
        "SELECT pg_advisory_xact_lock('shelf:' || NULL);",
        "SELECT pg_advisory_xact_lock(hashtext('shelf:' || NULL));",
    ),
    (
        "invalid-row-lock",
        "row-lock-never-taken",
        "WITH c AS (SELECT DISTINCT id FROM job FOR UPDATE) SELECT 1;",
        "WITH c AS (SELECT id FROM job FOR UPDATE) SELECT 1;",
    ),
    (
        "invalid-row-lock",
        "skip-locked-join-without-of",
        "BEGIN; SELECT j.id FROM job j LEFT JOIN step s ON s.job_id = j.id LIMIT 1 FOR UPDATE SKIP LOCKED; COMMIT;",
        "BEGIN; SELECT j.id FROM job j JOIN step s ON s.job_id = j.id LIMIT 1 FOR UPDATE SKIP LOCKED; COMMIT;",
    ),
    (
        "lock-never-evaluated",
        "lock-call-over-rows",
        "BEGIN; UPDATE job SET open = true WHERE state = 'new' AND pg_try_advisory_xact_lock(id + NULL); COMMIT;",
        "BEGIN; UPDATE job SET open = true WHERE state = 'new' AND pg_try_advisory_xact_lock(id); COMMIT;",
    ),
    (
        "lock-call-over-rows",
        "session-lock-in-transaction",
        "BEGIN; UPDATE job SET open = true WHERE state = 'new' AND pg_try_advisory_lock(id); COMMIT;",
        "BEGIN; UPDATE job SET open = true WHERE pg_try_advisory_lock(id); COMMIT;",
    ),
    (
        "session-lock-in-transaction",
        "try-lock-result-ignored",
        "BEGIN; SELECT pg_try_advisory_lock(7); UPDATE job SET open = true; COMMIT;",
        "SELECT pg_try_advisory_lock(7); UPDATE job SET open = true; SELECT pg_advisory_unlock(7);",
    ),
    (
        "session-lock-in-transaction",
        "lock-and-read-in-one-statement",
        "BEGIN; SELECT pg_advisory_lock(7), (SELECT count(*) FROM job); COMMIT;",
        "BEGIN; SELECT pg_advisory_xact_lock(7), (SELECT count(*) FROM job); COMMIT;",
    ),
    (
        "row-lock-outside-transaction",
        "skip-locked-join-without-of",
        "SELECT j.id FROM job j JOIN step s ON s.job_id = j.id LIMIT 1 FOR UPDATE SKIP LOCKED; DELETE FROM job;",
        "BEGIN; SELECT j.id FROM job j JOIN step s ON s.job_id = j.id LIMIT 1 FOR UPDATE SKIP LOCKED; COMMIT;",
    ),
    (
        "mismatched-unlock",
        "unlock-before-commit",
        "SELECT pg_advisory_lock(1); BEGIN; UPDATE job SET open = true; SELECT pg_advisory_unlock(2); COMMIT;",
        "SELECT pg_advisory_lock(1); BEGIN; UPDATE job SET open = true; SELECT pg_advisory_unlock(1); COMMIT;",
    ),
    (
        "mismatched-unlock",
        "missing-unlock",
        "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT pg_advisory_lock(1); DELETE FROM job; SELECT pg_advisory_unlock(2);",
        "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT pg_advisory_lock(1); DELETE FROM job;",
    ),
    (
        "blocking-lock-with-concurrent-index",
        "missing-unlock",
        "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT pg_advisory_lock(1); CREATE INDEX CONCURRENTLY i ON t (a);",
        "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT pg_advisory_lock(1); DROP INDEX CONCURRENTLY i;",
    ),
    (
        "unlock-not-on-error-path",
        "unlock-before-commit",
        "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(1); IF true THEN RAISE EXCEPTION 'no'; END IF; UPDATE job SET open = true; PERFORM pg_advisory_unlock(1); END $$;",
        "SELECT pg_advisory_lock(1); BEGIN; UPDATE job SET open = true; SELECT pg_advisory_unlock(1); COMMIT;",
    ),
    (
        "unlock-before-commit",
        "lock-and-read-in-one-statement",
        "BEGIN; SELECT pg_advisory_lock(1), (SELECT count(*) FROM job); UPDATE job SET open = true; SELECT pg_advisory_unlock(1); COMMIT;",
        "SELECT pg_advisory_lock(1), (SELECT count(*) FROM job); SELECT pg_advisory_unlock(1);",
    ),
    (
        "lock-and-read-in-one-statement",
        "narrow-lock-key",
        "BEGIN; SELECT pg_advisory_xact_lock(hashtext($1)), (SELECT count(*) FROM job); COMMIT;",
        "BEGIN; SELECT pg_advisory_xact_lock(hashtext('user:' || $1)); UPDATE job SET open = true; COMMIT;",
    ),
    (
        "unstable-lock-key",
        "narrow-lock-key",
        "BEGIN; SELECT pg_advisory_xact_lock(hashtext($1 || now())); UPDATE job SET open = true; COMMIT;",
        "BEGIN; SELECT pg_advisory_xact_lock(hashtext('user:' || $1)); UPDATE job SET open = true; COMMIT;",
    ),
    (
        "skip-locked-join-without-of",
        "skip-locked-without-limit",
        "BEGIN; SELECT j.id FROM job j JOIN step s ON s.job_id = j.id WHERE j.state = 'new' FOR UPDATE SKIP LOCKED; COMMIT;",
        "BEGIN; SELECT id FROM job WHERE state = 'new' FOR UPDATE SKIP LOCKED; COMMIT;",
    ),
];

#[test]
fn the_earlier_cause_stands_alone() {
    let rank = |name: &str| RULES.iter().find(|rule| rule.name == name).map(|rule| rule.rank);
    let mut failures = Vec::new();
    for (winner, loser, both, alone) in PAIRS {
        assert!(rank(winner).is_some() && rank(winner) < rank(loser), "{winner} before {loser}");
        let (of_both, of_one) = (reported(both), reported(alone));
        if !of_both.contains(winner) || of_both.contains(loser) {
            failures.push(format!("{winner} before {loser}: {of_both:?} in {both}"));
        }
        if !of_one.contains(loser) || of_one.contains(winner) {
            failures.push(format!("{loser} alone: {of_one:?} in {alone}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is worth a look silences nothing that is wrong.
#[test]
fn a_note_silences_notes_alone() {
    let sql =
        "BEGIN; SELECT id, pg_advisory_lock(id) FROM job ORDER BY due LIMIT 3; UPDATE job SET open = true; COMMIT;";
    assert_eq!(reported(sql), ["lock-call-over-rows", "session-lock-in-transaction"]);
    let sql = "BEGIN; SELECT id, pg_advisory_xact_lock(hashtext(name)) FROM job ORDER BY due LIMIT 3; COMMIT;";
    assert_eq!(reported(sql), ["lock-call-over-rows"]);
}

/// Switching a winner off does not raise the loser.
#[test]
fn a_loser_stays_silent_when_the_winner_is_off() {
    let sql = "SELECT pg_advisory_xact_lock('shelf:' || NULL); -- locklint: ignore[invalid-lock-call] as a test";
    assert_eq!(reported(sql), [""; 0]);
}
