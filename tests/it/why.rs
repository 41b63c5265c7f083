//! `check --why FILE:LINE`: what is recognised on a line, and why each rule speaks or is silent.

use crate::command::{run, run_with_input, tree};
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

const CONSTANT: &str = "\
import psycopg

LOCK = \"SELECT pg_advisory_lock(7)\"
UNLOCK = \"SELECT pg_advisory_unlock(7)\"

def lock(conn: psycopg.Connection):
    conn.execute(LOCK)

def work():
    with psycopg.connect(\"\", autocommit=True) as conn:
        lock(conn)
        conn.execute(\"UPDATE job SET done = true\")
        conn.execute(UNLOCK)

def other():
    with psycopg.connect(\"\", autocommit=True) as conn:
        lock(conn)
";

#[test]
fn what_stands_elsewhere_is_told_where_it_runs() {
    for (line, site, place, of) in [
        // Its callers show on which session the function works.
        (7, "job.py:3:16: `pg_advisory_lock`", "job.py:7:5", "in `work`"),
        (11, "job.py:3:16: `pg_advisory_lock`", "job.py:11:9", "in `work`"),
        (13, "job.py:4:18: `pg_advisory_unlock`", "job.py:13:9", "in `work`"),
        (17, "job.py:3:16: `pg_advisory_lock`", "job.py:17:9", "in `other`"),
    ] {
        let told = asked(&[("job.py", CONSTANT)], &format!("job.py:{line}"));
        let runs = format!("  it stands here, and is run where you asked ({place})\n");
        assert!(told.starts_with(site) && told.contains(&runs) && told.contains(of), "{told}");
        assert_eq!(told.contains("in `other`"), matches!(line, 7 | 17), "{told}");
    }
    let manager = "\
from contextlib import contextmanager

@contextmanager
def locked(conn):
    conn.execute(\"SELECT pg_advisory_lock(7)\")
    yield
    conn.execute(\"SELECT pg_advisory_unlock(7)\")

def work(conn):
    with locked(conn):
        conn.execute(\"SELECT pg_advisory_xact_lock(8)\")
";
    let told = asked(&[("job.py", manager)], "job.py:10");
    assert_eq!(told.matches("run where you asked (job.py:10:10)").count(), 2, "{told}");
}

#[test]
fn row_locks_of_query_builders_have_reasons() {
    let django = "\
from django.db import transaction

def take(pk):
    with transaction.atomic():
        wallet = Wallet.objects.select_for_update().get(pk=pk)
        wallet.save()
";
    let typeorm = "\
import { DataSource } from \"typeorm\";
export async function take(source: DataSource, id: number) {
  await source.transaction(async (em) => {
    const wallet = await em.createQueryBuilder(Wallet, \"w\").setLock(\"pessimistic_write\").where({ id }).getOne();
    const other = await em.findOne(Wallet, { where: { id }, lock: { mode: \"pessimistic_write\" } });
  });
}
";
    let sequelize = "\
const { Sequelize } = require('sequelize');
const sequelize = new Sequelize(url);
async function take(id) {
  await sequelize.transaction(async (t) => {
    const wallet = await Wallet.findByPk(id, { transaction: t, lock: t.LOCK.UPDATE });
    const other = await Wallet.findByPk(id, { transaction: t, lock: true });
  });
}
";
    let jpa = "\
class Wallets {
  Wallet take(EntityManager em, long id) {
    return em.find(Wallet.class, id, LockModeType.PESSIMISTIC_WRITE);
  }
}
";
    let php = "<?php\n$wallet = $repository->find($id, LockMode::PESSIMISTIC_WRITE);\n";
    let open = "since a transaction is open here";
    let unknown = "since on which session the query runs, or whether a transaction is open there, is not known";
    for (path, text, line, why) in [
        ("take.py", django, 5, open),
        ("take.ts", typeorm, 4, open),
        ("take.ts", typeorm, 5, open),
        ("take.js", sequelize, 5, open),
        ("take.js", sequelize, 6, open),
        ("Take.java", jpa, 3, unknown),
        ("take.php", php, 2, unknown),
    ] {
        let told = asked(&[(path, text)], &format!("{path}:{line}"));
        let recognised = [": a row lock, asked for through a query builder\n", ": a row lock on wallet\n"];
        assert!(recognised.iter().any(|what| told.contains(what)), "{told}");
        for silence in ["invalid-row-lock: silent", &format!("row-lock-outside-transaction: silent, {why}\n")] {
            assert!(told.contains(silence), "{silence}\n{told}");
        }
    }
}

#[test]
fn standard_input_may_stand_for_the_file() {
    let tree = tree(&[("a.sql", "SELECT 1;\n")]);
    let lock = "SELECT pg_advisory_lock(1);\n";
    let told = run_with_input(tree.path(), "check - --stdin-filename a.sql --why a.sql:1", lock);
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));
    assert!(told.stdout.starts_with("a.sql:1:8: `pg_advisory_lock`"), "{}", told.stdout);
    for arguments in ["check - --stdin-filename a.sql --why b.sql:1", "check - --why a.sql:1"] {
        let told = run_with_input(tree.path(), arguments, lock);
        assert_eq!((told.code, told.stdout.as_str()), (2, ""));
        assert!(told.stderr.contains("standard input is not `"), "{}", told.stderr);
    }
}

#[test]
fn reasons_fit_what_they_are_about() {
    let skips = "SELECT id FROM job WHERE state = 'free' LIMIT 1 FOR UPDATE SKIP LOCKED; -- another worker has it\n";
    let query = "\
WORK = \"SELECT pg_advisory_lock(1); UPDATE job SET done = true; SELECT pg_advisory_unlock(1)\"
";
    let begins = "\
package work

import (
	\"context\"

	\"github.com/jackc/pgx/v5\"
)

func (s *Store) take(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, \"SELECT pg_advisory_xact_lock(7)\")
		return err
	})
}
";
    let repo = "\
defmodule Billing.Worker do
  alias Billing.Repo

  def work do
    Repo.query!(\"SELECT pg_advisory_lock(7)\")
    Repo.query!(\"UPDATE job SET done = true\")
  end
end
";
    for (path, text, line, said) in [
        ("a.ex", repo, 5, "in `Billing.Worker.work`, on `Repo` of Ecto"),
        ("a.sql", skips, 1, "skip-locked-single-key: silent, since its conditions do not name one row"),
        (
            "a.go",
            begins,
            11,
            "in `Store.take`, on `pgx.BeginFunc` of pgx, by an import and a call that nothing else has",
        ),
        ("a.py", query, 1, "since what its caller does"),
    ] {
        let told = asked(&[(path, text)], &format!("{path}:{line}"));
        assert!(told.contains(said), "{said}\n{told}");
    }
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
        (vec![("worker.py", WORKER)], "worker.py:99", "the file has 12 lines"),
        (vec![("worker.py", WORKER)], "worker.py:13", "the file has 12 lines"),
        (vec![("a.py", "# FOR UPDATE")], "a.py:2", "the file has 1 line"),
        (vec![("a.sql", "SELECT 1;\0\n")], "a.sql:1", "not linted: it holds NUL bytes, so it is no text"),
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
        ("a.sql:1 a.sql", "--why asks about one line: name no path beside it"),
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
