//! What every table keeps to.

use super::DRIVERS;
use crate::driver::{Does, Driver};
use crate::flow::{Begins, Owner};
use std::collections::{BTreeMap, BTreeSet};

/// Every place that names a kind, with the name.
fn named(driver: &'static Driver) -> Vec<(&'static str, &'static str)> {
    let methods = driver.kinds.iter().flat_map(|kind| {
        kind.methods.iter().map(move |(_, does)| (kind.name, *does)).chain([(kind.name, kind.otherwise)])
    });
    let takes = driver.takes.iter().map(|(_, does)| ("takes", *does));
    let mut named: Vec<_> = methods
        .chain(takes)
        .filter_map(|(place, does)| match does {
            Does::Prepare(kind)
            | Does::Gives(kind)
            | Does::Borrows(kind)
            | Does::Opens(kind)
            | Does::Begins(kind)
            | Does::Within { gives: kind, .. } => Some((place, kind)),
            _ => None,
        })
        .collect();
    named.extend(driver.makers.iter().chain(driver.globals).copied());
    named.extend(driver.migration.as_ref().map(|migration| ("a migration", migration.kind)));
    named.extend(driver.gives_heirs.iter().map(|(_, member, kind)| (*member, *kind)));
    named.extend(driver.variants.iter().map(|(of, _, kind)| (*of, *kind)));
    named
}

#[test]
fn every_kind_that_is_named_is_one() {
    for driver in DRIVERS {
        let names: BTreeSet<_> = driver.kinds.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), driver.kinds.len(), "{}: two kinds of one name", driver.name);
        for (place, kind) in named(driver) {
            assert!(names.contains(kind), "{}: {place} names {kind}, which is no kind", driver.name);
        }
    }
}

#[test]
fn every_kind_can_be_had() {
    for driver in DRIVERS {
        let named: BTreeSet<_> = named(driver).into_iter().map(|(_, kind)| kind).collect();
        for kind in driver.kinds {
            assert!(
                !kind.types.is_empty() || named.contains(kind.name),
                "{}: nothing gives {}",
                driver.name,
                kind.name
            );
        }
    }
}

#[test]
fn a_type_belongs_to_one_library() {
    let mut owners = BTreeMap::new();
    for driver in DRIVERS {
        for language in driver.languages {
            for ty in driver.kinds.iter().flat_map(|kind| kind.types) {
                if let Some(other) = owners.insert((*language, *ty), driver.name) {
                    panic!("{ty} belongs to {other} and to {}", driver.name);
                }
            }
        }
    }
}

#[test]
fn a_method_does_one_thing() {
    for driver in DRIVERS {
        for kind in driver.kinds {
            let mut seen = BTreeSet::new();
            for method in kind.methods.iter().flat_map(|(names, _)| *names) {
                assert!(seen.insert(method), "{}: {} has {method} twice", driver.name, kind.name);
            }
        }
    }
}

/// A finding about a handle that takes another session for each call says how to hold one.
#[test]
fn a_pool_says_how_to_hold_a_connection() {
    for driver in DRIVERS {
        let names: BTreeSet<_> = DRIVERS.iter().map(|driver| driver.name).collect();
        assert_eq!(names.len(), DRIVERS.len(), "two libraries of one name");
        for kind in driver.kinds.iter().filter(|kind| kind.owner == Owner::PerCall) {
            assert!(!kind.pin.is_empty(), "{}: {} has no pin", driver.name, kind.name);
            assert_ne!(kind.begins, Begins::Already, "{}: {} is a pool in a transaction", driver.name, kind.name);
        }
    }
}

#[test]
fn every_file_names_its_source() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drivers");
    let mut files = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let heading: String = text.split('\n').take_while(|line| line.starts_with("//!")).collect();
        assert!(heading.contains("<https://"), "{}: no source in its heading", path.display());
        files += 1;
    }
    assert_eq!(files, DRIVERS.len(), "a file is not in the list");
}
