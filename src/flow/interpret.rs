//! The one interpreter: what is held where. It walks the tree with sets of states and records, for each step, what held
//! when it was reached, and, for each way out, what was still held.

use super::{Action, Exit, Guard, Lock, Node, SiteId, StepId, Unit, UnitKind};
use crate::span::Span;
use crate::sql::advisory::{Action as Call, Sameness, Scope};
use crate::sql::script::Surroundings;
use std::collections::BTreeSet;

/// More sites or states than this and the trace says so; rules about paths are then silent.
const MAX_SITES: usize = 64;
const MAX_STATES: usize = 64;

/// A set of lock sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sites(u64);

impl Sites {
    fn one(site: SiteId) -> Self {
        Self(if site < MAX_SITES { 1 << site } else { 0 })
    }

    /// Whether the site is in it.
    pub fn contains(self, site: SiteId) -> bool {
        self.0 & Self::one(site).0 != 0
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The sites in it, ascending.
    pub fn iter(self) -> impl Iterator<Item = SiteId> {
        (0..MAX_SITES).filter(move |&site| self.contains(site))
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// Whether a transaction is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transaction {
    /// None: each statement is its own.
    None,
    /// Not known.
    Unknown,
    /// One that the runner, the caller or the driver opened.
    Given,
    /// One that a BEGIN of this unit opened.
    Begun(StepId),
}

/// What is true at one place on one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    transaction: Transaction,
    held: Sites,
    /// Transaction-scoped and taken in autocommit: gone at the end of their own statement.
    evaporated: Sites,
    /// Transaction-scoped, ended by COMMIT, ROLLBACK or a rolled back savepoint while the unit goes on.
    ended: Sites,
    /// Held while something was written that is not committed yet.
    wrote: Sites,
    /// The statement of the last step.
    statement: usize,
    savepoints: Vec<(String, Sites)>,
}

/// What was true when a step was reached: on some path (`any`) or on all of them (`all`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// How often it was reached; 0: never.
    pub reached: usize,
    /// Held on some path.
    pub held_any: Sites,
    /// Held on every path.
    pub held_all: Sites,
    /// Gone at the end of its statement, in autocommit, on some path.
    pub evaporated: Sites,
    /// Ended with the transaction, on some path.
    pub ended: Sites,
    /// Uncommitted work was done under it, on some path.
    pub wrote: Sites,
    /// The transactions that may be open.
    pub transactions: BTreeSet<Transaction>,
}

impl Before {
    /// Whether a transaction is open on every path.
    pub fn in_transaction(&self) -> bool {
        !self.transactions.is_empty()
            && self.transactions.iter().all(|t| matches!(t, Transaction::Given | Transaction::Begun(_)))
    }

    /// The BEGIN that opened the transaction, if a visible one did on every path.
    pub fn begin(&self) -> Option<StepId> {
        match self.transactions.iter().next() {
            Some(&Transaction::Begun(step)) if self.transactions.len() == 1 => Some(step),
            _ => None,
        }
    }

    /// Whether no transaction is open on any path.
    pub fn autocommit(&self) -> bool {
        self.transactions.len() == 1 && self.transactions.contains(&Transaction::None)
    }
}

/// How a unit is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Its end.
    End,
    /// RETURN.
    Return,
    /// RAISE and its like.
    Raise,
    /// A statement that may fail.
    Failure,
}

/// A way out, with what is still held there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// How.
    pub way: Way,
    /// Where; the unit's end for `Way::End`.
    pub span: Span,
    /// Held on some path to here.
    pub held: Sites,
}

/// What the interpreter saw.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Per step.
    pub before: Vec<Before>,
    /// Every way out.
    pub leaving: Vec<Leaving>,
    /// Too many sites or states: what is here may miss paths.
    pub truncated: bool,
}

/// Runs a unit.
pub fn interpret(unit: &Unit) -> Trace {
    let mut run = Run {
        unit,
        trace: Trace {
            before: vec![Before::default(); unit.steps.len()],
            leaving: Vec::new(),
            truncated: unit.sites.len() > MAX_SITES,
        },
    };
    let outcome = run.node(&unit.root, States::from([State::start(unit)]));
    let end = Span::new(unit.span.end, unit.span.end);
    run.leave(Way::End, end, &outcome.normal);
    for (span, states) in &outcome.returns {
        run.leave(Way::Return, *span, states);
    }
    for (way, span, states) in &outcome.raises {
        run.leave(*way, *span, states);
    }
    run.trace
}

