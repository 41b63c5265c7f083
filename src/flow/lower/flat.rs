//! Scripts: steps one after the other, millions of them in a dump. What cannot change a verdict is left out.

#[cfg(test)]
mod tests;

use super::Builder;
use crate::flow::{Action, Node, Step};
use std::collections::HashSet;

/// What is known of the steps of a script so far.
#[derive(Debug, Default)]
pub(super) struct Flat {
    /// The tables that the work since the last step of another kind reads and writes. Before the first lock nothing but
    /// the tables matters, so then since the beginning.
    reads: HashSet<String>,
    writes: HashSet<String>,
    works: bool,
    /// The statement of that other step: its own work comes first in no run.
    statement: usize,
    /// How many steps come before the last end of a transaction that no lock comes before.
    settled: usize,
    /// Whether such an end, a release of everything and a rolled back savepoint are among those kept.
    ended: bool,
    released: bool,
    rolled_back: bool,
}

impl Builder {
    /// Whether a step of a script says something that the steps before it do not. Called for each step before it is
    /// added, with the steps in order.
    ///
    /// Rules ask for the first work in some state, or on some table in that state. In a run of work the state stays the
    /// same, so work on no new table is never the first.
    pub(super) fn is_new(&mut self, action: &Action) -> bool {
        let statement = self.statement;
        let Some(flat) = &mut self.flat else { return true };
        let Action::Work { reads, writes } = action else {
            if self.sites.is_empty() {
                return self.is_new_before_locks(action);
            }
            *flat = Flat { statement, ..Flat::default() };
            return true;
        };
        if statement == flat.statement {
            return true;
        }
        let known = flat.works
            && reads.iter().all(|table| flat.reads.contains(table))
            && writes.iter().all(|table| flat.writes.contains(table));
        if !known {
            flat.works = true;
            flat.reads.extend(reads.iter().cloned());
            flat.writes.extend(writes.iter().cloned());
        }
        !known
    }

    /// Without a lock a step matters by the transaction that it leaves, and by being there at all.
    fn is_new_before_locks(&mut self, action: &Action) -> bool {
        let Some(flat) = &mut self.flat else { return true };
        match action {
            Action::ReleaseAll(_) => !std::mem::replace(&mut flat.released, true),
            Action::ConcurrentIndex | Action::EndSession => false,
            Action::End { chain: false, .. } => {
                // Whatever was begun is over.
                let over = self.steps.split_off(flat.settled);
                let kept = |step: &Step| match step.action {
                    Action::Work { .. } | Action::ReleaseAll(_) => true,
                    Action::RollbackTo(_) => !std::mem::replace(&mut flat.rolled_back, true),
                    _ => false,
                };
                self.steps.extend(over.into_iter().filter(kept));
                let is_first = !std::mem::replace(&mut flat.ended, true);
                flat.settled = self.steps.len() + usize::from(is_first);
                is_first
            }
            _ => true,
        }
    }

    /// The steps of a script, one after the other.
    pub(super) fn sequence(&self) -> Node {
        Node::Sequence((0..self.steps.len()).map(Node::Step).collect())
    }
}
