//! The transaction holds the lock, and the work goes through the pool.

use crate::finding::{Level, Place};
use crate::flow::{Action, UnitFlow};
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
        let Some((_, work)) = outside().find(|(id, _)| flow.trace.before[*id].held_any.contains(site)) else {
            let why = "no work under it goes through another session of the same pool";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            "this lock is held by the transaction, but the work under it goes through another connection, in another \
             transaction: it commits by itself, and may wait for the locked one forever",
        )
        .related(Place::new(context.file.id, work.span), "this runs outside of the transaction")
        .help("do the work through the handle of the transaction");
    }
}