type States = BTreeSet<State>;

impl State {
    fn start(unit: &Unit) -> Self {
        let transaction = match (unit.kind, unit.surroundings) {
            (UnitKind::Function { .. } | UnitKind::Procedure { .. }, _) => Transaction::Given,
            _ if unit.ends_outer => Transaction::Given,
            (_, Surroundings::Autocommit { .. }) => Transaction::None,
            (_, Surroundings::Runner | Surroundings::OneString) => Transaction::Given,
            (_, Surroundings::Unknown) => Transaction::Unknown,
        };
        Self {
            transaction,
            held: Sites::default(),
            evaporated: Sites::default(),
            ended: Sites::default(),
            wrote: Sites::default(),
            statement: usize::MAX,
            savepoints: Vec::new(),
        }
    }
}

/// Where control goes from a node.
#[derive(Default)]
struct Outcome {
    normal: States,
    returns: Vec<(Span, States)>,
    raises: Vec<(Way, Span, States)>,
    breaks: Vec<(Option<String>, States)>,
    continues: Vec<(Option<String>, States)>,
}

impl Outcome {
    fn absorb(&mut self, other: Self) {
        self.normal.extend(other.normal);
        self.returns.extend(other.returns);
        self.raises.extend(other.raises);
        self.breaks.extend(other.breaks);
        self.continues.extend(other.continues);
    }
}

struct Run<'u> {
    unit: &'u Unit,
    trace: Trace,
}

