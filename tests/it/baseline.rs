//! What two regular expressions would find in the same labelled inputs: the comparison that the README gives.

use crate::{expect, fixtures, pages};
use locklint::finding::Level;
use locklint::lint::lint;
use locklint::project::{Memory, Project, Targets};
use locklint::settings::Settings;
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};
use walkdir::WalkDir;

/// A session lock function anywhere; an equality somewhere before SKIP LOCKED in one statement.
const PATTERNS: &[&str] = &[
    r"(?i)pg_(?:try_)?advisory_lock\s*\(",
    r"(?is)[^<>!:]=\s*[^;=<>]{1,80}?\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\s+SKIP\s+LOCKED",
];

/// Lines of one project's files on which something stands.
type Lines = BTreeSet<(String, usize)>;

fn patterns() -> Vec<Regex> {
    PATTERNS.iter().map(|pattern| Regex::new(pattern).unwrap()).collect()
}

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
    let patterns = patterns();
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

/// A case of a folder of cases: files, and the places of the errors and warnings in them. A defect that lies between two
/// places may be told at either.
struct Case {
    files: Vec<(String, String)>,
    expected: Vec<Lines>,
}

/// The case of a folder with an `expect.json`: `{"expect": [{"file", "line", "level", "or": [{"file", "line"}]}]}`.
fn case(folder: &Path) -> Option<Case> {
    let expect: Value = serde_json::from_slice(&fs::read(folder.join("expect.json")).ok()?).unwrap();
    let place = |place: &Value| {
        let line = usize::try_from(place["line"].as_u64().unwrap()).unwrap();
        (place["file"].as_str().unwrap().to_owned(), line)
    };
    let others = |want: &Value| want["or"].as_array().cloned().unwrap_or_default();
    let loud = expect["expect"].as_array().unwrap().iter().filter(|want| want["level"] != "note");
    let expected = loud.map(|want| others(want).iter().chain([want]).map(place).collect()).collect();
    let files = WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(|entry| {
        let path = entry.unwrap().into_path();
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
        let text = path.is_file().then(|| String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned())?;
        (name != "expect.json").then_some((name, text))
    });
    Some(Case { files: files.collect(), expected })
}

/// The lines of errors and warnings.
fn reported(files: &[(String, String)]) -> Lines {
    let project = Memory::new(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    let report = lint(&project, &Targets::all(&project), &Settings::default());
    let loud = report.findings.iter().filter(|finding| finding.level > Level::Note);
    loud.map(|finding| {
        let source = report.source(finding.at);
        (project.files()[finding.at.file.0 as usize].path.to_string(), source.lines().line(finding.at.span.start) + 1)
    })
    .collect()
}

/// `LOCKLINT_CASES=FOLDER cargo test --test it baseline` compares on labelled cases that are not in this repository, and
/// wants the README to say the same. Cases with other inputs than `.sql` are left out.
#[test]
fn the_readme_compares_on_a_folder_of_cases() {
    let Some(folder) = env::var_os("LOCKLINT_CASES") else { return };
    let patterns = patterns();
    let (mut cases, mut mistakes) = (0, 0);
    let mut scores = [(0, 0), (0, 0)];
    for entry in WalkDir::new(folder).min_depth(1).max_depth(1).sort_by_file_name() {
        let Some(case) = case(entry.unwrap().path()) else { continue };
        if !case.files.iter().all(|(path, _)| path.ends_with(".sql")) {
            continue;
        }
        cases += 1;
        mistakes += case.expected.len();
        for (score, lines) in scores.iter_mut().zip([matches(&patterns, &case.files), reported(&case.files)]) {
            score.0 += case.expected.iter().filter(|places| !lines.is_disjoint(places)).count();
            score.1 += lines.iter().filter(|line| !case.expected.iter().any(|places| places.contains(*line))).count();
        }
    }
    let readme = crate::readme::readme();
    for (name, (found, alarms)) in ["two regular expressions", "locklint"].into_iter().zip(scores) {
        let row = format!("| {name}, {cases} cases | {found} of {mistakes} | {alarms} |");
        assert!(readme.contains(&row), "README.md wants the row:\n{row}");
    }
}
