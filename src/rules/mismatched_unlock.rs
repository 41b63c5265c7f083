//! An unlock for another key, mode or key space, or of a lock that only the transaction holds.

use crate::finding::{Level, Place};
use crate::flow::{SiteId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Function, Key, Scope};

pub(super) const RULE: Rule = Rule {
    name: "mismatched-unlock",
    level: Level::Error,
    rank: Rank::Mismatched,
    page: include_str!("../../rules/mismatched-unlock.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (_, site) in flow.unit.site_steps() {
        let Some((unlock, key)) = flow.unit.advisory(site) else { continue };
        if unlock.action != Action::Unlock {
            continue;
        }
        let Some((taken, why, level)) = mismatch(flow, site, unlock, key) else { continue };
        let taken = flow.unit.sites[taken].span;
        sink.at_site(&RULE, level, context, (flow, site), why)
            .related(Place::new(context.file.id, taken), "the lock is taken here")
            .about(context.file.id, taken);
    }
}

/// The lock that the unlock was meant for, what is wrong with it, and how sure that is. None where it may be right.
fn mismatch(flow: &UnitFlow, release: SiteId, unlock: &Function, key: &Key) -> Option<(SiteId, String, Level)> {
    if flow.fits_a_lock(release) {
        return None;
    }
    let mut other_mode = None;
    let mut transaction = None;
    for (site, function) in flow.acquired_by(key).filter(|(site, _)| flow.may_come_before(*site, release)) {
        match function.scope {
            Scope::Session if function.mode != unlock.mode => other_mode = Some((site, function)),
            Scope::Session => {}
            Scope::Transaction => transaction = Some((site, function)),
        }
    }
    if let Some((site, function)) = other_mode {
        let right = function.unlock()?.name;
        let message = format!(
            "`{}` does not release this lock: it was taken by `{}`, which `{right}` releases",
            unlock.name, function.name
        );
        return Some((site, message, Level::Error));
    }
    if let Some((site, function)) = transaction {
        let message = format!(
            "`{}` cannot release what `{}` took: a transaction-level lock ends with its \
                 transaction, and this returns false",
            unlock.name, function.name
        );
        return Some((site, message, Level::Error));
    }
    let site = flow.meant_for(release)?;
    let (_, taken) = flow.unit.advisory(site)?;
    let level =
        if key.is_literal() && taken.is_literal() || !key.same_space(taken) { Level::Error } else { Level::Warning };
    let message = if key.same_space(taken) {
        format!("locks {taken} but unlocks {key}: the unlock returns false and the lock stays")
    } else {
        format!("locks {taken} but unlocks {key}: (int, int) and bigint keys never meet, so the lock stays")
    };
    Some((site, message, level))
}
