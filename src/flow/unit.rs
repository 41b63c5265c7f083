//! A unit with its trace, and the questions that rules ask of the two together.

mod rounds;

use super::interpret::{Trace, Way, interpret};
use super::sites::Sites;
use super::{Action, Begins, Change, Evidence, Lock, Node, Owner, SiteId, StepId, Unit, UnitKind};
use crate::sql::advisory::{Action as Call, Function, Key, Keys, Mode, Sameness, Scope};
use crate::sql::script::Surroundings;
use std::collections::{BTreeSet, HashMap, HashSet};

/// How many steps of a kind are looked at for one lock: what is further away is no longer about it.
const MAX_STEPS: usize = 1024;

/// A unit and what the interpreter saw in it. Rules ask about each site, so no question goes over all sites or steps.
#[derive(Debug)]
pub struct UnitFlow {
    /// The unit.
    pub unit: Unit,
    /// What the interpreter saw.
    pub trace: Trace,
    index: Index,
}

/// What the questions are answered from.
#[derive(Debug, Default)]
struct Index {
    /// The sites of advisory locks that are taken, in the order of the text.
    acquired: Vec<SiteId>,
    /// The sites of unlocks of one key.
    released: Vec<SiteId>,
    /// The keys of the unlocks, by mode.
    unlocks: HashMap<Mode, Keys>,
    /// The locks taken, by key.
    by_key: HashMap<Key, Vec<SiteId>>,
    /// The locks that each unlock may release: held where it is reached, and of a key that may be its own.
    releases: HashMap<SiteId, Vec<SiteId>>,
    /// Locks that some unlock may release.
    may_be_released: HashSet<SiteId>,
    /// Locks that an unlock was meant for which fits none.
    meant: HashSet<SiteId>,
    /// Session locks that no unlock of the unit can be for.
    never_released: Vec<SiteId>,
    /// Steps that work.
    work: Vec<StepId>,
    /// Those of them that build an index CONCURRENTLY.
    builds: Vec<StepId>,
    /// Steps that write a table, by its name.
    writes: HashMap<String, Vec<StepId>>,
    /// The first work without a lock that its own statement's end released.
    unguarded: HashMap<SiteId, StepId>,
    /// Steps that end the transaction.
    endings: Vec<StepId>,
    /// Steps that end it, or roll it back to a savepoint.
    undoings: Vec<StepId>,
    /// Try-locks of which a condition says whether they were granted.
    decided: HashSet<SiteId>,
    /// The step that takes or releases a site.
    step_of: HashMap<SiteId, StepId>,
    drops_all: bool,
    only_acquires: bool,
    has_row_locks: bool,
}

impl UnitFlow {
    /// Runs a unit.
    pub fn new(unit: Unit) -> Self {
        let trace = interpret(&unit);
        let mut flow = Self { index: Index::default(), unit, trace };
        flow.index = flow.indexed();
        flow.index.meant = flow.index.released.iter().filter_map(|&release| flow.meant_for(release)).collect();
        flow
    }

    fn indexed(&self) -> Index {
        let mut index = Index {
            only_acquires: true,
            has_row_locks: self.unit.sites.iter().any(|site| matches!(site.lock, Lock::Rows { .. })),
            ..Index::default()
        };
        for (id, step) in self.unit.steps.iter().enumerate() {
            index.only_acquires &= matches!(step.action, Action::Acquire(_));
            match &step.action {
                Action::Acquire(site) | Action::Release(site) => self.site(&mut index, *site, id),
                Action::ReleaseAll(site) => {
                    index.drops_all = true;
                    index.step_of.extend(site.map(|site| (site, id)));
                }
                Action::Work { writes, .. } => {
                    index.work.push(id);
                    for table in writes.iter().filter(|_| index.has_row_locks) {
                        index.writes.entry(table.clone()).or_default().push(id);
                    }
                }
                Action::ConcurrentIndex => {
                    index.work.push(id);
                    index.builds.push(id);
                }
                Action::End { .. } => {
                    index.endings.push(id);
                    index.undoings.push(id);
                }
                Action::RollbackTo(_) => index.undoings.push(id),
                Action::Begin { .. } | Action::Savepoint(_) | Action::EndSession | Action::Call | Action::Outside => {}
            }
        }
        for &release in &index.released {
            let locks = self.fitting(release, index.step_of.get(&release).copied());
            index.may_be_released.extend(locks.iter().copied());
            index.releases.insert(release, locks);
        }
        index.decided = decided(&self.unit.root);
        let is_session =
            |site: &SiteId| self.unit.advisory(*site).is_some_and(|(function, _)| function.scope == Scope::Session);
        if !index.drops_all {
            let unreleased = index.acquired.iter().copied().filter(|site| !index.may_be_released.contains(site));
            index.never_released = unreleased.filter(is_session).collect();
        }
        let mut seen = Sites::default();
        for &step in &index.work {
            let evaporated = &self.trace.before[step].evaporated;
            let new = evaporated.without(&seen);
            if !new.is_empty() {
                index.unguarded.extend(new.iter().map(|site| (site, step)));
                seen = seen.with(&new);
            }
        }
        index
    }

