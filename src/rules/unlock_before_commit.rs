//! The unlock runs while the change that it guarded is not committed.

use crate::finding::{Fix, Level, Place};
use crate::flow::{SiteId, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink, remove, rename};
use crate::sql::advisory::{Action, Sameness, Scope};

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
        if unlock.action != Action::Unlock {
            continue;
        }
        let before = &flow.trace.before[step];
        // What an annotation has begun is committed when the method returns.
        let annotated = flow.unit.session.as_ref().is_some_and(|session| session.annotated);
        let commits = flow.unit.session.is_none() || annotated || flow.commits_after(step);
        if !before.in_transaction() || !commits {
            let why = "no transaction is known to be open here and committed later";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        // A lock of the very key, or else one whose key may be it.
        let pairs = before.wrote.iter().map(|taken| (flow.unit.releases(site, taken), taken));
        let Some((_, taken)) = pairs.filter(|(same, _)| *same != Sameness::Different).min() else {
            let why = "nothing is written under the lock that it releases";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        let fix = transaction_form(context, flow, taken, site);
        let taken = flow.unit.sites[taken].span;
        let story = sink
            .at_site(
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
        if let Some(fix) = fix {
            story.fix(fix);
        }
    }
}

/// The lock in its transaction form and the unlock gone: where the lock, too, is taken in the transaction, and each is for
/// the other alone.
fn transaction_form(context: &Context<'_>, flow: &UnitFlow, taken: SiteId, unlock: SiteId) -> Option<Fix> {
    let (function, key) = flow.unit.advisory(taken)?;
    let form = function.with_scope(Scope::Transaction)?;
    let inside = flow.unit.site_steps().any(|(step, site)| site == taken && flow.trace.before[step].in_transaction());
    let others = flow.unit.site_steps().filter(|&(_, site)| {
        let about = flow.unit.advisory(site).filter(|(other, _)| other.scope == Scope::Session);
        site != taken && site != unlock && about.is_some_and(|(_, other)| other.compare(key) != Sameness::Different)
    });
    if !inside || others.count() > 0 {
        return None;
    }
    let (source, unlocked) = (context.file.source, &flow.unit.sites[unlock]);
    let mut edits = vec![
        rename(source, flow.unit.sites[taken].span, function, form)?,
        remove(source, unlocked.statement, unlocked.span)?,
    ];
    edits.sort_by_key(|edit| edit.span);
    Some(Fix { title: format!("Use {} and no unlock", form.name), safe: false, edits })
}
