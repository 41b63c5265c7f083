//! BEGIN through a handle that may run the next statement on another session.

use crate::finding::{Level, Place};
use crate::flow::{Action, Evidence, Owner, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};

pub(super) const RULE: Rule = Rule {
    name: "transaction-through-pool",
    level: Level::Error,
    rank: Rank::WrongSession,
    page: include_str!("../../rules/transaction-through-pool.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let Some(session) = &flow.unit.session else { return };
    if session.owner != Owner::PerCall || session.evidence == Evidence::Name {
        return;
    }
    if context.facts.pools.may_be_one(session, context.file.source.language()) {
        return;
    }
    for step in flow.unit.steps.iter().filter(|step| matches!(step.action, Action::Begin { .. })) {
        let pin = if session.pin.is_empty() { String::new() } else { format!(" with {}", session.pin) };
        let mut story = sink
            .report(
                &RULE,
                // Of a framework's handle a caller may have pinned the connection.
                if session.is_global { Level::Warning } else { Level::Error },
                Place::new(context.file.id, step.span),
                "a pool may run the next statement on another connection: the transaction is open on one, and the work is \
                 done in autocommit on others",
            )
            .statement(step.span)
            .unit(&flow.unit.name)
            .help(format!("take one connection{pin} for the whole transaction"));
        if let Some(declared) = session.declared {
            story = story.related(Place::new(context.file.id, declared), "the pool comes from here");
        }
        // Locks in that transaction are in none.
        for site in &flow.unit.sites {
            story = story.about(context.file.id, site.span);
        }
    }
}
