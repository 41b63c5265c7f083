//! There is an unlock, but a way out between lock and unlock skips it.

use crate::finding::{Level, Place};
use crate::flow::interpret::Way;
use crate::flow::{Evidence, Owner, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Sameness, Scope};

pub(super) const RULE: Rule = Rule {
    name: "unlock-not-on-error-path",
    level: Level::Error,
    rank: Rank::ErrorPath,
    page: include_str!("../../rules/unlock-not-on-error-path.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    // A script that fails ends, and its session with it.
    if matches!(flow.unit.kind, UnitKind::Script | UnitKind::Query) || flow.trace.truncated {
        return;
    }
    // What a closed connection, a pool that resets it, or somebody else releases is no leak.
    if let Some(session) = &flow.unit.session
        && (session.escapes || matches!(session.owner, Owner::PerCall | Owner::UntilCommit))
    {
        return;
    }
    for (site, function, key) in flow.acquired() {
        let undecided = function.action == Action::TryLock && !flow.is_decided(site);
        if function.scope != Scope::Session || undecided {
            continue;
        }
        let Some(release) = flow.last_release(function.mode, key) else { continue };
        // In host code another expression is another key as a rule.
        let same = flow.unit.advisory(release).is_some_and(|(_, released)| released.compare(key) == Sameness::Equal);
        if flow.unit.session.is_some() && !same {
            continue;
        }
        let skipping = flow
            .trace
            .leaving
            .iter()
            .filter(|leaving| leaving.held.contains(site))
            .min_by_key(|leaving| (leaving.way == Way::Failure, leaving.span));
        let Some(skipping) = skipping else { continue };
        // Held to the end on purpose: the unlock is for the cases in which the lock is not wanted after all.
        if flow.held_at_end(site) {
            continue;
        }
        let (level, what) = match skipping.way {
            // Of a connection that nothing is known of it is not known either whether it lives on.
            Way::Failure if flow.unit.session.as_ref().is_some_and(|session| session.evidence == Evidence::Name) => {
                (Level::Note, "an error here leaves the lock held")
            }
            Way::Failure => (Level::Warning, "an error here leaves the lock held"),
            Way::Raise => (Level::Error, "this exception leaves the lock held"),
            Way::Return | Way::End => (Level::Error, "this way out leaves the lock held"),
        };
        let taken = flow.unit.sites[site].span;
        sink.report(
            &RULE,
            level,
            Place::new(context.file.id, flow.unit.sites[release].span),
            "not every way out reaches this unlock, and ROLLBACK does not release a session lock",
        )
        .statement(flow.unit.sites[release].statement)
        .unit(&flow.unit.name)
        .related(Place::new(context.file.id, taken), "the lock is taken here")
        .related(Place::new(context.file.id, skipping.span), what)
        .about(context.file.id, taken)
        .help("use the transaction form, or unlock in an exception handler as well and raise again");
    }
}
