//! The language server, talked to as an editor talks to it.

use crate::command::{command, tree};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

const BAD: &str = "BEGIN;\nSELECT '\u{1F600}', pg_advisory_lock(7);\nCOMMIT;\n";

/// An editor.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    root: String,
    last: u64,
    /// The latest diagnostics of each document.
    shown: std::collections::BTreeMap<String, Vec<Value>>,
    /// Other notifications and requests of the server.
    told: Vec<Value>,
}

impl Client {
    /// Starts a server; the client offers these encodings.
    pub(crate) fn start(root: &Path, encodings: &[&str]) -> Self {
        let mut client = Self::silent(root);
        let answer = client.request(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": { "general": { "positionEncodings": encodings },
                "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } } }),
        );
        let encoding = &answer["result"]["capabilities"]["positionEncoding"];
        assert_eq!(encoding, encodings.first().unwrap_or(&"utf-16"), "{answer}");
        client.notify("initialized", json!({}));
        client
    }

    fn silent(root: &Path) -> Self {
        let mut child = command(root, "server --stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let root = format!("file://{}", root.canonicalize().unwrap().display());
        Self { child, input, output, root, last: 0, shown: Default::default(), told: Vec::new() }
    }

    fn uri(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    fn raw(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn receive(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut content = vec![0; length];
        self.output.read_exact(&mut content).unwrap();
        Some(serde_json::from_slice(&content).unwrap())
    }

    /// Sends a request and returns the answer; what comes before it is kept.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive().unwrap();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
            if message["method"] == "textDocument/publishDiagnostics" {
                let params = &message["params"];
                let diagnostics = params["diagnostics"].as_array().unwrap().clone();
                self.shown.insert(params["uri"].as_str().unwrap().to_owned(), diagnostics);
            } else {
                self.told.push(message);
            }
        }
    }

    pub(crate) fn open(&mut self, path: &str, text: &str) {
        let uri = self.uri(path);
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "x", "version": 1, "text": text } }),
        );
    }

    fn change(&mut self, path: &str, changes: Value) {
        let uri = self.uri(path);
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": changes }),
        );
    }

    /// `line:column-column rule` of each diagnostic that is shown for a document.
    fn shown(&mut self, path: &str) -> Vec<String> {
        // An answer comes after everything that is shown before it.
        self.hover(path, 0, 0);
        let place = |one: &Value| {
            let (start, end) = (&one["range"]["start"], &one["range"]["end"]);
            format!("{}:{}-{} {}", start["line"], start["character"], end["character"], one["code"].as_str().unwrap())
        };
        self.shown.get(&self.uri(path)).unwrap_or_else(|| panic!("{path} was never shown")).iter().map(place).collect()
    }

    /// The ranges that are shown for a document, by an address that needs no escape any more.
    pub(crate) fn ranges(&mut self, path: &str) -> Vec<Value> {
        self.hover(path, 0, 0);
        self.shown[&self.uri(path)].iter().map(|one| one["range"].clone()).collect()
    }

    fn hover(&mut self, path: &str, line: u32, character: u32) -> Value {
        let uri = self.uri(path);
        let position = json!({ "line": line, "character": character });
        self.request("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position }))["result"]
            .clone()
    }

    fn actions(&mut self, path: &str, line: u32) -> Vec<Value> {
        let uri = self.uri(path);
        let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 99 } });
        let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
        self.request("textDocument/codeAction", params)["result"].as_array().unwrap().clone()
    }

    /// Says goodbye; the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        assert_eq!(self.request("textDocument/hover", json!({}))["error"]["code"], -32600);
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code()
    }
}

/// A text after the edits of an action, made from the last to the first; columns are UTF-16.
fn edited(text: &str, action: &Value) -> String {
    let mut edits: Vec<&Value> =
        action["edit"]["changes"].as_object().unwrap().values().flat_map(|edits| edits.as_array().unwrap()).collect();
    edits.sort_by_key(|edit| (edit["range"]["start"]["line"].as_u64(), edit["range"]["start"]["character"].as_u64()));
    let offset = |position: &Value| {
        let line = position["line"].as_u64().unwrap();
        let start = text.split_inclusive('\n').take(usize::try_from(line).unwrap()).map(str::len).sum::<usize>();
        let mut left = position["character"].as_u64().unwrap();
        let mut at = start;
        for c in text[start..].chars() {
            if left == 0 {
                break;
            }
            left -= c.len_utf16() as u64;
            at += c.len_utf8();
        }
        at
    };
    let mut out = text.to_owned();
    for edit in edits.iter().rev() {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        out.replace_range(range, edit["newText"].as_str().unwrap());
    }
    out
}

