//! Locks whose unlock runs however their block is left.

use crate::flow::sites::Sites;
use crate::flow::{Action, Node, SiteId, Unit};
use crate::sql::advisory::Sameness;

/// The sites of host code whose lock some cleanup releases: who wrote that has thought of errors, and let what stands
/// before the block be what cannot fail.
pub(super) fn guarded<'u>(unit: &'u Unit) -> Sites {
    let cleanup = |node: &'u Node| if let Node::Ensured { cleanup, .. } = node { Some(&**cleanup) } else { None };
    let cleaning = unit.root.nodes().filter_map(cleanup).flat_map(Node::steps);
    let released: Vec<SiteId> = cleaning
        .filter_map(|step| if let Action::Release(site) = unit.steps[step].action { Some(site) } else { None })
        .collect();
    let is_released = |taken: &usize| released.iter().any(|&site| unit.releases(site, *taken) != Sameness::Different);
    (0..unit.sites.len()).filter(is_released).collect()
}

/// Whether a cleanup releases a lock.
pub(super) fn releases(unit: &Unit, cleanup: &Node) -> bool {
    cleanup.steps().any(|step| matches!(unit.steps[step].action, Action::Release(_) | Action::ReleaseAll(_)))
}
