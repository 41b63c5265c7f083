//! Modules use lower layers only, and only the outermost touch the machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// The modules of `src`, lowest first. One may use those before it.
const LAYERS: &[&str] = &[
    "span",
    "pattern",
    "language",
    "notebook",
    "source",
    "region",
    "host",
    "fragment",
    "finding",
    "fence",
    "fix",
    "baseline",
    "paths",
    "project",
    "sql",
    "document",
    "statement",
    "program",
    "builders",
    "flow",
    "driver",
    "drivers",
    "sessions",
    "settings",
    "prefilter",
    "analysis",
    "facts",
    "rule",
    "suppress",
    "rules",
    "fingerprint",
    "lint",
    "keymap",
    "why",
    "monitor",
    "emit",
    "error",
    "discover",
    "changed",
    "server",
    "cli",
];

/// Those that may read files, the environment and the terminal.
const SHELL: &[&str] = &["discover", "changed", "cli"];

/// What touches the machine.
const MACHINE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    // Methods of paths that look at the disk, and clocks.
    ".canonicalize()",
    ".exists()",
    ".is_dir()",
    ".is_file()",
    ".is_symlink()",
    ".metadata()",
    ".read_dir()",
    ".read_link()",
    ".symlink_metadata()",
    ".try_exists()",
    "Instant",
    "SystemTime",
];

/// The module, the path below `src` and the text without comments and tests of each file.
fn sources() -> Vec<(String, String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    for entry in WalkDir::new(&src).sort_by_file_name() {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
        let module = path.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
        if !path.ends_with(".rs") || is_test || ["lib", "main"].contains(&module.as_str()) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code: Vec<&str> = code.split('\n').filter(|line| !line.trim_start().starts_with("//")).collect();
        sources.push((module, path, code.join("\n")));
    }
    assert!(sources.len() > 10);
    sources
}

#[test]
fn modules_use_lower_layers_only() {
    let layer = |module: &str| {
        LAYERS.iter().position(|known| *known == module).unwrap_or_else(|| panic!("give `{module}` a place in LAYERS"))
    };
    let mut edges = BTreeSet::new();
    for (module, path, code) in sources() {
        for (at, _) in code.match_indices("crate::") {
            let used: String =
                code[at + "crate::".len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            assert!(!used.is_empty(), "{path}: write one `use` per module");
            edges.insert((module.clone(), used, path.clone()));
        }
    }
    assert!(edges.len() > 20);
    let upward: Vec<_> = edges.iter().filter(|(module, used, _)| layer(used) > layer(module)).collect();
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn only_the_shell_touches_the_machine() {
    for (module, path, code) in sources() {
        if SHELL.contains(&module.as_str()) {
            continue;
        }
        for word in MACHINE {
            assert!(!code.contains(word), "{path} uses {word}");
        }
    }
}
