//! The one interpreter: what is held where. It walks the tree with sets of states and records, for each step, what held
//! when it was reached, and, for each way out, what was still held.

mod effect;
mod guarded;
#[cfg(test)]
mod tests;
mod trace;

pub use trace::{Before, Leaving, Trace, Transaction, Way};

use super::sites::{MAX_SITES, Sites};
use super::{Action, Begins, Catches, Exit, Guard, Lock, Node, SiteId, StepId, Unit, UnitKind};
use crate::span::Span;
use crate::sql::advisory::Scope;
use crate::sql::script::Surroundings;
use std::collections::{BTreeSet, HashMap, HashSet};

/// More states than this at one place, or half as many and so on where they are large, and the trace says so; rules
/// about paths are then silent.
const MAX_STATES: usize = 64;

/// How many words of sets all steps together may be reached with, or two states a step; from then on one state goes on
/// from each.
const MAX_VISITED: usize = 1_000_000;

/// Loops this deep in others are walked once, not twice: each level would double the work.
const MAX_TWICE: usize = 4;

/// How many savepoints are remembered; of more the oldest is forgotten.
const MAX_SAVEPOINTS: usize = 64;

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
    /// Transaction-scoped, held while something was changed, or may have been.
    used: Sites,
    /// Transaction-scoped, ended by COMMIT, and nothing was changed while they were held.
    idle: Sites,
    /// The statement of the last step.
    statement: usize,
    savepoints: Vec<(String, Sites)>,
    /// The step that failed last, where host code looks at errors as values.
    failed: Option<StepId>,
    /// A statement failed in the transaction: the server refuses all others until it ends.
    aborted: bool,
}

