//! A lock call that never runs, or runs for nothing.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::Evaluation;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "lock-never-evaluated",
    level: Level::Error,
    rank: Rank::NeverTaken,
    page: include_str!("../../rules/lock-never-evaluated.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    if !statement.runs_sometime() {
        return;
    }
    // A call through a wrapper may stand for several locks.
    let mut told = None;
    for lock in &statement.locks {
        if told == Some(lock.span) {
            continue;
        }
        let (message, help) = match lock.evaluation {
            Evaluation::UnreadCte(_) => (
                "no lock is taken: nothing reads the WITH query that holds this call, so it never runs".to_owned(),
                "name the WITH query in FROM, or take the lock in a statement of its own before this one",
            ),
            Evaluation::ExistsList => (
                "no lock is taken: EXISTS drops the select list of its query".to_owned(),
                "call the function in FROM (`EXISTS (SELECT FROM pg_advisory_lock(…))`), or in a \
                     statement of its own",
            ),
            Evaluation::Yes if lock.key.has_null() => (
                format!("nothing is locked: with a NULL key `{}` returns NULL and does nothing", lock.function.name),
                "give it a key that cannot be NULL",
            ),
            Evaluation::Yes => continue,
        };
        told = Some(lock.span);
        sink.report(&RULE, Level::Error, Place::new(context.file.id, lock.span), message)
            .statement(statement.span)
            .unit(&statement.unit)
            .help(help);
    }
}
