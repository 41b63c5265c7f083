//! `check --why FILE:LINE`: what is recognised on a line, and why each rule speaks or is silent.

use crate::command::{run, tree};
use crate::fixtures;
use locklint::finding::{FileId, Level};
use locklint::lint::lint;
use locklint::project::{Memory, Project, Targets};
use locklint::settings::{Run, Settings};
use locklint::why::{Said, why};

const WORKER: &str = "\
import psycopg_pool

pool = psycopg_pool.ConnectionPool()

def work(uid):
    with pool.connection() as conn:
        conn.execute(\"SELECT pg_advisory_lock(7, %s)\", (uid,))
        conn.execute(\"UPDATE account SET seen = now() WHERE id = %s\", (uid,))
        conn.execute(\"SELECT pg_advisory_unlock(7, %s)\", (uid,))

# pg_advisory_lock is for the session
HELP = \"pg_advisory_lock waits\"
";

fn asked(files: &[(&str, &str)], question: &str) -> String {
    let tree = tree(files);
    let run = run(tree.path(), &format!("check --why {question}"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{question}");
    run.stdout
}

#[test]
fn a_line_is_told_with_its_evidence_and_what_rules_say() {
    let told = asked(&[("worker.py", WORKER)], "worker.py:7:29");
    for part in [
        "worker.py:7:30: `pg_advisory_lock`: waits for the exclusive, session-level lock with the (integer, integer) key",
        "  in `work`, on `pool.connection` of psycopg, by a type or a constructor (worker.py:6:10)\n",
        "  one connection, borrowed from a pool that keeps its session state when it comes back\n",
        "  an unlock is for it, or may be (worker.py:9:30)\n",
        "  - session-lock-via-pool: silent, since one connection is borrowed for all calls of the function\n",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(told.ends_with(" other rules: not about it\n"), "{told}");
}

#[test]
fn a_line_in_the_middle_of_a_statement_is_about_its_locks() {
    let told = asked(&[("a.sql", "SELECT id\nFROM job\nWHERE id = 1\nFOR UPDATE\nSKIP LOCKED;\n")], "a.sql:2");
    assert!(told.starts_with("a.sql:4:1: FOR UPDATE: leaves out rows that others hold\n"), "{told}");
}

#[test]
fn what_comments_settings_and_tests_leave_out_is_told() {
    let lock = "BEGIN;\nSELECT pg_advisory_lock(1);\nCOMMIT;\n";
    let rule = "session-lock-in-transaction";
    let quiet = lock.replace("(1);", &format!("(1); -- locklint: ignore[{rule}] on purpose"));
    for (files, question, said) in [
        (vec![("a.sql", lock)], "a.sql:2", "error[session-lock-in-transaction]: `pg_advisory_lock` inside"),
        (vec![("a.sql", quiet.as_str())], "a.sql:2", "session-lock-in-transaction: a comment suppresses it"),
        (vec![("tests/a.sql", lock)], "tests/a.sql:2", "session-lock-in-transaction: it is in test code"),
        (
            vec![("a.sql", lock)],
            "a.sql:2 --ignore session-lock-in-transaction",
            "session-lock-in-transaction: settings or flags leave it out",
        ),
        (
            vec![("a.sql", "SELECT pg_advisory_lock(1);\nSELECT 1;\nSELECT pg_advisory_unlock(2);\n")],
            "a.sql:1",
            "error[mismatched-unlock] names it, at a.sql:3:8",
        ),
    ] {
        let told = asked(&files, question);
        assert!(told.contains(&format!("  - {said}")), "{said}\n{told}");
    }
}

#[test]
fn where_nothing_is_recognised_the_reason_is_told() {
    let minified = format!("{};q('SELECT pg_advisory_lock(1)')", "var a=1;".repeat(9000));
    let replaced = "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$\nSELECT pg_advisory_lock(1);\n$$;\n";
    for (files, question, said) in [
        (
            vec![("worker.py", WORKER)],
            "worker.py:11",
            "a comment stands here, which is not looked at; the file has some",
        ),
        (vec![("worker.py", WORKER)], "worker.py:12", "the text here is not taken for a query"),
        (vec![("worker.py", WORKER)], "worker.py:1", "no lock call and no locking clause stands on this line"),
        (vec![("worker.py", WORKER)], "worker.py:99", "the file has 13 lines"),
        (vec![("a.py", "x = 1\n")], "a.py:1", "no word stands in the file from which a rule starts"),
        (vec![("a.js", minified.as_str())], "a.js:1", "the file is minified"),
        (
            vec![("db/migrations/001.sql", replaced), ("db/migrations/002.sql", "DROP FUNCTION f();\n")],
            "db/migrations/001.sql:2",
            "a later definition replaces this routine",
        ),
    ] {
        let told = asked(&files, question);
        assert!(told.contains(&format!(": {said}")), "{said}\n{told}");
    }
}

#[test]
fn wrong_questions_are_usage() {
    let tree = tree(&[("a.sql", "SELECT 1;\n"), ("b.txt", "")]);
    for (question, said) in [
        ("a.sql", "write FILE:LINE"),
        ("a.sql:0", "write FILE:LINE"),
        (":3", "write FILE:LINE"),
        ("b.txt:1", "`b.txt` is no file that is linted"),
        ("none.sql:1", "none.sql: no such file or directory"),
        (".:1", "`.` is a directory"),
        ("a.sql:1 a.sql", "cannot be used with"),
    ] {
        let run = run(tree.path(), &format!("check --why {question}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{question}");
        assert!(run.stderr.contains(said), "{question}: {}", run.stderr);
    }
}

/// The answer and the report agree on every finding of every fixture, and no rule is both loud and silent.
#[test]
fn every_finding_is_told_at_its_line() {
    let settings = Settings::new(Run { include_tests: true, ..Run::default() });
    let mut asked = 0;
    for fixture in fixtures::all() {
        let project = Memory::new(fixture.files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
        let report = lint(&project, &Targets::all(&project), &settings);
        for finding in &report.findings {
            let source = report.source(finding.at);
            let line = source.lines().line(finding.at.span.start);
            let file: FileId = finding.at.file;
            let told = why(&project, (file, line), &settings);
            let at = told.sites.iter().find(|site| site.at == finding.at);
            let said = at.and_then(|site| site.said.iter().find(|(rule, _)| *rule == finding.rule));
            let reported = |level: Level| matches!(said, Some((_, Said::Reported(l, _))) if *l >= level);
            assert!(
                reported(finding.level),
                "{}: {} {:?}: {said:?}",
                project.files()[file.0 as usize].path,
                finding.rule,
                finding.at
            );
            asked += 1;
        }
    }
    assert!(asked > 300, "{asked}");
}
