//! The fixtures: inputs with their expectations in comments. Each file of `fixtures/sql/` and of `fixtures/host/<language>/`
//! is a project of its own, each directory of `fixtures/trees/` is one project.

use crate::expect;
use std::path::{Path, PathBuf};

/// A fixture: a name for messages, and the project's files.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) files: Vec<(String, String)>,
}

/// All fixtures, sorted by name.
pub(crate) fn all() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut found = Vec::new();
    let host = children(&root.join("host"));
    let others = children(&root).into_iter().filter(|path| path.is_dir() && !path.ends_with("host"));
    for directory in others.chain(host) {
        for path in children(&directory) {
            let name = relative(&path, &root);
            let files = if path.is_dir() {
                assert!(name.starts_with("trees/"), "{name}: only a tree has directories");
                walkdir::WalkDir::new(&path)
                    .sort_by_file_name()
                    .into_iter()
                    .map(|entry| entry.expect("listing").into_path())
                    .filter(|file| file.is_file())
                    .map(|file| (relative(&file, &path), read(&file)))
                    .collect()
            } else {
                vec![(relative(&path, &directory), read(&path))]
            };
            found.push(Fixture { name, files });
        }
    }
    found
}

fn children(directory: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(directory)
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("listing").into_path())
        .collect()
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).expect("inside").to_str().expect("UTF-8").replace('\\', "/")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

#[test]
fn every_fixture_is_reported_as_its_comments_say() {
    let fixtures = all();
    assert!(fixtures.len() > 10, "fixtures are read");
    let mut failures = String::new();
    for fixture in fixtures {
        let said: Vec<_> = fixture.files.iter().filter_map(|(path, text)| expect::read(path, text)).collect();
        assert!(!said.is_empty(), "{}: no mark says what is expected, not even `~ clean`", fixture.name);
        let difference = expect::differences(&fixture.files, said.into_iter().flatten().collect());
        if !difference.is_empty() {
            failures.push_str(&format!("{}:\n{difference}\n", fixture.name));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
