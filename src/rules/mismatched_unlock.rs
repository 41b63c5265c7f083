//! An unlock for another key, mode or key space, or of a lock that only the transaction holds.

use crate::finding::{Level, Place};
use crate::flow::{Session, SiteId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::advisory::{Action, Function, Key, Sameness, Scope};

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
        if let Some((taken, why)) = in_class(context, flow, unlock, key) {
            sink.at_site(&RULE, Level::Error, context, (flow, site), why)
                .related(Place::new(context.file.id, taken), "the lock is taken here")
                .about(context.file.id, taken);
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

/// Of a class whose methods share a connection: the lock that this unlock is for in another mode, where no method unlocks it
/// in its own.
fn in_class(context: &Context<'_>, flow: &UnitFlow, unlock: &Function, key: &Key) -> Option<(Span, String)> {
    let session = flow.unit.session.as_ref().filter(|session| session.is_field)?;
    let class = flow.unit.name.rsplit_once('.')?.0;
    let methods = || {
        context.file.units.iter().filter(|other| {
            let same = |other: &Session| other.is_field && other.handle == session.handle;
            other.unit.session.as_ref().is_some_and(same)
                && other.unit.name.rsplit_once('.').is_some_and(|(name, _)| name == class)
        })
    };
    let equal = |other: &Key| other.compare(key) == Sameness::Equal;
    let taken = |mode_fits: bool| {
        methods().flat_map(|other| other.acquired().map(move |found| (other, found))).find(
            |(_, (_, function, taken))| {
                function.scope == Scope::Session && (function.mode == unlock.mode) == mode_fits && equal(taken)
            },
        )
    };
    if taken(true).is_some() {
        return None;
    }
    let Some((other, (site, function, _))) = taken(false) else {
        // One lock and one unlock, of keys that never meet.
        let mut locks = methods().flat_map(|other| other.acquired().map(move |found| (other, found)));
        let (other, (site, function, taken)) = locks.next().filter(|_| locks.next().is_none())?;
        let alone = methods().flat_map(UnitFlow::released).count() == 1;
        let apart = key.is_literal() && taken.is_literal() || !key.same_space(taken);
        let fits = function.scope == Scope::Session && function.mode == unlock.mode;
        let message = format!("locks {taken} but unlocks {key}: the unlock returns false and the lock stays");
        let different = key.compare(taken) == Sameness::Different;
        return (alone && apart && fits && different).then(|| (other.unit.sites[site].span, message));
    };
    let right = function.unlock()?;
    let released =
        methods().any(|other| other.released().any(|(_, other, key)| other.mode == right.mode && equal(key)));
    let message = format!(
        "`{}` does not release this lock: it was taken by `{}`, which `{}` releases",
        unlock.name, function.name, right.name
    );
    (!released).then(|| (other.unit.sites[site].span, message))
}
