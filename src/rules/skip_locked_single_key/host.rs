//! The same where a query builder says it and no SQL stands in the source.

use super::{OF_LOCK, OF_STATE, RULE, SAID, is_called_so, is_said_so, names_the_lock, without};
use crate::builders::Evidence;
use crate::finding::{Level, Place};
use crate::program::missing;
use crate::rule::{Context, Sink};
use crate::span::Span;
use crate::statement::Missing;

pub(super) fn check(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let text = file.source.text();
    for lock in file.builder_locks.iter().filter(|lock| lock.skips) {
        let Some(row) = lock.row else {
            sink.silent(&RULE, context, lock.at, "its conditions do not name one row");
            continue;
        };
        let function = lock.function.and_then(|index| file.program.functions.get(index));
        let name = function.map_or("", |function| function.name);
        let end = function.map_or(text.len(), |function| function.span.end);
        let when_missing = if row.expects_one {
            missing::after_failure(text, lock.chain.end, end)
        } else {
            missing::after(text, row.end, end)
        };
        let callers = || function.and_then(|function| missing::of_callers(text, function, &file.program));
        let when_missing = match when_missing {
            None => callers().filter(|callers| *callers == Missing::Skipped),
            Some(Missing::HandedOn) => callers().or(when_missing),
            known => known,
        };
        if let Some(why) = when_missing.and_then(without) {
            sink.silent(&RULE, context, lock.at, why);
            continue;
        }
        let start = function.map_or(0, |function| function.span.start);
        if is_called_so(name) || is_said_so(context, whole(text, lock.chain, start)) {
            sink.silent(&RULE, context, lock.at, SAID);
            continue;
        }
        let expected = row.expects_one || when_missing == Some(Missing::Fails);
        if row.evidence == Evidence::Guess && !expected {
            continue;
        }
        let fails = when_missing == Some(Missing::Fails);
        if !fails && row.state && !row.expects_one {
            sink.silent(&RULE, context, lock.at, OF_STATE);
            continue;
        }
        if when_missing.is_none() && names_the_lock(name) {
            sink.silent(&RULE, context, lock.at, OF_LOCK);
            continue;
        }
        let level = if expected && !row.state { Level::Warning } else { Level::Note };
        sink.report(
            &RULE,
            level,
            Place::new(file.id, lock.at),
            "SKIP LOCKED on one row: no row then means that it is missing or that it is locked, \
             and nobody can tell which",
        )
        .statement(lock.chain)
        .unit(name)
        .related(Place::new(file.id, row.key), "this names one row")
        .help("wait with a plain row lock, or use NOWAIT, which fails with SQLSTATE 55P03 when the row is locked");
    }
}

/// A chain with what it is an argument of, from the beginning of that line on; nothing before `start` is looked at.
fn whole(text: &str, chain: Span, start: usize) -> Span {
    let mut closed = 0_usize;
    let mut opened = chain.start;
    for (at, c) in text.get(start..chain.start).unwrap_or_default().char_indices().rev() {
        match c {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed > 0 => closed -= 1,
            '(' | '[' => opened = start + at,
            // A function that is an argument of the call around: `.whereIn("id", function () {`.
            '{' if is_function(text.get(..start + at).unwrap_or_default()) => opened = start + at,
            // The block around.
            '{' => break,
            _ => {}
        }
    }
    let begins = |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let mut line = begins(opened);
    // A chain goes on from the line before.
    while line > start && text.get(line..).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('.')) {
        line = begins(line - 1);
    }
    let indent = text.get(line..opened).map_or(0, |line| line.len() - line.trim_start().len());
    Span::new(line + indent, chain.end)
}

/// Whether a block that begins here is the body of a function that has no name.
fn is_function(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    line.ends_with("=>") || line.ends_with(')') && line.contains("function (") || line.ends_with("function()")
}