impl Run<'_> {
    fn leave(&mut self, way: Way, span: Span, states: &States) {
        let Some(held) = states.iter().map(|state| state.held).reduce(Sites::with) else {
            return;
        };
        match self.trace.leaving.iter_mut().find(|known| known.way == way && known.span == span) {
            Some(known) => known.held = known.held.with(held),
            None => self.trace.leaving.push(Leaving { way, span, held }),
        }
    }

    fn node(&mut self, node: &Node, mut states: States) -> Outcome {
        while states.len() > MAX_STATES {
            self.trace.truncated = true;
            states.pop_last();
        }
        if states.is_empty() {
            return Outcome::default();
        }
        match node {
            Node::Step(step) => self.step(*step, &states),
            Node::Sequence(nodes) => {
                let mut outcome = Outcome { normal: states, ..Outcome::default() };
                for node in nodes {
                    let next = self.node(node, std::mem::take(&mut outcome.normal));
                    outcome.absorb(next);
                }
                outcome
            }
            Node::Branch { guard, then, otherwise } => {
                let side = |wanted: fn(&Guard) -> Option<bool>| -> States {
                    let Some((site, held)) = guard.as_ref().and_then(|g| Some((g.site, wanted(g)?))) else {
                        return states.clone();
                    };
                    states.iter().filter(|state| state.held.contains(site) == held).cloned().collect()
                };
                let (yes, no) = (side(|guard| guard.then), side(|guard| guard.otherwise));
                let mut outcome = self.node(then, yes);
                outcome.absorb(self.node(otherwise, no));
                outcome
            }
            Node::Loop { label, body, endless } => self.rounds(label.as_deref(), body, *endless, states),
            Node::Block { label, body } => {
                let mut outcome = self.node(body, states);
                let breaks = std::mem::take(&mut outcome.breaks);
                for (target, states) in breaks {
                    if target.as_deref() == Some(label) {
                        outcome.normal.extend(states);
                    } else {
                        outcome.breaks.push((target, states));
                    }
                }
                outcome
            }
            Node::Try { body, handlers, catches_all } => self.attempt(body, handlers, *catches_all, states),
            Node::Exit(exit, span) => {
                let mut outcome = Outcome::default();
                match exit {
                    Exit::Return => outcome.returns.push((*span, states)),
                    Exit::Raise => outcome.raises.push((Way::Raise, *span, states)),
                    Exit::Break(label) => outcome.breaks.push((label.clone(), states)),
                    Exit::Continue(label) => outcome.continues.push((label.clone(), states)),
                }
                outcome
            }
        }
    }

    /// Two rounds show what the first leaves for the next; a third would show nothing new of a bit set.
    fn rounds(&mut self, label: Option<&str>, body: &Node, endless: bool, states: States) -> Outcome {
        let mine = |target: &Option<String>| target.is_none() || target.as_deref() == label;
        let mut outcome =
            Outcome { normal: if endless { States::new() } else { states.clone() }, ..Outcome::default() };
        let mut entry = states;
        for _ in 0..2 {
            let mut round = self.node(body, entry);
            entry = std::mem::take(&mut round.normal);
            for (target, states) in std::mem::take(&mut round.continues) {
                if mine(&target) {
                    entry.extend(states);
                } else {
                    outcome.continues.push((target, states));
                }
            }
            for (target, states) in std::mem::take(&mut round.breaks) {
                if mine(&target) {
                    outcome.normal.extend(states);
                } else {
                    outcome.breaks.push((target, states));
                }
            }
            if !endless {
                outcome.normal.extend(entry.iter().cloned());
            }
            outcome.absorb(round);
        }
        outcome
    }

    fn attempt(&mut self, body: &Node, handlers: &[Node], catches_all: bool, states: States) -> Outcome {
        let before = states.iter().map(|s| s.held).reduce(Sites::with).unwrap_or_default();
        let wrote = states.iter().map(|s| s.wrote).reduce(Sites::with).unwrap_or_default();
        let mut outcome = self.node(body, states);
        let raised = std::mem::take(&mut outcome.raises);
        let mut caught = States::new();
        for (_, _, states) in &raised {
            for state in states {
                let mut state = state.clone();
                let undone = self.transaction_scoped(state.held).without(before);
                state.held = state.held.without(undone);
                state.wrote = state.wrote.both(wrote);
                caught.insert(state);
            }
        }
        if !catches_all {
            outcome.raises = raised;
        }
        for handler in handlers {
            let handled = self.node(handler, caught.clone());
            outcome.absorb(handled);
        }
        outcome
    }

    fn step(&mut self, id: StepId, states: &States) -> Outcome {
        let step = &self.unit.steps[id];
        let mut outcome = Outcome::default();
        let mut failing = States::new();
        for state in states {
            let mut state = state.clone();
            if state.statement != step.statement {
                self.end_statement(&mut state);
                state.statement = step.statement;
            }
            self.record(id, &state);
            if self.may_fail(&step.action) && !state.held.is_empty() {
                failing.insert(state.clone());
            }
            match &step.action {
                Action::Acquire(site) => {
                    let mut held = state.clone();
                    held.held = held.held.with(Sites::one(*site));
                    held.ended = held.ended.without(self.same_lock(*site));
                    held.evaporated = held.evaporated.without(self.same_lock(*site));
                    if self.is_try(*site) {
                        outcome.normal.insert(state);
                    }
                    outcome.normal.insert(held);
                }
                action => {
                    self.apply(id, action, &mut state);
                    outcome.normal.insert(state);
                }
            }
        }
        if !failing.is_empty() {
            outcome.raises.push((Way::Failure, step.span, failing));
        }
        outcome
    }

    /// In autocommit what a statement took for the transaction goes with the statement.
    fn end_statement(&self, state: &mut State) {
        if state.transaction == Transaction::None {
            let gone = self.transaction_scoped(state.held);
            state.held = state.held.without(gone);
            state.evaporated = state.evaporated.with(gone);
            state.wrote = Sites::default();
        }
    }

    fn record(&mut self, id: StepId, state: &State) {
        let before = &mut self.trace.before[id];
        before.held_all = if before.reached == 0 { state.held } else { before.held_all.both(state.held) };
        before.reached += 1;
        before.held_any = before.held_any.with(state.held);
        before.evaporated = before.evaporated.with(state.evaporated);
        before.ended = before.ended.with(state.ended);
        before.wrote = before.wrote.with(state.wrote);
        before.transactions.insert(state.transaction);
    }

    /// A script that fails ends; a body that fails leaves the caller's session as it is.
    fn may_fail(&self, action: &Action) -> bool {
        matches!(self.unit.kind, UnitKind::Function { .. } | UnitKind::Procedure { .. })
            && matches!(action, Action::Work { .. } | Action::ConcurrentIndex)
    }

    fn apply(&self, id: StepId, action: &Action, state: &mut State) {
        match action {
            Action::Acquire(_) | Action::ConcurrentIndex => {}
            Action::Release(site) => {
                let released = self.released_by(*site, state.held);
                state.held = state.held.without(released);
                state.wrote = state.wrote.without(released);
            }
            Action::ReleaseAll(_) => {
                let session = state.held.without(self.transaction_scoped(state.held));
                state.held = state.held.without(session);
            }
            Action::Begin { .. } => state.transaction = Transaction::Begun(id),
            Action::End { chain } => {
                let inside = matches!(self.unit.kind, UnitKind::Procedure { .. });
                let gone = self.transaction_scoped(state.held);
                state.held = state.held.without(gone);
                // What follows a script's own COMMIT is another transaction on purpose.
                if inside {
                    state.ended = state.ended.with(gone);
                }
                state.wrote = Sites::default();
                state.savepoints.clear();
                if !inside && !chain {
                    state.transaction = match self.unit.surroundings {
                        // What a runner does after the script's own COMMIT is its affair.
                        Surroundings::Autocommit { .. } | Surroundings::OneString => Transaction::None,
                        Surroundings::Runner | Surroundings::Unknown => Transaction::Unknown,
                    };
                }
            }
            Action::Savepoint(name) => state.savepoints.push((name.clone(), self.transaction_scoped(state.held))),
            Action::RollbackTo(name) => {
                if let Some(index) = state.savepoints.iter().rposition(|(known, _)| known == name) {
                    state.savepoints.truncate(index + 1);
                    let kept = state.savepoints[index].1;
                    self.end_locks(state, self.transaction_scoped(state.held).without(kept));
                }
            }
            Action::Work { writes, .. } => {
                if !writes.is_empty() {
                    state.wrote = state.wrote.with(state.held);
                }
            }
            Action::EndSession => {
                state.held = Sites::default();
                state.evaporated = Sites::default();
                state.ended = Sites::default();
                state.wrote = Sites::default();
            }
        }
    }

    fn end_locks(&self, state: &mut State, sites: Sites) {
        state.held = state.held.without(sites);
        state.ended = state.ended.with(sites);
    }

    /// Those of `sites` that end with the transaction.
    fn transaction_scoped(&self, sites: Sites) -> Sites {
        sites
            .iter()
            .filter(|&site| match &self.unit.sites[site].lock {
                Lock::Advisory { function, .. } => function.scope == Scope::Transaction,
                Lock::Rows { .. } => true,
            })
            .map(Sites::one)
            .fold(Sites::default(), Sites::with)
    }

    fn is_try(&self, site: SiteId) -> bool {
        self.unit.advisory(site).is_some_and(|(function, _)| function.action == Call::TryLock)
    }

    /// The sites whose lock this site takes again.
    fn same_lock(&self, site: SiteId) -> Sites {
        let Some((_, key)) = self.unit.advisory(site) else {
            return Sites::one(site);
        };
        (0..self.unit.sites.len())
            .filter(|&other| {
                self.unit.advisory(other).is_some_and(|(_, known)| key.compare(known) != Sameness::Different)
            })
            .map(Sites::one)
            .fold(Sites::one(site), Sites::with)
    }

    /// What an unlock releases of `held`: the same key, or else every key that may be it.
    fn released_by(&self, release: SiteId, held: Sites) -> Sites {
        let Some((unlock, key)) = self.unit.advisory(release) else {
            return Sites::default();
        };
        let of = |wanted: Sameness| {
            held.iter()
                .filter(|&site| {
                    self.unit.advisory(site).is_some_and(|(function, known)| {
                        function.scope == Scope::Session && function.mode == unlock.mode && key.compare(known) == wanted
                    })
                })
                .map(Sites::one)
                .fold(Sites::default(), Sites::with)
        };
        let same = of(Sameness::Equal);
        if same.is_empty() { of(Sameness::Unknown) } else { same }
    }
}
