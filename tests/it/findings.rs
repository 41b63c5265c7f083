//! From files to findings through the program: verdicts, selection, suppression, paths.

use crate::command::{Run, command, run, run_with_input, tree};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

const RULE: &str = "session-lock-in-transaction";
const BAD: &str = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
const GOOD: &str = "BEGIN;\nSELECT pg_advisory_xact_lock(7);\nCOMMIT;\n";

/// `path:line:column rule` of each finding.
fn found(directory: &Path, arguments: &str) -> Vec<String> {
    let run = run(directory, &format!("check --format json {arguments}"));
    places(&run)
}

fn places(run: &Run) -> Vec<String> {
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let place = |one: &Value| {
        let (path, rule) = (one["path"].as_str().unwrap(), one["rule"].as_str().unwrap());
        format!("{path}:{}:{} {rule}", one["start"]["line"], one["start"]["column"])
    };
    report["diagnostics"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn the_verdict_is_the_exit_code() {
    let tree = tree(&[("bad.sql", BAD), ("good.sql", GOOD)]);
    for (arguments, code) in [
        ("check", 1),
        ("check bad.sql", 1),
        ("check good.sql", 0),
        ("check --exit-zero", 0),
        ("check --fail-on error", 1),
        ("check --exclude bad.sql", 0),
        ("check --exclude bad.sql bad.sql", 1),
        ("check --force-exclude --exclude bad.sql bad.sql", 0),
        ("check --ignore session-lock-in-transaction", 0),
        ("check --select unused-suppression", 0),
        ("check nope.sql bad.sql", 2),
    ] {
        let run = run(tree.path(), arguments);
        assert_eq!(run.code, code, "{arguments}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn findings_are_shown_from_where_the_user_is() {
    let tree = tree(&[(".git/HEAD", ""), ("db/sub/bad.sql", BAD)]);
    let here = |directory: &str, arguments: &str| found(&tree.path().join(directory), arguments);
    assert_eq!(here("", "."), [format!("db/sub/bad.sql:2:8 {RULE}")]);
    assert_eq!(here("db", "."), [format!("sub/bad.sql:2:8 {RULE}")]);
    assert_eq!(here("db/sub", "bad.sql"), [format!("bad.sql:2:8 {RULE}")]);
    let github = run(&tree.path().join("db"), "check --format github");
    assert!(github.stdout.starts_with("::error file=db/sub/bad.sql,line=2,"), "{}", github.stdout);
}

#[test]
fn a_file_alone_is_judged_as_in_its_tree() {
    let tree = tree(&[(".git/HEAD", ""), ("a/bad.sql", BAD), ("b/bad.sql", BAD), ("b/good.sql", GOOD)]);
    let all = found(tree.path(), ".");
    let mut parts = Vec::new();
    for path in ["a/bad.sql", "b/bad.sql", "b/good.sql"] {
        parts.extend(found(tree.path(), path));
    }
    assert_eq!(all, parts);
    assert_eq!(all.len(), 2);
}

#[test]
fn standard_input_is_judged_as_the_file() {
    let tree = tree(&[(".git/HEAD", ""), ("a/x.sql", GOOD)]);
    let arguments = "check --format json - --stdin-filename a/x.sql";
    let run = run_with_input(tree.path(), arguments, BAD);
    assert_eq!(run.code, 1);
    assert_eq!(places(&run), [format!("a/x.sql:2:8 {RULE}")]);
    std::fs::write(tree.path().join("a/x.sql"), BAD).unwrap();
    assert_eq!(places(&run), found(tree.path(), "a/x.sql"));
    assert_eq!(places(&run_with_input(tree.path(), arguments, GOOD)), [""; 0]);
}

#[test]
fn the_file_beside_a_script_says_how_it_is_run() {
    let script = "SELECT pg_advisory_xact_lock(7);\nUPDATE t SET a = 1;\n";
    let found_with = |beside: &[(&str, &str)]| {
        let files: Vec<_> = [("sql/V1__x.sql", script)].iter().chain(beside).copied().collect();
        found(tree(&files).path(), "")
    };
    let told = ["sql/V1__x.sql:1:8 xact-lock-outside-transaction"];
    assert!(found_with(&[]).is_empty());
    assert_eq!(found_with(&[("sql/V1__x.sql.conf", "executeInTransaction=false\n")]), told);
    assert!(found_with(&[("sql/V1__x.sql.conf", "executeInTransaction=true\n")]).is_empty());
    assert!(found_with(&[("sql/V2__x.sql.conf", "executeInTransaction=false\n")]).is_empty());
    // The settings of the whole are not searched, only what stands beside the file.
    let files = [("sql/V1__x.sql", script), ("sql/V1__x.sql.conf", "executeInTransaction=false\n")];
    assert_eq!(found(tree(&files).path(), "sql/V1__x.sql"), told);
}

#[test]
fn comments_and_configuration_silence() {
    let commented = BAD.replace(");", ");  -- locklint: ignore[session-lock-in-transaction] a reason");
    let unused = GOOD.replace(");", ");  -- locklint: ignore[session-lock-in-transaction] a reason");
    let tree = tree(&[
        ("commented.sql", &commented),
        ("old/bad.sql", BAD),
        ("unused.sql", &unused),
        ("locklint.toml", "[[overrides]]\npaths = [\"old\"]\nrules = { session-lock-in-transaction = \"off\" }\n"),
    ]);
    assert_eq!(found(tree.path(), "commented.sql old"), [""; 0]);
    let places = found(tree.path(), "unused.sql");
    assert_eq!(places.len(), 1);
    assert!(places[0].ends_with(" unused-suppression"), "{places:?}");
    let lowered = "[rules]\nsession-lock-in-transaction = \"note\"\n";
    std::fs::write(tree.path().join("locklint.toml"), lowered).unwrap();
    let lowered = run(tree.path(), "check --format concise old");
    assert_eq!(lowered.code, 0);
    assert!(lowered.stdout.contains(": note[session-lock-in-transaction] "), "{}", lowered.stdout);
    let github = run(tree.path(), "check --format github old");
    assert!(!github.stdout.contains("::"), "{}", github.stdout);
}

#[test]
fn who_closes_the_pipe_leaves_the_verdict() {
    let tree = tree(&[("bad.sql", &BAD.repeat(30))]);
    for format in ["text", "concise", "json", "sarif", "github", "gitlab"] {
        let mut child = command(tree.path(), &format!("check --format {format}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(1), ""), "{format}");
    }
}

#[test]
fn colour_never_goes_into_a_pipe_unasked() {
    let tree = tree(&[("bad.sql", BAD)]);
    let coloured = |arguments: &str, variable: &str| {
        let mut command = command(tree.path(), arguments);
        command.env(variable, "1").output().unwrap().stdout.contains(&0x1B)
    };
    assert!(!coloured("check", "UNRELATED"));
    assert!(coloured("check --color always", "NO_COLOR"));
    assert!(coloured("check", "FORCE_COLOR"));
    assert!(!coloured("check --color never", "CLICOLOR_FORCE"));
    assert!(!coloured("check --format json --color always", "FORCE_COLOR"));
}

#[test]
fn a_finding_in_a_function_names_its_caller() {
    let text = "\
from psycopg_pool import ConnectionPool

pool = ConnectionPool()

def take(conn):
    conn.execute(\"SELECT pg_advisory_lock(7)\")

def work():
    with pool.connection() as conn:
        take(conn)
        conn.execute(\"UPDATE job SET done = true\")
";
    let tree = tree(&[("a.py", text)]);
    let report: Value = serde_json::from_str(&run(tree.path(), "check --format json").stdout).unwrap();
    let found = &report["diagnostics"][0];
    assert_eq!((found["rule"].as_str(), found["start"]["line"].as_u64()), (Some("missing-unlock"), Some(6)));
    let related = &found["related"][0];
    assert_eq!(
        (related["message"].as_str(), related["start"]["line"].as_u64()),
        (Some("`work` runs it here"), Some(10))
    );
}
