//! How long an editor waits: `cargo bench --bench server`. The program itself serves a made-up tree of 20,000 files in which a
//! script of 5,000 lines is open and typed into; each keystroke is timed until its diagnostics are there. Beside that stands
//! what one reading of the open text by the same linter takes, for machines differ and a ratio stays.

#![expect(clippy::print_stdout, reason = "a table is what comes out")]
#![expect(clippy::unwrap_used, reason = "nobody else's input")]

use locklint::lint::lint;
use locklint::project::{Memory, Targets};
use locklint::settings::Settings;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 20_000;
const LINES: usize = 5_000;
const KEYSTROKES: usize = 50;

/// What an answer may take.
const GOAL: Duration = Duration::from_millis(50);

/// One file in fifty has a lock, one in ten declares a table, the others are code that says nothing about either.
fn plant(root: &Path) {
    fs::create_dir(root.join(".git")).unwrap();
    for n in 0..FILES {
        let directory = root.join(format!("part{}", n % 100));
        if n < 100 {
            fs::create_dir(&directory).unwrap();
        }
        let (name, text) = match n % 50 {
            0 => (
                format!("work{n}.sql"),
                format!("BEGIN;\nSELECT pg_advisory_xact_lock({n});\nUPDATE t{n} SET a = 1;\nCOMMIT;\n"),
            ),
            1..6 => (format!("table{n}.sql"), format!("CREATE TABLE t{n} (id bigint PRIMARY KEY, a int);\n")),
            _ => {
                let mut text = String::new();
                for line in 0..40 {
                    let _ = writeln!(text, "def f{line}(a, b):\n    return a * {line} + b\n");
                }
                (format!("code{n}.py"), text)
            }
        };
        fs::write(directory.join(name), text).unwrap();
    }
}

/// A script with a lock in each tenth line.
fn script() -> String {
    let mut text = String::new();
    for n in 0..LINES / 10 {
        let _ = write!(
            text,
            "BEGIN;\nSELECT pg_advisory_xact_lock({n});\nUPDATE t{n} SET a = 1\n WHERE id = {n};\n\
             INSERT INTO log (text)\nVALUES ('it''s {n}');\nCOMMIT;\nSELECT *\n  FROM t{n}\n WHERE a = 1;\n"
        );
    }
    text + "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n"
}

/// An editor.
struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    uri: String,
}

impl Editor {
    fn start(root: &Path, name: &str) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_locklint"))
            .arg("server")
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let uri = format!("file://{}/{name}", root.display());
        let mut editor = Self { server, input, output, uri };
        let watching = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
        editor.send(json!({ "id": 1, "method": "initialize", "params": { "capabilities": watching } }));
        editor.receive(|message| message["id"] == 1);
        editor.send(json!({ "method": "initialized", "params": {} }));
        editor
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    /// The next message that is wanted.
    fn receive(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                assert!(self.output.read_line(&mut line).unwrap() > 0, "the server is gone");
                match line.trim_end().strip_prefix("Content-Length: ") {
                    Some(number) => length = number.parse().unwrap(),
                    None if line.trim_end().is_empty() => break,
                    None => {}
                }
            }
            let mut content = vec![0; length];
            self.output.read_exact(&mut content).unwrap();
            let message: Value = serde_json::from_slice(&content).unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Sends what makes a version of the document; the time until its diagnostics are there, and how many those are.
    fn timed(&mut self, version: usize, message: Value) -> (Duration, usize) {
        let start = Instant::now();
        self.send(message);
        let shown = self.receive(|message| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version
        });
        (start.elapsed(), shown["params"]["diagnostics"].as_array().unwrap().len())
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path().canonicalize().unwrap();
    plant(&root);
    let text = script();
    fs::write(root.join("open.sql"), &text).unwrap();
    let mut editor = Editor::start(&root, "open.sql");
    let uri = editor.uri.clone();
    let document = json!({ "uri": uri, "languageId": "sql", "version": 0, "text": text });
    let (first, count) =
        editor.timed(0, json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    assert_eq!(count, 1, "the script has one mistake");
    let mut times: Vec<Duration> = (1..=KEYSTROKES)
        .map(|version| {
            let line = version * (LINES / KEYSTROKES) - 1;
            let at = json!({ "line": line, "character": 0 });
            let change = json!({ "range": { "start": at, "end": at }, "text": " " });
            let document = json!({ "uri": uri, "version": version });
            let params = json!({ "textDocument": document, "contentChanges": [change] });
            editor.timed(version, json!({ "method": "textDocument/didChange", "params": params })).0
        })
        .collect();
    editor.send(json!({ "id": 2, "method": "shutdown" }));
    editor.receive(|message| message["id"] == 2);
    editor.send(json!({ "method": "exit" }));
    assert!(editor.server.wait().unwrap().success());

    let project = Memory::new([("open.sql", text.as_bytes())]);
    let alone = || {
        let start = Instant::now();
        black_box(lint(&project, &Targets::all(&project), &Settings::default()).findings.len());
        start.elapsed()
    };
    let alone = median(&mut (0..9).map(|_| alone()).collect::<Vec<_>>());
    let typical = median(&mut times);
    let longest = times.last().copied().unwrap_or_default();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{FILES} files, {LINES} lines open, {KEYSTROKES} keystrokes");
    println!("first answer           {:>8.1} ms", milliseconds(first));
    println!("a keystroke, median    {:>8.1} ms", milliseconds(typical));
    println!("a keystroke, longest   {:>8.1} ms", milliseconds(longest));
    println!("the open text alone    {:>8.1} ms", milliseconds(alone));
    println!("median / text alone    {:>8.1} times", typical.as_secs_f64() / alone.as_secs_f64());
    let verdict = if typical <= GOAL { "within" } else { "beyond" };
    println!("{verdict} the goal of {} ms", GOAL.as_millis());
}
