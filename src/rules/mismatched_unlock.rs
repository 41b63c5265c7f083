//! An unlock for another key, mode or key space, or of a lock that only the transaction holds.

use crate::finding::{Fix, Level, Place};
use crate::flow::{Evidence, Owner, Session, SiteId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink, remove, rename};
use crate::span::Span;
use crate::sql::advisory::{Action, Function, Key, KeyPart, Sameness, Scope};

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
        let elsewhere =
            in_class(context, flow, unlock, key).or_else(|| on_another_session(context, flow, site, unlock, key));
        if let Some((taken, why)) = elsewhere {
            sink.at_site(&RULE, Level::Error, context, (flow, site), why)
                .related(Place::new(context.file.id, taken), "the lock is taken here")
                .about(context.file.id, taken);
            continue;
        }
        let Some(Mismatch { taken, why, level, right }) = mismatch(context, flow, site, unlock, key) else {
            let why = match flow.fits_a_lock(site) {
                true => "a lock of the same unit is released by it, or may be",
                false => "no lock of the same unit is known to be the one that it is meant for",
            };
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        let taken = flow.unit.sites[taken].span;
        let story = sink
            .at_site(&RULE, level, context, (flow, site), why)
            .related(Place::new(context.file.id, taken), "the lock is taken here")
            .about(context.file.id, taken);
        let (source, unlocked) = (context.file.source, &flow.unit.sites[site]);
        let (title, edit) = match right {
            Right::Call(right) => (format!("Use {}", right.name), rename(source, unlocked.span, unlock, right)),
            Right::Nothing => ("Remove the unlock".to_owned(), remove(source, unlocked.statement, unlocked.span)),
            Right::Unknown => continue,
        };
        if let Some(edit) = edit {
            story.fix(Fix { title, safe: true, edits: vec![edit] });
        }
    }
}

/// An unlock that is for another lock.
struct Mismatch {
    /// The lock that it was meant for.
    taken: SiteId,
    /// What is wrong with it.
    why: String,
    /// How sure that is.
    level: Level,
    /// What would be right.
    right: Right,
}

/// What would be right instead of an unlock.
enum Right {
    /// Another function.
    Call(&'static Function),
    /// No unlock: the lock ends by itself.
    Nothing,
    /// Another key, and which of the two is meant is not known.
    Unknown,
}

/// What is wrong with an unlock. None where it may be right.
fn mismatch(context: &Context<'_>, flow: &UnitFlow, release: SiteId, unlock: &Function, key: &Key) -> Option<Mismatch> {
    if let Some((site, taken)) = by_constants(context, flow, release, unlock, key) {
        let why =
            format!("locks {taken} but unlocks {}: the unlock returns false and the lock stays", folded(context, key));
        return Some(Mismatch { taken: site, why, level: Level::Error, right: Right::Unknown });
    }
    if let Some((site, taken)) = swapped(flow, release, unlock, key) {
        let why = format!("locks {taken} but unlocks {key}: the two parts are swapped, so the lock stays");
        return Some(Mismatch { taken: site, why, level: Level::Warning, right: Right::Unknown });
    }
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
        let right = function.unlock()?;
        let why = format!(
            "`{}` does not release this lock: it was taken by `{}`, which `{}` releases",
            unlock.name, function.name, right.name
        );
        return Some(Mismatch { taken: site, why, level: Level::Error, right: Right::Call(right) });
    }
    if let Some((site, function)) = transaction {
        let why = format!(
            "`{}` cannot release what `{}` took: a transaction-level lock ends with its \
                 transaction, and this returns false",
            unlock.name, function.name
        );
        return Some(Mismatch { taken: site, why, level: Level::Error, right: Right::Nothing });
    }
    let site = flow.meant_for(release)?;
    let (_, taken) = flow.unit.advisory(site)?;
    // A column, a placeholder without a name, a call that gives something else each time: it may be the lock's key.
    if key.same_space(taken) && key.is_opaque() && !differ_in_one_literal(key, taken) {
        return None;
    }
    let level = if key.is_literal() && taken.is_literal() || !key.same_space(taken) || differ_in_one_literal(key, taken)
    {
        Level::Error
    } else {
        Level::Warning
    };
    let why = if key.same_space(taken) {
        format!("locks {taken} but unlocks {key}: the unlock returns false and the lock stays")
    } else {
        format!("locks {taken} but unlocks {key}: (int, int) and bigint keys never meet, so the lock stays")
    };
    Some(Mismatch { taken: site, why, level, right: Right::Unknown })
}

