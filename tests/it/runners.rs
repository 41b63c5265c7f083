//! The page on runners holds a row for each that is recognised, and no other.

use locklint::sql::script::{COMPILERS, Runner};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The cells of the table below a heading, without its head.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    section
        .split('\n')
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

#[test]
fn every_runner_and_compiler_has_its_row_and_a_source() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/runners.md")).unwrap();
    let names = |rows: &[Vec<String>]| rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
    let known: BTreeSet<String> = Runner::ALL.iter().map(|runner| runner.name().to_owned()).collect();
    let mut sorted: Vec<String> = known.into_iter().collect();
    sorted.sort_by_key(|name| name.to_lowercase());
    let runners = rows(&page, "Runners");
    assert_eq!(names(&runners), sorted);
    let compilers = rows(&page, "Query compilers");
    assert_eq!(names(&compilers), COMPILERS);
    for row in &runners {
        assert_eq!(row.len(), 5, "{row:?}");
    }
    for row in runners.iter().chain(&compilers) {
        let source = row.last().unwrap();
        assert!(source.contains(": ") && source.contains('.'), "{}: a source and its file: {source}", row[0]);
        assert!(!source.contains("://"), "{}: sources are named, not linked", row[0]);
    }
}
