//! COMMIT, or a savepoint rolled back, ends the lock while the work that it guards goes on.

use crate::finding::{Level, Place};
use crate::flow::UnitFlow;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Scope;

pub(super) const RULE: Rule = Rule {
    name: "xact-lock-ended-by-inner-commit",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/xact-lock-ended-by-inner-commit.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (_, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        if !function.acquires() || function.scope != Scope::Transaction {
            continue;
        }
        let Some(work) = flow.unguarded_repetition(site) else { continue };
        let mut story = sink.at_site(
            &RULE,
            Level::Error,
            context,
            (flow, site),
            format!("`{}` ends with its transaction, but the work that it guards goes on after that", function.name),
        );
        if let Some(end) = flow.ending_of(site) {
            story = story.related(Place::new(context.file.id, flow.unit.steps[end].span), "the lock is released here");
        }
        story
            .related(Place::new(context.file.id, flow.unit.steps[work].span), "this then runs without it")
            .help("take the lock again in each transaction, or use the session form with an unlock on every way out");
    }
}
