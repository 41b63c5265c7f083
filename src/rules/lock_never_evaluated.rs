//! A lock call that never runs, or runs for nothing.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Evaluation, QueryId, Tokens};
use crate::sql::functions;
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
            Evaluation::DeadBranch => (
                "no lock is taken: a constant closes the branch of CASE that holds this call".to_owned(),
                "take the lock in a statement of its own",
            ),
            Evaluation::Yes if lock.key.has_null() => (
                format!("nothing is locked: with a NULL key `{}` returns NULL and does nothing", lock.function.name),
                "give it a key that cannot be NULL",
            ),
            Evaluation::Yes if lock.call.query.is_some_and(|id| has_no_row(statement, id)) => (
                "no lock is taken: the query around this call has no row".to_owned(),
                "take the lock in a statement of its own",
            ),
            Evaluation::Yes => {
                sink.silent(
                    &RULE,
                    context,
                    lock.span,
                    "its statement runs it, with a key that is not NULL for certain",
                );
                continue;
            }
        };
        told = Some(lock.span);
        sink.report(&RULE, Level::Error, Place::new(context.file.id, lock.span), message)
            .statement(statement.anchor)
            .unit(&statement.unit)
            .help(help);
    }
}

/// Whether a SELECT gives no row whatever the tables hold: `WHERE false`, `LIMIT 0`.
fn has_no_row(statement: &Statement<'_>, id: QueryId) -> bool {
    let tree = &statement.tree;
    let query = tree.query(id);
    let is = |tokens: &Tokens, word: &str| tokens.len() == 1 && tree.raw(tokens.start).eq_ignore_ascii_case(word);
    // An aggregate has a row of its own.
    query.limit.as_ref().is_some_and(|limit| is(limit, "0"))
        || query.select().is_some_and(|select| {
            select.conjuncts.iter().any(|conjunct| is(&conjunct.tokens, "false"))
                && !tree.calls().iter().any(|call| call.query == Some(id) && functions::is_aggregate(&call.name))
        })
}
