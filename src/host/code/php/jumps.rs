//! `break` and `continue`, which may leave several loops.

use crate::host::code::build::{Builder, Lowered};
use crate::host::code::language::Shape;
use crate::host::code::{Exit, Flow};
use tree_sitter::Node;

/// Labels of loops by how many loops are around: `break 2` names the loop by a number of its own.
const LEVELS: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8"];

/// How many loops and `switch`es an exit leaves.
fn level(b: &Builder<'_, '_>, exit: Node<'_>) -> usize {
    exit.named_child(0).and_then(|level| b.slice(level).parse().ok()).unwrap_or(1)
}

/// A loop with an exit that leaves more than one has a label.
pub(super) fn name_loop<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let mut cursor = node.walk();
    let mut depth = 0;
    let leaves = 'walk: loop {
        let inside = cursor.node();
        if matches!(inside.kind(), "break_statement" | "continue_statement") && level(b, inside) > 1 {
            break true;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while depth == 0 || !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                break 'walk false;
            }
            depth -= 1;
        }
    };
    if leaves {
        let loops = loops(&b.around());
        b.name_loop(LEVELS.get(loops).copied());
    }
}

fn loops(around: &[bool]) -> usize {
    around.iter().filter(|is_loop| **is_loop).count()
}

/// `break 2` counts `switch`es as well, and `continue` in one leaves it.
pub(super) fn exit<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let goes_on = node.kind() == "continue_statement";
    let level = level(b, node);
    let around = b.around();
    let Some(left) = level.checked_sub(1).and_then(|index| around.get(index).copied()) else {
        b.current().has_error = true;
        return Lowered::Nothing;
    };
    if level == 1 && !(goes_on && left) {
        return b.exit(node, Shape::Break("#name"));
    }
    if !left {
        // A `switch` around another has no name of its own.
        b.current().has_error = true;
        return Lowered::Nothing;
    }
    let inner = loops(&around[..level - 1]) > 0;
    let label = LEVELS.get(loops(&around[level..])).copied().filter(|_| inner);
    if inner && label.is_none() {
        b.current().has_error = true;
    }
    Lowered::Flow(Flow::Exit(if goes_on { Exit::Continue(label) } else { Exit::Break(label) }))
}
