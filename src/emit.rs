//! From a report to bytes, in one of the formats. Lines and columns are computed here and nowhere else.

mod concise;
mod github;
mod gitlab;
mod json;
mod keys;
mod position;
mod sarif;
mod snippet;
#[cfg(test)]
mod tests;
mod text;
mod visible;
mod why;

pub use keys::{KeysFormat, keys};
pub use snippet::config_error;
pub use visible::visible;
pub use why::why;

use crate::finding::{Finding, Level, Place, Report};
use crate::paths::Paths;
use crate::rule::Rule;
use position::{Position, Positions};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

/// Where the rule pages are, relative to the repository of this tool.
pub const RULE_PAGES: &str = "rules/";

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// With the lines in question, for people
    Text,
    /// One line per finding: path:line:column: level[rule] message
    Concise,
    /// One object, described in docs/json.md
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// GitLab's code quality report
    Gitlab,
}

/// How to write a report.
#[derive(Clone, Debug)]
pub struct Options<'o> {
    /// Whether the output may hold colour.
    pub color: bool,
    /// Whether to leave out what is no finding.
    pub quiet: bool,
    /// How paths are shown.
    pub paths: &'o Paths,
    /// All rules.
    pub rules: &'o [&'static Rule],
}

/// Writes a report.
///
/// # Errors
/// Where `out` fails.
pub fn emit(report: &Report, format: Format, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let view = View { report, options, positions: Positions::new(&report.sources) };
    match format {
        Format::Text => text::emit(&view, out),
        Format::Concise => concise::emit(&view, out),
        Format::Json => json::emit(&view, out),
        Format::Sarif => sarif::emit(&view, out),
        Format::Github => github::emit(&view, out),
        Format::Gitlab => gitlab::emit(&view, out),
    }
}

/// Writes how many findings each rule has, the most first, instead of the findings.
///
/// # Errors
/// Where `out` fails.
pub fn statistics(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut counts: BTreeMap<(&str, Reverse<Level>), usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry((finding.rule, Reverse(finding.level))).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|&(row, count)| (Reverse(count), row));
    let width = rows.iter().map(|(_, count)| grouped(*count).len()).max().unwrap_or(0);
    for ((rule, Reverse(level)), count) in rows {
        writeln!(out, "{:>width$}  {:7}  {rule}", grouped(count), level.as_str())?;
    }
    if options.quiet {
        return Ok(());
    }
    writeln!(out, "{}", View { report, options, positions: Positions::new(&report.sources) }.summary())
}

/// A report as emitters see it.
struct View<'v> {
    report: &'v Report,
    options: &'v Options<'v>,
    positions: Positions<'v>,
}

impl View<'_> {
    fn start(&self, at: Place) -> Position {
        self.positions.of(at.file, at.span.start)
    }

    fn end(&self, at: Place) -> Position {
        self.positions.of(at.file, at.span.end)
    }

    /// The path for a person.
    fn shown(&self, at: Place) -> Cow<'_, str> {
        self.options.paths.shown(self.report.source(at).path())
    }

    /// The path for a service.
    fn in_repository(&self, at: Place) -> String {
        self.options.paths.in_repository(self.report.source(at).path())
    }

    /// `path:line:column: level[rule] message` on one line, safe for a terminal.
    fn line(&self, finding: &Finding) -> String {
        let start = self.start(finding.at);
        format!(
            "{}:{}:{}: {}[{}] {}",
            visible(&self.shown(finding.at)),
            start.line,
            start.column,
            finding.level,
            finding.rule,
            visible(&finding.message)
        )
    }

    /// `1,204 files, 14 lock sites, 13 understood, 2 warnings`.
    fn summary(&self) -> String {
        let figures = self.report.summary;
        let mut parts = vec![
            counted(figures.files, "file"),
            counted(figures.lock_sites, "lock site"),
            format!("{} understood", grouped(figures.understood)),
        ];
        let levels = [(figures.errors, "error"), (figures.warnings, "warning"), (figures.notes, "note")];
        parts.extend(levels.iter().filter(|(count, _)| *count > 0).map(|&(count, word)| counted(count, word)));
        if levels.iter().all(|(count, _)| *count == 0) {
            parts.push("nothing found".to_owned());
        }
        if self.report.in_tests > 0 {
            parts.push(format!("{} in test code left out", grouped(self.report.in_tests)));
        }
        if self.report.known > 0 {
            parts.push(format!("{} known from before left out", grouped(self.report.known)));
        }
        parts.join(", ")
    }
}

/// What marks in a page's examples, by the comments of their languages, what is to be found there.
const MARKS: [&str; 3] = ["--~", "//~", "#~"];

/// The page of a rule for a reader: without the marks that make its examples tests.
pub(crate) fn page_text(rule: &Rule) -> String {
    let text = |line: &'static str| {
        let Some(mark) = MARKS.iter().filter_map(|mark| line.find(mark)).min() else { return Some(line) };
        let code = line[..mark].trim_end();
        // A mark may have a line of its own.
        (!code.is_empty()).then_some(code)
    };
    rule.page.split('\n').filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Where the page of a rule is.
pub(crate) fn page(rule: &str) -> String {
    format!("{RULE_PAGES}{rule}.md")
}

/// `1,204 files`, `1 file`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(count))
}

/// A number with a comma before each group of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
