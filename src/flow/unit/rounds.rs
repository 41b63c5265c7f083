//! Work that is done again after the lock has ended that it was done under: in later rounds of a loop, or later in the text.

use super::UnitFlow;
use crate::flow::{Action, Change, Node, SiteId, StepId, UnitKind};
use std::collections::HashSet;

impl UnitFlow {
    /// Work that runs under the transaction-level lock of `site` and again after that lock has ended: the same step in
    /// a later round, or a later write to a table written before.
    pub fn unguarded_repetition(&self, site: SiteId) -> Option<StepId> {
        let mut guarded: HashSet<&str> = HashSet::new();
        self.about(site, &self.index.work).find(|&step| {
            let written = match &self.unit.steps[step].action {
                Action::Work { writes, .. } => writes.as_slice(),
                _ => &[],
            };
            let before = &self.trace.before[step];
            let under = before.held_any.contains(site);
            // What an object of host code saves later may be its own.
            let is_seen = self.unit.kind != UnitKind::Host || self.unit.changes.contains_key(&step);
            let later = || is_seen && written.iter().any(|table| guarded.contains(table.as_str()));
            let works = matches!(self.unit.changes.get(&step), Some(Change::Anything { is_work: true }));
            let again = before.ended.contains(site)
                && (under && (!written.is_empty() || works) || later())
                && !(under && self.is_of_round(site, step));
            if under {
                guarded.extend(written.iter().map(String::as_str).filter(|table| !table.is_empty()));
            }
            again
        })
    }

    /// A write to one of `tables` in a loop whose first rounds run under the row locks of `site`, and later ones after these
    /// have ended.
    pub fn unguarded_round(&self, site: SiteId, tables: &[String]) -> Option<StepId> {
        self.about(site, &self.index.work).find(|&step| {
            let before = &self.trace.before[step];
            let writes = matches!(&self.unit.steps[step].action,
                Action::Work { writes, .. } if writes.iter().any(|table| tables.contains(table)));
            writes && before.held_any.contains(site) && before.ended.contains(site) && self.is_repeated(site, step)
        })
    }

    /// Whether a step is in a loop that ends the transaction, and does not take the lock of `site` again.
    fn is_repeated(&self, site: SiteId, step: StepId) -> bool {
        self.rounds(step).any(|body| self.taken_in(body, site).is_none())
    }

    /// Whether each round of the loops around a step that end the transaction takes the lock of `site` first, unless a
    /// condition says that it is not to be taken, or there is nothing to take it for: where it is not, it was not in the
    /// rounds before.
    fn is_of_round(&self, site: SiteId, step: StepId) -> bool {
        let may_skip = |body: &Node, taken: StepId| {
            body.nodes().any(|node| {
                let skips = match node {
                    Node::Branch { .. } | Node::Loop { .. } => true,
                    // A function that may go before it takes the lock.
                    Node::Block { .. } => node.nodes().any(|inside| matches!(inside, Node::Exit(..))),
                    _ => false,
                };
                skips && node.steps().any(|inside| inside == taken) && !node.steps().any(|inside| inside == step)
            })
        };
        let mut rounds = self.rounds(step).peekable();
        rounds.peek().is_some()
            && rounds.all(|body| self.taken_in(body, site).is_some_and(|taken| may_skip(body, taken)))
    }

    /// The bodies of the loops around a step in which the transaction is ended.
    fn rounds(&self, step: StepId) -> impl Iterator<Item = &Node> {
        self.loops(step).filter(|body| body.steps().any(|inside| self.index.undoings.binary_search(&inside).is_ok()))
    }

    /// The bodies of the loops around a step.
    fn loops(&self, step: StepId) -> impl Iterator<Item = &Node> {
        self.unit.root.nodes().filter_map(move |node| match node {
            Node::Loop { body, .. } if body.steps().any(|inside| inside == step) => Some(&**body),
            _ => None,
        })
    }

    /// The step of a part of the tree that takes the lock of `site`.
    fn taken_in(&self, part: &Node, site: SiteId) -> Option<StepId> {
        let taken = *self.index.step_of.get(&site)?;
        part.steps().find(|step| *step == taken)
    }
}
