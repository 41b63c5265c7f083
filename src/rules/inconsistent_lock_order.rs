//! Two units take the same two locks in opposite order.

use crate::analysis::File;
use crate::facts::Facts;
use crate::finding::{FileId, Level, Place};
use crate::flow::{SiteId, UnitFlow};
use crate::rule::{Check, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Key, Mode};
use std::collections::{HashMap, HashSet};

pub(super) const RULE: Rule = Rule {
    name: "inconsistent-lock-order",
    level: Level::Warning,
    rank: Rank::StaleRead,
    page: include_str!("../../rules/inconsistent-lock-order.md"),
    checks: &[Check::Project(check)],
};

/// One lock is waited for while another is held.
struct Edge<'a> {
    file: FileId,
    flow: &'a UnitFlow,
    held: SiteId,
    waited: SiteId,
}

fn check(files: &[File<'_>], _: &Facts, sink: &mut Sink) {
    let edges: Vec<Edge<'_>> =
        files.iter().flat_map(|file| file.units.iter().flat_map(|flow| edges(file.id, flow))).collect();
    let mut by_keys: HashMap<(&Key, &Key), Vec<usize>> = HashMap::new();
    for (index, edge) in edges.iter().enumerate() {
        if let (Some(held), Some(waited)) = (edge.key(edge.held), edge.key(edge.waited)) {
            by_keys.entry((held, waited)).or_default().push(index);
        }
    }
    let mut told = HashSet::new();
    for (index, edge) in edges.iter().enumerate() {
        let (Some(held), Some(waited)) = (edge.key(edge.held), edge.key(edge.waited)) else { continue };
        let reversed = by_keys.get(&(waited, held)).into_iter().flatten().copied().filter(|&other| other < index);
        let Some(other) = reversed.map(|other| &edges[other]).find(|other| edge.can_deadlock(other)) else {
            continue;
        };
        let at = edge.place(edge.waited);
        if !told.insert(at) {
            continue;
        }
        let site = &edge.flow.unit.sites[edge.waited];
        sink.report(
            &RULE,
            Level::Warning,
            at,
            format!("takes {held}, then {waited}; another unit takes them the other way round: a deadlock"),
        )
        .statement(site.statement)
        .unit(&edge.flow.unit.name)
        .related(edge.place(edge.held), "held here")
        .related(other.place(other.held), "the other unit takes this first")
        .related(other.place(other.waited), "and then waits here")
        .help("take the locks in one order everywhere, such as ascending by key");
    }
}

fn edges(file: FileId, flow: &UnitFlow) -> impl Iterator<Item = Edge<'_>> {
    flow.unit.site_steps().flat_map(move |(step, waited)| {
        let held = flow.trace.before[step].held_any;
        let waits = flow
            .unit
            .advisory(waited)
            .is_some_and(|(function, key)| function.action == Action::Lock && key.is_literal());
        held.iter()
            .filter(move |&held| waits && flow.unit.advisory(held).is_some_and(|(_, key)| key.is_literal()))
            .map(move |held| Edge { file, flow, held, waited })
    })
}

impl<'a> Edge<'a> {
    fn key(&self, site: SiteId) -> Option<&'a Key> {
        self.flow.unit.advisory(site).map(|(_, key)| key)
    }

    fn place(&self, site: SiteId) -> Place {
        Place::new(self.file, self.flow.unit.sites[site].span)
    }

    fn mode(&self, site: SiteId) -> Option<Mode> {
        self.flow.unit.advisory(site).map(|(function, _)| function.mode)
    }

    /// Each waits for what the other holds: other units, other keys, and modes that exclude each other.
    fn can_deadlock(&self, other: &Self) -> bool {
        let conflict = |a: Option<Mode>, b: Option<Mode>| a != Some(Mode::Shared) || b != Some(Mode::Shared);
        !std::ptr::eq(self.flow, other.flow)
            && self.key(self.held) != self.key(self.waited)
            && conflict(self.mode(self.waited), other.mode(other.held))
            && conflict(other.mode(other.waited), self.mode(self.held))
    }
}