fn folded(context: &Context<'_>, key: &Key) -> Key {
    context.facts.constants.folded(context.file.id, key)
}

/// The last lock that an unlock is for, where the keys of both are constants of other files, and that of no lock before it is
/// the unlock's.
fn by_constants(
    context: &Context<'_>,
    flow: &UnitFlow,
    release: SiteId,
    unlock: &Function,
    key: &Key,
) -> Option<(SiteId, Key)> {
    let released = folded(context, key);
    if !released.is_literal() {
        return None;
    }
    let locks = flow.acquired().filter(|(site, ..)| flow.may_come_before(*site, release));
    let locks: Vec<_> = locks.map(|(site, function, taken)| (site, function, folded(context, taken))).collect();
    let apart = |(.., taken): &(SiteId, &Function, Key)| taken.compare(&released) == Sameness::Different;
    if !locks.iter().all(apart) {
        return None;
    }
    let meant = |(_, function, taken): &(SiteId, &Function, Key)| {
        function.scope == Scope::Session && function.mode == unlock.mode && taken.is_literal()
    };
    let (site, _, taken) = locks.into_iter().rfind(meant)?;
    let is_named = released != *key || flow.unit.advisory(site).is_some_and(|(_, written)| *written != taken);
    is_named.then_some((site, taken))
}

/// The lock of the unit whose key an unlock names the wrong way round, where none has the key that it names.
fn swapped<'f>(flow: &'f UnitFlow, release: SiteId, unlock: &Function, key: &Key) -> Option<(SiteId, &'f Key)> {
    let locks = || {
        flow.acquired().filter(|(site, function, _)| {
            function.scope == Scope::Session && function.mode == unlock.mode && flow.may_come_before(*site, release)
        })
    };
    if locks().any(|(.., taken)| taken.compare(key) == Sameness::Equal) {
        return None;
    }
    locks().filter(|(.., taken)| key.is_swapped(taken)).map(|(site, _, taken)| (site, taken)).last()
}

/// Whether one half of two keys is the same text, and the other two different literals.
fn differ_in_one_literal(key: &Key, taken: &Key) -> bool {
    let mut parts = key.parts().zip(taken.parts());
    let (Some(first), Some(second), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let same = |(mine, theirs): (&KeyPart, &KeyPart)| {
        mine == theirs && !matches!(mine, KeyPart::Expression { opaque: true, .. })
    };
    let other = |parts: (&KeyPart, &KeyPart)| matches!(parts, (KeyPart::Constant(mine), KeyPart::Constant(theirs)) if mine != theirs);
    same(first) && other(second) || other(first) && same(second)
}

/// The lock of the same key that the function has taken on another connection of its own, where nothing unlocks it.
fn on_another_session(
    context: &Context<'_>,
    flow: &UnitFlow,
    release: SiteId,
    unlock: &Function,
    key: &Key,
) -> Option<(Span, String)> {
    // What is given away may have been locked, or be unlocked, where it goes.
    let own = |flow: &UnitFlow| {
        let session = flow.unit.session.clone()?;
        (session.is_local() && !session.escapes && session.evidence > Evidence::Name).then_some(session)
    };
    let session = own(flow).filter(|_| !flow.fits_a_lock(release) && flow.acquired().next().is_none())?;
    if session.owner == Owner::Borrowed && context.facts.pools.may_be_one(&session, context.file.source.language()) {
        return None;
    }
    context.file.units.iter().find_map(|other| {
        let same_function = other.unit.name == flow.unit.name && other.unit.span == flow.unit.span;
        own(other).filter(|theirs| same_function && theirs.declared != session.declared)?;
        let (site, function) = other.acquired_by(key).find(|(site, function)| {
            function.scope == Scope::Session && function.mode == unlock.mode && !other.has_unlock_attempt(*site)
        })?;
        let why = format!(
            "`{}` took this lock on another connection: the unlock goes to one that does not hold it, and the lock stays",
            function.name
        );
        Some((other.unit.sites[site].span, why))
    })
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
