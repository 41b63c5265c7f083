//! COMMIT, or a savepoint rolled back, ends the lock while the work that it guards goes on.

use crate::finding::{Level, Place};
use crate::flow::{Lock, UnitFlow};
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
        let (level, work, message, help) = match &flow.unit.sites[site].lock {
            Lock::Advisory { function, .. } if function.acquires() && function.scope == Scope::Transaction => (
                if flow.unit.session.is_some() { Level::Warning } else { Level::Error },
                flow.unguarded_repetition(site),
                format!(
                    "`{}` ends with its transaction, but the work that it guards goes on after that",
                    function.name
                ),
                "take the lock again in each transaction, or use the session form with an unlock on every way out",
            ),
            Lock::Rows { tables } => (
                Level::Warning,
                flow.unguarded_round(site, tables),
                "the first COMMIT frees every row that this locked, and the loop goes on over them".to_owned(),
                "lock the next rows in each transaction, with LIMIT and SKIP LOCKED inside the loop",
            ),
            Lock::Advisory { .. } | Lock::Table => continue,
        };
        let end = flow.ending_of(site);
        let other = |work: &usize| end.is_some_and(|end| flow.was_for_another(site, end, *work));
        let Some(work) = work.filter(|work| !other(work)) else {
            let why = "no work that it guards is known to go on after its transaction";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        let mut story = sink.at_site(&RULE, level, context, (flow, site), message);
        if let Some(end) = end {
            story = story.related(Place::new(context.file.id, flow.unit.steps[end].span), "the lock is released here");
        }
        story.related(Place::new(context.file.id, flow.unit.steps[work].span), "this then runs without it").help(help);
    }
}
