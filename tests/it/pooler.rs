//! Poolers: which files are read and when, what is said, and what is never shown.

use clap::ValueEnum;
use locklint::emit::{Format, Options, emit};
use locklint::finding::{FileId, Report};
use locklint::lint::lint;
use locklint::paths::Paths;
use locklint::project::{Memory, Project, ProjectFile, Targets};
use locklint::rules::RULES;
use locklint::settings::{Config, Run, Settings};
use std::borrow::Cow;
use std::sync::Mutex;

const RULE: &str = "session-lock-behind-pooler";
const COMPOSE: &str = "services:
  pool:
    image: edoburu/pgbouncer
    environment: {POOL_MODE: transaction, DB_USER: us3r, DB_PASSWORD: s3cret}
  migrate:
    environment: {X_PASSWORD: s3cret, GOOSE_DBSTRING: 'postgres://us3r:s3cret@pool:6432/priv?sslpassword=s3cret'}
";
const LOCKS: &str = "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT pg_advisory_lock(12);\nSELECT 1;\n";
const QUERY: &str = "-- name: LockIt :exec\nSELECT pg_advisory_lock(12);\n";
const POOLED: &str = "URL=postgres://us3r:s3cret@h:6543/priv\n";

/// A project that notes what is read.
struct Noting {
    memory: Memory,
    read: Mutex<Vec<String>>,
}

impl Project for Noting {
    fn files(&self) -> &[ProjectFile] {
        self.memory.files()
    }

    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String> {
        self.read.lock().unwrap().push(self.files()[file.0 as usize].path.to_string());
        self.memory.read(file)
    }

    fn complete(&self) -> bool {
        self.memory.complete()
    }
}

fn settings(config: &str) -> Settings {
    let mut settings = Settings::new(Run::default());
    settings.insert("", Config::parse("locklint.toml", config, &[]).unwrap());
    settings
}

fn report(files: &[(&str, &str)], config: &str) -> Report {
    let project = Memory::new(files.iter().copied());
    lint(&project, &Targets::all(&project), &settings(config))
}

/// `level rule` of each finding.
fn found(files: &[(&str, &str)], config: &str) -> Vec<String> {
    let report = report(files, config);
    report.findings.iter().map(|finding| format!("{} {}", finding.level, finding.rule)).collect()
}

#[test]
fn configuration_is_read_only_where_a_session_lock_asks_for_it() {
    let read = |sql: &str, config: &str| {
        let memory = Memory::new([("compose.yaml", COMPOSE), (".env", POOLED), ("m/1.sql", sql)]);
        let project = Noting { memory, read: Mutex::default() };
        let report = lint(&project, &Targets::all(&project), &settings(config));
        assert_eq!(report.summary.files, 1);
        let mut read = project.read.into_inner().unwrap();
        read.sort();
        read
    };
    for sql in [
        "SELECT 1",
        "BEGIN; SELECT pg_advisory_xact_lock(1); COMMIT;",
        "SELECT * FROM job LIMIT 1 FOR UPDATE",
        "SELECT pg_advisory_unlock(1)",
    ] {
        assert_eq!(read(sql, ""), ["m/1.sql"], "{sql}");
    }
    assert_eq!(read(LOCKS, ""), [".env", "compose.yaml", "m/1.sql"]);
    for pooling in ["none", "session", "transaction"] {
        assert_eq!(read(LOCKS, &format!("pooling = \"{pooling}\"")), ["m/1.sql"]);
    }
}

#[test]
fn who_names_a_configuration_file_is_told_what_it_leads_to() {
    let other = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
    let project = Memory::new([("compose.yaml", COMPOSE), ("m/1.sql", LOCKS), ("other.sql", other), (".env", "A=1\n")]);
    let told = |path: &str| {
        let file = project.files().iter().position(|file| &*file.path == path).unwrap();
        let report = lint(&project, &Targets(vec![FileId(u32::try_from(file).unwrap())]), &settings(""));
        let rules: Vec<_> = report.findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(report.summary.warnings + report.summary.errors, rules.len());
        rules
    };
    assert_eq!(told("compose.yaml"), [RULE]);
    assert_eq!(told("m/1.sql"), [RULE]);
    assert_eq!(told(".env"), [""; 0]);
    assert_eq!(told("other.sql"), ["session-lock-in-transaction"]);
}

#[test]
fn what_settings_say_goes_before_what_the_tree_shows() {
    let files = [("compose.yaml", COMPOSE), ("m/1.sql", LOCKS)];
    assert_eq!(found(&files, ""), [format!("warning {RULE}")]);
    assert_eq!(found(&files, "pooling = \"transaction\""), [format!("error {RULE}")]);
    assert_eq!(found(&files[1..], "pooling = \"transaction\""), [format!("error {RULE}")]);
    for pooling in ["none", "session"] {
        assert_eq!(found(&files, &format!("pooling = \"{pooling}\"")), ["warning missing-unlock"]);
    }
    assert_eq!(found(&files[1..], ""), ["warning missing-unlock"]);
}

