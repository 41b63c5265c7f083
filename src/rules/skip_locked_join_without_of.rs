//! SKIP LOCKED over a join locks, and skips by, every joined table.

use crate::finding::{Edit, Fix, Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{FromItem, RowLock, Strength, Wait};
use crate::sql::lex::TokenKind;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-join-without-of",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/skip-locked-join-without-of.md"),
    checks: &[Check::Statement(check), Check::File(of_builders)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    for (query, lock) in statement.row_locks() {
        if lock.wait != Wait::SkipLocked {
            continue;
        }
        if !lock.of.is_empty() {
            sink.silent(&RULE, context, statement.source(&lock.tokens), "OF says whose rows are locked");
            continue;
        }
        let Some(select) = tree.query(query).select() else { continue };
        // A sub-select in FROM is locked through to its tables.
        let mut locked = select.from.iter().filter_map(|item| Some((item, *tree.reach_of(item).tables.first()?)));
        let (Some((queue, _)), Some((joined, table))) = (locked.next(), locked.next()) else {
            sink.silent(&RULE, context, statement.source(&lock.tokens), "it locks the rows of one table");
            continue;
        };
        let other = if joined.reference().is_empty() { &table.name } else { joined.reference() };
        let story = sink
            .at_tokens(
                &RULE,
                Level::Warning,
                context,
                (statement, &lock.tokens),
                if written(statement, joined).is_some_and(|at| tree.kind(at) == Some(TokenKind::Hole)) {
                    "this also locks the rows of the joined table, and skips every row whose joined row is locked"
                        .to_owned()
                } else {
                    format!("this also locks the rows of `{other}`, and skips every row whose `{other}` row is locked")
                },
            )
            .related(Place::new(context.file.id, statement.source(&joined.tokens)), "the joined table");
        if let Some(name) = written(statement, queue) {
            let story = story.help(format!(
                "add `OF {}` after the strength, if its rows are the ones to claim",
                statement.tree.raw(name)
            ));
            if let Some(spelled) = statement.spelled(name, lock.tokens.start, context.file.source) {
                story.fix(Fix {
                    title: format!("Lock the rows of {} only", statement.tree.raw(name)),
                    safe: false,
                    edits: add_of(statement, lock, spelled),
                });
            }
        }
    }
}

/// The same where a query builder says it.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    for lock in file.builder_locks.iter().filter(|lock| lock.skips) {
        let Some(joined) = lock.joined else { continue };
        sink.report(
            &RULE,
            Level::Warning,
            Place::new(file.id, lock.at),
            "this also locks the rows of the joined table, and skips every row whose joined row is locked",
        )
        .statement(lock.chain)
        .unit(file.builder_unit(lock))
        .related(Place::new(file.id, joined), "the joined table")
        .help("name the table whose rows are the ones to claim: FOR UPDATE OF it");
    }
}

/// The token that is the name by which OF knows an item.
fn written(statement: &Statement<'_>, item: &FromItem) -> Option<usize> {
    let tree = &statement.tree;
    let name = item.reference();
    let spelled = |index: &usize| {
        tree.ident(*index).is_some_and(|ident| ident == name) && tree.kind(index + 1) != Some(TokenKind::Dot)
    };
    item.tokens.clone().rev().find(spelled)
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
