//! The unlock runs while the change that it guarded is not committed.

use crate::finding::{Level, Place};
use crate::flow::{UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Sameness};

pub(super) const RULE: Rule = Rule {
    name: "unlock-before-commit",
    level: Level::Warning,
    rank: Rank::CommitOrder,
    page: include_str!("../../rules/unlock-before-commit.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let Some((unlock, _)) = flow.unit.advisory(site) else { continue };
        let before = &flow.trace.before[step];
        let commits = flow.unit.session.as_ref().is_none_or(|session| session.ends_after(step));
        if unlock.action != Action::Unlock || !before.in_transaction() || !commits {
            continue;
        }
        // A lock of the very key, or else one whose key may be it.
        let pairs = before.wrote.iter().map(|taken| (flow.unit.releases(site, taken), taken));
        let Some((_, taken)) = pairs.filter(|(same, _)| *same != Sameness::Different).min() else { continue };
        let taken = flow.unit.sites[taken].span;
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            "the next holder can enter before the change made under this lock is committed, and \
             sees the old state",
        )
        .related(Place::new(context.file.id, taken), "the lock is taken here")
        .about(context.file.id, taken)
        .help(match flow.unit.kind {
            UnitKind::Function { .. } => {
                "use the transaction form, which is released when the caller's transaction ends"
            }
            _ => "unlock after COMMIT, or use the transaction form",
        });
    }
}
