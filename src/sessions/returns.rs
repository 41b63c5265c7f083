//! What a function that is followed gives back on its several ways: `if (granted) return true; return false;`.

use super::Run;
use super::answer::Part;
use super::condition::Condition;
use super::value::{Answer, Origin, Val};
use crate::flow::{Node, SiteId, StepId};
use crate::sql::advisory::Function;
use std::collections::HashMap;
use std::ops::Range;

/// What a condition around says of a try-lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    site: SiteId,
    /// Whether it was granted.
    granted: bool,
    /// How many steps there were before.
    since: StepId,
}

/// The steps of a way on which a try-lock was not granted: what they release is not its lock.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    site: SiteId,
    steps: Range<StepId>,
}

/// A value that is given back, with what is known where it is.
#[derive(Debug, Default)]
pub(super) struct Return {
    pub(super) val: Val,
    pub(super) known: Vec<Known>,
}

/// The handles that are given back where a try-lock was granted, and nothing where it was not.
pub(super) type Given = HashMap<Origin, SiteId>;

/// What several returns give: the one that says most, or whether a lock was granted, where they differ by that.
fn merged(returns: Vec<Return>, given: &mut Given) -> Val {
    let width = returns.iter().find_map(|one| if let Val::Tuple(vals) = &one.val { Some(vals.len()) } else { None });
    let Some(width) = width else { return plain(returns, given) };
    let tuples: Vec<(Vec<Val>, Vec<Known>)> = returns
        .into_iter()
        .filter_map(|one| if let Val::Tuple(vals) = one.val { Some((vals, one.known)) } else { None })
        .filter(|(vals, _)| vals.len() == width)
        .collect();
    let mut part = |index: usize| {
        let parts = tuples.iter().map(|(vals, known)| Return { val: vals[index].clone(), known: known.clone() });
        plain(parts.collect(), given)
    };
    Val::Tuple((0..width).map(&mut part).collect())
}

fn plain(mut returns: Vec<Return>, given: &mut Given) -> Val {
    let granted = granted(&returns);
    let is_plain = |val: &Val| matches!(val, Val::Nothing | Val::Null | Val::Bool(_));
    if is_ambiguous(&returns) {
        return Val::Nothing;
    }
    if let Some(index) = returns.iter().position(|one| !is_plain(&one.val)) {
        let val = returns.swap_remove(index).val;
        if let (Val::Handle(handle), Some((site, true))) = (&val, granted) {
            given.insert(handle.origin.clone(), site);
        }
        return val;
    }
    if let Some((site, granted)) = granted {
        let is_object = returns.iter().any(|one| matches!(one.val, Val::Nothing));
        return match is_object {
            true if granted => Val::Held(site),
            true => Val::Nothing,
            false => Val::Answer(Answer { site: Some(site), step: None, granted, part: Part::Value }),
        };
    }
    let mut vals = returns.into_iter().map(|one| one.val);
    let first = vals.next().unwrap_or_default();
    let same = |val: Val| match (&first, &val) {
        (Val::Bool(one), Val::Bool(other)) => one == other,
        (Val::Null, Val::Null) => true,
        _ => false,
    };
    if vals.all(same) { first } else { Val::Nothing }
}

/// Whether one handle is given back on some way, and something else on another.
fn is_ambiguous(returns: &[Return]) -> bool {
    let mut handles = returns.iter().filter_map(|one| one.val.handle());
    let Some(first) = handles.next() else { return false };
    handles.any(|other| other.origin != first.origin && other.kind.name != first.kind.name)
        || returns.iter().any(|one| matches!(one.val, Val::Nothing))
}

