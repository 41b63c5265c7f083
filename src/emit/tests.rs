use super::position::Columns;
use super::*;
use crate::finding::{FileId, Level, Related, Summary};
use crate::language::Language;
use crate::settings::{Config, ConfigError};
use crate::source::Source;
use crate::span::Span;
use std::sync::Arc;

/// A report with one finding per span, of the first span's story the others are part where `related` says so.
fn report(path: &str, text: &str, spans: &[Span], related: bool) -> Report {
    let source = Arc::new(Source::new(path.into(), Language::Sql, text.as_bytes().to_vec()).unwrap());
    let finding = |span: Span, rest: &[Span]| Finding {
        rule: "missing-unlock",
        level: Level::Warning,
        message: "nothing releases this key".to_owned(),
        at: Place::new(FileId(0), span),
        related: rest
            .iter()
            .map(|&span| Related { at: Place::new(FileId(0), span), message: "taken here".to_owned() })
            .collect(),
        help: Some("release it".to_owned()),
        fix: None,
        statement: span,
        unit: String::new(),
        fingerprint: "0".repeat(32),
        identity: String::new(),
    };
    Report {
        findings: if related {
            vec![finding(spans[0], &spans[1..])]
        } else {
            spans.iter().map(|&span| finding(span, &[])).collect()
        },
        sources: [(FileId(0), source)].into(),
        summary: Summary { files: 1204, lock_sites: 14, understood: 13, warnings: 2, ..Summary::default() },
        ..Report::default()
    }
}

