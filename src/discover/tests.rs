use super::*;
use crate::project::Project;
use std::fs;
use tempfile::TempDir;

/// A directory with the given files; a name that ends in `/` is a directory.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        if path.to_string_lossy().ends_with('/') {
            fs::create_dir_all(&path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
        }
    }
    directory
}

fn request(directory: &Path, paths: &[&str]) -> Request {
    Request { directory: directory.to_owned(), paths: paths.iter().map(PathBuf::from).collect(), ..Request::default() }
}

fn found(request: Request) -> Discovery {
    discover(request, &["missing-unlock"]).unwrap()
}

fn context(found: &Discovery) -> Vec<&str> {
    found.project.files().iter().map(|file| &*file.path).collect()
}

fn targets(found: &Discovery) -> Vec<&str> {
    let files = found.project.files();
    found.targets.0.iter().map(|id| &*files[id.0 as usize].path).collect()
}

fn notices(found: &Discovery) -> Vec<(&str, &str, bool)> {
    found.notices.iter().map(|n| (&*n.path, n.message.as_str(), n.trouble)).collect()
}

const REPOSITORY: &[(&str, &str)] = &[
    (".git/x.sql", ""),
    (".gitignore", "dump/\n"),
    (".docker/init.sql", ""),
    ("a.sql", ""),
    ("db/b.sql", ""),
    ("db/b.txt", ""),
    ("dump/c.sql", ""),
];

#[test]
fn a_directory_is_walked_with_ignore_files() {
    let tree = tree(REPOSITORY);
    let all = found(request(tree.path(), &["."]));
    assert_eq!(context(&all), [".docker/init.sql", "a.sql", "db/b.sql"]);
    assert_eq!(targets(&all), context(&all));
    assert!(all.project.complete());
    let every = found(Request { no_ignore: true, ..request(tree.path(), &["."]) });
    assert_eq!(context(&every), [".docker/init.sql", "a.sql", "db/b.sql", "dump/c.sql"]);
}

#[test]
fn targets_are_what_is_named_and_the_root_is_context() {
    let tree = tree(REPOSITORY);
    let one = found(request(tree.path(), &["db"]));
    assert_eq!(targets(&one), ["db/b.sql"]);
    assert_eq!(context(&one), [".docker/init.sql", "a.sql", "db/b.sql"]);
    assert!(one.project.complete());
    let inside = found(request(&tree.path().join("db"), &["b.sql", "../a.sql"]));
    assert_eq!(targets(&inside), ["a.sql", "db/b.sql"]);
    assert_eq!(inside.paths.shown("db/b.sql"), "b.sql");
    assert_eq!(inside.paths.shown("a.sql"), "a.sql");
    let alone = found(Request { no_context: true, ..request(tree.path(), &["db"]) });
    assert_eq!(context(&alone), ["db/b.sql"]);
    assert!(!alone.project.complete());
}

#[test]
fn a_named_file_is_read_whatever_ignores_it() {
    let tree = tree(REPOSITORY);
    fs::write(tree.path().join("locklint.toml"), "exclude = [\"a.sql\"]").unwrap();
    let named = found(request(tree.path(), &["a.sql", "dump/c.sql", "db/b.txt"]));
    assert_eq!(targets(&named), ["a.sql", "dump/c.sql"]);
    assert_eq!(notices(&named), [("db/b.txt", "not linted: its name ends in no language that is read", false)]);
    // A file that says how programs connect is asked about where it is named.
    fs::write(tree.path().join(".env"), "DATABASE_URL=").unwrap();
    let config = found(request(tree.path(), &[".env", "a.sql"]));
    assert_eq!((targets(&config), notices(&config)), (vec![".env", "a.sql"], Vec::new()));
    assert_eq!(context(&config), [".docker/init.sql", ".env", "a.sql", "db/b.sql"]);
    fs::remove_file(tree.path().join(".env")).unwrap();
    let forced = found(Request {
        force_exclude: true,
        exclude: vec!["dump".to_owned()],
        ..request(tree.path(), &["a.sql", "dump/c.sql", "db/b.sql"])
    });
    assert_eq!(targets(&forced), ["db/b.sql"]);
    assert_eq!(targets(&found(request(tree.path(), &["dump"]))), ["dump/c.sql"]);
}

#[test]
fn what_is_excluded_is_neither_target_nor_context() {
    let tree = tree(REPOSITORY);
    let all =
        found(Request { exclude: vec!["db/".to_owned(), ".docker/*".to_owned()], ..request(tree.path(), &["."]) });
    assert_eq!(context(&all), ["a.sql"]);
}

