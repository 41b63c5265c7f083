//! Locks whose unlock runs however their block is left.

use crate::flow::sites::Sites;
use crate::flow::{Action, Node, Unit};
use crate::sql::advisory::Sameness;

/// The sites of host code whose lock some cleanup releases: who wrote that has thought of errors, and let what stands
/// before the block be what cannot fail.
pub(super) fn guarded(unit: &Unit) -> Sites {
    let mut released = Vec::new();
    let mut open = vec![(&unit.root, false)];
    while let Some((node, cleans)) = open.pop() {
        match node {
            Node::Step(step) => {
                if let Action::Release(site) = unit.steps[*step].action
                    && cleans
                {
                    released.push(site);
                }
            }
            Node::Exit(..) => {}
            Node::Sequence(nodes) => open.extend(nodes.iter().map(|node| (node, cleans))),
            Node::Branch { then, otherwise, .. } | Node::Failed { then, otherwise, .. } => {
                open.extend([(&**then, cleans), (&**otherwise, cleans)]);
            }
            Node::Loop { body, .. } | Node::Block { body, .. } => open.push((body, cleans)),
            Node::Ensured { body, cleanup } => open.extend([(&**body, cleans), (&**cleanup, true)]),
            Node::Try { body, handlers, .. } => {
                open.push((body, cleans));
                open.extend(handlers.iter().map(|handler| (handler, cleans)));
            }
        }
    }
    let is_released = |taken: &usize| released.iter().any(|&site| unit.releases(site, *taken) != Sameness::Different);
    (0..unit.sites.len()).filter(is_released).collect()
}

/// Whether a cleanup releases a lock.
pub(super) fn releases(unit: &Unit, cleanup: &Node) -> bool {
    match cleanup {
        Node::Step(step) => matches!(unit.steps[*step].action, Action::Release(_) | Action::ReleaseAll(_)),
        Node::Exit(..) => false,
        Node::Sequence(nodes) => nodes.iter().any(|node| releases(unit, node)),
        Node::Branch { then, otherwise, .. } | Node::Failed { then, otherwise, .. } => {
            releases(unit, then) || releases(unit, otherwise)
        }
        Node::Loop { body, .. } | Node::Block { body, .. } => releases(unit, body),
        Node::Ensured { body, cleanup } => releases(unit, body) || releases(unit, cleanup),
        Node::Try { body, handlers, .. } => {
            releases(unit, body) || handlers.iter().any(|handler| releases(unit, handler))
        }
    }
}
