//! Objects with named parts: `new { Key = key }`, `new T { Field = value }`.

use crate::host::code::Argument;
use crate::host::code::build::Builder;
use tree_sitter::Node;

/// `new { Key = key, id }`: the grammar has names and values in one row.
pub(super) fn members<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Vec<Argument<'s>> {
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children(&mut cursor).filter(|part| !part.is_extra()).collect();
    let mut found = Vec::new();
    let mut name = None;
    for (index, part) in parts.iter().enumerate() {
        if part.is_named() && parts.get(index + 1).is_some_and(|next| next.kind() == "=") {
            name = Some(b.slice(*part));
        } else if part.is_named() {
            let value = b.expr(*part);
            found.push(Argument { name: name.take(), value });
        }
    }
    found
}

/// `{ A = 1, ["b"] = 2, { "c", 3 } }`
pub(super) fn entries<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Vec<Argument<'s>> {
    let mut entries = Vec::new();
    for entry in b.named(node) {
        let left = b.part(entry, "left").filter(|_| entry.kind() == "assignment_expression");
        match (left, b.part(entry, "right")) {
            (Some(left), Some(right)) if left.kind() == "identifier" => {
                let name = Some(b.slice(left));
                let value = b.expr(right);
                b.names_closure(value, name);
                entries.push(Argument { name, value });
            }
            (Some(left), Some(right)) if left.kind() == "element_binding_expression" => {
                b.expr(left);
                let name = b.part(left, "").map(|key| b.key(key));
                entries.push(Argument { name, value: b.expr(right) });
            }
            _ => entries.extend(b.argument(entry)),
        }
    }
    entries
}