/// Runs a unit.
pub fn interpret(unit: &Unit) -> Trace {
    let words = unit.sites.len().min(MAX_SITES) / 64 + 1;
    let mut run = Run {
        unit,
        trace: Trace {
            before: vec![Before::default(); unit.steps.len()],
            leaving: Vec::new(),
            truncated: unit.sites.len() > MAX_SITES,
        },
        scoped: (0..unit.sites.len()).filter(|&site| is_transaction_scoped(unit, site)).collect(),
        leaving: HashMap::new(),
        visited: 0,
        max_visited: MAX_VISITED.max(2 * unit.steps.len() * words),
        max_states: (MAX_STATES * 4 / words).clamp(4, MAX_STATES),
        words,
        loops: 0,
        asked: asked(&unit.root),
        guarded: if unit.kind == UnitKind::Host { guarded::guarded(unit) } else { Sites::default() },
        guards: 0,
        unwinding: 0,
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

/// The transaction of host code's session where no BEGIN is in sight.
fn between(unit: &Unit) -> Transaction {
    match unit.session.as_ref().map(|session| session.begins) {
        Some(Begins::Never | Begins::NeverByDefault) => Transaction::None,
        Some(Begins::ByItself | Begins::Already) => Transaction::Given,
        Some(Begins::Unknown) | None => Transaction::Unknown,
    }
}

impl State {
    fn start(unit: &Unit) -> Self {
        let transaction = match (unit.kind, unit.surroundings) {
            (UnitKind::Host, _) => between(unit),
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
            used: Sites::default(),
            idle: Sites::default(),
            statement: usize::MAX,
            savepoints: Vec::new(),
            failed: None,
            aborted: false,
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
    /// The sites whose lock ends with the transaction.
    scoped: Sites,
    /// The place of a way out in the trace.
    leaving: HashMap<(Way, Span), usize>,
    /// Words in a set of all sites.
    words: usize,
    /// Words in the states that were at a step.
    visited: usize,
    max_visited: usize,
    max_states: usize,
    /// How many loops are around.
    loops: usize,
    /// The steps whose failure something looks at.
    asked: HashSet<StepId>,
    /// The sites that a cleanup releases, and how many such cleanups are around.
    guarded: Sites,
    guards: usize,
    /// How many cleanups run that an exception has begun.
    unwinding: usize,
}

impl Run<'_> {
    fn leave(&mut self, way: Way, span: Span, states: &States) {
        if states.is_empty() {
            return;
        }
        let index = *self.leaving.entry((way, span)).or_insert_with(|| {
            self.trace.leaving.push(Leaving { way, span, held: Sites::default() });
            self.trace.leaving.len() - 1
        });
        let known = &mut self.trace.leaving[index].held;
        *known = states.iter().fold(known.clone(), |held, state| held.with(&state.held));
    }

    fn node(&mut self, node: &Node, mut states: States) -> Outcome {
        let limit = if self.visited > self.max_visited { 1 } else { self.max_states };
        while states.len() > limit {
            self.trace.truncated = true;
            states.pop_last();
        }
        if states.is_empty() {
            return Outcome::default();
        }
        match node {
            Node::Step(step) => self.step(*step, states),
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
            Node::Failed { step, then, otherwise } => {
                let (failed, rest) = states.into_iter().partition(|state| state.failed == Some(*step));
                let mut outcome = self.node(then, failed);
                outcome.absorb(self.node(otherwise, rest));
                outcome
            }
            Node::Ensured { body, cleanup } => self.ensured(body, cleanup, states),
            Node::Try { body, handlers, catches } => self.attempt(body, handlers, *catches, states),
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

    /// Two rounds show what the first leaves for the next; a third would show nothing new of a set.
    fn rounds(&mut self, label: Option<&str>, body: &Node, endless: bool, states: States) -> Outcome {
        let mine = |target: &Option<String>| target.is_none() || target.as_deref() == label;
        let mut outcome =
            Outcome { normal: if endless { States::new() } else { states.clone() }, ..Outcome::default() };
        let mut entry = states;
        self.loops += 1;
        let rounds = if self.loops > MAX_TWICE { 1 } else { 2 };
        self.trace.truncated |= rounds < 2;
        for _ in 0..rounds {
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
        self.loops -= 1;
        outcome
    }

    fn ensured(&mut self, body: &Node, cleanup: &Node, states: States) -> Outcome {
        let guards = usize::from(guarded::releases(self.unit, cleanup));
        self.guards += guards;
        let mut left = self.node(body, states);
        self.guards -= guards;
        let mut outcome = self.node(cleanup, std::mem::take(&mut left.normal));
        // Of the many calls that may throw one is told: a cleanup for each would cost their number at every level.
        let mut failures: Option<(Span, States)> = None;
        for (way, span, states) in std::mem::take(&mut left.raises) {
            if way == Way::Failure {
                let (at, all) = failures.get_or_insert((span, States::new()));
                if states.iter().any(|state| !state.held.is_empty()) && all.iter().all(|state| state.held.is_empty()) {
                    *at = span;
                }
                all.extend(states);
            } else {
                let mut cleaned = self.unwind(cleanup, states);
                outcome.raises.push((way, span, std::mem::take(&mut cleaned.normal)));
                outcome.absorb(cleaned);
            }
        }
        if let Some((span, states)) = failures {
            let mut cleaned = self.unwind(cleanup, states);
            outcome.raises.push((Way::Failure, span, std::mem::take(&mut cleaned.normal)));
            outcome.absorb(cleaned);
        }
        for (span, states) in std::mem::take(&mut left.returns) {
            let mut cleaned = self.node(cleanup, states);
            outcome.returns.push((span, std::mem::take(&mut cleaned.normal)));
            outcome.absorb(cleaned);
        }
        for (target, states) in std::mem::take(&mut left.breaks) {
            let mut cleaned = self.node(cleanup, states);
            outcome.breaks.push((target, std::mem::take(&mut cleaned.normal)));
            outcome.absorb(cleaned);
        }
        for (target, states) in std::mem::take(&mut left.continues) {
            let mut cleaned = self.node(cleanup, states);
            outcome.continues.push((target, std::mem::take(&mut cleaned.normal)));
            outcome.absorb(cleaned);
        }
        outcome
    }

    /// A cleanup on the way of an exception.
    fn unwind(&mut self, cleanup: &Node, states: States) -> Outcome {
        self.unwinding += 1;
        let cleaned = self.node(cleanup, states);
        self.unwinding -= 1;
        cleaned
    }

    fn attempt(&mut self, body: &Node, handlers: &[Node], catches: Catches, states: States) -> Outcome {
        let before = states.iter().fold(Sites::default(), |held, state| held.with(&state.held));
        let wrote = states.iter().fold(Sites::default(), |wrote, state| wrote.with(&state.wrote));
        let mut outcome = self.node(body, states);
        let raised = std::mem::take(&mut outcome.raises);
        let mut caught = States::new();
        for (_, _, states) in &raised {
            for state in states {
                let mut state = state.clone();
                // In PL/pgSQL the block is a savepoint; in host code nothing is undone.
                if self.unit.kind != UnitKind::Host {
                    let undone = state.held.both(&self.scoped).without(&before);
                    state.held = state.held.without(&undone);
                    state.wrote = state.wrote.both(&wrote);
                }
                caught.insert(state);
            }
        }
        let runs = |span: &Span| {
            let mut steps = self.unit.steps.iter();
            steps.any(|step| step.span == *span && !matches!(step.action, Action::Call | Action::Outside))
        };
        outcome.raises = match catches {
            Catches::All => Vec::new(),
            Catches::Statements => {
                raised.into_iter().filter(|(way, span, _)| *way != Way::Failure || !runs(span)).collect()
            }
            Catches::Some => raised,
        };
        for handler in handlers {
            let handled = self.node(handler, caught.clone());
            outcome.absorb(handled);
        }
        outcome
    }

    fn step(&mut self, id: StepId, states: States) -> Outcome {
        let unit = self.unit;
        let step = &unit.steps[id];
        let mut outcome = Outcome::default();
        let mut failing = States::new();
        self.visited += states.len() * self.words;
        for mut state in states {
            if state.statement != step.statement {
                self.end_statement(&mut state);
                state.statement = step.statement;
            }
            self.record(id, &state);
            let trusted = step.action == Action::Call && self.is_trusted(&state);
            if self.may_fail(&step.action) && !trusted && (!state.held.is_empty() || self.unit.kind == UnitKind::Host) {
                let mut failed = state.clone();
                failed.aborted |= self.aborts(&step.action, &state);
                failing.insert(failed);
            }
            if self.asked.contains(&id) {
                let mut failed = state.clone();
                failed.aborted |= self.aborts(&step.action, &state);
                failed.failed = Some(id);
                if !matches!(step.action, Action::Acquire(_)) {
                    // An unlock or a COMMIT that fails has lost its connection.
                    self.apply(id, &step.action, &mut failed);
                }
                outcome.normal.insert(failed);
            }
            if self.unit.kind == UnitKind::Host {
                state.failed = None;
            }
            match &step.action {
                Action::Acquire(site) => {
                    if self.is_try(*site) {
                        outcome.normal.insert(state.clone());
                    }
                    state.held = state.held.with(&Sites::one(*site));
                    state.ended = self.without_same_lock(state.ended, *site);
                    state.evaporated = self.without_same_lock(state.evaporated, *site);
                    state.idle = self.without_same_rows(self.without_same_lock(state.idle, *site), *site);
                }
                action => self.apply(id, action, &mut state),
            }
            outcome.normal.insert(state);
        }
        if !failing.is_empty() {
            outcome.raises.push((Way::Failure, step.span, failing));
        }
        outcome
    }

    /// Whether all that a session holds is released by a cleanup whose block has not begun yet: a call until then is
    /// taken for one that does not throw.
    fn is_trusted(&self, state: &State) -> bool {
        let held = state.held.without(&self.scoped);
        self.guards == 0 && !held.is_empty() && held.without(&self.guarded).is_empty()
    }

    fn record(&mut self, id: StepId, state: &State) {
        let before = &mut self.trace.before[id];
        before.idle = match before.reached {
            0 => state.idle.clone(),
            _ => before.idle.both(&state.idle),
        };
        before.enter(state.transaction);
        for (all, sites) in [
            (&mut before.held_any, &state.held),
            (&mut before.evaporated, &state.evaporated),
            (&mut before.ended, &state.ended),
            (&mut before.wrote, &state.wrote),
        ] {
            *all = if all.is_empty() { sites.clone() } else { all.with(sites) };
        }
        if state.aborted {
            before.held_aborted = before.held_aborted.with(&state.held);
        }
    }
}

fn is_transaction_scoped(unit: &Unit, site: SiteId) -> bool {
    match &unit.sites[site].lock {
        Lock::Advisory { function, .. } => function.scope == Scope::Transaction,
        Lock::Rows { .. } | Lock::Table => true,
    }
}

/// The steps whose failure a node of the tree looks at.
fn asked(root: &Node) -> HashSet<StepId> {
    let mut found = HashSet::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match node {
            Node::Step(_) | Node::Exit(..) => {}
            Node::Sequence(nodes) => open.extend(nodes),
            Node::Branch { then, otherwise, .. } => open.extend([&**then, &**otherwise]),
            Node::Failed { step, then, otherwise } => {
                found.insert(*step);
                open.extend([&**then, &**otherwise]);
            }
            Node::Loop { body, .. } | Node::Block { body, .. } => open.push(body),
            Node::Ensured { body, cleanup } => open.extend([&**body, &**cleanup]),
            Node::Try { body, handlers, .. } => {
                open.push(body);
                open.extend(handlers);
            }
        }
    }
    found
}
