//! A unit with its trace, and the questions that rules ask of the two together.

use super::interpret::{Before, Trace, Way};
use super::{Action, Lock, Node, SiteId, StepId, Unit, UnitKind};
use crate::sql::advisory::{Action as Call, Function, Key, Mode, Sameness, Scope};
use crate::sql::script::Surroundings;
use std::collections::BTreeSet;

/// A unit and what the interpreter saw in it.
#[derive(Debug)]
pub struct UnitFlow {
    /// The unit.
    pub unit: Unit,
    /// What the interpreter saw.
    pub trace: Trace,
}

impl UnitFlow {
    /// The advisory locks that are taken, in the order of the text.
    pub fn acquired(&self) -> impl Iterator<Item = (SiteId, &'static Function, &Key)> {
        self.calls().filter(|(_, function, _)| function.acquires())
    }

    /// The unlocks of one key.
    pub fn released(&self) -> impl Iterator<Item = (SiteId, &'static Function, &Key)> {
        self.calls().filter(|(_, function, _)| function.action == Call::Unlock)
    }

    fn calls(&self) -> impl Iterator<Item = (SiteId, &'static Function, &Key)> {
        self.unit.site_steps().filter_map(|(_, site)| {
            let (function, key) = self.unit.advisory(site)?;
            Some((site, function, key))
        })
    }

    /// Whether anything in the unit drops every session lock.
    fn drops_all(&self) -> bool {
        self.unit.steps.iter().any(|step| matches!(step.action, Action::ReleaseAll(_)))
    }

    /// Whether something in the unit releases this lock, may do so, or was meant to: an unlock that fits no lock held
    /// there is a mistake of its own.
    pub fn has_unlock_attempt(&self, site: SiteId) -> bool {
        self.drops_all()
            || self
                .released()
                .any(|(release, ..)| self.may_release(release, site) || self.meant_for(release) == Some(site))
    }

    /// Whether an unlock is reached with the lock held and fits it.
    fn may_release(&self, release: SiteId, site: SiteId) -> bool {
        let (Some((unlock, released)), Some((taken, key))) = (self.unit.advisory(release), self.unit.advisory(site))
        else {
            return false;
        };
        fits(unlock, released, taken, key)
            && (self.trace.truncated || self.before(release).is_some_and(|before| before.held_any.contains(site)))
    }

    /// What held where a site's step is reached.
    fn before(&self, site: SiteId) -> Option<&Before> {
        self.unit.site_steps().find(|(_, of)| *of == site).map(|(step, _)| &self.trace.before[step])
    }

    /// Whether an unlock fits a lock that is held there, or is of the very key that was locked earlier.
    pub fn fits_a_lock(&self, release: SiteId) -> bool {
        let Some((unlock, released)) = self.unit.advisory(release) else { return false };
        self.acquired().any(|(site, function, known)| {
            let same = fits(unlock, released, function, known) && released.compare(known) == Sameness::Equal;
            same && self.may_come_before(site, release) || self.may_release(release, site)
        })
    }

    /// Whether a site can be reached before another: in a script, which has no loops, by its place.
    pub fn may_come_before(&self, site: SiteId, other: SiteId) -> bool {
        site < other || !matches!(self.unit.kind, UnitKind::Script | UnitKind::Query)
    }

    /// The lock that an unlock was meant for which fits none: the last before it that nothing releases.
    pub fn meant_for(&self, release: SiteId) -> Option<SiteId> {
        if self.fits_a_lock(release) {
            return None;
        }
        self.never_released().map(|(site, ..)| site).filter(|&site| site < release).last()
    }

    /// Session locks that no unlock of the unit can be for.
    fn never_released(&self) -> impl Iterator<Item = (SiteId, &'static Function, &Key)> {
        self.acquired().filter(|(site, function, _)| {
            function.scope == Scope::Session
                && !self.drops_all()
                && !self.released().any(|(release, ..)| self.may_release(release, *site))
        })
    }

    /// The last unlock that may be for this key.
    pub fn last_release(&self, mode: Mode, key: &Key) -> Option<SiteId> {
        self.released()
            .filter(|(_, unlock, released)| unlock.mode == mode && released.compare(key) != Sameness::Different)
            .map(|(site, ..)| site)
            .last()
    }

    /// Whether the unit does nothing but take locks: a wrapper, whose caller releases.
    pub fn only_acquires(&self) -> bool {
        matches!(self.unit.kind, UnitKind::Function { .. } | UnitKind::Procedure { inline: false })
            && self.unit.steps.iter().all(|step| matches!(step.action, Action::Acquire(_)))
    }

