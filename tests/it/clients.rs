//! docs/clients.md and the tables of the client libraries say the same. What the libraries do is seen by `scripts/clients`.

use locklint::driver::{Does, Driver};
use locklint::drivers::DRIVERS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The page: what was seen, and the list of what was not.
fn page() -> (String, String) {
    let text = fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let (seen, rest) = text.split_once("\n## Not seen here\n").unwrap();
    (seen.to_owned(), rest.to_owned())
}

/// Name and file of a link such as `[psycopg](../src/drivers/psycopg.rs)`.
fn link(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once('[')?.1.split_once("](../src/drivers/")?;
    Some((name, rest.strip_suffix(".rs)")?))
}

/// Each driver file with its driver.
fn files() -> Vec<(String, &'static Driver)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("src/drivers")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let Some((_, rest)) = text.split_once("const DRIVER: Driver = Driver {\n    name: \"") else { continue };
        let name = rest.split('"').next().unwrap();
        let driver = DRIVERS.iter().find(|driver| driver.name == name).unwrap();
        files.push((path.file_stem().unwrap().to_string_lossy().into_owned(), driver));
    }
    assert_eq!(files.len(), DRIVERS.len());
    files
}

/// Whether a method that is called there does that, by a table's name for it.
fn does(driver: &Driver, kind: &locklint::driver::Kind, call: &str, claim: &str) -> bool {
    let tables = kind.methods.iter().chain(driver.takes);
    let named = |does: Does| format!("Does::{does:?}").split(' ').next().unwrap().split('(').next() == Some(claim);
    let calls: Vec<&str> = call.split('`').skip(1).step_by(2).collect();
    let called = |name: &str| {
        let is = |word: &str| word.trim_start_matches('$') == name.trim_start_matches('$');
        calls.iter().any(|call| call.split(|at: char| !at.is_alphanumeric() && !"_$!?".contains(at)).any(is))
    };
    tables.into_iter().any(|(names, what)| named(*what) && names.iter().any(|name| called(name)))
}

#[test]
fn what_was_seen_is_what_the_tables_say() {
    let files = files();
    let mut driver = None;
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in page().0.split('\n') {
        if let Some((name, stem)) = line.strip_prefix("### ").and_then(link) {
            let (_, named) =
                files.iter().find(|(file, _)| file == stem).unwrap_or_else(|| panic!("{stem} is no driver"));
            assert_eq!(named.name, name);
            driver = Some(*named);
        }
        let (Some(driver), Some(row)) = (driver, line.strip_prefix("| `")) else { continue };
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let [handle, call, claim, _] = cells[..] else { panic!("{line}") };
        let handle = handle.trim_matches('`');
        let kind = driver.kind(handle).unwrap_or_else(|| panic!("{} has no {handle}: {line}", driver.name));
        rows += 1;
        let Some(claim) = claim.strip_prefix('`').and_then(|claim| claim.strip_suffix('`')) else { continue };
        let said = match claim.split_once("::").unwrap().0 {
            "Owner" => claim == format!("Owner::{:?}", kind.owner),
            "Begins" => claim == format!("Begins::{:?}", kind.begins),
            "AtEnd" => claim == format!("AtEnd::{:?}", kind.at_end),
            _ => does(driver, kind, call, claim),
        };
        if !said {
            wrong.push(format!("{}: {line}", driver.name));
        }
    }
    assert!(wrong.is_empty(), "the tables do not say so:\n{}", wrong.join("\n"));
    assert!(rows > 100);
}

#[test]
fn each_driver_was_seen_or_is_named_as_not_seen() {
    let (seen, rest) = page();
    let headings: BTreeSet<_> = seen.split('\n').filter(|line| line.starts_with("### ")).filter_map(link).collect();
    let unseen: BTreeSet<_> = rest.split('\n').filter_map(link).collect();
    let files = files();
    for (stem, driver) in &files {
        let this = (driver.name, stem.as_str());
        assert!(
            headings.contains(&this) != unseen.contains(&this),
            "{stem}: docs/clients.md names it once, among what was seen or what was not"
        );
    }
    assert_eq!(headings.len() + unseen.len(), files.len());
}
