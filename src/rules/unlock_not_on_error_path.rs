//! There is an unlock, but a way out between lock and unlock skips it.

use crate::finding::{Level, Place};
use crate::flow::interpret::{Leaving, Way};
use crate::flow::{Action, Evidence, Owner, SiteId, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action as Call, Sameness, Scope};
use std::cmp::Reverse;

pub(super) const RULE: Rule = Rule {
    name: "unlock-not-on-error-path",
    level: Level::Error,
    rank: Rank::ErrorPath,
    page: include_str!("../../rules/unlock-not-on-error-path.md"),
    checks: &[Check::Unit(check)],
};

/// A lock, the unlock that is for it, and the way out that skips that.
struct Skipped<'a> {
    site: SiteId,
    release: SiteId,
    level: Level,
    by: &'a Leaving,
    what: &'static str,
}

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let mut found = skipped(context, flow, sink);
    // One unlock that is skipped is one fault, however many locks it is for: the surest is told.
    found.sort_by_key(|one| (one.release, Reverse(one.level), one.site));
    for of_release in found.chunk_by(|one, next| one.release == next.release) {
        let (one, others) = (&of_release[0], &of_release[1..]);
        let (release, at) = (&flow.unit.sites[one.release], flow.unit.sites[one.site].span);
        let mut story = sink
            .report(
                &RULE,
                one.level,
                Place::new(context.file.id, release.span),
                "not every way out reaches this unlock, and ROLLBACK does not release a session lock",
            )
            .statement(release.statement)
            .unit(&flow.unit.name)
            .related(Place::new(context.file.id, at), "the lock is taken here")
            .related(Place::new(context.file.id, one.by.span), one.what)
            .about(context.file.id, at)
            .help(help(flow, one.release));
        for other in others {
            story = story.about(context.file.id, flow.unit.sites[other.site].span);
        }
    }
}

fn skipped<'a>(context: &Context<'_>, flow: &'a UnitFlow, sink: &mut Sink) -> Vec<Skipped<'a>> {
    let mut found = Vec::new();
    let of_unit = silence_of_unit(context, flow);
    for (site, function, key) in flow.acquired().filter(|(_, function, _)| function.scope == Scope::Session) {
        let at = flow.unit.sites[site].span;
        let undecided = function.action == Call::TryLock && !flow.is_decided(site);
        if let Some(why) = of_unit.or_else(|| undecided.then_some("no condition here says whether it was granted")) {
            sink.silent(&RULE, context, at, why);
            continue;
        }
        let Some(release) = flow.last_release(function.mode, key) else {
            sink.silent(&RULE, context, at, "no unlock in the same unit is for this lock");
            continue;
        };
        // In host code another expression is another key as a rule.
        let same = flow.unit.advisory(release).is_some_and(|(_, released)| released.compare(key) == Sameness::Equal);
        if flow.unit.session.is_some() && !same {
            sink.silent(&RULE, context, at, "whether the unlock is for this key is not known");
            continue;
        }
        let skipping = flow
            .trace
            .leaving
            .iter()
            .filter(|leaving| leaving.held.contains(site))
            .min_by_key(|leaving| (leaving.way == Way::Failure, leaving.span));
        let Some(skipping) = skipping else {
            sink.silent(&RULE, context, at, "it is released on every way out");
            continue;
        };
        // The unlock is for the cases in which the lock is not wanted after all.
        if flow.held_at_end(site) || flow.is_compensated(site) {
            sink.silent(&RULE, context, at, "it is held to the end on purpose");
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
        found.push(Skipped { site, release, level, by: skipping, what });
    }
    found
}

/// What mends it: a block that catches exceptions cannot COMMIT, and a failed transaction refuses the unlock.
fn help(flow: &UnitFlow, release: SiteId) -> &'static str {
    let commits = flow.unit.steps.iter().any(|step| matches!(step.action, Action::End { .. }));
    let is_inside =
        flow.unit.site_steps().any(|(step, site)| site == release && flow.trace.before[step].in_transaction());
    match flow.unit.kind {
        UnitKind::Procedure { .. } if commits => {
            "take the lock in the session that calls the procedure, and unlock there however it ends"
        }
        UnitKind::Host if is_inside => {
            "use the transaction form, which needs no unlock, or roll back before the unlock"
        }
        _ => "use the transaction form, or unlock in an exception handler as well and raise again",
    }
}

/// Why no way out of a unit leaves a lock behind.
fn silence_of_unit(context: &Context<'_>, flow: &UnitFlow) -> Option<&'static str> {
    match flow.unit.kind {
        UnitKind::Script => return Some("a script that fails ends, and its session with it"),
        UnitKind::Procedure { inline: true } if !context.file.is_host() => {
            return Some("a DO block of a script that fails ends it, and its session with it");
        }
        UnitKind::Query => return Some("what its caller does between lock and unlock is not seen"),
        _ => {}
    }
    if flow.trace.truncated {
        return Some("the unit has too many ways to follow all of them");
    }
    let session = flow.unit.session.as_ref()?;
    if session.escapes {
        return Some("the connection is given to code that is not followed: the lock may be released there");
    }
    if session.owner == Owner::Reset && session.declared.is_none() {
        return Some("who has taken the connection gives it back, and its pool resets it then");
    }
    matches!(session.owner, Owner::PerCall | Owner::UntilCommit)
        .then_some("the handle is no one connection: session-lock-via-pool looks at that")
}