fn render(report: &Report, format: Format) -> String {
    let mut out = Vec::new();
    let options = Options { color: false, quiet: false, paths: &Paths::default(), rules: crate::rules::RULES };
    emit(report, format, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn span_of(text: &str, word: &str) -> Span {
    let start = text.find(word).unwrap();
    Span::new(start, start + word.len())
}

#[test]
fn columns_agree_with_a_count_of_characters() {
    let text = format!("\u{FEFF}é😀\tx\r\nsecond\rthird {}\nlast", "aé😀".repeat(5000));
    let source = Source::new("a.sql".into(), Language::Sql, text.clone().into_bytes()).unwrap();
    let columns = Columns::new(&source);
    let (mut line, mut column) = (1, 1);
    let mut characters = text.char_indices().peekable();
    characters.next();
    while let Some((offset, c)) = characters.next() {
        let position = columns.at(offset);
        assert_eq!((position.line, position.column), (line, column), "byte {offset}, {c:?}");
        let next = characters.peek().map(|&(_, c)| c);
        if c == '\n' || (c == '\r' && next != Some('\n')) {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    assert_eq!(columns.at(text.len()).line, 4);
    assert_eq!(columns.at(usize::MAX).column, 5);
    assert_eq!((columns.at(0).line, columns.at(0).column), (1, 1));
}

#[test]
fn the_text_shows_the_line_the_story_and_the_figures() {
    let text = "SELECT 1;\nSELECT pg_advisory_lock(1);\n-- between\nSELECT pg_advisory_unlock(2);\n";
    let spans = [span_of(text, "pg_advisory_unlock(2)"), span_of(text, "pg_advisory_lock(1)")];
    let expected = "\
warning[missing-unlock]: nothing releases this key
  ┌─ db/a.sql:4:8
  │
2 │ SELECT pg_advisory_lock(1);
  │        ------------------- taken here
3 │ -- between
4 │ SELECT pg_advisory_unlock(2);
  │        ^^^^^^^^^^^^^^^^^^^^^
  │
  = help: release it
  = see rules/missing-unlock.md or `locklint explain missing-unlock`

1,204 files, 14 lock sites, 13 understood, 2 warnings
";
    assert_eq!(render(&report("db/a.sql", text, &spans, true), Format::Text), expected);
}

#[test]
fn a_long_line_is_cut_around_the_mark() {
    let filler = "é".repeat(1_000_000);
    let text = format!("{filler} pg_advisory_lock(1) {filler} far away {filler}");
    let spans = [span_of(&text, "pg_advisory_lock(1)"), span_of(&text, "far away")];
    let shown = render(&report("a.sql", &text, &spans, true), Format::Text);
    assert!(shown.len() < 1500, "{}", shown.len());
    assert!(shown.contains("a.sql:1:1000002\n"), "{shown}");
    assert!(shown.contains("é pg_advisory_lock(1) é"), "{shown}");
    // It has no room for the second place, which is told in words.
    assert!(shown.contains("= a.sql:1:2000023: taken here"), "{shown}");
    let wide = render(&report("a.sql", &text, &[Span::new(0, text.len())], false), Format::Text);
    assert!(wide.len() < 2000, "{}", wide.len());
}

#[test]
fn many_findings_on_one_long_line_end() {
    let text = "SELECT pg_advisory_lock(1); ".repeat(100_000);
    let spans: Vec<Span> = (0..2000).map(|i| Span::new(i * 1400 + 7, i * 1400 + 26)).collect();
    let shown = render(&report("a.sql", &text, &spans, false), Format::Concise);
    assert!(shown.contains("a.sql:1:2798608: "), "{}", &shown[shown.len() - 90..]);
}

#[test]
fn nothing_from_a_file_drives_the_terminal() {
    let text = "SELECT '\u{1b}[2J\u{202e}', pg_advisory_lock(1);\u{7}\u{9b}31m";
    let mut report = report("a\u{1b}]0;x\u{7}.sql", text, &[span_of(text, "pg_advisory_lock(1)")], false);
    report.findings[0].message = "key\n::error::\r\u{1b}[1m".to_owned();
    report.findings[0].help = Some("help\u{1b}[0m".to_owned());
    for format in [Format::Text, Format::Concise, Format::Github] {
        let shown = render(&report, format);
        let bad: Vec<char> = shown.chars().filter(|&c| (c.is_control() && c != '\n') || c == '\u{202e}').collect();
        assert_eq!(bad, [], "{format:?}: {shown}");
        assert!(!shown.contains("\n::error::"), "{format:?}: {shown}");
    }
    let shown = render(&report, Format::Text);
    assert!(shown.contains(r"SELECT '\u{1b}[2J\u{202e}', pg_advisory_lock(1);"), "{shown}");
    // The caret stands under the call, behind what was spelled out.
    let lines: Vec<&str> = shown.split('\n').collect();
    let at = lines.iter().position(|line| line.contains("SELECT")).unwrap();
    let column = |line: &str, what: &str| line[..line.find(what).unwrap()].chars().count();
    assert_eq!(column(lines[at], "pg_advisory"), column(lines[at + 1], "^"));
}

#[test]
fn a_place_that_ends_with_its_line_or_at_the_end_of_the_file_is_shown() {
    let text = "\u{FEFF}SELECT\r\n  1;\r\n";
    for (span, at) in [
        (Span::new(3, 11), "a.sql:1:1"),
        (Span::new(0, 3), "a.sql:1:1"),
        (Span::new(text.len(), text.len()), "a.sql:3:1"),
        (Span::new(3, text.len()), "a.sql:1:1"),
    ] {
        let shown = render(&report("a.sql", text, &[span], false), Format::Text);
        assert!(shown.contains(at), "{span:?}: {shown}");
    }
    let long = format!("SELECT\n{}1;", "x,\n".repeat(50));
    let shown = render(&report("a.sql", &long, &[Span::new(0, long.len())], false), Format::Text);
    assert!(shown.len() < 400, "{shown}");
}

#[test]
fn a_configuration_error_shows_its_line() {
    let text = "pooling = \"none\"\n[rules]\nmissing-unlok = \"off\"\n";
    let error = Config::parse("db/locklint.toml", text, &["missing-unlock"]).unwrap_err();
    let mut out = Vec::new();
    config_error(&error, false, &mut out).unwrap();
    let expected = "\
error: unknown rule `missing-unlok`
  ┌─ db/locklint.toml:3:1
  │
3 │ missing-unlok = \"off\"
  │ ^^^^^^^^^^^^^
  │
  = help: did you mean `missing-unlock`?

";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    let binary = ConfigError { text: "\0".into(), span: 0..9, ..error };
    let mut out = Vec::new();
    config_error(&binary, false, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("db/locklint.toml: unknown rule"));
}

#[test]
fn github_is_given_ten_annotations_the_surest_first() {
    let text = "SELECT pg_advisory_lock(1);\n".repeat(12);
    let spans: Vec<Span> = (0..12).map(|i| Span::new(i * 28 + 7, i * 28 + 26)).collect();
    let mut report = report("a,b:c.sql", &text, &spans, false);
    report.findings[11].level = Level::Error;
    report.findings[11].message = "100% ##[group]x".to_owned();
    report.findings[11].at.span.end += 3;
    let shown = render(&report, Format::Github);
    let lines: Vec<&str> = shown.trim_end().split('\n').collect();
    assert_eq!(lines.iter().filter(|line| line.starts_with("::")).count(), 10);
    // Over a line's end there is no column.
    assert_eq!(
        lines[0],
        "::error file=a%2Cb%3Ac.sql,line=12,endLine=13,title=locklint%3A missing-unlock\
         ::a,b:c.sql:12:8: 100%25 ##[group]x%0Arelease it"
    );
    assert_eq!(
        lines[1],
        "::warning file=a%2Cb%3Ac.sql,line=1,endLine=1,col=8,endColumn=27,title=locklint%3A missing-unlock\
         ::a,b:c.sql:1:8: nothing releases this key%0Arelease it"
    );
    assert_eq!(lines[10], "a,b:c.sql:10:8: warning[missing-unlock] nothing releases this key");
    assert_eq!(lines[12], "10 findings are annotations, 2 more are in this log only");
    assert_eq!(lines[13], "1,204 files, 14 lock sites, 13 understood, 2 warnings");
}

#[test]
fn gitlab_is_given_unique_fingerprints() {
    let text = "SELECT pg_advisory_lock(1);\n".repeat(2);
    let spans = [Span::new(7, 26), Span::new(35, 54)];
    let shown = render(&report("a.sql", &text, &spans, false), Format::Gitlab);
    let issues: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(issues[0]["fingerprint"], "0".repeat(32));
    assert_eq!(issues[1]["fingerprint"], format!("{}-2", "0".repeat(32)));
    assert_eq!(issues[1]["location"]["lines"]["begin"], 2);
    assert_eq!(issues[1]["severity"], "minor");
}

#[test]
fn pages_are_read_without_their_marks() {
    let mut marked = 0;
    for rule in crate::rules::RULES {
        let text = page_text(rule);
        let marks = MARKS.iter().map(|mark| rule.page.matches(mark).count()).sum::<usize>();
        assert!(marks > 0 && !text.contains('~'), "{}", rule.name);
        // Nothing but the marks is gone.
        let mut lines = text.split('\n');
        for line in rule.page.split('\n').filter(|line| !line.contains('~')) {
            assert!(lines.any(|kept| kept == line), "{}: {line}", rule.name);
        }
        marked += marks;
    }
    assert!(marked > 100);
}

#[test]
fn numbers_are_grouped() {
    let shown: Vec<String> = [0, 7, 999, 1000, 1_234_567].into_iter().map(grouped).collect();
    assert_eq!(shown, ["0", "7", "999", "1,000", "1,234,567"]);
    assert_eq!(counted(1, "file"), "1 file");
}
