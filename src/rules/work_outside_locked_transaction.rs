//! The transaction holds the lock, and the work goes through the pool.

use crate::finding::{Level, Place};
use crate::flow::{Action, Lock, Node, SiteId, StepId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Scope;

pub(super) const RULE: Rule = Rule {
    name: "work-outside-locked-transaction",
    level: Level::Warning,
    rank: Rank::WrongSession,
    page: include_str!("../../rules/work-outside-locked-transaction.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    if flow.unit.session.is_none() {
        return;
    }
    let outside = || flow.unit.steps.iter().enumerate().filter(|(_, step)| step.action == Action::Outside);
    // A lock of the session keeps others out until it is released, whoever works meanwhile.
    for (site, ..) in flow.acquired().filter(|(_, function, _)| function.scope == Scope::Transaction) {
        let Some((step, work)) = outside().find(|(id, _)| flow.trace.before[*id].held_any.contains(site)) else {
            let why = "no work under it goes through another session of the same pool";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        if is_gate(context, flow, site, step) {
            let why = "the transaction does nothing but hold the lock, around a function that its caller gives it";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        let harm = if holds_rows(flow, site, step) {
            "may wait for the locked one forever"
        } else {
            "stays where the locked one is rolled back"
        };
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            format!(
                "this lock is held by the transaction, but the work under it goes through another connection, in another \
                 transaction: it commits by itself, and {harm}"
            ),
        )
        .related(Place::new(context.file.id, work.span), "this runs outside of the transaction")
        .help("do the work through the handle of the transaction");
    }
}

/// Whether the transaction has locked rows, by a write or a locking clause, when the work outside of it begins.
fn holds_rows(flow: &UnitFlow, site: SiteId, work: StepId) -> bool {
    let before = &flow.trace.before[work];
    let of_rows = |site: SiteId| matches!(flow.unit.sites[site].lock, Lock::Rows { .. });
    before.wrote.contains(site) || before.held_any.iter().any(of_rows)
}

/// Whether a function begins the transaction for the lock alone and then runs what it was given, which does the work.
fn is_gate(context: &Context<'_>, flow: &UnitFlow, site: SiteId, work: StepId) -> bool {
    let under = |step: StepId| flow.trace.before[step].held_any.contains(site);
    let is_busy = flow.unit.steps.iter().enumerate().any(|(step, one)| match one.action {
        Action::Work { .. } | Action::ConcurrentIndex => under(step),
        Action::Acquire(other) => other != site && under(step),
        _ => false,
    });
    let handed = flow.unit.session.as_ref().is_some_and(|session| session.handed.is_some());
    if is_busy || handed {
        return false;
    }
    let program = &context.file.program;
    let one = &flow.unit.sites[site];
    let place = one.via.filter(|via| via.file == context.file.id).map_or(one.span, |via| via.span);
    let of_lock = program.function_around(place).map(|index| program.functions[index].span);
    let given = of_lock.is_some_and(|function| !function.contains(flow.unit.steps[work].span));
    let begins = |step: StepId| matches!(flow.unit.steps[step].action, Action::Begin { .. });
    let takes = |step: StepId| flow.unit.steps[step].action == Action::Acquire(site);
    let followed = |node: &Node| match node {
        Node::Block { label, body } if label.starts_with('\0') => {
            body.steps().any(begins) && body.steps().any(takes) && body.steps().any(|step| step == work)
        }
        _ => false,
    };
    given && flow.unit.root.nodes().any(followed)
}
