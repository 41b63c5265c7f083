//! House keeping.

use locklint::language::Language;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The longest that a source file may be, in lines.
const LONGEST: usize = 500;

/// Longer files, with the length that they may not exceed. The list only shrinks.
const LONGER: &[(&str, usize)] = &[];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below some directories whose names end so: path relative to the root, and text.
fn files(directories: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for directory in directories {
        for entry in WalkDir::new(root().join(directory)).sort_by_file_name() {
            let path: PathBuf = entry.unwrap().into_path();
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            if endings.iter().any(|ending| name.ends_with(ending)) {
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!files.is_empty());
    files
}

#[test]
fn no_source_file_is_long() {
    for (name, text) in files(&["src", "tests"], &[".rs"]) {
        let lines = text.split('\n').count() - 1;
        match LONGER.iter().find(|(longer, _)| *longer == name) {
            Some(&(_, limit)) => assert!(
                LONGEST < lines && lines <= limit,
                "{name} has {lines} lines: adjust its entry in LONGER downwards, or remove it"
            ),
            None => assert!(lines <= LONGEST, "{name} has {lines} lines; split it"),
        }
    }
}

#[test]
fn lines_end_where_their_text_ends() {
    let directories = ["src", "tests", "rules"];
    for (name, text) in files(&directories, &[".rs", ".md"]) {
        for (index, line) in text.split('\n').enumerate() {
            let soft = name.ends_with(".md") && line.starts_with("SELECT");
            assert!(soft || line.trim_end() == line, "{name}:{}: trailing white space", index + 1);
        }
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}: one line end closes a file");
    }
}

#[test]
fn every_source_file_says_what_it_is() {
    for (name, text) in files(&["src"], &[".rs"]) {
        let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        assert!(is_test || text.starts_with("//!"), "{name} begins with no `//!`");
    }
}

#[test]
fn main_is_short() {
    let text = fs::read_to_string(root().join("src/main.rs")).unwrap();
    assert!(text.split('\n').count() < 50);
}

#[test]
fn the_hook_is_given_the_files_that_are_read() {
    let text = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let (_, rest) = text.split_once("files: &files '").unwrap();
    let pattern = regex::Regex::new(rest.split('\'').next().unwrap()).unwrap();
    for name in [
        "a.sql",
        "db/a.SQL",
        "a.psql",
        "a.pgsql",
        "a.plpgsql",
        "a.plsql",
        "a.ddl",
        "a.sql.j2",
        "a.sql.jinja",
        "a.sql.heex",
        "a.sql.in",
        "a.sql.pg",
        "a.postgres.sql",
        "a.sql.bak",
        "sql",
        "a.txt",
        "a.sqlx",
        "a.ipynb",
        "a.md",
        ".env",
        "compose.yaml",
        "a.j2",
        "a.sql.conf",
        "db/flyway.conf",
        "nginx.conf",
        "x/.env.production",
        ".envrc",
        "worker.env",
        "pgbouncer.ini.j2",
        "application.properties",
        "database.yml",
        "schema.prisma",
        "a.py",
        "a.pyi",
        "a.PY",
        "a.py.j2",
        "a.mjs",
        "a.jsx",
        "a.cts",
        "a.tsx",
        "query.sql.go",
        "go",
        "a.rs",
        "a.kts",
        "a.java",
        "a.cs",
        "a.css",
        "lib/db.rake",
        "a.rb",
        "a.php",
        "a.exs",
        "a.eex",
        "a.scala",
        "a.sc",
    ] {
        assert_eq!(pattern.is_match(name), Language::of(name).is_some(), "{name}");
    }
}

#[test]
fn editors_are_told_the_same_languages() {
    let list = |path: &str, before: &str, after: char| -> Vec<String> {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{path}"));
        rest.split(after).next().unwrap().split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let code = list("editors/vscode/src/extension.ts", "LANGUAGES = [", ']');
    // Neovim has another name for one of them.
    let vim: Vec<String> =
        list("docs/integrations.md", "filetypes = {", '}').iter().map(|one| one.replace("cs", "csharp")).collect();
    assert!(code.len() > 12);
    assert_eq!(code, vim);
}

#[test]
fn every_script_is_checked() {
    let checks = fs::read_to_string(root().join(".ci/uses")).unwrap();
    let mut scripts = 0;
    for directory in [".ci", "action", "tests"] {
        for entry in WalkDir::new(root().join(directory)).into_iter().map(Result::unwrap) {
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            let is_script = text.starts_with("#!")
                || text.starts_with("# shellcheck ")
                || entry.path().extension().is_some_and(|one| one == "sh");
            if is_script {
                let path = entry.path().strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                assert!(checks.split([' ', '\n']).any(|word| word == path), ".ci/uses gives {path} to no shellcheck");
                scripts += 1;
            }
        }
    }
    assert!(scripts > 8, "{scripts}");
}

#[test]
fn nothing_of_the_package_is_missing() {
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "locklint.schema.json", "action.yml", "deny.toml"] {
        assert!(root().join(name).is_file(), "{name}");
    }
}
