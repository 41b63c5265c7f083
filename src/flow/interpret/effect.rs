//! What a step does to a state.

use super::{MAX_SAVEPOINTS, Run, State, Transaction, between};
use crate::flow::sites::Sites;
use crate::flow::{Action, Begins, Change, Lock, SiteId, StepId, UnitKind};
use crate::sql::advisory::{Action as Call, Sameness};
use crate::sql::script::Surroundings;

impl Run<'_> {
    /// In autocommit what a statement took for the transaction goes with the statement.
    pub(super) fn end_statement(&self, state: &mut State) {
        if state.transaction == Transaction::None {
            let gone = state.held.both(&self.scoped);
            state.held = state.held.without(&gone);
            state.evaporated = state.evaporated.with(&gone);
            state.wrote = Sites::default();
        }
    }

    /// Whether the failure of a step leaves a transaction that only its end can leave.
    pub(super) fn aborts(&self, action: &Action, state: &State) -> bool {
        self.unit.kind == UnitKind::Host
            && matches!(action, Action::Work { .. } | Action::Acquire(_) | Action::ConcurrentIndex)
            && matches!(state.transaction, Transaction::Given | Transaction::Begun(_))
    }

    /// A script that fails ends; a body that fails leaves the caller's session as it is.
    pub(super) fn may_fail(&self, action: &Action) -> bool {
        if let Some(session) = &self.unit.session {
            let runs = matches!(
                action,
                Action::Work { .. } | Action::ConcurrentIndex | Action::Call | Action::Outside | Action::Acquire(_)
            );
            return session.throws && runs;
        }
        matches!(self.unit.kind, UnitKind::Function { .. } | UnitKind::Procedure { .. })
            && matches!(action, Action::Work { .. } | Action::ConcurrentIndex)
    }

    pub(super) fn apply(&self, id: StepId, action: &Action, state: &mut State) {
        match action {
            Action::Acquire(_) | Action::Call => {}
            Action::ConcurrentIndex | Action::Outside => self.use_all(state),
            Action::Release(site) => {
                let released = self.released_by(*site, &state.held);
                state.held = state.held.without(&released);
                state.wrote = state.wrote.without(&released);
            }
            Action::ReleaseAll(_) => {
                state.held = state.held.both(&self.scoped);
            }
            Action::Begin { .. } => state.transaction = Transaction::Begun(id),
            Action::End { chain, commits } => {
                let host = self.unit.kind == UnitKind::Host;
                let inside = host || matches!(self.unit.kind, UnitKind::Procedure { .. });
                state.aborted = false;
                let gone = state.held.both(&self.scoped);
                state.held = state.held.without(&gone);
                // What follows a script's own COMMIT is another transaction on purpose; AND CHAIN goes on with the same.
                if inside || *chain {
                    state.ended = state.ended.with(&gone);
                }
                if *commits && self.unwinding == 0 {
                    state.idle = state.idle.with(&gone.without(&state.used));
                }
                state.wrote = Sites::default();
                state.used = Sites::default();
                state.savepoints.clear();
                if host {
                    // A handle that stands for a transaction is of no use after it.
                    let begins = self.unit.session.as_ref().map(|session| session.begins);
                    state.transaction =
                        if begins == Some(Begins::Already) { Transaction::Unknown } else { between(self.unit) };
                } else if !inside && !chain {
                    state.ended = Sites::default();
                    state.transaction = match self.unit.surroundings {
                        // A script that ends what it never began has a session that begins by itself.
                        _ if self.unit.ends_outer => Transaction::Unknown,
                        // What a runner does after the script's own COMMIT is its affair.
                        Surroundings::Autocommit { .. } | Surroundings::OneString => Transaction::None,
                        Surroundings::Runner | Surroundings::Unknown => Transaction::Unknown,
                    };
                }
            }
            Action::Savepoint(name) => {
                if state.savepoints.len() == MAX_SAVEPOINTS {
                    state.savepoints.remove(0);
                }
                state.savepoints.push((name.clone(), state.held.both(&self.scoped)));
            }
            Action::RollbackTo(name) => {
                if let Some(index) = state.savepoints.iter().rposition(|(known, _)| known == name) {
                    state.savepoints.truncate(index + 1);
                    state.aborted = false;
                    let ended = state.held.both(&self.scoped).without(&state.savepoints[index].1);
                    Self::end_locks(state, &ended);
                }
            }
            Action::Work { reads, writes } => {
                if !writes.is_empty() {
                    state.wrote = state.wrote.with(&state.held);
                }
                let calls = || matches!(self.unit.changes.get(&id), Some(Change::Anything { .. }));
                if !writes.is_empty() || reads.is_empty() || calls() {
                    self.use_all(state);
                }
            }
            Action::EndSession => {
                state.held = Sites::default();
                state.evaporated = Sites::default();
                state.ended = Sites::default();
                state.wrote = Sites::default();
                state.used = Sites::default();
                state.idle = Sites::default();
            }
        }
    }

    /// Something is changed, or may be, under all that is held.
    fn use_all(&self, state: &mut State) {
        state.used = state.used.with(&state.held.both(&self.scoped));
    }

    /// `sites` without those that lock rows of the tables of this one.
    pub(super) fn without_same_rows(&self, sites: Sites, site: SiteId) -> Sites {
        let Lock::Rows { tables } = &self.unit.sites[site].lock else { return sites };
        let same = |&other: &SiteId| match &self.unit.sites[other].lock {
            Lock::Rows { tables: others } => others.iter().any(|table| tables.contains(table)),
            _ => false,
        };
        let taken: Sites = sites.iter().filter(same).collect();
        sites.without(&taken)
    }

    pub(super) fn end_locks(state: &mut State, sites: &Sites) {
        state.held = state.held.without(sites);
        state.ended = state.ended.with(sites);
    }

    pub(super) fn is_try(&self, site: SiteId) -> bool {
        self.unit.advisory(site).is_some_and(|(function, _)| function.action == Call::TryLock)
    }

    /// `sites` without those whose lock this site takes again.
    pub(super) fn without_same_lock(&self, sites: Sites, site: SiteId) -> Sites {
        if sites.is_empty() {
            return sites;
        }
        let Some((_, key)) = self.unit.advisory(site) else {
            return sites.without(&Sites::one(site));
        };
        let same = |&other: &SiteId| {
            other == site
                || self.unit.advisory(other).is_some_and(|(_, known)| key.compare(known) != Sameness::Different)
        };
        let taken: Sites = sites.iter().filter(same).collect();
        sites.without(&taken)
    }

    /// What an unlock releases of `held`: the same key, or else every key that may be it.
    pub(super) fn released_by(&self, release: SiteId, held: &Sites) -> Sites {
        let of = |wanted: Sameness| -> Sites {
            held.iter().filter(|&site| self.unit.releases(release, site) == wanted).collect()
        };
        let same = of(Sameness::Equal);
        if same.is_empty() { of(Sameness::Unknown) } else { same }
    }
}