    /// The first work step that is reached in a state for which `when` holds.
    pub fn first_work(&self, when: impl Fn(&Before) -> bool) -> Option<StepId> {
        self.work().find(|&step| when(&self.trace.before[step]))
    }

    /// The same for a write to one of `tables`.
    pub fn first_write(&self, tables: &[String], when: impl Fn(&Before) -> bool) -> Option<StepId> {
        self.work().find(|&step| {
            matches!(&self.unit.steps[step].action, Action::Work { writes, .. } if writes.iter().any(|t| tables.contains(t)))
                && when(&self.trace.before[step])
        })
    }

    fn work(&self) -> impl Iterator<Item = StepId> {
        self.unit
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| matches!(step.action, Action::Work { .. } | Action::ConcurrentIndex))
            .map(|(id, _)| id)
    }

    /// The first work after a step, in another statement.
    pub fn work_after(&self, step: StepId) -> Option<StepId> {
        let statement = self.unit.steps[step].statement;
        self.work().find(|&work| {
            work > step && self.unit.steps[work].statement != statement && self.trace.before[work].reached > 0
        })
    }

    /// Work that runs under the transaction-level lock of `site` and again after that lock has ended: the same step in
    /// a later round, or a later write to a table written before.
    pub fn unguarded_repetition(&self, site: SiteId) -> Option<StepId> {
        let written = |step: StepId| match &self.unit.steps[step].action {
            Action::Work { writes, .. } => writes.as_slice(),
            _ => &[],
        };
        let under: Vec<StepId> = self.work().filter(|&step| self.trace.before[step].held_any.contains(site)).collect();
        self.work().filter(|&step| self.trace.before[step].ended.contains(site)).find(|&step| {
            self.trace.before[step].held_any.contains(site) && !written(step).is_empty()
                || under.iter().any(|&guarded| {
                    guarded < step && written(guarded).iter().any(|table| written(step).contains(table))
                })
        })
    }

    /// The COMMIT or ROLLBACK that ends the lock of `site`.
    pub fn ending_of(&self, site: SiteId) -> Option<StepId> {
        self.unit
            .steps
            .iter()
            .enumerate()
            .find(|(id, step)| {
                matches!(step.action, Action::End { .. } | Action::RollbackTo(_))
                    && self.trace.before[*id].held_any.contains(site)
            })
            .map(|(id, _)| id)
    }

    /// Whether some condition of the unit says whether a try-lock was granted. Where none does, the paths on which it is
    /// held are not known.
    pub fn is_decided(&self, site: SiteId) -> bool {
        fn decides(node: &Node, site: SiteId) -> bool {
            match node {
                Node::Step(_) | Node::Exit(..) => false,
                Node::Sequence(nodes) => nodes.iter().any(|node| decides(node, site)),
                Node::Branch { guard, then, otherwise } => {
                    guard.is_some_and(|guard| guard.site == site) || decides(then, site) || decides(otherwise, site)
                }
                Node::Loop { body, .. } | Node::Block { body, .. } => decides(body, site),
                Node::Try { body, handlers, .. } => {
                    decides(body, site) || handlers.iter().any(|node| decides(node, site))
                }
            }
        }
        decides(&self.unit.root, site)
    }

    /// Whether the lock is still held at the unit's end.
    pub fn held_at_end(&self, site: SiteId) -> bool {
        self.trace.leaving.iter().any(|leaving| leaving.way == Way::End && leaving.held.contains(site))
    }

    /// The tables that the unit reads, writes or locks, lower case, without schema.
    pub fn tables(&self) -> BTreeSet<&str> {
        let worked = self.unit.steps.iter().filter_map(|step| match &step.action {
            Action::Work { reads, writes } => Some(reads.iter().chain(writes)),
            _ => None,
        });
        let locked = self.unit.sites.iter().filter_map(|site| match &site.lock {
            Lock::Rows { tables } => Some(tables.iter()),
            Lock::Advisory { .. } => None,
        });
        worked.flatten().chain(locked.flatten()).map(String::as_str).collect()
    }
}

/// Whether an unlock may release what a call took: the mode is the same and the key may be.
fn fits(unlock: &Function, released: &Key, function: &Function, taken: &Key) -> bool {
    unlock.mode == function.mode && function.scope == Scope::Session && released.compare(taken) != Sameness::Different
}

impl Unit {
    /// Whether the file itself says that no transaction is around its statements.
    pub fn autocommit_is_evident(&self) -> bool {
        self.surroundings == Surroundings::Autocommit { evident: true }
    }
}
