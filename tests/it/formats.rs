//! One report in all formats: each selects the marked text. Lines and columns are turned back into text by a counter that
//! shares nothing with the emitters.

use locklint::emit::{Format, Options, emit};
use locklint::finding::{Edit, FileId, Finding, Fix, Level, Notice, Place, Related, Report, Summary};
use locklint::language::Language;
use locklint::paths::Paths;
use locklint::rules::RULES;
use locklint::source::Source;
use locklint::span::Span;
use serde_json::Value;
use std::sync::Arc;

const LOCK: &str = "pg_advisory_lock(1)";
const WIDE: &str = "pg_try_advisory_lock(\r\n  7\r\n)";

/// Path, text, and what is marked in it.
const FILES: &[(&str, &str, &str)] = &[
    ("app/bom.sql", "\u{FEFF}SELECT pg_advisory_lock(1);\n", LOCK),
    ("app/cr.sql", "-- a\r-- b\rSELECT pg_advisory_lock(1);\r", LOCK),
    ("app/crlf.sql", "SELECT 1;\r\nSELECT 'é', pg_try_advisory_lock(\r\n  7\r\n);\r\n", WIDE),
    ("app/end.sql", "\n\nSELECT pg_advisory_lock(1)", LOCK),
    ("app/tab é #.sql", "\tSELECT\t'ß😀',\tpg_advisory_lock(1);", LOCK),
];

fn report() -> Report {
    let mut report = Report {
        notices: vec![Notice {
            path: "app/bin.sql".into(),
            message: "not linted: not text".to_owned(),
            trouble: false,
        }],
        summary: Summary { files: FILES.len(), lock_sites: 5, understood: 5, errors: 5, ..Summary::default() },
        ..Report::default()
    };
    for (index, (path, text, marked)) in FILES.iter().enumerate() {
        let file = FileId(u32::try_from(index).unwrap());
        let start = text.find(marked).unwrap();
        let at = Place::new(file, Span::new(start, start + marked.len()));
        let source = Source::new((*path).into(), Language::Sql, text.as_bytes().to_vec()).unwrap();
        report.sources.insert(file, Arc::new(source));
        report.findings.push(Finding {
            rule: "unused-suppression",
            level: Level::Error,
            message: format!("message {index}"),
            at,
            related: vec![Related { at, message: "the same again".to_owned() }],
            help: Some("write something else".to_owned()),
            fix: Some(Fix {
                title: "write it".to_owned(),
                safe: true,
                edits: vec![Edit { span: at.span, text: "x".to_owned() }],
            }),
            statement: at.span,
            unit: String::new(),
            fingerprint: format!("{index:032x}"),
            identity: String::new(),
        });
    }
    report
}

