//! The unlock runs in a transaction in which a statement has failed: refused, and the lock survives the rollback.

use crate::finding::{Level, Place};
use crate::flow::{Owner, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::advisory::{Action, Sameness, Scope};

pub(super) const RULE: Rule = Rule {
    name: "unlock-in-aborted-transaction",
    level: Level::Warning,
    rank: Rank::ErrorPath,
    page: include_str!("../../rules/unlock-in-aborted-transaction.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    // Code that commits after its unlock has another fault, unlock-before-commit.
    let Some(session) = &flow.unit.session else { return };
    for (step, site) in flow.unit.site_steps() {
        let Some((unlock, key)) = flow.unit.advisory(site) else { continue };
        if unlock.action != Action::Unlock {
            continue;
        }
        let before = &flow.trace.before[step];
        if before.held_aborted.is_empty() || flow.commits_after(step) {
            let why = match before.held_aborted.is_empty() {
                true => "on no way here has a statement of an open transaction failed while a lock was held",
                false => "it is committed by hand after it: unlock-before-commit looks at that",
            };
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        let held = before.held_aborted.iter().find(|&taken| {
            flow.unit.advisory(taken).is_some_and(|(function, known)| {
                function.acquires()
                    && function.scope == Scope::Session
                    && function.mode == unlock.mode
                    && key.compare(known) != Sameness::Different
            })
        });
        let Some(taken) = held else {
            sink.silent(
                &RULE,
                context,
                flow.unit.sites[site].span,
                "where a statement has failed before, no lock that it may be for is held",
            );
            continue;
        };
        let taken = flow.unit.sites[taken].span;
        if says_that_the_end_frees(context, flow.unit.sites[site].span) {
            let why = "what stands after it says that the lock goes with the connection";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        // A connection that is closed takes the lock with it: what is lost is the first error.
        let is_closed = matches!(session.owner, Owner::Own | Owner::Reset | Owner::PerCall);
        sink.at_site(
            &RULE,
            if is_closed { Level::Note } else { Level::Warning },
            context,
            (flow, site),
            "after a failed statement the server refuses this unlock (SQLSTATE 25P02), and the ROLLBACK that follows does \
             not release a session lock",
        )
        .related(Place::new(context.file.id, taken), "the lock is taken here")
        .about(context.file.id, taken)
        .help("use the transaction form, or roll back before the unlock, or lock and unlock outside of the transaction");
    }
}

/// Whether a comment or a message after an unlock says that the end of the connection frees the lock as well.
fn says_that_the_end_frees(context: &Context<'_>, unlock: Span) -> bool {
    let program = &context.file.program;
    let Some(function) = program.function_around(unlock).map(|index| program.functions[index].span) else {
        return false;
    };
    let after = context.file.source.slice(Span::new(unlock.end, function.end)).to_lowercase();
    ["connection close", "connection is closed", "session close", "session end"].iter().any(|said| after.contains(said))
}
