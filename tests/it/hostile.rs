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
fn lists_and_queries_are_made_of_what_can_be_seen() {
    let locks = "SELECT '\u{1b}[2J', pg_advisory_xact_lock(7, hashtext('\u{1b}]0;x\u{7}\u{202e}'));\n\
                 CREATE FUNCTION \"f\u{1b}[31m'\u{202e}\"() RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(9); END$$;\n";
    let files: Vec<(&str, &str)> = NAMES.iter().map(|name| (*name, locks)).chain([(".git/HEAD", "")]).collect();
    let tree = tree(&files);
    for arguments in [
        "keys",
        "keys --decode 0:9:1,7:7:2",
        "keys --format json",
        "monitor",
        "monitor --format pgwatch",
        "monitor --format datadog",
        "monitor --format postgres_exporter",
        "check --statistics --verbose",
    ] {
        let run = run(tree.path(), arguments);
        assert_ne!(run.code, 2, "{arguments}: {}", run.stderr);
        let hides = |c: char| c.is_control() && c != '\n' || c == '\u{202e}' && !arguments.contains("json");
        assert!(!run.stdout.contains(hides), "{arguments}: {:?}", run.stdout);
        assert!(!run.stderr.contains(hides), "{arguments}: {:?}", run.stderr);
    }
    // A name is one string constant of the query, whatever quotes it has.
    let text = run(tree.path(), "monitor").stdout;
    let names: Vec<&str> = text.split('\n').filter(|line| line.trim_start().starts_with("WHEN w.objsubid")).collect();
    assert!(!names.is_empty());
    for name in names {
        let (_, name) = name.split_once(" THEN ").unwrap();
        assert!(name.starts_with('\'') && name.ends_with('\''), "{name}");
        let inner = &name[1..name.len() - 1];
        assert!(!inner.replace("''", "").contains('\'') && !inner.contains('\\'), "{name}");
    }
}

/// The program as somebody who is not root, whom permissions stop: a copy of it, for root's own may lie where nobody else
/// can go.
#[cfg(unix)]
fn as_nobody(directory: &std::path::Path, arguments: &str) -> crate::command::Run {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("locklint");
    // By another process: one that another test starts meanwhile would hold a file open for writing that is to be run.
    let copied = std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_locklint")).arg(&program).status().unwrap();
    assert!(copied.success());
    for path in [directory, place.path(), &program] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = std::process::Command::new(program);
    command.args(arguments.split_whitespace()).current_dir(directory).env("HOME", "/").uid(65_534).gid(65_534);
    command.output().unwrap().into()
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
    // Who may do everything is stopped by nothing.
    let is_root = fs::read(tree.path().join("c.sql")).is_ok();
    let ask = |arguments: &str| if is_root { as_nobody(tree.path(), arguments) } else { run(tree.path(), arguments) };
    let (found, keys, named) = (ask("check"), ask("keys"), ask("check --quiet c.sql"));
    lock("shut", 0o755);
    lock("c.sql", 0o644);
    for run in [&found, &keys] {
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("locklint: error: c.sql: permission denied"), "{}", run.stderr);
        assert!(run.stderr.contains("locklint: error: shut: permission denied"), "{}", run.stderr);
    }
    assert_eq!((named.code, named.stderr.as_str()), (2, "locklint: error: c.sql: permission denied\n"));
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
