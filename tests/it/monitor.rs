//! `locklint monitor`: what it prints is valid, clean under the linter, and knows the tree.

#[path = "../proof/collector.rs"]
mod collector;

use crate::command::{run, tree};
use collector::query_in;
use locklint::lint::lint;
use locklint::project::{Memory, Targets};
use locklint::settings::Settings;

const PYTHON: &str = "import psycopg\nINVOICE_LOCK = -8101\n\ndef run(dsn, uid):\n    with psycopg.connect(dsn) as conn:\n        \
    conn.execute(\"SELECT pg_advisory_xact_lock(%s, %s)\", (INVOICE_LOCK, uid))\n";

/// The findings in a text of SQL.
fn findings(sql: &str) -> Vec<String> {
    let project = Memory::new([("monitor.sql", sql)]);
    let report = lint(&project, &Targets::all(&project), &Settings::default());
    report.findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.message)).collect()
}

#[test]
fn every_form_is_clean_under_the_linter() {
    let tree = tree(&[("it's/jobs.py", PYTHON)]);
    for server in ["9.6", "10", "13", "14", "18.1"] {
        for format in ["sql", "postgres_exporter", "pgwatch", "datadog"] {
            let run = run(tree.path(), &format!("monitor --server {server} --class -8101,7 --format {format}"));
            assert_eq!(run.code, 0, "{}", run.stderr);
            let sql = if format == "sql" { run.stdout } else { query_in(&run.stdout).unwrap() };
            assert_eq!(findings(&sql), [""; 0], "{sql}");
            assert!(sql.contains("'INVOICE_LOCK (it''s/jobs.py)'"), "{sql}");
            assert!(sql.contains("w.classid::bigint IN (4294959195, 7)"), "{sql}");
            let major: u32 = server.split('.').next().unwrap().parse().unwrap();
            assert_eq!(sql.contains("waitstart"), major >= 14, "{sql}");
        }
    }
    // The rule that would find a join on columns that are NULL does see this query.
    let run = run(tree.path(), "monitor");
    let wrong = run.stdout.replace("h.objsubid = w.objsubid", "h.objsubid = w.objsubid AND h.relation = w.relation");
    assert_ne!(wrong, run.stdout);
    assert!(findings(&wrong).iter().any(|finding| finding.starts_with("pg-locks-null-join")), "{:?}", findings(&wrong));
}

#[test]
fn literal_keys_get_the_names_of_the_code() {
    let tree = tree(&[
        ("a.sql", "SELECT pg_advisory_xact_lock(5501);\n"),
        (
            "f.sql",
            "CREATE FUNCTION close_day() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n  PERFORM pg_advisory_xact_lock(9, hashtext('day')); END $$;\n",
        ),
        ("jobs.py", PYTHON),
        ("tests/t.sql", "SELECT pg_advisory_xact_lock(5502);\n"),
    ]);
    let text = run(tree.path(), "monitor --threshold 7").stdout;
    for part in [
        "w.objsubid = 1 AND w.classid::bigint = 0 AND w.objid::bigint = 5501 THEN 'a.sql:1'",
        "THEN 'close_day (f.sql)'",
        "w.objsubid = 2 AND w.classid::bigint = 4294959195 THEN 'INVOICE_LOCK (jobs.py)'",
        "clock_timestamp() - w.waitstart) > 7",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("5502"), "{text}");
    let text = run(tree.path(), "monitor a.sql").stdout;
    assert!(text.contains("'a.sql:1'") && !text.contains("INVOICE_LOCK"), "{text}");
}

#[test]
fn wrong_arguments_are_told() {
    let tree = tree(&[]);
    for (arguments, said) in [
        ("monitor --server 9.5", "pg_blocking_pids came with 9.6"),
        ("monitor --server new", "a version is a number such as 9.6, 13 or 17"),
        ("monitor --class 99999999999", "--class"),
        ("monitor nope.sql", "nope.sql: no such file"),
    ] {
        let run = run(tree.path(), arguments);
        assert_eq!(run.code, 2, "{arguments}");
        assert!(run.stderr.contains(said), "{arguments}: {}", run.stderr);
    }
}