/// The try-lock whose grant the values tell apart: true, or something, is given back where it was granted, and false or
/// nothing where it was not, or the other way round.
fn granted(returns: &[Return]) -> Option<(SiteId, bool)> {
    let is_true = |val: &Val| !matches!(val, Val::Bool(false) | Val::Null);
    let bools = returns.iter().filter(|one| matches!(one.val, Val::Bool(_))).count();
    let nulls = returns.iter().filter(|one| matches!(one.val, Val::Null)).count();
    let is_told = returns.iter().any(|one| is_true(&one.val)) && returns.iter().any(|one| !is_true(&one.val));
    // Of values that are neither, what is true and what is nothing is not known.
    if !is_told || bools != returns.len() && (bools > 0 || nulls == 0) {
        return None;
    }
    let said = |one: &Return| {
        let is_true = is_true(&one.val);
        one.known.iter().rev().map(|known| (known.site, known.granted == is_true)).collect::<Vec<_>>()
    };
    let all: Vec<(SiteId, bool)> = returns.iter().rev().flat_map(said).collect();
    all.iter().copied().find(|(site, granted)| !all.contains(&(*site, !granted)))
}

/// Whether what runs a node never comes out of it at its end.
pub(super) fn always_leaves(node: &Node) -> bool {
    match node {
        Node::Exit(..) => true,
        Node::Sequence(nodes) => nodes.iter().any(always_leaves),
        Node::Branch { then, otherwise, .. } | Node::Failed { then, otherwise, .. } => {
            always_leaves(then) && always_leaves(otherwise)
        }
        Node::Ensured { body, cleanup } => always_leaves(body) || always_leaves(cleanup),
        Node::Step(_) | Node::Loop { .. } | Node::Block { .. } | Node::Try { .. } => false,
    }
}

impl Run<'_, '_, '_> {
    /// What is known of try-locks where a condition holds, or where it does not.
    fn said_of_locks(&self, condition: &Condition, so: bool, known: &mut Vec<(SiteId, bool)>) {
        match condition {
            Condition::Granted(site, granted) => known.push((*site, *granted == so)),
            Condition::Failed(step, failed) if *failed == so => {
                let takes = |site: &SiteId| self.builder.function(*site).is_some_and(Function::acquires);
                known.extend(self.builder.site(*step).filter(takes).map(|site| (site, false)));
            }
            Condition::Logic { and, first, second, .. } if *and == so => {
                self.said_of_locks(first, so, known);
                self.said_of_locks(second, so, known);
            }
            Condition::Opaque
            | Condition::Failed(..)
            | Condition::Always(_)
            | Condition::HasRow(_)
            | Condition::Logic { .. } => {}
        }
    }

    /// Notes what a condition says of try-locks for what is run next; gives how much was known before.
    pub(super) fn knowing(&mut self, condition: &Condition, so: bool) -> usize {
        let mut told = Vec::new();
        self.said_of_locks(condition, so, &mut told);
        let since = self.builder.len();
        let known = &mut self.frame().known;
        let before = known.len();
        known.extend(told.into_iter().map(|(site, granted)| Known { site, granted, since }));
        before
    }

    /// Forgets what has become known since.
    pub(super) fn forget_known(&mut self, before: usize) {
        let end = self.builder.len();
        let frame = self.frame();
        let gone = frame.known.drain(before.min(frame.known.len())..).filter(|known| !known.granted);
        frame.refused.extend(gone.map(|known| Refused { site: known.site, steps: known.since..end }));
    }

    /// What is known after two ways: where one never comes out, the other was taken.
    pub(super) fn known_after(&mut self, condition: &Condition, leaves: (bool, bool)) {
        match leaves {
            (true, false) => drop(self.knowing(condition, false)),
            (false, true) => drop(self.knowing(condition, true)),
            _ => {}
        }
    }

    /// What the returns of a function that was run since there were `first` steps give its caller.
    pub(super) fn given_back(&mut self, mut returns: Vec<Return>, refused: &[Refused], first: StepId) -> Val {
        // Where it was released again, or ended with its transaction, that it was granted says nothing of what is held.
        for step in self.builder.releases_since(first) {
            let is_refused = |site| refused.iter().any(|one| one.site == site && one.steps.contains(&step));
            returns.iter_mut().for_each(|one| one.known.retain(|known| is_refused(known.site)));
        }
        merged(returns, &mut self.given)
    }
}
