//! SKIP LOCKED with nothing that bounds how many rows one worker takes.

use crate::facts::bound::{Bound, bound};
use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Clause, DmlKind, QueryId, Tree, Wait, Wrap};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-without-limit",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/skip-locked-without-limit.md"),
    checks: &[Check::Statement(check), Check::File(of_builders)],
};

const MESSAGE: &str = "one worker takes every free row, and the others see an empty queue";
const HELP: &str = "add ORDER BY and LIMIT";

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    for (id, lock) in statement.row_locks() {
        let query = tree.query(id);
        let Some(select) = query.select() else { continue };
        if lock.wait != Wait::SkipLocked || query.is_limited() || select.from.is_empty() {
            continue;
        }
        // Rows that a sub-select with LIMIT or a WITH query picked are bounded by it.
        let picked = select.from.iter().any(|item| item.subquery.is_some() || item.cte.is_some() || item.call);
        if picked || has_subquery(tree, id) || bound(statement, select, &context.facts.catalog) != Bound::Open {
            continue;
        }
        // DELETE … WHERE id IN (SELECT … SKIP LOCKED) drains on purpose.
        if query.parent.is_some_and(|parent| tree.query(parent).dml().is_some_and(|dml| dml.kind == DmlKind::Delete)) {
            continue;
        }
        sink.at_tokens(&RULE, Level::Note, context, (statement, &lock.tokens), MESSAGE).help(HELP);
    }
}

/// The same where a query builder says it.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    for lock in file.builder_locks.iter().filter(|lock| lock.skips && lock.open) {
        sink.report(&RULE, Level::Note, Place::new(file.id, lock.at), MESSAGE)
            .statement(lock.chain)
            .unit(file.builder_unit(lock))
            .help(HELP);
    }
}

/// Whether a condition compares with a query, which may be what bounds it.
fn has_subquery(tree: &Tree<'_>, id: QueryId) -> bool {
    tree.queries()
        .any(|(_, query)| query.parent == Some(id) && query.clause == Clause::Where && query.wrap != Wrap::Exists)
}
