//! SKIP LOCKED over a join locks, and skips by, every joined table.

use crate::finding::{Edit, Fix, Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{FromItem, RowLock, Strength, Wait};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-join-without-of",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/skip-locked-join-without-of.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    if !statement.tree.complete() {
        return;
    }
    for (query, lock) in statement.row_locks() {
        if lock.wait != Wait::SkipLocked || !lock.of.is_empty() {
            continue;
        }
        let Some(select) = statement.tree.query(query).select() else { continue };
        let tables: Vec<&FromItem> = select.from.iter().filter(|item| item.is_table()).collect();
        let [queue, joined, ..] = tables.as_slice() else { continue };
        let at = Place::new(context.file.id, statement.source(&lock.tokens));
        let (queue, other) = (queue.reference(), joined.reference());
        sink.report(
            &RULE,
            Level::Warning,
            at,
            format!("this also locks the rows of `{other}`, and skips every row whose `{other}` row is locked"),
        )
        .statement(statement.span)
        .unit(&statement.unit)
        .related(Place::new(context.file.id, statement.source(&joined.tokens)), "the joined table")
        .help(format!("add `OF {queue}` after the strength, if its rows are the ones to claim"))
        .fix(Fix {
            title: format!("Lock the rows of {queue} only"),
            safe: false,
            edits: add_of(statement, lock, queue),
        });
    }
}

/// ` OF table` after the strength.
fn add_of(statement: &Statement<'_>, lock: &RowLock, table: &str) -> Vec<Edit> {
    let words = match lock.strength {
        Strength::Update | Strength::Share => 2,
        Strength::KeyShare => 3,
        Strength::NoKeyUpdate => 4,
    };
    let strength = statement.source(&(lock.tokens.start..lock.tokens.start + words));
    vec![Edit { span: Span::new(strength.end, strength.end), text: format!(" OF {table}") }]
}
