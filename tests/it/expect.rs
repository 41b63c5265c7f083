//! Expectations in comments: `~ level rule: text` on the line where the finding begins, `~^` for the line above. The
//! text is the exact source text of the primary span, with `…` for anything in between. `~ clean` expects nothing.

use locklint::finding::Report;
use locklint::lint::lint;
use locklint::project::{Memory, Project, Targets};
use locklint::settings::Settings;
use std::fmt::Write;

/// One expected finding.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Expected {
    pub(crate) path: String,
    /// 1-based.
    pub(crate) line: usize,
    pub(crate) level: String,
    pub(crate) rule: String,
    pub(crate) text: String,
}

/// The expectations in a file's text; `None` where it says nothing, not even `~ clean`.
pub(crate) fn read(path: &str, text: &str) -> Option<Vec<Expected>> {
    let mut found = Vec::new();
    let mut said = false;
    for (index, line) in text.split('\n').enumerate() {
        // `-- x` in SQL, `// x` and `# x` in host code.
        for part in
            line.split("~").zip(line.split("~").skip(1)).filter_map(|(before, part)| is_mark(before).then_some(part))
        {
            let above = part.starts_with('^');
            let words = part.trim_start_matches('^').trim();
            said = true;
            if words == "clean" {
                continue;
            }
            let (head, text) = words.split_once(": ").unwrap_or_else(|| panic!("{path}:{}: `{words}`", index + 1));
            let (level, rule) = head.split_once(' ').unwrap_or_else(|| panic!("{path}:{}: `{head}`", index + 1));
            found.push(Expected {
                path: path.to_owned(),
                line: index + 1 - usize::from(above),
                level: level.to_owned(),
                rule: rule.to_owned(),
                text: text.trim_end_matches(['-', '/', '#']).trim_end().to_owned(),
            });
        }
    }
    said.then_some(found)
}

fn is_mark(before: &str) -> bool {
    ["--", "//", "#"].iter().any(|comment| before.ends_with(comment))
}

/// Lints the files as one project and compares; the answer lists what differs, empty if nothing does.
pub(crate) fn differences(files: &[(String, String)], expected: Vec<Expected>) -> String {
    let project = Memory::new(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    let report = lint(&project, &Targets::all(&project), &Settings::default());
    compare(&project, &report, expected)
}

fn compare(project: &dyn Project, report: &Report, mut expected: Vec<Expected>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let source = report.source(finding.at);
        let text = source.slice(finding.at.span);
        // Counted here by hand: a second witness to the line table.
        let line = source.text()[..finding.at.span.start].matches('\n').count() + 1;
        let path = &project.files()[finding.at.file.0 as usize].path;
        let position = expected.iter().position(|want| {
            want.path == **path
                && want.line == line
                && want.rule == finding.rule
                && want.level == finding.level.as_str()
                && same_text(&want.text, text)
        });
        match position {
            Some(index) => {
                expected.swap_remove(index);
            }
            None => {
                let _ = writeln!(out, "  not expected: {path}:{line}: {} {}: {text}", finding.level, finding.rule);
            }
        }
    }
    for want in expected {
        let _ = writeln!(out, "  missing: {}:{}: {} {}: {}", want.path, want.line, want.level, want.rule, want.text);
    }
    out
}

fn same_text(want: &str, text: &str) -> bool {
    match want.split_once('…') {
        Some((head, tail)) => text.starts_with(head) && text.ends_with(tail),
        None => text == want,
    }
}
