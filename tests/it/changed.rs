//! What is new: since a commit, in the index, beside a baseline.

use crate::command::{Run, command, run, tree};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const BAD: &str = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
const PAIR: &str =
    "-- name: Take :exec\nSELECT pg_advisory_lock(1);\n\n-- name: Leave :exec\nSELECT pg_advisory_unlock(1);\n";
const WITHOUT_UNLOCK: &str = "-- name: Take :exec\nSELECT pg_advisory_lock(1);\n";

pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.example",
        "-c",
        "core.hooksPath=/",
    ]);
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn commit(directory: &Path) -> String {
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-qm", "a"]);
    git(directory, &["rev-parse", "HEAD"])
}

/// A repository with one commit.
pub(crate) fn repository(files: &[(&str, &str)]) -> TempDir {
    let tree = tree(files);
    git(tree.path(), &["init", "-q"]);
    commit(tree.path());
    tree
}

fn places(run: &Run) -> Vec<String> {
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let place = |one: &Value| format!("{}:{}", one["path"].as_str().unwrap(), one["start"]["line"]);
    report["diagnostics"].as_array().unwrap().iter().map(place).collect()
}

fn found(directory: &Path, arguments: &str) -> Vec<String> {
    places(&run(directory, &format!("check --format json {arguments}")))
}

fn write(tree: &TempDir, path: &str, text: &str) {
    fs::write(tree.path().join(path), text).unwrap();
}

#[test]
fn new_is_what_the_base_has_not_whatever_the_lines() {
    let tree = repository(&[("old.sql", BAD), ("pair.sql", PAIR), ("moved.sql", BAD)]);
    let since = |arguments: &str| found(tree.path(), &format!("--changed-since HEAD {arguments}"));
    assert_eq!(found(tree.path(), "").len(), 2);
    assert_eq!(since(""), [""; 0]);
    // Lines move, a file moves.
    write(&tree, "old.sql", &format!("-- one\n-- two\nSELECT 1;\n{BAD}"));
    fs::create_dir(tree.path().join("db")).unwrap();
    git(tree.path(), &["mv", "moved.sql", "db/renamed.sql"]);
    assert_eq!(since(""), [""; 0]);
    // The unlock goes: the finding is on a line that did not change.
    write(&tree, "pair.sql", WITHOUT_UNLOCK);
    assert_eq!(since(""), ["pair.sql:2"]);
    // The same mistake once more is new, also in a file that git does not know.
    write(&tree, "old.sql", &format!("{BAD}{BAD}"));
    write(&tree, "untracked.sql", BAD);
    assert_eq!(since(""), ["old.sql:5", "pair.sql:2", "untracked.sql:2"]);
    assert_eq!(since("pair.sql"), ["pair.sql:2"]);
    assert_eq!(since("db"), [""; 0]);
    let told = run(tree.path(), "check --changed-since HEAD -q");
    assert_eq!(told.code, 1);
    let told = run(tree.path(), "check --changed-since HEAD old.sql");
    assert!(told.stdout.ends_with("1 error, 1 known from before left out\n"), "{}", told.stdout);
}

#[test]
fn the_base_is_where_the_work_left_the_other_branch() {
    let tree = repository(&[("a.sql", BAD)]);
    git(tree.path(), &["branch", "-M", "main"]);
    git(tree.path(), &["checkout", "-qb", "work"]);
    write(&tree, "b.sql", BAD);
    commit(tree.path());
    git(tree.path(), &["checkout", "-q", "main"]);
    write(&tree, "a.sql", "SELECT 1;\n");
    commit(tree.path());
    git(tree.path(), &["checkout", "-q", "work"]);
    assert_eq!(found(tree.path(), "--changed-since main"), ["b.sql:2"]);
    // Facts of the base are those of the base: there the unlock stood in another file.
    let unlock = "-- name: Leave :exec\nSELECT pg_advisory_unlock(1);\n";
    let tree = repository(&[("lock.sql", WITHOUT_UNLOCK), ("unlock.sql", unlock)]);
    fs::remove_file(tree.path().join("unlock.sql")).unwrap();
    assert_eq!(found(tree.path(), "--changed-since HEAD"), ["lock.sql:2"]);
}

#[test]
fn without_git_or_a_commit_there_is_nothing_to_compare_with() {
    let plain = tree(&[("a.sql", BAD)]);
    for arguments in ["check --changed-since HEAD", "check --staged"] {
        let run = run(plain.path(), arguments);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("lies in no work tree of git"), "{}", run.stderr);
    }
    let tree = repository(&[("a.sql", BAD)]);
    for reference in ["nope", "--output=x", "HEAD:a.sql"] {
        let run: Run =
            command(tree.path(), "check").arg(format!("--changed-since={reference}")).output().unwrap().into();
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(&format!("git knows no commit `{reference}`")), "{}", run.stderr);
    }
    assert!(!tree.path().join("x").exists());
}

