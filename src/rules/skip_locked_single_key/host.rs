//! The same where a query builder says it and no SQL stands in the source.

use super::{RULE, is_called_so, is_said_so};
use crate::builders::{Evidence, skips};
use crate::finding::{Level, Place};
use crate::language::Language;
use crate::program::missing;
use crate::rule::{Context, Sink};
use crate::statement::Missing;

pub(super) fn check(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let Language::Host(language) = file.source.language() else { return };
    let text = file.source.text();
    for skip in skips(text, language, &file.program) {
        let function = skip.function.and_then(|index| file.program.functions.get(index));
        let name = function.map_or("", |function| function.name);
        let end = function.map_or(text.len(), |function| function.span.end);
        let when_missing = missing::after(text, skip.chain.end, end);
        if when_missing == Some(Missing::GoesOn) || is_called_so(name) || is_said_so(context, skip.chain) {
            continue;
        }
        let expected = skip.expects_one || when_missing == Some(Missing::Fails);
        if skip.evidence == Evidence::Guess && !expected {
            continue;
        }
        let level = if expected && !skip.state { Level::Warning } else { Level::Note };
        sink.report(
            &RULE,
            level,
            Place::new(file.id, skip.at),
            "SKIP LOCKED on one row: no row then means that it is missing or that it is locked, \
             and nobody can tell which",
        )
        .statement(skip.chain)
        .unit(name)
        .related(Place::new(file.id, skip.key), "this names one row")
        .help("wait with a plain row lock, or use NOWAIT, which fails with SQLSTATE 55P03 when the row is locked");
    }
}
