//! Which sites a line is about.

use crate::analysis::File;
use crate::prefilter;
use crate::span::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many lines with sites are told where a line has none.
const MAX_LINES: usize = 12;

/// A site that a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Chosen {
    pub(super) at: Span,
    /// The call on the line that runs it, where it stands elsewhere.
    pub(super) run_at: Option<Span>,
}

/// A line, 0-based; or why there is none.
pub(super) fn span(file: &File<'_>, line: usize) -> Result<Span, String> {
    let lines = file.source.lines();
    let end = file.source.file_text().len();
    // After the last line end no line begins.
    let last = lines.count() - 1;
    let count = lines.count() - usize::from(last > 0 && lines.start(last) == Some(end));
    match lines.start(line).filter(|_| line < count) {
        Some(start) => Ok(Span::new(start, lines.start(line + 1).unwrap_or(end))),
        None if count == 1 => Err("the file has 1 line".to_owned()),
        None => Err(format!("the file has {count} lines")),
    }
}

/// The sites on a line; where there is none, those that a call on it runs, or those whose statement goes over it.
pub(super) fn sites_at(file: &File<'_>, line: Span) -> Vec<Chosen> {
    let all = sites(file);
    let on_line: Vec<Chosen> =
        all.keys().filter(|at| overlap(**at, line)).map(|at| Chosen { at: *at, run_at: None }).collect();
    if !on_line.is_empty() {
        return on_line;
    }
    let begins = |at: Span| line.start <= at.start && at.start < line.end;
    let run = file.ran.iter().filter(|(run_at, _)| begins(*run_at));
    let run: Vec<Chosen> = run.map(|(run_at, at)| Chosen { at: *at, run_at: Some(*run_at) }).collect();
    if !run.is_empty() {
        return run;
    }
    all.into_iter().filter(|(_, of)| overlap(*of, line)).map(|(at, _)| Chosen { at, run_at: None }).collect()
}

/// The sites of a file, each with the statement that holds it.
fn sites(file: &File<'_>) -> BTreeMap<Span, Span> {
    let mut found = BTreeMap::new();
    for statement in &file.statements {
        found.extend(statement.locks.iter().map(|lock| (lock.span, statement.anchor)));
        found.extend(statement.row_locks().map(|(_, lock)| (statement.source(&lock.tokens), statement.anchor)));
    }
    let of_units = file.units.iter().flat_map(|flow| &flow.unit.sites);
    found.extend(of_units.map(|site| (site.span, site.statement)));
    found.extend(file.builder_locks.iter().map(|lock| (lock.at, lock.chain)));
    found.extend(file.builder_calls.iter().map(|call| (call.at, call.at)));
    found
}

pub(super) const fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

/// Why nothing is recognised on a line of a file that was read.
pub(super) fn unrecognised(file: &File<'_>, line: Span) -> String {
    if file.is_left_out(Span::new(line.start, line.start)) {
        return "a later definition replaces this routine, so what stands in it is not looked at".to_owned();
    }
    let text = file.source.slice(line);
    let word = prefilter::may_lock(text.as_bytes());
    let inside = |spans: &[Span]| spans.iter().any(|span| overlap(*span, line));
    let why = if word && inside(&file.comments) {
        "a comment stands here, which is not looked at"
    } else if word && inside(&file.program.literals) {
        "the text here is not taken for a query: it does not begin like one, or it is shown, compared or documentation"
    } else if word {
        "a word stands here from which a rule starts, but no lock call or locking clause was read"
    } else {
        "no lock call and no locking clause stands on this line, or in a statement that goes over it"
    };
    let lines = file.source.lines();
    let known: BTreeSet<usize> = sites(file).keys().map(|at| lines.line(at.start) + 1).collect();
    let shown: Vec<String> = known.iter().take(MAX_LINES).map(usize::to_string).collect();
    match shown.len() {
        0 => format!("{why}; the file has none that was read"),
        all if all < known.len() => format!("{why}; the file has some on lines {} and more", shown.join(", ")),
        1 => format!("{why}; the file has some on line {}", shown.join(", ")),
        _ => format!("{why}; the file has some on lines {}", shown.join(", ")),
    }
}
