use super::*;
use crate::finding::{FileId, Level, Place};
use crate::span::Span;

fn finding(identity: &str) -> Finding {
    Finding {
        rule: "missing-unlock",
        level: Level::Warning,
        message: String::new(),
        at: Place::new(FileId(0), Span::new(0, 0)),
        related: Vec::new(),
        help: None,
        fix: None,
        statement: Span::new(0, 0),
        unit: String::new(),
        fingerprint: String::new(),
        identity: identity.to_owned(),
    }
}

fn scope<'s>(asked: &'s dyn Fn(&str, &str) -> bool, exists: &'s dyn Fn(&str) -> bool) -> Scope<'s> {
    Scope { asked, exists: Some(exists) }
}

#[test]
fn the_file_is_read_as_it_was_written() {
    let (a, b) = (finding("aa"), finding("bb"));
    for list in [vec![], vec![(&a, "x.sql")], vec![(&a, "x.sql"), (&a, "x.sql"), (&b, "y \"\\\u{1b}é.sql")]] {
        let baseline = Baseline::of(list.clone());
        let text = baseline.text();
        assert_eq!(Baseline::parse(&text).unwrap(), baseline, "{text}");
        assert_eq!(baseline.len(), list.len());
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn what_is_no_baseline_is_refused() {
    for text in
        ["", "[]", "{\"schema\": 2, \"findings\": []}", "{\"schema\": 1}", "{\"schema\": 1, \"findings\": [{}]}"]
    {
        assert!(Baseline::parse(text).unwrap_err().starts_with("no baseline"), "{text}");
    }
}

#[test]
fn equal_findings_are_counted() {
    let (a, b) = (finding("aa"), finding("bb"));
    let known = Baseline::of([(&a, "x.sql"), (&a, "x.sql"), (&b, "x.sql")]);
    let all = scope(&|_, _| true, &|_| true);
    let (new, left) = known.compare([(&a, "x.sql"), (&a, "x.sql"), (&a, "x.sql"), (&a, "y.sql")], &all);
    assert_eq!(new, [false, false, true, true]);
    assert_eq!(left.len(), 1);
    let stale = left.stale(&all);
    assert_eq!(stale.len(), 1);
    assert_eq!(&*stale[0].path, "x.sql");
    assert!(left.stale(&scope(&|path, _| path != "x.sql", &|_| true)).is_empty());
}

#[test]
fn a_renamed_file_keeps_its_findings() {
    let a = finding("aa");
    let known = Baseline::of([(&a, "old.sql")]);
    let gone = scope(&|_, _| true, &|path| path != "old.sql");
    assert_eq!(known.compare([(&a, "new.sql"), (&a, "newer.sql")], &gone), (vec![false, true], Baseline::default()));
    // Where the old file is still there, the new one is a copy.
    let (new, left) = known.compare([(&a, "new.sql")], &scope(&|_, _| true, &|_| true));
    assert_eq!((new, left), (vec![true], known.clone()));
    assert_eq!(known.stale(&gone)[0].message, "stale in the baseline: `missing-unlock`; the file is gone");
}

#[test]
fn a_partial_run_replaces_its_own_part() {
    let (a, b) = (finding("aa"), finding("bb"));
    let known = Baseline::of([(&a, "gone.sql"), (&a, "other.sql"), (&a, "x.sql")]);
    let scope = scope(&|path, _| path == "x.sql", &|path| path != "gone.sql");
    let renewed = known.renewed(Baseline::of([(&b, "x.sql")]), &scope);
    assert_eq!(renewed, Baseline::of([(&a, "other.sql"), (&b, "x.sql")]));
}
