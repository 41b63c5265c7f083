//! The transaction form in autocommit: gone at the end of its own statement.

pub(super) mod alone;

use crate::finding::{Level, Place};
use crate::flow::{Action, Evidence, Owner, Session, StepId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action as Call, Scope};

pub(super) const RULE: Rule = Rule {
    name: "xact-lock-outside-transaction",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/xact-lock-outside-transaction.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        let taken = &flow.unit.sites[site];
        if !function.acquires() || function.scope != Scope::Transaction {
            continue;
        }
        let silence = if context.caller_may_begin(flow) {
            Some("a caller may have begun a transaction on this session")
        } else if let Some(work) = alone::work_after(context, flow, step, site) {
            let session = flow.unit.session.as_ref();
            let is_known = session.is_some_and(|session| session.evidence > Evidence::Name && !session.is_shared());
            // Who asks for a moment whether somebody holds it may mean that.
            let level = if is_known && function.action == Call::Lock { Level::Error } else { Level::Warning };
            let message = format!(
                "the transaction holds nothing but `{}`, which ends with it before the work runs",
                function.name
            );
            sink.at_site(&RULE, level, context, (flow, site), message)
                .related(Place::new(context.file.id, flow.unit.steps[work].span), "this runs without the lock")
                .help("do the work in the transaction that takes the lock");
            continue;
        } else if !flow.trace.before[step].autocommit() {
            Some("a transaction is open here, or may be")
        } else if taken.guards_own_statement {
            Some("it guards the rest of its own statement")
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, taken.span, silence);
            continue;
        }
        // A lone lock is a barrier: it waits for the others and holds nobody up.
        let Some(work) = flow.first_work_without(site).or_else(|| work_beside(context, flow, step)) else {
            sink.silent(&RULE, context, taken.span, "nothing in sight is done after it");
            continue;
        };
        let level = if context.autocommit_is_evident(flow) { Level::Error } else { Level::Warning };
        sink.at_site(
            &RULE,
            level,
            context,
            (flow, site),
            format!(
                "outside a transaction `{}` is released at the end of its own statement, before the \
             work runs",
                function.name
            ),
        )
        .related(Place::new(context.file.id, flow.unit.steps[work].span), "this runs without the lock")
        .help("put BEGIN before the lock and COMMIT after the work");
    }
}

/// The first work that the same function does on another session after a lock through a pool: the lock was meant for it.
fn work_beside(context: &Context<'_>, flow: &UnitFlow, lock: StepId) -> Option<StepId> {
    let through_pool = |session: &Session| session.owner == Owner::PerCall && session.evidence > Evidence::Name;
    flow.unit.session.as_ref().filter(|session| through_pool(session))?;
    // The sessions of a function have their steps in common.
    let units = context.file.units.iter().filter(|other| other.is_of_function_of(flow));
    let others = units.filter(|other| other.unit.session != flow.unit.session);
    let work = |other: &UnitFlow| {
        let mut steps = other.unit.steps.iter().enumerate().skip(lock + 1);
        steps.find(|(_, step)| matches!(step.action, Action::Work { .. })).map(|(id, _)| id)
    };
    others.filter_map(work).min()
}
