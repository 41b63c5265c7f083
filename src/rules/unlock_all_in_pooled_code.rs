//! Every session lock is dropped, those of others on the same session included.

use crate::finding::Level;
use crate::flow::{Owner, Session, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Action;

pub(super) const RULE: Rule = Rule {
    name: "unlock-all-in-pooled-code",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/unlock-all-in-pooled-code.md"),
    checks: &[Check::Unit(check)],
};

/// Words in a unit's name by which it says that dropping everything is its job.
const RESETS: &[&str] = &["reset", "release", "discard", "clean", "unlock", "recover", "teardown"];

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let name = flow.unit.name.to_lowercase();
    let has_no_borrowers = |session: &Session| matches!(session.owner, Owner::Own | Owner::Reset);
    let silence = if flow.unit.is_run_by_hand() {
        Some("somebody runs it by hand, on a session of their own")
    } else if RESETS.iter().any(|word| name.contains(word)) {
        Some("the unit's name says that dropping everything is its job")
    } else if flow.unit.session.as_ref().is_some_and(has_no_borrowers) {
        Some("the connection has no other borrowers")
    } else {
        None
    };
    for (_, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        if function.action != Action::UnlockAll {
            continue;
        }
        if let Some(silence) = silence {
            sink.silent(&RULE, context, flow.unit.sites[site].span, silence);
            continue;
        }
        sink.at_site(
            &RULE,
            Level::Note,
            context,
            (flow, site),
            "this also drops the session locks that others took on this connection",
        )
        .help("unlock the key that was locked");
    }
}
