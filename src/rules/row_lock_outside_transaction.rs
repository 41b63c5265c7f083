//! A row lock in autocommit: gone before the next statement.

use crate::finding::{Level, Place};
use crate::flow::{Lock, Step, StepId, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;

pub(super) const RULE: Rule = Rule {
    name: "row-lock-outside-transaction",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/row-lock-outside-transaction.md"),
    checks: &[Check::Unit(check), Check::File(of_builders)],
};

const OPEN: &str = "a transaction is open here";

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let level = if context.autocommit_is_evident(flow) { Level::Error } else { Level::Warning };
    for (step, site) in flow.unit.site_steps() {
        let taken = &flow.unit.sites[site];
        if matches!(taken.lock, Lock::Advisory { .. }) {
            continue;
        }
        let before = &flow.trace.before[step];
        let silence = if before.in_transaction() {
            Some(OPEN)
        } else if context.caller_may_begin(flow) {
            Some("a caller may have begun a transaction on this session")
        } else if !before.autocommit() {
            Some("a transaction is open here, or may be")
        } else if flow.unit.kind == UnitKind::Script && stores(context, taken.span) {
            Some("it stores what it reads: a piece of a routine whose body was not read as one")
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, taken.span, silence);
            continue;
        }
        match &taken.lock {
            // <https://docs.djangoproject.com/en/stable/ref/models/querysets/#select-for-update>
            Lock::Rows { .. } if is_queryset(context, flow, taken.span) => {
                sink.at_site(
                    &RULE,
                    level,
                    context,
                    (flow, site),
                    "Django refuses this outside a transaction: select_for_update raises TransactionManagementError",
                )
                .help("read and write in one `with transaction.atomic():`");
            }
            Lock::Rows { tables } if !taken.guards_own_statement => {
                let Some(write) = flow.first_write_without(site, tables) else {
                    sink.silent(&RULE, context, taken.span, "nothing in sight writes these rows afterwards");
                    continue;
                };
                sink.at_site(
                    &RULE,
                    level,
                    context,
                    (flow, site),
                    "outside a transaction the row lock is gone before the next statement runs",
                )
                .related(
                    Place::new(context.file.id, flow.unit.steps[write].span),
                    "this writes the rows without the lock",
                )
                .help(if flow.unit.session.is_some() {
                    "do both in one transaction, or in one UPDATE"
                } else {
                    "put BEGIN before the SELECT and COMMIT after the write, or do both in one UPDATE"
                });
            }
            // Whoever runs a script of no known runner would see it fail each time: it has a transaction from elsewhere.
            Lock::Table if level == Level::Error && !is_sent_with_others(flow, step) => {
                sink.at_site(
                    &RULE,
                    level,
                    context,
                    (flow, site),
                    "the server refuses this: LOCK TABLE can only be used in transaction blocks (SQLSTATE 25P01)",
                )
                .help("put BEGIN before it and COMMIT after the work");
            }
            _ => {}
        }
    }
}

/// Whether the query of a locking clause has an INTO, by which a script would make a table of rows that it locks.
fn stores(context: &Context<'_>, at: Span) -> bool {
    let found = context.file.locking_query(at);
    found.and_then(|(statement, query, _)| statement.tree.query(query).select()).is_some_and(|one| one.into.is_some())
}

/// Whether Django's query set takes a lock.
fn is_queryset(context: &Context<'_>, flow: &UnitFlow, at: Span) -> bool {
    flow.unit.session.as_ref().is_some_and(|session| session.driver == "Django")
        && context.file.builder_locks.iter().any(|lock| lock.at == at)
}

/// What query builders lock on a session that is not followed.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    for lock in file.builder_locks.iter().filter(|lock| !file.is_followed(lock)) {
        let mut steps = file.steps_of(lock);
        let why = match steps.any(|(flow, step)| flow.trace.before[step].in_transaction()) {
            true => OPEN,
            false => "on which session the query runs, or whether a transaction is open there, is not known",
        };
        sink.silent(&RULE, context, lock.at, why);
    }
}

/// Whether a statement is sent to the server together with another one, in one implicit transaction: psql's `\;`. The step
/// of LOCK TABLE comes after that of its own work.
fn is_sent_with_others(flow: &UnitFlow, step: StepId) -> bool {
    let steps = &flow.unit.steps;
    let statement = steps[step].statement;
    let same = |other: Option<&Step>| other.is_some_and(|other| other.statement == statement);
    same(step.checked_sub(2).and_then(|before| steps.get(before))) || same(steps.get(step + 1))
}
