//! Commands of a GitHub workflow, which become annotations of the changed lines. Only so many are shown per step: the
//! surest come first, the others go to the log.

use super::{View, visible};
use crate::finding::{Finding, Level};
use std::cmp::Reverse;
use std::io;

/// How many annotations of one step GitHub shows.
const SHOWN: usize = 10;

pub(super) fn emit(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut findings: Vec<&Finding> = view.report.findings.iter().collect();
    findings.sort_by_key(|finding| Reverse(finding.level));
    for (index, finding) in findings.iter().enumerate() {
        if index < SHOWN {
            writeln!(out, "{}", command(view, finding))?;
        } else {
            writeln!(out, "{}", log_line(&view.line(finding)))?;
        }
    }
    if let Some(more) = findings.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        writeln!(out, "{SHOWN} findings are annotations, {more} more are in this log only")?;
    }
    writeln!(out, "{}", view.summary())
}

fn command(view: &View<'_>, finding: &Finding) -> String {
    let kind = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let (start, end) = (view.start(finding.at), view.end(finding.at));
    let path = view.in_repository(finding.at);
    // Columns of a place over several lines are refused.
    let columns =
        if start.line == end.line { format!(",col={},endColumn={}", start.column, end.column) } else { String::new() };
    let mut message = format!("{path}:{}:{}: {}", start.line, start.column, finding.message);
    if let Some(help) = &finding.help {
        message.push('\n');
        message.push_str(help);
    }
    format!(
        "::{kind} file={},line={},endLine={}{columns},title={}::{}",
        property(&path),
        start.line,
        end.line,
        property(&format!("locklint: {}", finding.rule)),
        data(&message),
    )
}

/// The text of a command's message; line ends survive, nothing else that acts on a terminal.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    visible(&escaped).into_owned()
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line that the runner takes for no command, whatever path it begins with or quotes.
fn log_line(line: &str) -> String {
    let line = line.replace("##[", "## [");
    if line.starts_with("::") { format!("./{line}") } else { line }
}
