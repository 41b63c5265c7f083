//! Patterns: the names in them.

use super::operator_of;
use crate::host::code::build::{Builder, PLACES};
use crate::host::code::{Binding, ExprId, Parameter, Target};
use tree_sitter::Node;

/// What a pattern binds. Of `{:ok, r}` the part `r` has the name `ok`.
pub(super) fn binding<'s, 't>(b: &mut Builder<'s, 't>, pattern: Node<'t>, value: Option<ExprId>) -> Binding<'s> {
    let targets = targets(b, vec![pattern]);
    if let ([target], Some(value)) = (targets.as_slice(), value) {
        b.names_closure(value, Some(target.name).filter(|_| target.part.is_none()));
    }
    Binding { targets, ty: None, value, declares: true }
}

/// The names in patterns. It does not recurse.
pub(super) fn targets<'s, 't>(b: &mut Builder<'s, 't>, patterns: Vec<Node<'t>>) -> Vec<Target<'s>> {
    let mut targets = Vec::new();
    let mut todo: Vec<(Node<'t>, Option<&'s str>)> = patterns.into_iter().rev().map(|node| (node, None)).collect();
    while let Some((pattern, part)) = todo.pop() {
        let children = b.named(pattern);
        match pattern.kind() {
            "identifier" if b.slice(pattern) != "_" => {
                let expr = b.name(pattern);
                targets.push(Target { expr, name: b.slice(pattern), part });
            }
            "tuple" => match children.as_slice() {
                [tag, only] if tag.kind() == "atom" => todo.push((*only, part.or(Some(b.key(*tag))))),
                _ => {
                    let places = children.into_iter().enumerate().rev();
                    todo.extend(places.map(|(index, child)| (child, part.or(PLACES.get(index).copied()))));
                }
            },
            "list" => {
                let places = children.into_iter().enumerate().rev();
                todo.extend(places.map(|(index, child)| (child, part.or(PLACES.get(index).copied()))));
            }
            "map" | "map_content" | "keywords" | "bitstring" | "block" => {
                let children = children.into_iter().filter(|child| child.kind() != "struct");
                todo.extend(children.rev().map(|child| (child, part)));
            }
            "pair" => {
                let key = b.part(pattern, "key").map(|key| b.key(key));
                todo.extend(b.part(pattern, "value").map(|value| (value, part.or(key))));
            }
            "binary_operator" => {
                let (Some(left), Some(right)) = (b.part(pattern, "left"), b.part(pattern, "right")) else { continue };
                match operator_of(b, pattern) {
                    "=>" => todo.push((right, part.or(Some(b.key(left))))),
                    "=" | "|" | "<>" => todo.extend([(right, part), (left, part)]),
                    "when" | "::" | "\\\\" | "in" => todo.push((left, part)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    targets
}

/// A parameter: a name, a pattern, or both.
pub(super) fn parameter<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Parameter<'s> {
    let mut node = node;
    let mut default = None;
    if let Some((left, right)) = super::operands(b, node, "\\\\") {
        node = left;
        default = Some(b.expr(right));
    }
    let mut name = "";
    if node.kind() == "identifier" {
        name = b.slice(node);
    } else if let Some((left, right)) = super::operands(b, node, "=") {
        let whole = [left, right].into_iter().find(|side| side.kind() == "identifier");
        name = whole.map_or("", |whole| b.slice(whole));
    }
    let parts = targets(b, vec![node]).into_iter().map(|target| target.name).filter(|part| *part != name).collect();
    Parameter { name, parts, ty: None, default, annotations: Vec::new() }
}
