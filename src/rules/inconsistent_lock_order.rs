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
    rank: Rank::Deadlock,
    page: include_str!("../../rules/inconsistent-lock-order.md"),
    checks: &[Check::Project(check)],
};

/// How many locks held at once are looked at for each that is waited for: the last ones taken.
const MAX_HELD: usize = 32;

/// One lock is waited for while another is held: keys and modes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Order<'a> {
    held: (&'a Key, Mode),
    waited: (&'a Key, Mode),
}

/// Where a unit takes two locks in that order for the first time.
struct Edge<'a> {
    file: FileId,
    flow: &'a UnitFlow,
    held: SiteId,
    waited: SiteId,
}

fn check(files: &[File<'_>], _: &Facts, sink: &mut Sink) {
    // In the order of paths and of the text; of each unit one edge for each order, so that of two edges one is another
    // unit's.
    let mut edges: HashMap<Order<'_>, [Option<Edge<'_>>; 2]> = HashMap::new();
    let mut told = HashSet::new();
    for (file, flow) in files.iter().flat_map(|file| file.units.iter().map(move |flow| (file.id, flow))) {
        for (order, edge) in orders(file, flow) {
            if let Some(other) = order
                .conflicts()
                .filter_map(|conflict| edges.get(&conflict))
                .find_map(|known| known.iter().flatten().find(|known| !std::ptr::eq(known.flow, flow)))
                && told.insert(edge.place(edge.waited))
            {
                report(&order, &edge, other, sink);
            }
            let known = edges.entry(order).or_default();
            if let Some(free) = known.iter_mut().find(|known| known.is_none()) {
                *free = Some(edge);
            }
        }
    }
}

fn report(order: &Order<'_>, edge: &Edge<'_>, other: &Edge<'_>, sink: &mut Sink) {
    let site = &edge.flow.unit.sites[edge.waited];
    let (held, waited) = (order.held.0, order.waited.0);
    sink.report(
        &RULE,
        Level::Warning,
        edge.place(edge.waited),
        format!("takes {held}, then {waited}; another unit takes them the other way round: a deadlock"),
    )
    .statement(site.statement)
    .unit(&edge.flow.unit.name)
    .related(edge.place(edge.held), "held here")
    .related(other.place(other.held), "the other unit takes this first")
    .related(other.place(other.waited), "and then waits here")
    .help("take the locks in one order everywhere, such as ascending by key");
}

/// The orders in which a unit takes literal keys, each once.
fn orders(file: FileId, flow: &UnitFlow) -> Vec<(Order<'_>, Edge<'_>)> {
    let literal = |site: SiteId| flow.unit.advisory(site).filter(|(_, key)| key.is_literal());
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (step, waited) in flow.unit.site_steps() {
        let Some((function, key)) = literal(waited).filter(|(function, _)| function.action == Action::Lock) else {
            continue;
        };
        let held: Vec<SiteId> = flow.trace.before[step].held_any.last(MAX_HELD).collect();
        for &held in held.iter().rev() {
            let Some((holder, first)) = literal(held).filter(|(_, first)| *first != key) else { continue };
            let order = Order { held: (first, holder.mode), waited: (key, function.mode) };
            if seen.insert(order) {
                found.push((order, Edge { file, flow, held, waited }));
            }
        }
    }
    found
}

impl<'a> Order<'a> {
    /// The orders of another unit with which each waits for what the other holds, in modes that exclude each other.
    fn conflicts(self) -> impl Iterator<Item = Self> {
        let conflicting = |(key, mode): (&'a Key, Mode)| {
            let modes: &[Mode] =
                if mode == Mode::Shared { &[Mode::Exclusive] } else { &[Mode::Exclusive, Mode::Shared] };
            modes.iter().map(move |&mode| (key, mode))
        };
        conflicting(self.waited).flat_map(move |held| conflicting(self.held).map(move |waited| Self { held, waited }))
    }
}

impl Edge<'_> {
    fn place(&self, site: SiteId) -> Place {
        Place::new(self.file, self.flow.unit.sites[site].span)
    }
}