#[test]
fn a_document_is_judged_as_it_is_typed_in_each_encoding() {
    for (encodings, column) in [(&[][..], 13), (&["utf-8"][..], 15), (&["utf-32"][..], 12)] {
        let tree = tree(&[(".git/HEAD", ""), ("a.sql", "SELECT 1;\n")]);
        let mut client = Client::start(tree.path(), encodings);
        client.open("a.sql", BAD);
        let bad = format!("1:{column}-{} session-lock-in-transaction", column + 19);
        assert_eq!(client.shown("a.sql"), std::slice::from_ref(&bad));
        // The name is made longer, and shorter again: columns of what was agreed.
        let at = |from: u32, to: u32| json!({ "start": { "line": 1, "character": from }, "end": { "line": 1, "character": to } });
        client.change("a.sql", json!([{ "range": at(column + 12, column + 12), "text": "xact_" }]));
        assert_eq!(client.shown("a.sql"), [""; 0]);
        client.change("a.sql", json!([{ "range": at(column + 12, column + 17), "text": "" }]));
        assert_eq!(client.shown("a.sql"), [bad]);
        client.change("a.sql", json!([{ "text": "BEGIN;\nSELECT pg_advisory_lock('" }]));
        client.shown("a.sql");
        client.change("a.sql", json!([{ "text": "SELECT 1;\n" }]));
        assert_eq!(client.shown("a.sql"), [""; 0]);
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn actions_mend_and_silence() {
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", BAD)]);
    let mut client = Client::start(tree.path(), &[]);
    client.open("a.sql", BAD);
    let actions = client.actions("a.sql", 1);
    let titles: Vec<&str> = actions.iter().map(|action| action["title"].as_str().unwrap()).collect();
    let expected = [
        "Use pg_advisory_xact_lock",
        "Silence session-lock-in-transaction for this statement",
        "Make every safe fix of locklint",
    ];
    assert_eq!(titles, expected);
    assert_eq!(actions[0]["diagnostics"][0]["code"], "session-lock-in-transaction");
    for action in &actions {
        client.change("a.sql", json!([{ "text": edited(BAD, action) }]));
        assert_eq!(client.shown("a.sql"), [""; 0], "{action}");
    }
    client.change("a.sql", json!([{ "text": BAD }]));
    assert!(client.actions("a.sql", 0).iter().all(|action| action["kind"] == "source.fixAll.locklint"));
    let page = client.hover("a.sql", 1, 15);
    assert!(page["contents"]["value"].as_str().unwrap().starts_with("# session-lock-in-transaction\n"), "{page}");
    assert_eq!(client.hover("a.sql", 0, 0), Value::Null);
    // In host code the comment is the host's.
    let python = "import psycopg\n\ndef work(conn: psycopg.Connection):\n    with conn.transaction():\n        \
                  conn.execute(\n            \"SELECT pg_advisory_lock(7)\"\n        )\n        conn.execute(\"UPDATE t SET a = 1\")\n";
    client.open("w.py", python);
    assert_eq!(client.shown("w.py").len(), 1);
    let actions = client.actions("w.py", 5);
    let silence = actions.iter().find(|action| action["title"].as_str().unwrap().starts_with("Silence")).unwrap();
    let after = edited(python, silence);
    assert!(after.contains("# locklint: ignore[session-lock-in-transaction]\n"), "{after}");
    client.change("w.py", json!([{ "text": after }]));
    assert_eq!(client.shown("w.py"), [""; 0]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn facts_and_settings_are_those_of_the_tree() {
    let schema = "CREATE TABLE job (id bigint PRIMARY KEY);\n";
    let query = "-- name: Take :many\nSELECT * FROM job WHERE id = $1 FOR UPDATE SKIP LOCKED;\n";
    let tree = tree(&[(".git/HEAD", ""), ("db/schema.sql", schema), ("q.sql", query)]);
    let mut client = Client::start(tree.path(), &[]);
    client.open("q.sql", query);
    let severity = |client: &mut Client| {
        client.shown("q.sql");
        let shown = &client.shown[&client.uri("q.sql")];
        shown.iter().map(|one| one["severity"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(severity(&mut client), [2]);
    let related = client.shown[&client.uri("q.sql")][0]["relatedInformation"].clone();
    assert!(!related.as_array().unwrap().is_empty(), "{related}");
    // The key goes, on disk and then in another buffer.
    let watched = |client: &mut Client, path: &str, kind: u32| {
        let uri = client.uri(path);
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": kind }] }));
    };
    std::fs::write(tree.path().join("db/schema.sql"), "CREATE TABLE job (id bigint);\n").unwrap();
    watched(&mut client, "db/schema.sql", 2);
    assert_eq!(severity(&mut client), [3]);
    client.open("db/schema.sql", schema);
    assert_eq!(severity(&mut client), [2]);
    // Settings come, wrong ones first.
    let config = tree.path().join("locklint.toml");
    std::fs::write(&config, "[rules]\nskip-locked-single-kee = \"off\"\n").unwrap();
    watched(&mut client, "locklint.toml", 1);
    client.hover("q.sql", 0, 0);
    let wrong = client.shown[&client.uri("locklint.toml")].clone();
    assert!(wrong[0]["message"].as_str().unwrap().starts_with("unknown rule `skip-locked-single-kee`"), "{wrong:?}");
    assert_eq!(wrong[0]["range"]["start"], json!({ "line": 1, "character": 0 }));
    assert!(client.told.iter().any(|one| one["method"] == "window/showMessage"));
    assert!(client.told.iter().any(|one| one["method"] == "client/registerCapability"));
    std::fs::write(&config, "[rules]\nskip-locked-single-key = \"off\"\n").unwrap();
    watched(&mut client, "locklint.toml", 2);
    assert_eq!(client.shown("q.sql"), [""; 0]);
    assert_eq!(client.shown[&client.uri("locklint.toml")], [Value::Null; 0]);
    // A closed document is shown no more.
    std::fs::remove_file(&config).unwrap();
    watched(&mut client, "locklint.toml", 3);
    assert_eq!(client.shown("q.sql").len(), 1);
    let uri = client.uri("q.sql");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.shown("q.sql"), [""; 0]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn what_means_nothing_does_not_end_it() {
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", BAD)]);
    let mut client = Client::silent(tree.path());
    assert_eq!(client.request("textDocument/hover", json!({}))["error"]["code"], -32002);
    assert_eq!(client.request("initialize", json!([1]))["error"]["code"], -32602);
    client.request("initialize", json!({ "capabilities": {} }));
    client.raw("Content-Length: 5\r\n\r\n{\"a\":");
    assert_eq!(client.receive().unwrap()["error"]["code"], -32700);
    client.raw("noise\r\n\r\nContent-Length: nonsense\r\n\r\n");
    assert_eq!(client.request("textDocument/rename", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("textDocument/hover", json!({ "textDocument": 1 }))["error"]["code"], -32602);
    client.notify("textDocument/didOpen", json!({ "nothing": 1 }));
    client.notify("$/cancelRequest", json!({ "id": 7 }));
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///nope.sql", "version": 1 }, "contentChanges": [] }),
    );
    for uri in ["untitled:a", "file:///%zz.sql", "file:///etc/passwd"] {
        let document = json!({ "uri": uri, "languageId": "sql", "version": 1, "text": BAD });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }
    client.open("a.sql", "SELECT 1;");
    client.change("a.sql", json!([{ "range": { "start": { "line": 9, "character": 9 }, "end": { "line": 0, "character": 1 } }, "text": BAD }]));
    client.shown("a.sql");
    client.change("a.sql", json!([{ "text": BAD }]));
    assert_eq!(client.shown("a.sql"), ["1:13-32 session-lock-in-transaction"]);
    assert_eq!(client.end(), Some(0));
    // Who goes without a word leaves an exit code that tells.
    let mut rude = Client::silent(tree.path());
    rude.request("initialize", json!({ "capabilities": {} }));
    drop(rude.input.take());
    assert_eq!(rude.child.wait().unwrap().code(), Some(1));
    for asked in [false, true] {
        let mut hasty = Client::silent(tree.path());
        if asked {
            hasty.request("initialize", json!({ "capabilities": {} }));
        }
        hasty.notify("exit", Value::Null);
        assert_eq!(hasty.child.wait().unwrap().code(), Some(1));
    }
}

#[test]
fn a_file_without_a_project_is_judged_alone() {
    let tree = tree(&[("a.sql", BAD)]);
    let mut client = Client::start(tree.path(), &[]);
    client.open("a.sql", BAD);
    assert_eq!(client.shown("a.sql").len(), 1);
    client.change("a.sql", json!([{ "text": "SELECT 1;\n" }]));
    assert_eq!(client.shown("a.sql"), [""; 0]);
    assert_eq!(client.end(), Some(0));
}
