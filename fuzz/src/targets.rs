//! What is done with any bytes, and what has to hold then. The fuzzer calls these, and so does the test that runs the
//! stored corpus.

use locklint::emit::{Format, Options, emit};
use locklint::finding::{Finding, Report};
use locklint::fix;
use locklint::language::Language;
use locklint::lint::lint;
use locklint::paths::Paths;
use locklint::project::{Memory, Targets};
use locklint::rules::RULES;
use locklint::settings::{Config, Run, Settings};
use locklint::source::Source;
use locklint::sql::clause::{Entry, Tree};
use locklint::sql::lex::lex;
use locklint::sql::split::split;
use locklint::{host, server};
use std::fmt::Write;
use std::io::Cursor;

/// A target's name and what it does.
pub(super) type Target = (&'static str, fn(&[u8]));

/// Every target.
pub(super) const ALL: [Target; 8] = [
    ("sql", sql),
    ("plpgsql", plpgsql),
    ("host", host),
    ("suppress", suppress),
    ("config", config),
    ("pooler", pooler),
    ("server", server),
    ("fixes", fixes),
];

/// Lexer, splitter, clause tree, and the rules over a script.
fn sql(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let tokens = lex(&text);
    let mut at = 0;
    for token in &tokens {
        let span = token.span();
        assert!(
            span.start == at && span.end > at && text.is_char_boundary(span.end),
            "{span:?} does not go on at {at}"
        );
        at = span.end;
    }
    assert_eq!(at, text.len(), "tokens end before the text");
    let mut last = 0;
    for piece in split(&text, &tokens) {
        assert!(piece.tokens.start >= last && piece.tokens.end <= tokens.len(), "statements overlap");
        last = piece.tokens.end;
        let tree = Tree::build(&text, &tokens[piece.tokens], Entry::Statement);
        for (_, query) in tree.queries() {
            assert!(query.tokens.start <= query.tokens.end, "a query ends before it begins");
        }
    }
    check(&[("a.sql", data)]);
}

/// A PL/pgSQL body, as a routine's and as a DO block's.
fn plpgsql(data: &[u8]) {
    let mut text = b"CREATE FUNCTION f(a int, b text) RETURNS void LANGUAGE plpgsql AS $fuzz$".to_vec();
    text.extend_from_slice(data);
    text.extend_from_slice(b"$fuzz$;\nDO $again$");
    text.extend_from_slice(data);
    text.extend_from_slice(b"$again$;\n");
    check(&[("a.sql", &text)]);
}

/// The endings of the host languages, by the first byte of the data.
const ENDINGS: [&str; 13] = ["py", "js", "ts", "tsx", "go", "rs", "java", "kt", "cs", "rb", "php", "ex", "scala"];

/// Literals, code and flow of a host language.
fn host(data: &[u8]) {
    let Some((first, text)) = data.split_first() else { return };
    let path = format!("a.{}", ENDINGS[usize::from(*first) % ENDINGS.len()]);
    let Some(language) = Language::of(&path) else { return };
    if let Ok(source) = Source::new(path.as_str().into(), language, text.to_vec()) {
        let read = host::read(&source);
        for literal in &read.literals {
            assert!(source.text().get(literal.span.range()).is_some(), "{:?} is no place in the text", literal.span);
            let region = &literal.region;
            for (at, _) in region.text().char_indices() {
                let span = region.to_source(locklint::span::SqlSpan::new(at, region.text().len()));
                assert!(span.end <= source.text().len(), "{span:?} is beyond the text");
            }
        }
    }
    check(&[(&path, text)]);
}

/// Comments that silence, in SQL and in a host language.
fn suppress(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut sql, mut python) = (String::new(), "import psycopg\nc = psycopg.connect()\n".to_owned());
    for line in text.split('\n').take(64) {
        let _ = writeln!(sql, "SELECT pg_advisory_lock(1); -- locklint: {line}");
        let _ = writeln!(python, "c.execute(\"SELECT pg_advisory_lock(1)\")  # locklint: {line}");
    }
    let _ = write!(sql, "/* locklint: {text} */ SELECT pg_advisory_unlock(2);");
    check(&[("a.py", python.as_bytes()), ("a.sql", sql.as_bytes())]);
}

/// A configuration file, and a run under it.
fn config(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    if let Ok(config) = Config::parse("locklint.toml", text, &names) {
        let mut settings = Settings::new(Run::default());
        settings.insert("", config);
        let files: [(&str, &[u8]); 2] = [
            ("a.sql", b"SELECT id FROM t WHERE id = 1 FOR UPDATE SKIP LOCKED;"),
            ("test/b.sql", b"SELECT pg_advisory_lock(1);"),
        ];
        check_with(&files, &settings);
    }
}

