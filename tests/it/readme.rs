//! What the README shows is what the program does.

use crate::command::command;
use locklint::lint::lint;
use locklint::project::{Memory, Targets};
use locklint::settings::{Config, Settings};
use std::fs;
use std::path::Path;

pub(crate) fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

#[test]
fn shown_output_is_the_programs() {
    let readme = readme();
    let mut shown = 0;
    for block in readme.split("```text\n$ locklint ").skip(1) {
        let (arguments, rest) = block.split_once('\n').unwrap();
        let expected = rest.split("\n```").next().unwrap();
        let output = command(Path::new(env!("CARGO_MANIFEST_DIR")), arguments).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), expected, "$ locklint {arguments}");
        shown += 1;
    }
    assert!(shown > 0);
}

#[test]
fn every_rule_is_listed_with_its_level_and_summary() {
    let readme = readme();
    for rule in locklint::rules::RULES {
        let row = format!("| [{0}](rules/{0}.md) | {1} | {2} |", rule.name, rule.level, rule.summary());
        assert!(readme.contains(&row), "README.md wants the row:\n{row}");
    }
}

#[test]
fn every_file_that_it_names_is_there() {
    for link in readme().split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(link).exists(), "{link}");
    }
}

#[test]
fn every_file_that_the_docs_name_is_there() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut count = 0;
    for entry in fs::read_dir(&docs).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            assert!(docs.join(link).exists(), "{link}");
            count += 1;
        }
    }
    assert!(count > 3);
}

#[test]
fn shown_settings_mean_something() {
    let names: Vec<&str> = locklint::rules::RULES.iter().map(|rule| rule.name).collect();
    for path in ["README.md", "docs/configuration.md"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let blocks: Vec<&str> = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
        assert!(!blocks.is_empty(), "{path}");
        for block in blocks {
            Config::parse(path, block, &names).unwrap();
        }
    }
}

#[test]
fn shown_suppressions_silence_something() {
    let readme = readme();
    let blocks = readme.split("```sql\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let help = command(Path::new(env!("CARGO_MANIFEST_DIR")), "--help").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let texts: Vec<&str> = blocks.chain(help.split('\n')).filter(|text| text.contains("locklint: ignore[")).collect();
    assert!(texts.len() > 1, "{texts:?}");
    for text in texts {
        let project = Memory::new([("a.sql", text)]);
        let report = lint(&project, &Targets::all(&project), &Settings::default());
        assert!(report.findings.is_empty(), "{text}: {:?}", report.findings);
    }
}