#[test]
fn what_is_not_there_is_trouble_and_the_rest_goes_on() {
    let tree = tree(REPOSITORY);
    let some = found(request(tree.path(), &["nope.sql", "a.sql"]));
    assert_eq!(targets(&some), ["a.sql"]);
    assert_eq!(notices(&some), [("nope.sql", "no such file or directory", true)]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_unless_named() {
    let tree = tree(REPOSITORY);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, tree.path().join(name)).unwrap();
    link("..", "db/up");
    link("a.sql", "link.sql");
    link("db", "also");
    let all = found(request(tree.path(), &["."]));
    assert_eq!(context(&all), [".docker/init.sql", "a.sql", "db/b.sql"]);
    assert_eq!(notices(&all), []);
    assert_eq!(targets(&found(request(tree.path(), &["link.sql"]))), ["link.sql"]);
    assert_eq!(targets(&found(request(tree.path(), &["also"]))), ["also/b.sql"]);
}

#[test]
fn a_buffer_takes_the_place_of_its_file_or_joins_the_tree() {
    let tree = tree(REPOSITORY);
    let buffer = |path: Option<&str>| {
        found(Request {
            buffer: Some(Buffer { path: path.map(PathBuf::from), content: b"new".to_vec() }),
            ..request(tree.path(), &[])
        })
    };
    for (name, files) in [("db/b.sql", 3), ("db/new.sql", 4), ("dump/c.sql", 4)] {
        let one = buffer(Some(name));
        assert_eq!(targets(&one), [name]);
        assert_eq!(one.project.files().len(), files, "{name}");
        assert_eq!(one.project.read(one.targets.0[0]), Ok(b"new".as_slice().into()));
        assert!(one.project.complete());
    }
    let anonymous = buffer(None);
    assert_eq!(targets(&anonymous), ["<stdin>"]);
    assert_eq!(notices(&buffer(Some("x.unknown"))).len(), 1);
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("x.sql");
    let outside = buffer(path.to_str());
    assert_eq!(targets(&outside), ["x.sql"]);
    assert!(!outside.project.complete());
}

#[test]
fn configuration_is_the_nearest_or_the_given_or_none() {
    let tree = tree(REPOSITORY);
    fs::write(tree.path().join("db/locklint.toml"), "[rules]\nmissing-unlock = \"off\"").unwrap();
    let off = |found: &Discovery, path: &str| {
        found.settings.of(path).level("missing-unlock", crate::finding::Level::Note).is_none()
    };
    let nearest = found(request(tree.path(), &["."]));
    assert!(off(&nearest, "db/b.sql") && !off(&nearest, "a.sql"));
    assert_eq!(nearest.configs, ["db/locklint.toml"]);
    let given =
        found(Request { config: ConfigSource::File("db/locklint.toml".into()), ..request(tree.path(), &["."]) });
    assert!(off(&given, "a.sql"));
    let none = found(Request { config: ConfigSource::BuiltIn, ..request(tree.path(), &["."]) });
    assert!(!off(&none, "db/b.sql"));
    fs::write(tree.path().join("db/locklint.toml"), "[rules]\nx = \"off\"").unwrap();
    let error = discover(request(tree.path(), &["a.sql"]), &[]).unwrap_err();
    assert_eq!(error.to_string(), "db/locklint.toml: unknown rule `x`");
}

#[test]
fn unmarked_roots_are_not_guessed_wider_than_they_were_named() {
    let tree = tree(&[("one/a.sql", ""), ("two/b.sql", ""), ("three/c.sql", "")]);
    let elsewhere = tempfile::tempdir().unwrap();
    let path = |name: &str| tree.path().join(name).to_str().unwrap().to_owned();
    let two = found(request(elsewhere.path(), &[&path("one"), &path("two")]));
    assert_eq!(targets(&two), ["one/a.sql", "two/b.sql"]);
    assert_eq!(context(&two), ["one/a.sql", "two/b.sql"]);
    assert!(!two.project.complete());
    let file = found(request(elsewhere.path(), &[&path("one/a.sql")]));
    assert_eq!(context(&file), ["a.sql"]);
    assert!(!file.project.complete());
    let here = found(request(tree.path(), &["one/a.sql"]));
    assert_eq!(targets(&here), ["one/a.sql"]);
    assert_eq!(here.project.files().len(), 3);
    assert!(here.project.complete());
}

#[test]
fn the_root_does_not_depend_on_what_is_named_below_it() {
    let files = [("locklint.toml", ""), ("app/locklint.toml", ""), ("app/db/a.sql", ""), ("b.sql", "")];
    for (extra, in_repository) in [((".git/", ""), true), (("c.txt", ""), false)] {
        let tree = tree(&[&files[..], &[extra]].concat());
        let all = found(request(tree.path(), &["."]));
        for named in ["app/db/a.sql", "app", "app/db"] {
            for directory in ["", "app"] {
                let path = tree.path().join(named);
                let one = found(request(&tree.path().join(directory), &[path.to_str().unwrap()]));
                assert_eq!(context(&one), context(&all), "{named} {in_repository}");
                assert_eq!(targets(&one), ["app/db/a.sql"]);
                assert_eq!(one.configs.len(), 2, "{:?}", one.configs);
                assert!(one.project.complete());
            }
        }
    }
}

#[test]
fn a_directory_in_a_repository_is_shown_as_seen_from_there() {
    let tree = tree(&[(".git/", ""), ("app/locklint.toml", ""), ("app/a.sql", ""), ("b.sql", "")]);
    let one = found(request(&tree.path().join("app"), &["."]));
    assert_eq!(targets(&one), ["app/a.sql"]);
    assert_eq!(one.paths.in_repository("app/a.sql"), "app/a.sql");
    assert_eq!(one.paths.shown("app/a.sql"), "a.sql");
    assert_eq!(one.project.files().len(), 2);
}
