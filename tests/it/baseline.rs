//! What two regular expressions would find in the same labelled inputs: the comparison that the README gives.

use crate::{expect, fixtures, pages};
use regex::Regex;
use std::collections::BTreeSet;

/// A session lock function anywhere; an equality somewhere before SKIP LOCKED in one statement.
const PATTERNS: &[&str] = &[
    r"(?i)pg_(?:try_)?advisory_lock\s*\(",
    r"(?is)[^<>!:]=\s*[^;=<>]{1,80}?\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\s+SKIP\s+LOCKED",
];

/// Lines of one project's files on which something stands.
type Lines = BTreeSet<(String, usize)>;

fn matches(patterns: &[Regex], files: &[(String, String)]) -> Lines {
    let mut lines = Lines::new();
    for (path, text) in files {
        for pattern in patterns {
            // The last line of a match is where SKIP LOCKED stands.
            lines.extend(
                pattern.find_iter(text).map(|found| (path.clone(), text[..found.end()].matches('\n').count() + 1)),
            );
        }
    }
    lines
}

#[test]
fn the_readme_compares_with_what_two_patterns_find() {
    let patterns: Vec<Regex> = PATTERNS.iter().map(|pattern| Regex::new(pattern).unwrap()).collect();
    let projects = fixtures::all().into_iter().map(|fixture| fixture.files);
    let projects = projects.chain(pages::examples().into_iter().map(|example| example.files));
    let (mut mistakes, mut found, mut alarms) = (0, 0, 0);
    for files in projects {
        let expected: Lines = files
            .iter()
            .flat_map(|(path, text)| expect::read(path, text).unwrap_or_default())
            .filter(|want| want.level != "note")
            .map(|want| (want.path, want.line))
            .collect();
        let matched = matches(&patterns, &files);
        mistakes += expected.len();
        found += matched.intersection(&expected).count();
        alarms += matched.difference(&expected).count();
    }
    let readme = crate::readme::readme();
    let row = format!("| two regular expressions | {found} of {mistakes} | {alarms} |");
    assert!(readme.contains(&row), "README.md wants the row:\n{row}");
    let row = format!("| locklint | {mistakes} of {mistakes} | 0 |");
    assert!(readme.contains(&row), "README.md wants the row:\n{row}");
}