#[test]
fn one_site_has_one_finding_and_only_the_lock_is_reported() {
    let paired = format!("{LOCKS}SELECT pg_advisory_unlock(13);\nSELECT pg_advisory_unlock(12);\n");
    assert_eq!(
        found(&[("compose.yaml", COMPOSE), ("m/1.sql", &paired)], "")
            .iter()
            .filter(|one| !one.contains("mismatched"))
            .collect::<Vec<_>>(),
        [&format!("warning {RULE}")]
    );
}

#[test]
fn a_transaction_keeps_its_session() {
    let goose = |sql: &str| format!("-- +goose NO TRANSACTION\n-- +goose Up\n{sql}");
    let about = |sql: &str| {
        let found = found(&[("compose.yaml", COMPOSE), ("m/1.sql", &goose(sql))], "");
        found.iter().any(|one| one.ends_with(RULE))
    };
    assert!(!about("BEGIN;\nSELECT pg_advisory_lock(1);\nDELETE FROM t;\nSELECT pg_advisory_unlock(1);\nCOMMIT;\n"));
    assert!(!about("BEGIN;\nSELECT pg_advisory_lock(1);\nDELETE FROM t;\nCOMMIT;\n"));
    assert!(about("BEGIN;\nSELECT pg_advisory_lock(1);\nCOMMIT;\nDELETE FROM t;\nSELECT pg_advisory_unlock(1);\n"));
    // A savepoint ends no transaction.
    assert!(!about(
        "BEGIN;\nSELECT pg_advisory_lock(1);\nSAVEPOINT s;\nDELETE FROM t;\nROLLBACK TO s;\nSELECT pg_advisory_unlock(1);\nCOMMIT;\n"
    ));
    assert!(about("SELECT pg_try_advisory_lock_shared(1, 2);\nDELETE FROM t;\n"));
    assert!(!about("SELECT pg_advisory_xact_lock(1);\n"));
}

#[test]
fn callers_that_are_not_known_have_to_come_through_the_pooler_all() {
    let pair = format!("{QUERY}-- name: Unlock :one\nSELECT pg_advisory_unlock(12);\n");
    let wrapper = "CREATE FUNCTION enter() RETURNS void LANGUAGE sql AS 'SELECT pg_advisory_lock(12)';\n";
    for sql in [pair.as_str(), wrapper] {
        let files = [(".env", POOLED), ("q.sql", sql)];
        assert_eq!(found(&files, ""), [format!("warning {RULE}")], "{sql}");
        let direct = [files[0], files[1], ("b.env", "DIRECT=postgres://db/a")];
        assert!(!found(&direct, "").contains(&format!("warning {RULE}")), "{sql}");
        let project = Memory::new(files).incomplete();
        let partial = lint(&project, &Targets::all(&project), &Settings::default());
        assert!(partial.findings.iter().all(|finding| finding.rule != RULE), "{sql}");
    }
    // Who runs a script by hand connects as they like.
    let script = [(".env", POOLED), ("s.sql", "SELECT pg_advisory_lock(12);\nDELETE FROM t;\n")];
    assert_eq!(found(&script, ""), [""; 0]);
    assert_eq!(found(&script, "pooling = \"transaction\""), [format!("error {RULE}")]);
}

#[test]
fn the_story_leads_to_the_setting_and_no_format_shows_a_secret() {
    let files = [("compose.yaml", COMPOSE), ("m/1.sql", LOCKS), (".env", POOLED), ("q.sql", QUERY)];
    let report = report(&files, "");
    let one = report.findings.iter().find(|finding| finding.rule == RULE).unwrap();
    assert!(one.message.contains("`GOOSE_DBSTRING` in compose.yaml"), "{}", one.message);
    let related: Vec<(&str, &str)> = one
        .related
        .iter()
        .map(|related| (report.source(related.at).slice(related.at.span), related.message.as_str()))
        .collect();
    assert_eq!(
        related,
        [
            ("pool:6432", "`GOOSE_DBSTRING` leads to pool:6432"),
            ("POOL_MODE: transaction", "PgBouncer pools by transaction")
        ]
    );
    // The marks keep their places.
    assert_eq!(one.related[0].at.span.start, COMPOSE.find("pool:6432").unwrap());
    let paths = Paths::new(String::new(), String::new(), String::new());
    for &format in Format::value_variants() {
        for color in [false, true] {
            let options = Options { color, quiet: false, paths: &paths, rules: RULES };
            let mut out = Vec::new();
            emit(&report, format, &options, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(out.contains("GOOSE_DBSTRING"), "{format:?}");
            for secret in ["s3cret", "us3r", "priv"] {
                assert!(!out.contains(secret), "{format:?}: {out}");
            }
        }
    }
}
