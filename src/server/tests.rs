use super::*;
use crate::discover::absolute;
use crate::span::Span;

const LOCKS: &str = "-- name: LockImport :exec\nSELECT pg_advisory_lock(52118);\n";
const UNLOCKS: &str = "-- name: UnlockImport :exec\nSELECT pg_advisory_unlock(52118);\n";

/// A server that runs, with a tree; what it says goes nowhere.
fn with_server<T>(then: impl FnOnce(&mut Server<'_>, &Path) -> T) -> T {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path().canonicalize().unwrap();
    std::fs::create_dir(root.join(".git")).unwrap();
    let mut output = Vec::new();
    let mut server = Server::new(&mut output, &[]);
    server.phase = Phase::Running;
    then(&mut server, &root)
}

fn open(server: &mut Server<'_>, path: &Path, text: &str) {
    let document = json!({ "uri": text::uri(path).unwrap(), "languageId": "sql", "version": 1, "text": text });
    server.opened(serde_json::from_value(json!({ "textDocument": document })).unwrap());
    server.publish().unwrap();
}

#[test]
fn a_fault_in_an_answer_is_an_answer() {
    with_server(|server, _| {
        let id = RequestId::from(1);
        let answer = server.answer::<Value>(id.clone(), Value::Null, |_, _| panic!("on purpose")).unwrap();
        assert_eq!(answer.response_result.err().map(|error| error.code), Some(ErrorCode::InternalError as i32));
        let answer = server.answer::<Value>(id, Value::Null, |_, _| json!(1)).unwrap();
        assert_eq!(answer.response_result.ok(), Some(json!(1)));
    });
}

#[test]
fn only_files_of_the_tree_make_it_look_again() {
    with_server(|server, root| {
        std::fs::write(root.join(".gitignore"), "vendor/\n").unwrap();
        std::fs::create_dir(root.join("vendor")).unwrap();
        for path in ["b.sql", "vendor/c.sql"] {
            std::fs::write(root.join(path), "SELECT 1;").unwrap();
        }
        open(server, &root.join("a.sql"), "SELECT 1;");
        for (path, change, again) in [
            ("vendor/c.sql", Change::Content, false),
            ("vendor/c.sql", Change::Gone, false),
            ("../other.sql", Change::New, false),
            ("notes.txt", Change::Content, false),
            ("b.sql", Change::Content, true),
            ("b.sql", Change::Gone, true),
            ("d.sql", Change::New, true),
            ("locklint.toml", Change::Content, true),
        ] {
            server.touched(&absolute(root, Path::new(path)), change);
            assert_eq!(!server.stale.is_empty(), again, "{path} {change:?}");
            server.publish().unwrap();
        }
    });
}

#[test]
fn a_comment_silences_with_all_buffers_in_place() {
    with_server(|server, root| {
        // The unlock stands in the file, and no more in its buffer.
        std::fs::write(root.join("a.sql"), UNLOCKS).unwrap();
        open(server, &root.join("a.sql"), "SELECT 1;");
        let path = root.join("b.sql");
        open(server, &path, LOCKS);
        let finding = server.seen[&Home::Tree(root.to_owned())].report.findings[0].clone();
        assert_eq!(finding.rule, "missing-unlock");
        let before = |text: &str| Edit { span: Span::new(0, 0), text: text.to_owned() };
        assert!(server.silences(&path, &finding, &before("-- locklint: ignore[missing-unlock]\n")));
        assert!(!server.silences(&path, &finding, &before("-- no more than a comment\n")));
    });
}
