//! What is read is older than the lock: the snapshot was taken before the wait.

use crate::finding::{Level, Place};
use crate::flow::{self, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Action;
use crate::sql::clause::{Evaluation, FromItem, QueryId, Tokens, Tree, Wrap};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "lock-and-read-in-one-statement",
    level: Level::Warning,
    rank: Rank::StaleRead,
    page: include_str!("../../rules/lock-and-read-in-one-statement.md"),
    checks: &[Check::Statement(one_statement), Check::Unit(one_snapshot)],
};

/// Functions that look at all rows of a table: what the lock is there to keep from changing.
const AGGREGATES: &[&str] = &[
    "array_agg", "avg", "bool_and", "bool_or", "count", "every", "json_agg", "jsonb_agg", "max", "min", "string_agg", "sum",
];

fn one_statement(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !statement.runs() {
        return;
    }
    let waiting = statement.locks.iter().find(|lock| lock.function.action == Action::Lock && lock.evaluation == Evaluation::Yes);
    let Some(lock) = waiting else { return };
    let Some(read) = read(tree) else { return };
    sink.report(
        &RULE,
        Level::Warning,
        Place::new(context.file.id, lock.span),
        "this statement's snapshot is older than the lock: after a wait it reads what was there before the holder's commit",
    )
    .statement(statement.span)
    .unit(&statement.unit)
    .related(Place::new(context.file.id, statement.source(&read)), "the stale read")
    .help("take the lock in a statement of its own, before this one");
}

/// An aggregate or existence read of a table.
fn read(tree: &Tree<'_>) -> Option<Tokens> {
    let reads_table = |id: QueryId| {
        tree.query(id).select().is_some_and(|select| select.from.iter().any(FromItem::is_table))
            && tree.query_evaluated(id) == Evaluation::Yes
    };
    let aggregate = tree.calls().into_iter().find(|call| {
        AGGREGATES.contains(&call.name.as_str()) && call.query.is_some_and(reads_table)
    });
    let exists = || {
        tree.queries()
            .find(|(id, query)| query.wrap == Wrap::Exists && reads_table(*id))
            .map(|(_, query)| query.tokens.clone())
    };
    aggregate.map(|call| call.tokens).or_else(exists)
}

fn one_snapshot(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        let Some(begin) = flow.trace.before[step].begin().filter(|_| function.action == Action::Lock) else { continue };
        if flow.unit.steps[begin].action != (flow::Action::Begin { one_snapshot: true }) {
            continue;
        }
        let Some(work) = flow.work_after(step) else { continue };
        let taken = &flow.unit.sites[site];
        sink.report(
            &RULE,
            Level::Warning,
            Place::new(context.file.id, taken.span),
            "under this isolation level the whole transaction reads a snapshot that is older than the lock",
        )
        .statement(taken.statement)
        .unit(&flow.unit.name)
        .related(Place::new(context.file.id, flow.unit.steps[begin].span), "the snapshot is taken by the first statement after this")
        .related(Place::new(context.file.id, flow.unit.steps[work].span), "this sees what was there before the holder's commit")
        .help("take a session lock before BEGIN, or use READ COMMITTED");
    }
}
