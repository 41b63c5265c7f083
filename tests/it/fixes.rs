//! Fixes are made, the outcome is clean, and every other byte is kept.

use crate::command::{run, run_with_input, tree};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A file name, a text, and what becomes of it. What is between `«` and `»` is replaced by what stands after `→` there.
const CASES: &[(&str, &str)] = &[
    ("a.sql", "\u{FEFF}BEGIN;\r\nSELECT /* é */ pg_catalog.«pg_advisory_lock→pg_advisory_xact_lock»(7);\r\nCOMMIT;"),
    ("upper.sql", "BEGIN;\nSELECT «PG_ADVISORY_LOCK→pg_advisory_xact_lock»(7), 1;\nCOMMIT;\n"),
    (
        "shared.sql",
        "SELECT pg_advisory_lock_shared(1);\nCALL work();\nSELECT «pg_advisory_unlock→pg_advisory_unlock_shared»(1);\n",
    ),
    (
        "waits.sql",
        "SELECT a.pid FROM pg_locks a JOIN pg_locks b ON a.locktype = b.locktype AND a.classid = b.classid\n\
         AND a.relation«=→ IS NOT DISTINCT FROM »b.relation WHERE a.locktype = 'advisory';\n",
    ),
    (
        "xact.sql",
        "BEGIN;\nSELECT pg_advisory_xact_lock(7);\nUPDATE t SET a = 1;\n«  SELECT pg_advisory_unlock(7) ; \n→»-- é\nCOMMIT;\n",
    ),
    (
        "dynamic.sql",
        "DO $$ BEGIN\n  EXECUTE 'SELECT pg_advisory_lock_shared(7), ''x''';\n  PERFORM 1;\n  \
         EXECUTE 'SELECT ''y'', «pg_advisory_unlock→pg_advisory_unlock_shared»(7)';\nEND $$;\n",
    ),
    (
        "worker.py",
        "import psycopg\n\ndef work(conn: psycopg.Connection):\n    with conn.transaction():\n        \
         conn.execute(\"SELECT 'é\\x41', «pg_advisory_lock→pg_advisory_xact_lock»(%s, 7)\", (1,))\n        \
         conn.execute(\"UPDATE t SET a = 1\")\n",
    ),
];

/// The text before and after.
fn sides(text: &str) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    for (index, part) in text.split(['«', '»']).enumerate() {
        let (from, to) = if index % 2 == 1 { part.split_once('→').unwrap() } else { (part, part) };
        before += from;
        after += to;
    }
    (before, after)
}

