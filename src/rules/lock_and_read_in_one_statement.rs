//! What is read is older than the lock: the snapshot was taken before the wait.

use crate::finding::{Level, Place};
use crate::flow::{self, UnitFlow};
use crate::pattern::ascii;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Action;
use crate::sql::clause::{Call, Evaluation, FromItem, QueryId, Tokens, Wrap};
use crate::sql::functions;
use crate::sql::routine::Volatility;
use crate::statement::{LockCall, Statement};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULE: Rule = Rule {
    name: "lock-and-read-in-one-statement",
    level: Level::Warning,
    rank: Rank::StaleRead,
    page: include_str!("../../rules/lock-and-read-in-one-statement.md"),
    checks: &[Check::Statement(one_statement), Check::Unit(stable_function), Check::Unit(one_snapshot)],
};

/// The call in a statement that waits for a lock.
fn waiting<'s>(statement: &'s Statement<'_>) -> Option<&'s LockCall> {
    let waits = |lock: &&LockCall| lock.function.action == Action::Lock && lock.evaluation == Evaluation::Yes;
    statement.locks.iter().find(waits).filter(|_| statement.runs_sometime())
}

fn one_statement(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let Some(lock) = waiting(statement) else { return };
    let Some(read) = read(statement, lock) else {
        sink.silent(&RULE, context, lock.span, "its statement reads nothing that the lock guards");
        return;
    };
    if has_a_table_for_itself(context, statement) {
        let why = "a table that it reads was changed or locked by the statements before: nobody else is at it";
        sink.silent(&RULE, context, lock.span, why);
        return;
    }
    sink.report(
        &RULE,
        Level::Warning,
        Place::new(context.file.id, lock.span),
        "this statement's snapshot is older than the lock: after a wait it reads what was \
             there before the holder's commit",
    )
    .statement(statement.anchor)
    .unit(&statement.unit)
    .related(Place::new(context.file.id, statement.source(&read)), "the stale read")
    .help("take the lock in a statement of its own, before this one");
}

/// Whether ALTER TABLE or LOCK TABLE stands before a statement, with a table that it reads: in Ecto's words as well.
fn has_a_table_for_itself(context: &Context<'_>, statement: &Statement<'_>) -> bool {
    static TAKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // Between any two words a comment may stand.
        let gap = r"(?:\s|/\*[^*]*\*/|--[^\n]*\n)";
        let name = r#""?(\w+)"#;
        ascii(&format!(
            r#"(?i)\b(?:alter|lock){gap}+table\b(?:{gap}|[(:])*(?:(?:if{gap}+exists|only){gap}+)*(?:"?\w+"?{gap}*\.{gap}*)?{name}"#
        ))
        .ok()
    });
    let text = context.file.source.text();
    let function = context.file.program.function_around(statement.anchor);
    let start = function.map_or(0, |index| context.file.program.functions[index].span.start);
    let before = text.get(start..statement.anchor.start).unwrap_or_default();
    let tree = &statement.tree;
    let selects = tree.queries().filter_map(|(_, query)| query.select());
    let read: Vec<&str> = selects.flat_map(|select| &select.from).map(|item| item.name.as_str()).collect();
    let taken = TAKEN.iter().flat_map(|pattern| pattern.captures_iter(before)).filter_map(|found| found.get(1));
    taken.into_iter().any(|name| read.iter().any(|table| table.eq_ignore_ascii_case(name.as_str())))
}

/// An aggregate or existence read of a table. What gives the rows to lock must come before the lock, and does.
fn read(statement: &Statement<'_>, lock: &LockCall) -> Option<Tokens> {
    let tree = &statement.tree;
    let keys = statement.depends_on_rows(lock);
    let sources = if keys { lock.call.query.map(|id| sources(statement, id)).unwrap_or_default() } else { Vec::new() };
    let reads_table = |id: QueryId| {
        tree.query(id).select().is_some_and(|select| select.from.iter().any(FromItem::is_table))
            && tree.query_evaluated(id) == Evaluation::Yes
            && !sources.contains(&id)
            && !lock.call.tokens.contains(&tree.query(id).tokens.start)
    };
    // `count(pg_advisory_xact_lock(id))` counts the locks.
    let apart =
        |call: &Call| !call.tokens.contains(&lock.call.name_token) && !lock.call.tokens.contains(&call.name_token);
    let aggregate = tree.calls().iter().find(|call| {
        functions::is_aggregate(&call.name)
            && call.is_built_in()
            && apart(call)
            && call.query.is_some_and(reads_table)
            && !(keys && call.query == lock.call.query)
    });
    let exists = || {
        tree.queries()
            .find(|(id, query)| {
                query.wrap == Wrap::Exists && reads_table(*id) && !(keys && query.parent == lock.call.query)
            })
            .map(|(_, query)| query.tokens.clone())
    };
    aggregate.map(|call| call.tokens.clone()).or_else(exists)
}

/// The sub-selects and WITH queries that give a query its rows.
fn sources(statement: &Statement<'_>, id: QueryId) -> Vec<QueryId> {
    let tree = &statement.tree;
    let (mut found, mut pending) = (Vec::new(), vec![id]);
    while let Some(id) = pending.pop() {
        let items = tree.query(id).select().map_or(&[][..], |select| select.from.as_slice());
        for inner in items.iter().filter_map(|item| item.subquery.or(item.cte)) {
            if !found.contains(&inner) {
                found.push(inner);
                pending.push(inner);
            }
        }
    }
    found
}

/// All statements of a STABLE function read the snapshot of the statement that called it.
fn stable_function(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    if context.file.routine_of(flow).is_none_or(|routine| routine.volatility == Volatility::Volatile) {
        return;
    }
    for (step, site) in flow.unit.site_steps() {
        let waits = flow.unit.advisory(site).is_some_and(|(function, _)| function.action == Action::Lock);
        let Some(later) = flow.read_after(step).filter(|_| waits) else { continue };
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            "a function that is not VOLATILE reads its caller's snapshot throughout, which is older than the lock",
        )
        .related(
            Place::new(context.file.id, flow.unit.steps[later].span),
            "this sees what was there before the holder's commit",
        )
        .help("declare the function VOLATILE, which is the default");
        return;
    }
}

fn one_snapshot(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        let Some(begin) = flow.trace.before[step].begin().filter(|_| function.action == Action::Lock) else {
            continue;
        };
        if flow.unit.steps[begin].action != (flow::Action::Begin { one_snapshot: true }) {
            continue;
        }
        let Some(work) = flow.work_after(step) else { continue };
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            "under this isolation level the whole transaction reads a snapshot that is older than the lock",
        )
        .related(
            Place::new(context.file.id, flow.unit.steps[begin].span),
            "the snapshot is taken by the first statement after this",
        )
        .related(
            Place::new(context.file.id, flow.unit.steps[work].span),
            "this sees what was there before the holder's commit",
        )
        .help("take a session lock before BEGIN, or use READ COMMITTED");
    }
}
