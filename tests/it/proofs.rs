//! The proofs of the rule pages: written so that they can be run, and there for every rule that claims something of the
//! server. `tests/proof` runs them.

#[expect(dead_code, reason = "what only the runner of proofs asks")]
#[path = "../proof/format.rs"]
mod format;

use format::{Does, Expected, Side, proofs};
use locklint::rules::RULES;

/// Rules that claim nothing of the server: about comments, and about what a client library does with a dead context.
const NO_CLAIM: &[&str] = &["unknown-suppression", "unlock-on-cancelled-context", "unused-suppression"];

#[test]
fn every_claim_about_the_server_has_a_proof() {
    let mut pooled = 0;
    for rule in RULES {
        let found = proofs(rule.name, rule.page).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(found.is_empty(), NO_CLAIM.contains(&rule.name), "{}: {} proofs", rule.name, found.len());
        assert_eq!(found.is_empty(), !rule.page.contains("\n## Proof\n"), "{}: a section without proofs", rule.name);
        pooled += found.iter().filter(|proof| proof.pooler.is_some()).count();
    }
    assert!(pooled >= 5, "{pooled} proofs go through PgBouncer");
}

#[test]
fn what_is_quoted_is_the_outcome_of_a_proof() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/why.md")).unwrap();
    let all: Vec<_> = RULES.iter().flat_map(|rule| proofs(rule.name, rule.page).unwrap()).collect();
    let quoted: Vec<&str> = page.split('\n').filter_map(|line| line.strip_prefix("```text ")).collect();
    assert!(quoted.len() > 8, "{quoted:?}");
    for quoted in quoted {
        let (name, side) = quoted.split_once(", ").unwrap();
        assert!(Side::BOTH.iter().any(|known| known.word() == side), "{quoted}");
        assert!(all.iter().any(|proof| proof.name == name), "{quoted}");
    }
}

#[test]
fn a_proof_is_read_as_it_is_meant() {
    let page = "text\n```proof pgbouncer=transaction pool=2\nA: BEGIN\nbad A: SELECT 1,\n    2\n  = 1|2\n  warns 01000\ngood A leaves\nB goes on\n  bad no row\n  good fails 25P02\n```\n";
    let found = proofs("rule", page).unwrap();
    let [proof] = &found[..] else { panic!("{found:?}") };
    let pooler = proof.pooler.as_ref().unwrap();
    assert_eq!((proof.name.as_str(), pooler.mode.as_str(), pooler.size), ("rule", "transaction", 2));
    let [_, sends, leaves, goes_on] = &proof.steps[..] else { panic!("{proof:?}") };
    assert_eq!((sends.side, &sends.does), (Some(Side::Bad), &Does::Sends("SELECT 1,\n2".to_owned())));
    let expected: Vec<_> = sends.expected(Side::Good).cloned().collect();
    assert_eq!(expected, [Expected::Row("1|2".to_owned()), Expected::Warns("01000".to_owned())]);
    assert_eq!((leaves.side, &leaves.does, leaves.session.as_str()), (Some(Side::Good), &Does::Leaves, "A"));
    let of = |side| goes_on.expected(side).cloned().collect::<Vec<_>>();
    assert_eq!((of(Side::Bad), of(Side::Good)), (vec![Expected::NoRow], vec![Expected::Fails("25P02".to_owned())]));
}

#[test]
fn what_proves_nothing_is_refused() {
    for (block, said) in [
        ("A: SELECT 1\n  = 1", "nothing is expected to be different"),
        ("A: SELECT 1\n  bad = 1\n  good = 2", "bad and good do the same"),
        ("  = 1", "an expectation before the first step"),
        ("A: SELECT 1\n  is 1", "`is 1` is nothing that can be expected"),
        ("A: SELECT 1\n  fails badly", "`fails badly`"),
        ("A sleeps", "`A sleeps` is no step"),
        ("Anna: SELECT 1", "is no step"),
    ] {
        let told = proofs("rule", &format!("```proof\n{block}\n```\n")).unwrap_err();
        assert!(told.starts_with("rule: ") && told.contains(said), "{told}");
    }
    for info in ["pgbouncer=fast", "pool=2", "quick"] {
        assert!(proofs("rule", &format!("```proof {info}\nA: SELECT 1\n```\n")).is_err(), "{info}");
    }
}