fn render(format: Format) -> String {
    let paths = Paths::new("app".to_owned(), String::new(), "sub".to_owned());
    let options = Options { color: false, quiet: false, paths: &paths, rules: RULES };
    let mut out = Vec::new();
    emit(&report(), format, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn json(format: Format) -> Value {
    serde_json::from_str(&render(format)).unwrap()
}

/// The text of a file from a 1-based line and column on, columns in characters.
fn from(text: &str, line: u64, column: u64) -> &str {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut rest = text;
    for _ in 1..line {
        let end = rest.find(['\r', '\n']).unwrap();
        rest = rest[end..].strip_prefix("\r\n").unwrap_or(&rest[end + 1..]);
    }
    for _ in 1..column {
        let first = rest.chars().next().unwrap();
        assert!(!matches!(first, '\r' | '\n'), "column {column} is beyond line {line}");
        rest = &rest[first.len_utf8()..];
    }
    rest
}

/// The text between two positions.
fn between(text: &str, start: (u64, u64), end: (u64, u64)) -> &str {
    let (start, end) = (from(text, start.0, start.1), from(text, end.0, end.1));
    &start[..start.len() - end.len()]
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn the_counter_counts() {
    assert_eq!(from("ab\r\ncd\re😀f\n", 3, 3), "f\n");
    assert_eq!(between("\u{FEFF}ab\nc", (1, 2), (2, 1)), "b\n");
}

#[test]
fn json_selects_the_marked_text() {
    let report = json(Format::Json);
    assert_eq!(report["schema"], 1);
    assert_eq!(report["tool"]["name"], "locklint");
    assert_eq!(report["summary"]["errors"], 5);
    let diagnostics = report["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), FILES.len());
    for (diagnostic, (path, text, marked)) in diagnostics.iter().zip(FILES) {
        assert_eq!(diagnostic["path"], path.strip_prefix("app/").unwrap());
        assert_eq!(diagnostic["url"], "rules/unused-suppression.md");
        let edit = &diagnostic["fix"]["edits"][0];
        for place in [diagnostic, &diagnostic["related"][0], edit] {
            let position = |name: &str| {
                let position = &place[name];
                (number(&position["line"]), number(&position["column"]))
            };
            let offset = |name: &str| usize::try_from(number(&place[name]["offset"])).unwrap();
            assert_eq!(&text[offset("start")..offset("end")], *marked, "{path}");
            assert_eq!(between(text, position("start"), position("end")), *marked, "{path}");
        }
    }
    // The contract names these keys and no others.
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&report), "diagnostics schema summary tool");
    assert_eq!(keys(&diagnostics[0]), "end fingerprint fix help level message path related rule start url");
    assert_eq!(keys(&diagnostics[0]["related"][0]), "end message path start");
    assert_eq!(keys(&diagnostics[0]["start"]), "column line offset");
    assert_eq!(keys(&diagnostics[0]["fix"]), "edits safe");
    assert_eq!(keys(&report["summary"]), "errors files lock_sites notes understood warnings");
}

#[test]
fn sarif_selects_the_marked_text_and_is_valid() {
    let log = json(Format::Sarif);
    let mut schema: Value = serde_json::from_str(include_str!("../data/sarif-2.1.0-rtm.5.json")).unwrap();
    // Where a language is named the schema has a pattern with a stray bracket; no report of ours names one.
    for owner in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][owner]["properties"]["language"];
        assert!(language.as_object_mut().unwrap().remove("pattern").is_some());
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(faults, [""; 0]);
    let mut broken = log.clone();
    broken["runs"][0]["columnKind"] = "utf8".into();
    assert!(!validator.is_valid(&broken), "the validator accepts anything");

    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), FILES.len());
    for (result, (path, text, marked)) in results.iter().zip(FILES) {
        for location in [&result["locations"][0], &result["relatedLocations"][0]] {
            let region = &location["physicalLocation"]["region"];
            let position = |line: &str, column: &str| (number(&region[line]), number(&region[column]));
            let start = position("startLine", "startColumn");
            assert_eq!(between(text, start, position("endLine", "endColumn")), *marked, "{path}");
        }
        assert!(result["partialFingerprints"]["locklint/v1"].is_string());
        assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_null());
        let index = usize::try_from(number(&result["ruleIndex"])).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    let uri = &results[4]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "sub/app/tab%20%C3%A9%20%23.sql");
    for rule in run["tool"]["driver"]["rules"].as_array().unwrap() {
        for key in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[key]["text"].as_str().unwrap().is_empty());
        }
        assert!(rule["help"]["markdown"].is_string() && rule["properties"]["problem.severity"].is_string());
        assert!(rule["properties"]["security-severity"].is_null());
    }
    let notice = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notice["message"]["text"], "not linted: not text");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn github_selects_the_marked_text() {
    let output = render(Format::Github);
    let commands: Vec<&str> = output.split('\n').filter(|line| line.starts_with("::")).collect();
    assert_eq!(commands.len(), FILES.len());
    for (command, (path, text, marked)) in commands.iter().zip(FILES) {
        let (properties, message) = command.strip_prefix("::error ").unwrap().split_once("::").unwrap();
        let property = |name: &str| {
            let mut pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
            pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
        };
        let count = |name: &str| property(name).map(|value| value.parse::<u64>().unwrap());
        assert_eq!(property("file").unwrap(), format!("sub/{path}"));
        let (line, end) = (count("line").unwrap(), count("endLine").unwrap());
        if line == end {
            let (start, end) = ((line, count("col").unwrap()), (end, count("endColumn").unwrap()));
            assert_eq!(between(text, start, end), *marked, "{path}");
        } else {
            assert_eq!((property("col"), property("endColumn")), (None, None));
            assert_eq!(usize::try_from(end - line).unwrap(), marked.matches('\n').count());
        }
        let rest = message.strip_prefix(&format!("sub/{path}:")).unwrap();
        let mut parts = rest.splitn(3, ':');
        let mut number = || parts.next().unwrap().parse().unwrap();
        assert!(from(text, number(), number()).starts_with(marked), "{path}");
    }
}

#[test]
fn gitlab_selects_the_marked_lines() {
    let issues = json(Format::Gitlab);
    for (issue, (path, text, marked)) in issues.as_array().unwrap().iter().zip(FILES) {
        assert_eq!(issue["location"]["path"], format!("sub/{path}"));
        let line = number(&issue["location"]["lines"]["begin"]);
        let first = marked.split('\r').next().unwrap();
        assert!(from(text, line, 1).split(['\r', '\n']).next().unwrap().contains(first));
    }
}

#[test]
fn concise_and_text_begin_at_the_marked_text() {
    let concise = render(Format::Concise);
    let text_output = render(Format::Text);
    let headers: Vec<&str> = text_output.split('\n').filter_map(|line| line.trim_start().strip_prefix("┌─ ")).collect();
    assert_eq!(headers.len(), FILES.len());
    for ((line, header), (path, text, marked)) in concise.split('\n').zip(headers).zip(FILES) {
        let shown = path.strip_prefix("app/").unwrap();
        for place in [line, header] {
            let rest = place.strip_prefix(&format!("{shown}:")).unwrap();
            let mut parts = rest.splitn(3, ':');
            let mut number = || parts.next().unwrap().parse().unwrap();
            assert!(from(text, number(), number()).starts_with(marked), "{place}");
        }
        assert!(line.contains(": error[unused-suppression] message "), "{line}");
    }
    // Under the marked text stand its carets.
    let lines: Vec<&str> = text_output.split('\n').collect();
    let at = lines.iter().position(|line| line.contains("3 │ SELECT pg_advisory_lock(1)")).unwrap();
    let carets = lines[at + 1];
    let start = carets.chars().position(|c| c == '^').unwrap();
    let under: String = lines[at].chars().skip(start).take(carets.chars().filter(|&c| c == '^').count()).collect();
    assert_eq!(under, LOCK);
    assert!(lines.iter().all(|line| line.trim_end() == *line), "{text_output}");
}

#[test]
fn colour_is_only_where_it_is_asked_for() {
    let paths = Paths::default();
    let mut options = Options { color: true, quiet: true, paths: &paths, rules: RULES };
    let mut coloured = Vec::new();
    emit(&report(), Format::Text, &options, &mut coloured).unwrap();
    assert!(coloured.contains(&0x1B));
    options.color = false;
    let mut plain = Vec::new();
    emit(&report(), Format::Text, &options, &mut plain).unwrap();
    assert!(!plain.contains(&0x1B));
    // What is left without colour is the same.
    assert_eq!(anstream::adapter::strip_bytes(&coloured).into_vec(), plain);
}
