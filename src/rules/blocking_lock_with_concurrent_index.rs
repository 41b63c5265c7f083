//! An index is built CONCURRENTLY under a lock that others wait for.

use crate::finding::{Level, Place};
use crate::flow::UnitFlow;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Action;

pub(super) const RULE: Rule = Rule {
    name: "blocking-lock-with-concurrent-index",
    level: Level::Warning,
    rank: Rank::Deadlock,
    page: include_str!("../../rules/blocking-lock-with-concurrent-index.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (site, function, _) in flow.acquired() {
        if function.action != Action::Lock {
            continue;
        }
        let Some(build) = flow.concurrent_build_under(site) else {
            sink.silent(&RULE, context, flow.unit.sites[site].span, "no index is built CONCURRENTLY while it is held");
            continue;
        };
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            format!(
                "a session that waits in `{}` holds a snapshot that the CONCURRENTLY build waits \
             for: a deadlock",
                function.name
            ),
        )
        .related(Place::new(context.file.id, flow.unit.steps[build].span), "this waits for every older snapshot")
        .help("poll with the try form, one statement at a time, so that nobody waits inside a statement");
    }
}
