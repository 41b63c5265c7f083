//! The transaction form in autocommit: gone at the end of its own statement.

use crate::finding::{Level, Place};
use crate::flow::UnitFlow;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Scope;

pub(super) const RULE: Rule = Rule {
    name: "xact-lock-outside-transaction",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/xact-lock-outside-transaction.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    // Of a framework's session it is not known whether a caller has begun a transaction, but for what the framework calls.
    if flow.unit.session.as_ref().is_some_and(|session| session.is_shared() && !session.is_entry) {
        return;
    }
    for (step, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        let taken = &flow.unit.sites[site];
        if !function.acquires()
            || function.scope != Scope::Transaction
            || !flow.trace.before[step].autocommit()
            || taken.guards_own_statement
        {
            continue;
        }
        // A lone lock is a barrier: it waits for the others and holds nobody up.
        let Some(work) = flow.first_work_without(site) else { continue };
        let level = if flow.unit.autocommit_is_evident() { Level::Error } else { Level::Warning };
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
