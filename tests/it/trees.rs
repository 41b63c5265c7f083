//! Trees that are made to do harm, or are only large and odd: nothing outside of the root is read, nothing hangs, and the
//! report is the same however many threads there are.

use crate::command::{Run, command, run, tree};
use std::fs;
use std::path::Path;

const BAD: &str = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
const CLAIM: &str = "SELECT * FROM jobs WHERE ref = 1 FOR UPDATE SKIP LOCKED;\n";
const TABLE: &str = "CREATE TABLE jobs (ref int PRIMARY KEY);\n";

/// The places that a report in the concise format names.
fn places(run: &Run) -> Vec<&str> {
    run.stdout.split('\n').filter_map(|line| line.split_once(": ")).map(|(place, _)| place).collect()
}

#[cfg(unix)]
#[test]
fn what_lies_outside_of_the_root_is_not_read() {
    use std::os::unix::fs::symlink;
    let outside = tree(&[("jobs.sql", TABLE), ("bad.sql", BAD)]);
    let inside =
        tree(&[(".git/HEAD", ""), ("claim.sql", CLAIM), ("locklint.toml", "exclude = [\"../**\", \"/etc/**\"]\n")]);
    symlink(outside.path(), inside.path().join("all")).unwrap();
    symlink(outside.path().join("jobs.sql"), inside.path().join("jobs.sql")).unwrap();
    symlink(inside.path(), inside.path().join("loop")).unwrap();
    symlink("/dev/zero", inside.path().join("zero.sql")).unwrap();
    let alone = run(inside.path(), "check --format concise");
    assert_eq!((alone.code, places(&alone)), (0, vec!["claim.sql:1:34"]), "{}{}", alone.stdout, alone.stderr);
    assert!(alone.stdout.contains("note"), "no key is known here: {}", alone.stdout);
    // The same table inside says more.
    fs::write(inside.path().join("tables.sql"), TABLE).unwrap();
    let known = run(inside.path(), "check --format concise");
    assert!(known.code == 1 && known.stdout.contains("warning"), "{}", known.stdout);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_opened() {
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", BAD)]);
    for name in ["pipe.sql", "pipe.py", "locklint.toml.d", ".env"] {
        let made = std::process::Command::new("mkfifo").arg(tree.path().join(name)).status().unwrap();
        assert!(made.success());
    }
    let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("socket.sql")).unwrap();
    // Who opened a pipe that nobody writes to would wait for ever.
    let found = run(tree.path(), "check --format concise");
    assert_eq!((found.code, places(&found)), (1, vec!["a.sql:2:8"]), "{}", found.stderr);
    let named = run(tree.path(), "check --format concise pipe.sql a.sql");
    assert_eq!((named.code, places(&named)), (2, vec!["a.sql:2:8"]));
    assert!(named.stderr.contains("pipe.sql: no regular file"), "{}", named.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_shown_and_its_file_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", BAD)]);
    let directory = tree.path().join(OsStr::from_bytes(b"d\xFF"));
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join(OsStr::from_bytes(b"\xC3\x28.sql")), BAD).unwrap();
    for format in ["concise", "json", "sarif", "github", "gitlab", "text"] {
        let found = run(tree.path(), &format!("check --format {format}"));
        assert_eq!(found.code, 1, "{format}: {}", found.stderr);
        assert!(found.stdout.matches("session-lock-in-transaction").count() > 1, "{format}: {}", found.stdout);
    }
    let found = run(tree.path(), "check --format concise");
    assert_eq!(places(&found), ["a.sql:2:8", "d\u{FFFD}/\u{FFFD}(.sql:2:8"]);
}

#[test]
fn repositories_in_repositories_are_roots_of_their_own_when_named() {
    let tree = tree(&[
        (".git/HEAD", ""),
        ("tables.sql", TABLE),
        // A submodule's `.git` is a file, a nested repository's a directory.
        ("module/.git", "gitdir: ../.git/modules/module\n"),
        ("module/claim.sql", CLAIM),
        ("nested/.git/HEAD", ""),
        ("nested/.git/hooks/bad.sql", BAD),
        ("nested/claim.sql", CLAIM),
    ]);
    let whole = run(tree.path(), "check --format concise");
    assert_eq!(places(&whole), ["module/claim.sql:1:34", "nested/claim.sql:1:34"]);
    assert_eq!(whole.stdout.matches("warning").count(), 2, "{}", whole.stdout);
    for name in ["module", "nested"] {
        let alone = run(&tree.path().join(name), "check --format concise");
        assert_eq!((alone.code, places(&alone)), (0, vec!["claim.sql:1:34"]), "{}", alone.stderr);
        assert!(alone.stdout.contains("note"), "the table lies in another repository: {}", alone.stdout);
    }
}

#[test]
fn large_ignore_files_and_directories_are_walked() {
    let patterns: String = (0..20_000).map(|n| format!("/made/{n}.sql\n*.made{n}\n")).collect();
    let tree = tree(&[(".git/HEAD", ""), (".gitignore", &patterns), ("made/7.sql", BAD), ("made/x.sql", BAD)]);
    for n in 0..2000 {
        fs::write(tree.path().join(format!("made/file{n}.py")), "x = 1\n").unwrap();
    }
    let found = run(tree.path(), "check --format concise");
    assert_eq!((found.code, places(&found)), (1, vec!["made/x.sql:2:8"]), "{}", found.stderr);
}

/// What a report says, with its code, for a number of threads.
fn with_threads(directory: &Path, threads: &str, format: &str) -> (i32, Vec<u8>, Vec<u8>) {
    let mut command = command(directory, &format!("check --include-tests --format {format}"));
    let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
    (output.status.code().unwrap_or(-1), output.stdout, output.stderr)
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads_and_order_of_directories() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for format in ["json", "text"] {
        let one = with_threads(&fixtures, "1", format);
        assert!(one.0 == 1 && one.1.len() > 10_000);
        for threads in ["2", "16"] {
            assert!(with_threads(&fixtures, threads, format) == one, "{threads} threads, {format}");
        }
    }
    // Directories list files in the order of their making, or of a hash of their names.
    let names: Vec<String> = (0..60).map(|n| format!("d{}/f{n}.sql", n % 7)).collect();
    let contents: Vec<String> =
        (0..60).map(|n| format!("{BAD}{CLAIM}SELECT pg_advisory_lock({n});\n{TABLE}")).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(contents.iter().map(String::as_str)).collect();
    let forwards = tree(&files);
    files.reverse();
    let backwards = tree(&files);
    let found = run(forwards.path(), "check --format json");
    assert!(found.code == 1 && found.stdout == run(backwards.path(), "check --format json").stdout);
}

#[test]
fn bundles_that_are_left_out_are_counted() {
    let minified = format!("{};q('SELECT pg_advisory_lock(1)')", "var a=1;".repeat(9000));
    let plain = "var a=1;".repeat(9000);
    let tree = tree(&[(".git/HEAD", ""), ("a.js", &minified), ("b.js", &plain)]);
    let one = run(tree.path(), "check");
    assert_eq!((one.code, one.stdout.contains("error")), (0, false));
    assert!(one.stderr.contains("1 minified or bundled file with words of locks was not read"), "{}", one.stderr);
    fs::write(tree.path().join("c.js"), &minified).unwrap();
    let two = run(tree.path(), "check");
    assert!(two.stderr.contains("2 minified or bundled files with words of locks were not read"), "{}", two.stderr);
}