#[test]
fn a_fix_is_made_once_and_changes_nothing_else() {
    for (name, text) in CASES {
        let (before, after) = sides(text);
        let tree = tree(&[(name, &before)]);
        let path = tree.path().join(name);
        let patch = run(tree.path(), "check --diff");
        assert_eq!(patch.code, i32::from(before != after), "{name}: {}{}", patch.stdout, patch.stderr);
        assert_eq!(fs::read_to_string(&path).unwrap(), before, "{name}");
        let mended = run(tree.path(), "check --fix");
        assert_eq!(fs::read_to_string(&path).unwrap(), after, "{name}: {}{}", mended.stdout, mended.stderr);
        assert_eq!(mended.code, 0, "{name}: {}", mended.stdout);
        let again = run(tree.path(), "check --fix");
        assert!(again.stderr.contains("mended 0 findings in 0 files"), "{name}: {}", again.stderr);
        assert_eq!(fs::read_to_string(&path).unwrap(), after, "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_stay() {
    let tree = tree(&[]);
    let path = tree.path().join("latin.sql");
    fs::write(&path, b"-- caf\xE9\nBEGIN;\nSELECT pg_advisory_lock(7); -- \xFF\xFE\nCOMMIT;\n").unwrap();
    run(tree.path(), "check --fix");
    let expected = b"-- caf\xE9\nBEGIN;\nSELECT pg_advisory_xact_lock(7); -- \xFF\xFE\nCOMMIT;\n";
    assert_eq!(fs::read(&path).unwrap(), expected);
}

#[test]
fn an_unsafe_fix_has_to_be_asked_for() {
    let text =
        "SELECT j.id FROM job j JOIN owner o ON o.id = j.owner_id ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED;\n";
    let tree = tree(&[("a.sql", text)]);
    let path = tree.path().join("a.sql");
    assert_eq!(run(tree.path(), "check --fix").code, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(run(tree.path(), "check --fix --unsafe-fixes").code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("FOR UPDATE", "FOR UPDATE OF j"));
    // The transaction form, and its unlock gone.
    let text = "BEGIN;\r\nSELECT pg_advisory_lock(31);\r\nUPDATE t SET a = 1;\r\nSELECT pg_advisory_unlock(31); -- done\r\nCOMMIT;\r\n";
    fs::write(&path, text).unwrap();
    assert_eq!(run(tree.path(), "check --fix --unsafe-fixes").code, 0);
    let after = text.replace("advisory_lock", "advisory_xact_lock").replace("SELECT pg_advisory_unlock(31); ", " ");
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    let both = format!("{}SELECT pg_advisory_unlock(31);\r\n", text);
    fs::write(&path, &both).unwrap();
    run(tree.path(), "check --fix --unsafe-fixes");
    assert_eq!(fs::read_to_string(&path).unwrap(), both);
}

#[test]
fn a_name_is_spelled_as_its_literal_has_it() {
    let query = "SELECT {q}Job{q}.id FROM {q}Job{q} JOIN owner o ON o.id = {q}Job{q}.owner_id LIMIT 1 ";
    let go =
        |literal: &str| format!("package a\n\nfunc f(tx pgx.Tx) {{\n\ttx.QueryRow(ctx, {literal}).Scan(&id)\n}}\n");
    let (escaped, plain) = (query.replace("{q}", "\\\""), query.replace("{q}", "\""));
    for (before, after) in [
        (format!("\"{escaped}FOR UPDATE SKIP LOCKED\""), format!("\"{escaped}FOR UPDATE OF \\\"Job\\\" SKIP LOCKED\"")),
        (format!("`{plain}FOR UPDATE SKIP LOCKED`"), format!("`{plain}FOR UPDATE OF \"Job\" SKIP LOCKED`")),
        // In another literal it would have to be spelled in another way.
        (format!("`{plain}` + \"FOR UPDATE SKIP LOCKED\""), format!("`{plain}` + \"FOR UPDATE SKIP LOCKED\"")),
    ] {
        let tree = tree(&[("a.go", &go(&before))]);
        let path = tree.path().join("a.go");
        assert_eq!(run(tree.path(), "check").code, 1, "{before}");
        run(tree.path(), "check --fix --unsafe-fixes");
        assert_eq!(fs::read_to_string(path).unwrap(), go(&after));
    }
}

#[test]
fn what_is_silenced_or_known_is_left_alone() {
    let text =
        "BEGIN;\n-- locklint: ignore[session-lock-in-transaction] on purpose\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
    let known = "BEGIN;\nSELECT pg_advisory_lock(8);\nCOMMIT;\n";
    let tree = tree(&[("a.sql", text), ("b.sql", known)]);
    assert_eq!(run(tree.path(), "check --write-baseline k.json").code, 0);
    let mended = run(tree.path(), "check --fix --baseline k.json");
    assert!(mended.stderr.contains("mended 0 findings"), "{}", mended.stderr);
    assert_eq!(fs::read_to_string(tree.path().join("a.sql")).unwrap(), text);
    assert_eq!(fs::read_to_string(tree.path().join("b.sql")).unwrap(), known);
}

#[test]
fn a_patch_is_what_git_applies() {
    let bad = "SELECT 1;\n\nBEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n\nSELECT 2;";
    let tree = tree(&[("db/a b.sql", bad), ("db/é.sql", bad)]);
    let git = |arguments: &[&str]| {
        let status = Command::new("git").arg("-C").arg(tree.path()).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    let patch = run(&tree.path().join("db"), "check --diff --output-file ../p.patch");
    assert_eq!(patch.code, 1);
    assert!(patch.stderr.contains("2 findings to mend in 2 files"), "{}", patch.stderr);
    git(&["apply", "p.patch"]);
    let after = bad.replace("pg_advisory_lock", "pg_advisory_xact_lock");
    for name in ["a b.sql", "é.sql"] {
        assert_eq!(fs::read_to_string(tree.path().join("db").join(name)).unwrap(), after);
    }
    let coloured = run(tree.path(), "check --diff --color always --isolated");
    assert_eq!(coloured.code, 0, "{}", coloured.stdout);
}

#[test]
fn standard_input_is_shown_and_not_stored() {
    let tree = tree(&[]);
    let bad = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
    let shown = run_with_input(tree.path(), "check --diff - --stdin-filename a.sql", bad);
    assert!(shown.stdout.contains("\n+SELECT pg_advisory_xact_lock(7);\n"), "{}", shown.stdout);
    for arguments in ["check --fix -", "check --staged -", "check --changed-since HEAD -"] {
        assert_eq!(run_with_input(tree.path(), arguments, bad).code, 2, "{arguments}");
    }
    assert_eq!(run(tree.path(), "check --unsafe-fixes").code, 2);
    let report = run_with_input(tree.path(), "check --format json -", bad).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["diagnostics"][0]["fix"]["safe"], true);
}