    /// The locks that an unlock may release: held where it is reached, of its mode, and of a key that may be its own.
    fn fitting(&self, release: SiteId, step: Option<StepId>) -> Vec<SiteId> {
        let Some(step) = step else { return Vec::new() };
        let held = self.trace.before[step].held_any.iter();
        held.filter(|&site| self.unit.releases(release, site) != Sameness::Different).collect()
    }

    fn site(&self, index: &mut Index, site: SiteId, step: StepId) {
        index.step_of.insert(site, step);
        let Some((function, key)) = self.unit.advisory(site) else { return };
        if function.acquires() {
            index.acquired.push(site);
            index.by_key.entry(key.clone()).or_default().push(site);
        } else if function.action == Call::Unlock {
            index.released.push(site);
            index.unlocks.entry(function.mode).or_default().insert(key);
        }
    }

    /// The advisory locks that are taken, in the order of the text.
    pub fn acquired(&self) -> impl Iterator<Item = (SiteId, &'static Function, &Key)> {
        self.calls(&self.index.acquired)
    }

    /// The unlocks of one key.
    pub fn released(&self) -> impl Iterator<Item = (SiteId, &'static Function, &Key)> {
        self.calls(&self.index.released)
    }

    fn calls<'s>(&'s self, sites: &'s [SiteId]) -> impl Iterator<Item = (SiteId, &'static Function, &'s Key)> {
        sites.iter().filter_map(|&site| {
            let (function, key) = self.unit.advisory(site)?;
            Some((site, function, key))
        })
    }

    /// The advisory locks taken with a key that is the same for certain, in the order of the text.
    pub fn acquired_by(&self, key: &Key) -> impl Iterator<Item = (SiteId, &'static Function)> {
        let sites = self.index.by_key.get(key).filter(|_| key.compare(key) == Sameness::Equal);
        self.calls(sites.map_or(&[], Vec::as_slice)).map(|(site, function, _)| (site, function))
    }

    /// Whether something in the unit releases this lock, may do so, or was meant to: an unlock that fits no lock held
    /// there is a mistake of its own.
    pub fn has_unlock_attempt(&self, site: SiteId) -> bool {
        let index = &self.index;
        index.drops_all || index.may_be_released.contains(&site) || index.meant.contains(&site)
    }

    /// Whether an unlock of the unit is for the very key and mode of a lock, wherever it stands.
    pub fn has_unlock_of_its_key(&self, site: SiteId) -> bool {
        self.unit.advisory(site).is_some_and(|(function, key)| {
            self.index.unlocks.get(&function.mode).is_some_and(|keys| keys.holds(key) == Sameness::Equal)
        })
    }

    /// Whether an unlock fits a lock that is held there, or is of the very key that was locked earlier.
    pub fn fits_a_lock(&self, release: SiteId) -> bool {
        let Some((unlock, key)) = self.unit.advisory(release) else { return false };
        self.index.releases.get(&release).is_some_and(|locks| !locks.is_empty())
            || self.acquired_by(key).any(|(site, function)| {
                function.mode == unlock.mode && function.scope == Scope::Session && self.may_come_before(site, release)
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
        let after = self.index.never_released.partition_point(|&site| site < release);
        self.index.never_released[..after].last().copied()
    }

    /// The last unlock that may be for this key.
    pub fn last_release(&self, mode: Mode, key: &Key) -> Option<SiteId> {
        if !may_hold(&self.index.unlocks, mode, key) {
            return None;
        }
        self.index.released.iter().copied().rfind(|&site| {
            self.unit
                .advisory(site)
                .is_some_and(|(unlock, released)| unlock.mode == mode && released.compare(key) != Sameness::Different)
        })
    }

    /// Whether a lock was taken and its transaction ended in a function that is followed from this one, and the work comes
    /// after it: the lock was not for that.
    pub fn was_for_another(&self, site: SiteId, end: StepId, work: StepId) -> bool {
        let Some(&lock) = self.index.step_of.get(&site) else { return false };
        self.is_over_before(&[lock, end], work)
    }

    /// Whether a function that is followed from this one does all of some steps, and has returned when another one comes.
    fn is_over_before(&self, steps: &[StepId], later: StepId) -> bool {
        self.unit.root.nodes().any(|node| match node {
            Node::Block { label, body } if label.starts_with('\0') => {
                let holds = |wanted: &StepId| body.steps().any(|step| step == *wanted);
                steps.iter().all(holds) && !holds(&later)
            }
            _ => false,
        })
    }

    /// Whether a lock was taken in a transaction that a function has begun which is followed from this one, and the work comes
    /// when that has returned: what it left open on some way, nobody keeps open for this.
    pub fn is_left_behind(&self, site: SiteId, work: StepId) -> bool {
        let Some(&lock) = self.index.step_of.get(&site) else { return false };
        self.trace.before[lock].begin().is_some_and(|begin| self.is_over_before(&[lock, begin], work))
    }

    /// Whether another unit is what the same function does on a session: they have their steps in common.
    pub fn is_of_function_of(&self, other: &Self) -> bool {
        let (mine, others) = (&self.unit, &other.unit);
        mine.span == others.span && mine.name == others.name && mine.steps.len() == others.steps.len()
    }

    /// Whether a caller may have begun a transaction on the session: a framework's, one that is handed in; but not for what
    /// the framework itself calls.
    pub fn caller_may_begin(&self) -> bool {
        let session = self.unit.session.as_ref();
        session.is_some_and(|session| {
            session.is_shared() && (session.is_parameter && !session.is_injected || !session.is_entry)
        })
    }

    /// Whether a framework calls the function, and its session is the framework's.
    pub fn is_called_by_framework(&self) -> bool {
        let session = self.unit.session.as_ref();
        session.is_some_and(|session| session.is_shared() && session.is_entry)
    }

    /// Whether the unit does nothing but take locks: a wrapper, whose caller releases.
    pub fn only_acquires(&self) -> bool {
        self.unit.kind.is_called() && self.index.only_acquires
    }

    /// The first work after the end of the statement that took a transaction-scoped lock in autocommit.
    pub fn first_work_without(&self, site: SiteId) -> Option<StepId> {
        self.index.unguarded.get(&site).copied()
    }

    /// The same for a write to one of `tables`.
    pub fn first_write_without(&self, site: SiteId, tables: &[String]) -> Option<StepId> {
        let from = self.index.unguarded.get(&site)?;
        let first = |table: &String| {
            let steps = self.index.writes.get(table)?;
            let after = &steps[steps.partition_point(|step| step < from)..];
            after.iter().copied().find(|&step| self.trace.before[step].evaporated.contains(site))
        };
        tables.iter().filter_map(first).min()
    }

    /// The first work after a step, in another statement.
    pub fn work_after(&self, step: StepId) -> Option<StepId> {
        let statement = self.unit.steps[step].statement;
        let after = self.index.work.partition_point(|&work| work <= step);
        self.index.work[after..]
            .iter()
            .copied()
            .find(|&work| self.unit.steps[work].statement != statement && self.trace.before[work].reached > 0)
    }

    /// The first read of a table after a step, in another statement.
    pub fn read_after(&self, step: StepId) -> Option<StepId> {
        let statement = self.unit.steps[step].statement;
        let after = self.index.work.partition_point(|&work| work <= step);
        self.index.work[after..].iter().copied().find(|&work| {
            let later = &self.unit.steps[work];
            let reads = matches!(&later.action, Action::Work { reads, .. } if !reads.is_empty());
            reads && later.statement != statement
        })
    }

    /// The first index that is built CONCURRENTLY under a lock.
    pub fn concurrent_build_under(&self, site: SiteId) -> Option<StepId> {
        self.held_at(site, &self.index.builds)
    }

    /// The first change that looks at nothing again, after the transaction that the lock of `site` was taken for has
    /// committed with nothing changed in it, and while nothing else is held.
    pub fn change_after(&self, site: SiteId, fits: impl Fn(&Change) -> bool) -> Option<StepId> {
        let after = |step: StepId| {
            let before = &self.trace.before[step];
            before.reached > 0 && before.idle.contains(site) && before.held_any.is_empty()
        };
        self.unit.changes.iter().find(|(step, change)| after(**step) && fits(change)).map(|(step, _)| *step)
    }

    /// The tables that are read under the lock of `site`.
    pub fn read_under(&self, site: SiteId) -> BTreeSet<&str> {
        let under = self.about(site, &self.index.work).filter(|&step| self.trace.before[step].held_any.contains(site));
        let reads = under.filter_map(|step| match &self.unit.steps[step].action {
            Action::Work { reads, .. } => Some(reads),
            _ => None,
        });
        reads.flatten().map(String::as_str).collect()
    }

    /// The COMMIT or ROLLBACK of the whole transaction under which the lock of `site` is held.
    pub fn commit_under(&self, site: SiteId) -> Option<StepId> {
        self.endings_under(site).next()
    }

    /// The same, or the ROLLBACK TO SAVEPOINT: what ends a transaction-scoped lock.
    pub fn ending_of(&self, site: SiteId) -> Option<StepId> {
        self.held_at(site, &self.index.undoings)
    }

    /// All steps by which a transaction ends under which the lock of `site` is held.
    pub fn endings_under(&self, site: SiteId) -> impl Iterator<Item = StepId> + '_ {
        let under = move |step: &StepId| self.trace.before[*step].held_any.contains(site);
        self.about(site, &self.index.endings).filter(under)
    }

    fn held_at(&self, site: SiteId, steps: &[StepId]) -> Option<StepId> {
        self.about(site, steps).find(|&step| self.trace.before[step].held_any.contains(site))
    }

    /// Those of some steps that may have to do with a site: in a script what comes after it, in a body, which has loops,
    /// all.
    fn about<'s>(&'s self, site: SiteId, steps: &'s [StepId]) -> impl Iterator<Item = StepId> + 's {
        let from = match self.unit.kind {
            UnitKind::Script | UnitKind::Query => self.index.step_of.get(&site).copied().unwrap_or_default(),
            UnitKind::Function { .. } | UnitKind::Procedure { .. } | UnitKind::Host => 0,
        };
        let first = steps.partition_point(|&step| step < from);
        steps[first..].iter().copied().take(MAX_STEPS)
    }

    /// Whether some condition of the unit says whether a try-lock was granted. Where none does, the paths on which it is
    /// held are not known.
    pub fn is_decided(&self, site: SiteId) -> bool {
        self.index.decided.contains(&site)
    }

    /// Whether the unit does nothing but take this lock: neither work nor an unlock.
    pub fn is_alone(&self, site: SiteId) -> bool {
        let other = |action: &Action| !matches!(action, Action::Call) && *action != Action::Acquire(site);
        !self.unit.steps.iter().any(|step| other(&step.action))
    }

    /// Whether the unit gives its connection back to the pool with the lock on it, on some way.
    pub fn is_given_back(&self, site: SiteId) -> bool {
        let holds = |step: &StepId| self.trace.before.get(*step).is_some_and(|before| before.held_any.contains(site));
        self.unit.session.as_ref().is_some_and(|session| {
            session.returned && (session.gives_back.is_empty() || session.gives_back.iter().any(holds))
        })
    }

    /// Whether code commits by hand after a step, in the order of the text.
    pub fn commits_after(&self, step: StepId) -> bool {
        let commits = |end: &StepId| {
            let ends = self.unit.steps.get(*end).map(|end| &end.action);
            *end > step && matches!(ends, Some(Action::End { commits: true, .. }))
        };
        self.unit.session.as_ref().is_some_and(|session| session.ends.iter().any(commits))
    }

    /// Whether the unit takes either this lock or another one, in the other form, and unlocks both forms: a condition that
    /// nothing shows chooses between the two.
    pub fn is_other_form(&self, site: SiteId) -> bool {
        let form = |site: SiteId| self.unit.advisory(site).map(|(_, key)| std::mem::discriminant(key));
        let before = |site: &SiteId| Some(&self.trace.before[*self.index.step_of.get(site)?].held_any);
        let apart = |other: &SiteId| {
            form(*other) != form(site)
                && before(other).is_some_and(|held| !held.contains(site))
                && before(&site).is_some_and(|held| !held.contains(*other))
        };
        self.index.acquired.iter().any(apart)
            && self.index.released.iter().any(|release| form(*release) == form(site))
            && self.index.released.iter().any(|release| form(*release) != form(site))
    }

    /// Whether the unit releases every lock of its session.
    pub const fn releases_all(&self) -> bool {
        self.index.drops_all
    }

    /// Whether the unit ends its session: what is held goes with it.
    pub fn ends_session(&self) -> bool {
        self.unit.steps.iter().any(|step| step.action == Action::EndSession)
    }

    /// Whether the lock is held where the unit is left, on some way but a failure.
    pub fn is_left_held(&self, site: SiteId) -> bool {
        self.trace.leaving.iter().any(|leaving| leaving.way != Way::Failure && leaving.held.contains(site))
    }

    /// Whether a lock is held where the unit comes to its last way out, and each unlock that may be for it stands where
    /// something has failed.
    pub fn is_compensated(&self, site: SiteId) -> bool {
        let ways = self.trace.leaving.iter().filter(|leaving| matches!(leaving.way, Way::Return | Way::End));
        let holds = ways.max_by_key(|leaving| leaving.span.start).is_some_and(|last| last.held.contains(site));
        let failing: HashSet<StepId> = self
            .unit
            .root
            .nodes()
            .flat_map(|node| match node {
                Node::Failed { then, .. } => then.steps().collect::<Vec<_>>(),
                Node::Try { handlers, .. } => handlers.iter().flat_map(Node::steps).collect(),
                _ => Vec::new(),
            })
            .collect();
        let mut unlocks = self.index.releases.iter().filter(|(_, locks)| locks.contains(&site));
        holds && unlocks.all(|(release, _)| self.index.step_of.get(release).is_some_and(|step| failing.contains(step)))
    }

    /// Whether the lock is still held at the unit's end.
    pub fn held_at_end(&self, site: SiteId) -> bool {
        self.trace.held_at_end().is_some_and(|held| held.contains(site))
    }

    /// The tables that the unit reads, writes or locks, lower case, without schema.
    pub fn tables(&self) -> BTreeSet<&str> {
        let worked = self.unit.steps.iter().filter_map(|step| match &step.action {
            Action::Work { reads, writes } => Some(reads.iter().chain(writes)),
            _ => None,
        });
        let locked = self.unit.sites.iter().filter_map(|site| match &site.lock {
            Lock::Rows { tables } => Some(tables.iter()),
            Lock::Advisory { .. } | Lock::Table => None,
        });
        worked.flatten().chain(locked.flatten()).map(String::as_str).collect()
    }
}

/// The try-locks of which the conditions of a tree say whether they were granted.
fn decided(root: &Node) -> HashSet<SiteId> {
    let guard = |node: &Node| if let Node::Branch { guard: Some(guard), .. } = node { Some(guard.site) } else { None };
    root.nodes().filter_map(guard).collect()
}

fn may_hold(keys: &HashMap<Mode, Keys>, mode: Mode, key: &Key) -> bool {
    keys.get(&mode).is_some_and(|keys| keys.may_hold(key))
}

impl Unit {
    /// Whether the code itself says that no transaction is around its statements.
    pub fn autocommit_is_evident(&self) -> bool {
        match &self.session {
            Some(session) => {
                session.begins == Begins::Never && session.owner != Owner::Ambient && session.evidence > Evidence::Name
            }
            None => self.surroundings == Surroundings::Autocommit { evident: true },
        }
    }
}
