//! Names, texts and settings that are made to do harm: none is done, and what is wrong is told.

use crate::command::{command, run, tree};
use serde_json::Value;
use std::fs;

const BAD: &str = "BEGIN;\nSELECT '\u{1b}[2J\u{202e}::error::', pg_advisory_lock(7);\nCOMMIT;\n";
const NAMES: &[&str] = &[
    "a::error::b.sql",
    "b%0Ac.sql",
    "c\u{1b}[31m.sql",
    "d\"'.sql",
    "e\nf.sql",
    "f,line=9.sql",
    "g;touch pwned;.sql",
    "--fix.sql",
    "\u{202e}lqs.a.sql",
];

#[cfg(unix)]
#[test]
fn no_name_and_no_text_reaches_a_terminal_or_a_service_as_it_is() {
    let files: Vec<(&str, &str)> = NAMES.iter().map(|name| (*name, BAD)).chain([(".git/HEAD", "")]).collect();
    let tree = tree(&files);
    for format in ["text", "concise", "github", "json", "sarif", "gitlab"] {
        let run = run(tree.path(), &format!("check --format {format}"));
        assert_eq!(run.code, 1, "{format}: {}", run.stderr);
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        if ["json", "sarif", "gitlab"].contains(&format) {
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            let count = match format {
                "json" => report["diagnostics"].as_array().unwrap().len(),
                "sarif" => report["runs"][0]["results"].as_array().unwrap().len(),
                _ => report.as_array().unwrap().len(),
            };
            assert_eq!(count, NAMES.len(), "{format}");
            assert!(!run.stdout.contains(|c: char| c.is_control() && c != '\n'), "{format}");
        } else {
            assert!(!run.stdout.contains(acts), "{format}: {:?}", run.stdout);
        }
        if format == "github" {
            for line in run.stdout.split('\n').filter(|line| line.contains("::")) {
                assert!(line.starts_with("::error file="), "{line}");
                let properties = line["::error ".len()..].split("::").next().unwrap();
                let keys: Vec<&str> = properties.split(',').filter_map(|one| one.split('=').next()).collect();
                assert_eq!(keys, ["file", "line", "endLine", "col", "endColumn", "title"], "{line}");
            }
            assert_eq!(run.stdout.split('\n').filter(|line| line.starts_with("::")).count(), NAMES.len());
        }
    }
    // A fix and its patch find each file, and change nothing but it.
    let patch = run(tree.path(), "check --diff --color always");
    let plain = anstream::adapter::strip_str(&patch.stdout).to_string();
    assert!(!plain.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{plain:?}");
    assert_eq!(run(tree.path(), "check --fix").code, 0);
    for name in NAMES {
        let after = fs::read_to_string(tree.path().join(name)).unwrap();
        assert_eq!(after, BAD.replace("pg_advisory_lock", "pg_advisory_xact_lock"));
    }
    assert!(!tree.path().join("pwned").exists());
}

#[cfg(unix)]
#[test]
fn loops_and_locked_doors_are_told() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", "SELECT 1;\n"), ("shut/b.sql", BAD), ("c.sql", BAD)]);
    symlink(tree.path(), tree.path().join("loop")).unwrap();
    symlink("self.sql", tree.path().join("self.sql")).unwrap();
    let lock = |path: &str, mode| {
        fs::set_permissions(tree.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    let named = run(tree.path(), "check self.sql a.sql");
    assert_eq!(named.code, 2);
    assert!(named.stderr.starts_with("locklint: error: self.sql: "), "{}", named.stderr);
    lock("c.sql", 0);
    lock("shut", 0);
    let found = run(tree.path(), "check");
    // Who may do everything is stopped by nothing.
    let is_root = fs::read(tree.path().join("c.sql")).is_ok();
    lock("shut", 0o755);
    lock("c.sql", 0o644);
    if is_root {
        assert_eq!(found.code, 1, "{}", found.stderr);
    } else {
        assert_eq!(found.code, 2);
        assert!(found.stderr.contains("locklint: error: c.sql: permission denied"), "{}", found.stderr);
        assert!(found.stderr.contains("locklint: error: shut: permission denied"), "{}", found.stderr);
    }
}

#[test]
fn a_huge_setting_is_refused_in_few_words() {
    let huge = "x".repeat(1 << 20);
    for config in [
        format!("[rules]\n\"{huge}\" = \"off\"\n"),
        format!("pooling = \"{huge}\"\n"),
        format!("[schema]\nunique = [\"{huge}\"]\n"),
        format!("exclude = [\"{}\"]\n", "[".repeat(1 << 16)),
        format!("a{} = 1\n", ".a".repeat(1 << 14)),
        format!("exclude = {}\n", "[".repeat(1 << 14)),
    ] {
        let tree = tree(&[("locklint.toml", &config), ("a.sql", BAD)]);
        let refused = run(tree.path(), "check");
        assert_eq!(refused.code, 2, "{:.200}", refused.stderr);
        assert!(refused.stderr.contains("error"), "{:.200}", refused.stderr);
        assert!(refused.stderr.len() < 1 << 14, "{} bytes for {config:.40}", refused.stderr.len());
    }
}

#[test]
fn a_hostile_baseline_is_data() {
    let tree = tree(&[("a.sql", BAD), (".git/HEAD", "")]);
    let entry = "{\"path\": \"\\u001b[31m../../etc/passwd\", \"rule\": \"\\u001b[0m::error::\", \"identity\": \"\"}";
    fs::write(tree.path().join("b.json"), format!("{{\"schema\": 1, \"findings\": [{entry}]}}")).unwrap();
    let told = command(tree.path(), "check --baseline b.json").output().unwrap();
    let said = String::from_utf8(told.stderr).unwrap();
    assert!(said.contains("stale in the baseline") && !said.contains('\u{1b}'), "{said:?}");
}