/// Configuration files of others: how they say that a pooler stands between.
fn pooler(data: &[u8]) {
    const PATHS: [&str; 5] = [".env", "pgbouncer.ini", "application.properties", "compose.yaml", "config/database.yml"];
    let Some((first, text)) = data.split_first() else { return };
    let sql = b"SELECT pg_advisory_lock(1);".as_slice();
    check(&[(PATHS[usize::from(*first) % PATHS.len()], text), ("migrations/1.sql", sql)]);
}

/// Messages to the language server: the data as they are, and as the text and the change of a document.
fn server(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut input = Vec::new();
    let mut send = |message: serde_json::Value| {
        let message = message.to_string();
        input.extend_from_slice(format!("Content-Length: {}\r\n\r\n{message}", message.len()).as_bytes());
    };
    let uri = "file:///nowhere/at/all/a.sql";
    let number = |at: usize| data.get(at).map_or(0, |byte| u32::from(*byte) % 24);
    let range = serde_json::json!({ "start": { "line": number(0), "character": number(1) },
        "end": { "line": number(2), "character": number(3) } });
    let document = serde_json::json!({ "uri": uri });
    send(serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "processId": null, "rootUri": null, "capabilities": {} } }));
    send(serde_json::json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    send(serde_json::json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen",
        "params": { "textDocument": { "uri": uri, "languageId": "sql", "version": 1, "text": text } } }));
    send(serde_json::json!({ "jsonrpc": "2.0", "method": "textDocument/didChange",
        "params": { "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "range": range, "text": text }] } }));
    for (id, method) in [(2, "textDocument/hover"), (3, "textDocument/codeAction")] {
        send(serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "textDocument": document,
            "position": range["start"], "range": range, "context": { "diagnostics": [] } } }));
    }
    input.extend_from_slice(data);
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let mut output = Vec::new();
    server::serve(Cursor::new(input), &mut output, &names).expect("memory does not fail");
}

/// Fixes, made again and again: what is mended is as good a text as it was.
fn fixes(data: &[u8]) {
    let mut content = data.to_vec();
    for _ in 0..3 {
        let report = check(&[("a.sql", &content)]);
        let fixes = report.findings.iter().filter_map(|finding| finding.fix.as_ref());
        let (edits, count) = fix::choose(content.len(), fixes);
        if count == 0 {
            return;
        }
        let was_text = std::str::from_utf8(&content).is_ok();
        content = fix::apply(&content, edits);
        assert!(!was_text || std::str::from_utf8(&content).is_ok(), "a fix has cut a character");
    }
}

fn check(files: &[(&str, &[u8])]) -> Report {
    check_with(files, &Settings::default())
}

/// Lints the files: each place is one in its file, every format is well-formed, and nothing failed inside.
fn check_with(files: &[(&str, &[u8])], settings: &Settings) -> Report {
    let project = Memory::new(files.iter().copied());
    let report = lint(&project, &Targets::all(&project), settings);
    let failed = report.notices.iter().find(|notice| notice.message.contains("internal-error"));
    assert!(failed.is_none(), "{failed:?}");
    report.findings.iter().for_each(|finding| places(&report, finding));
    let paths = Paths::default();
    // Without findings there is little to write, and SARIF tells of every rule all the same. To write and to read again takes
    // longer than the lint, so it is done for one input in eight.
    let sum = files.iter().flat_map(|(_, content)| *content).fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    if report.findings.is_empty() || sum % 8 != 0 {
        return report;
    }
    for format in [Format::Text, Format::Concise, Format::Json, Format::Sarif, Format::Github, Format::Gitlab] {
        let mut out = Vec::new();
        let options = Options { color: false, quiet: false, paths: &paths, rules: RULES };
        emit(&report, format, &options, &mut out).expect("memory does not fail");
        let text = std::str::from_utf8(&out).expect("a report is text");
        if matches!(format, Format::Json | Format::Sarif | Format::Gitlab) {
            serde_json::from_str::<serde_json::Value>(text).expect("a report is JSON");
        }
    }
    report
}

/// Whether each place of a finding is one in its file.
fn places(report: &Report, finding: &Finding) {
    let text = |place| report.source(place).text();
    for place in std::iter::once(finding.at).chain(finding.related.iter().map(|related| related.at)) {
        assert!(text(place).get(place.span.range()).is_some(), "{place:?} is no place in the text");
    }
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
    for span in edits.chain([finding.statement]) {
        assert!(text(finding.at).get(span.range()).is_some(), "{span:?} is no place in the text");
    }
}