#[test]
fn staged_is_what_the_index_holds() {
    let tree =
        repository(&[("a.sql", "SELECT 1;\n"), ("b.sql", BAD), ("c.sql", "SELECT 1;\n"), ("d.sql", "SELECT 1;\n")]);
    assert_eq!(found(tree.path(), "--staged"), [""; 0]);
    // Bad in the index, good on disk; and the other way round.
    write(&tree, "a.sql", BAD);
    write(&tree, "c.sql", "SELECT 2;\n");
    write(&tree, "new.sql", BAD);
    git(tree.path(), &["add", "."]);
    write(&tree, "a.sql", "SELECT 1;\n");
    write(&tree, "c.sql", BAD);
    fs::remove_file(tree.path().join("new.sql")).unwrap();
    write(&tree, "d.sql", BAD);
    write(&tree, "untracked.sql", BAD);
    assert_eq!(found(tree.path(), "--staged"), ["a.sql:2", "new.sql:2"]);
    assert_eq!(found(tree.path(), "--staged a.sql c.sql d.sql"), ["a.sql:2"]);
    assert_eq!(found(tree.path(), "--staged --changed-since HEAD"), ["a.sql:2", "new.sql:2"]);
    // Before the first commit everything is new.
    git(tree.path(), &["update-ref", "-d", "HEAD"]);
    assert_eq!(found(tree.path(), "--staged"), ["a.sql:2", "b.sql:2", "new.sql:2"]);
}

#[test]
fn a_baseline_keeps_what_is_known_quiet() {
    let tree = tree(&[("a.sql", BAD), ("db/b.sql", BAD), ("pair.sql", PAIR), (".git/HEAD", "")]);
    let baseline = || fs::read_to_string(tree.path().join("known.json")).unwrap();
    let written = run(tree.path(), "check --write-baseline known.json");
    assert_eq!((written.code, written.stdout.as_str()), (0, ""));
    assert!(written.stderr.contains("wrote 2 findings to known.json"), "{}", written.stderr);
    assert!(baseline().contains("{ \"path\": \"a.sql\", \"rule\": \"session-lock-in-transaction\", \"identity\": \""));
    assert_eq!(run(tree.path(), "check --baseline known.json").code, 0);
    // From another directory the paths are the same.
    assert_eq!(run(&tree.path().join("db"), "check --baseline ../known.json").code, 0);
    write(&tree, "pair.sql", WITHOUT_UNLOCK);
    write(&tree, "a.sql", &format!("-- a comment\n{BAD}"));
    assert_eq!(found(tree.path(), "--baseline known.json"), ["pair.sql:2"]);
    // A part of the tree is written; the rest stays.
    assert_eq!(run(tree.path(), "check --write-baseline known.json pair.sql").code, 0);
    let paths = ["a.sql", "db/b.sql", "pair.sql"].map(|path| baseline().matches(&format!("\"{path}\"")).count());
    assert_eq!(paths, [1, 1, 1]);
    assert_eq!(run(tree.path(), "check --write-baseline known.json --select missing-unlock").code, 0);
    assert_eq!(run(tree.path(), "check --baseline known.json").code, 0);
    // A file is renamed: its findings are known, and nothing is stale.
    fs::rename(tree.path().join("db/b.sql"), tree.path().join("db/c.sql")).unwrap();
    let renamed = run(tree.path(), "check --baseline known.json");
    assert_eq!(renamed.code, 0, "{}", renamed.stdout);
    assert!(!renamed.stderr.contains("stale"), "{}", renamed.stderr);
    // What is mended is told, where it was looked at.
    write(&tree, "a.sql", "SELECT 1;\n");
    let stale = run(tree.path(), "check --baseline known.json");
    assert!(
        stale.stderr.contains("locklint: a.sql: stale in the baseline: `session-lock-in-transaction`"),
        "{}",
        stale.stderr
    );
    assert_eq!(stale.code, 0);
    assert!(!run(tree.path(), "check --baseline known.json db").stderr.contains("stale"));
    assert_eq!(run(tree.path(), "check --write-baseline known.json").code, 0);
    assert!(!baseline().contains("a.sql"));
}

#[test]
fn a_baseline_knows_test_code_as_a_report_does() {
    // By its path the one, by the library that it uses the other.
    let body = "def check(conn: psycopg.Connection):\n    with conn.transaction():\n        \
                conn.execute(\"SELECT pg_advisory_lock(7)\")\n        conn.execute(\"UPDATE t SET a = 1\")\n";
    let python = format!("import psycopg\nimport pytest\n\n{body}");
    let tree = repository(&[("tests/a.sql", BAD), ("jobs/checks.py", &python)]);
    let written = run(tree.path(), "check --include-tests --write-baseline known.json");
    assert!(written.stderr.contains("wrote 2 findings to known.json"), "{}", written.stderr);
    // Where nobody looks, nothing is stale, and nothing is forgotten.
    let kept = fs::read_to_string(tree.path().join("known.json")).unwrap();
    let compared = run(tree.path(), "check --baseline known.json");
    assert_eq!((compared.code, compared.stderr.as_str()), (0, ""));
    assert_eq!(run(tree.path(), "check --write-baseline known.json").code, 0);
    assert_eq!(fs::read_to_string(tree.path().join("known.json")).unwrap(), kept);
    write(&tree, "tests/a.sql", "SELECT 1;\n");
    let stale = run(tree.path(), "check --include-tests --baseline known.json");
    assert!(stale.stderr.contains("tests/a.sql: stale in the baseline"), "{}", stale.stderr);
    let one = run(tree.path(), "check --include-tests --write-baseline one.json jobs");
    assert!(one.stderr.contains("wrote 1 finding to one.json"), "{}", one.stderr);
}

#[test]
fn what_is_no_baseline_is_neither_read_nor_overwritten() {
    let tree = tree(&[("a.sql", BAD), ("known.json", "{}")]);
    for arguments in ["check --baseline known.json", "check --write-baseline known.json"] {
        let run = run(tree.path(), arguments);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("locklint: error: known.json: no baseline: "), "{}", run.stderr);
    }
    assert_eq!(fs::read_to_string(tree.path().join("known.json")).unwrap(), "{}");
    assert_eq!(run(tree.path(), "check --baseline nope.json").code, 2);
}
