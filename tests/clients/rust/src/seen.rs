//! What the runs in Rust share: they ask the server, over a connection of its own, and print what they saw. A row is
//! `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.

use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::sleep;
use std::time::Duration;

pub const PID: &str = "SELECT pg_backend_pid()";
pub const SLOW: &str = "SELECT pg_backend_pid() FROM pg_sleep(1)";

pub fn lock_sql(key: i32) -> String {
    format!("SELECT pg_backend_pid() FROM pg_advisory_lock({key})")
}

pub fn xact_sql(key: i32) -> String {
    format!("SELECT pg_backend_pid() FROM pg_advisory_xact_lock({key})")
}

/// What psql prints.
pub fn server(sql: &str) -> String {
    let out = Command::new("psql").args(["-XAtqc", sql]).output().expect("psql");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

/// The versions of packages, by what Cargo has locked.
pub fn versions(packages: &[&str]) {
    let lock = include_str!("../Cargo.lock");
    let version = |name: &&str| {
        let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).expect("a locked package");
        format!("{name} {}", rest.split('"').next().unwrap_or_default())
    };
    println!("versions\t{}", packages.iter().map(version).collect::<Vec<_>>().join(", "));
}

pub fn row(handle: &str, call: &str, claim: &str, seen: &str) {
    println!("row\t{handle}\t{call}\t{claim}\t{seen}");
}

/// A key that nothing else uses.
pub fn key() -> i32 {
    static LAST: AtomicI32 = AtomicI32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// The transaction of that backend. A client may wait for no answer to what it sends last.
pub fn state(pid: i32) -> &'static str {
    for _ in 0..100 {
        match server(&format!("SELECT state FROM pg_stat_activity WHERE pid = {pid}")).as_str() {
            "active" => sleep(Duration::from_millis(50)),
            "" => return "the connection is closed",
            "idle" => return "no transaction is open",
            _ => break,
        }
    }
    "a transaction is open"
}

/// Whether a backend is gone; it needs a moment.
pub fn gone(pid: i32) -> &'static str {
    for _ in 0..100 {
        if state(pid) == "the connection is closed" {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    state(pid)
}

/// What became of a session lock. A backend whose client has left goes on for a moment.
pub fn lock(pid: i32, key: i32) -> &'static str {
    let count = format!("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = {key} AND pid = {pid}");
    let is_held = || {
        sleep(Duration::from_millis(50));
        server(&count) == "1"
    };
    if (0..6).all(|_| is_held()) {
        return "a session lock is kept";
    }
    if gone(pid) == "the connection is closed" { "the connection is closed" } else { "a session lock is released" }
}

pub fn connections(one: i32, other: i32) -> &'static str {
    if one == other { "one connection" } else { "another connection" }
}

/// What an inner rollback took away, of two locks of the transaction.
pub fn savepoint(outer: i32, inner: i32) -> &'static str {
    let held = server(&format!("SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN ({outer}, {inner})"));
    match held.as_str() {
        "" => "the transaction ended",
        held if held == outer.to_string() => "back to a savepoint",
        _ => "nothing is rolled back",
    }
}
