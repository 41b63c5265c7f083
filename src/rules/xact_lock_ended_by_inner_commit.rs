//! COMMIT, or a savepoint rolled back, ends the lock while the work that it guards goes on.

mod after;
pub(super) mod locked;

use super::xact_lock_outside_transaction::alone;
use crate::finding::{Level, Place};
use crate::flow::{Lock, SiteId, StepId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Scope;

pub(super) const RULE: Rule = Rule {
    name: "xact-lock-ended-by-inner-commit",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/xact-lock-ended-by-inner-commit.md"),
    checks: &[Check::Unit(check)],
};

/// What is told of a lock.
struct Told {
    level: Level,
    message: String,
    help: &'static str,
    /// What releases the lock.
    end: Option<StepId>,
    /// The work that runs without it.
    work: StepId,
}

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        match &flow.unit.sites[site].lock {
            Lock::Advisory { function, .. } if function.acquires() && function.scope == Scope::Transaction => {}
            Lock::Rows { .. } => {}
            Lock::Advisory { .. } | Lock::Table => continue,
        }
        // That is told of the transaction.
        if alone::work_after(context, flow, step, site).is_some() {
            continue;
        }
        let Some(told) = goes_on(flow, site).or_else(|| after::change(context, flow, site)) else {
            let why = "no work that it guards is known to go on after its transaction";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        let place = |step: StepId| Place::new(context.file.id, flow.unit.steps[step].span);
        let mut story = sink.at_site(&RULE, told.level, context, (flow, site), told.message);
        if let Some(end) = told.end {
            story = story.related(place(end), "the lock is released here");
        }
        story.related(place(told.work), "this then runs without it").help(told.help);
    }
}

/// Work that runs under a lock and goes on after it.
fn goes_on(flow: &UnitFlow, site: SiteId) -> Option<Told> {
    let (level, work, message, help) = match &flow.unit.sites[site].lock {
        Lock::Advisory { function, .. } => (
            if flow.unit.session.is_some() { Level::Warning } else { Level::Error },
            flow.unguarded_repetition(site)?,
            format!("`{}` ends with its transaction, but the work that it guards goes on after that", function.name),
            "take the lock again in each transaction, or use the session form with an unlock on every way out",
        ),
        Lock::Rows { tables } => (
            Level::Warning,
            flow.unguarded_round(site, tables)?,
            "the first COMMIT frees every row that this locked, and the loop goes on over them".to_owned(),
            "lock the next rows in each transaction, with LIMIT and SKIP LOCKED inside the loop",
        ),
        Lock::Table => return None,
    };
    let end = flow.ending_of(site);
    let other = end.is_some_and(|end| flow.was_for_another(site, end, work));
    (!other).then_some(Told { level, message, help, end, work })
}
