//! What PHP defines, imports and catches.

use crate::host::code::build::{Builder, Lowered, last_part, span_of};
use crate::host::code::{Binding, Flow, Handler, Import, StmtId};
use std::borrow::Cow;
use tree_sitter::Node;

pub(super) fn class<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, name: &'s str) -> Lowered<'s> {
    let mut bases = Vec::new();
    for clause in b.named(node) {
        if matches!(clause.kind(), "base_clause" | "class_interface_clause") {
            bases.extend(b.named(clause).into_iter().map(|base| b.slice(base)));
        }
    }
    let body = b.part(node, "body");
    b.define_class(node, name, bases, body)
}

/// What is declared next has the attributes of this node.
pub(super) fn attributes<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let Some(list) = b.part(node, "attributes") else { return };
    let pending = std::mem::take(&mut b.pending);
    let attributes: Vec<Node<'t>> = b.named(list).into_iter().flat_map(|group| b.named(group)).collect();
    let attributes = b.exprs(attributes);
    b.pending = pending;
    b.pending.extend(attributes);
}

/// `const A = 1, B = 2;`
pub(super) fn constants<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let ty = b.part(node, "type");
    let mut stmts: Vec<StmtId> = Vec::new();
    for element in b.named(node).into_iter().filter(|element| element.kind() == "const_element") {
        let (Some(name), Some(value)) = (b.part(element, ""), b.part(element, "$")) else { continue };
        if b.class.is_none() {
            stmts.push(b.bind(element, name, ty, Some(value), true));
            continue;
        }
        let value = Some(b.expr(value));
        let ty = ty.map(|ty| b.type_of(ty));
        let field = Binding { ty, ..b.binding(name, value, true) };
        b.field(field);
    }
    match stmts.as_slice() {
        [] => Lowered::Nothing,
        [only] => Lowered::Stmt(*only),
        _ => Lowered::Flow(Flow::Sequence(stmts)),
    }
}

pub(super) fn properties<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let ty = b.part(node, "type").map(|ty| b.type_of(ty));
    for part in b.named(node) {
        match part.kind() {
            "property_element" => {
                let Some(name) = b.part(part, "name") else { continue };
                let value = b.expr_at(part, "default_value");
                let field = Binding { ty, ..b.binding(name, value, true) };
                b.field(field);
            }
            "property_hook_list" => {
                for hook in b.named(part) {
                    b.stmt(hook);
                }
            }
            _ => {}
        }
    }
}

/// `use A\B\C as D;`, `use A\{B, C\D};`
pub(super) fn import<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let span = span_of(node);
    let group = b.part(node, "body");
    let prefix = group.and_then(|_| b.part(node, "#namespace_name")).map(|prefix| b.slice(prefix));
    for clause in b.named(group.unwrap_or(node)).into_iter().filter(|clause| clause.kind() == "namespace_use_clause") {
        let parts = b.named(clause);
        let alias = b.part(clause, "alias");
        let path = parts.into_iter().find(|part| Some(*part) != alias && part.kind().ends_with("name"));
        let Some(path) = path.map(|path| b.slice(path).trim_start_matches('\\')) else { continue };
        let name = alias.map_or(last_part(path), |alias| b.slice(alias));
        let path = match prefix {
            Some(prefix) => Cow::Owned(format!("{}\\{path}", prefix.trim_matches('\\'))),
            None => Cow::Borrowed(path),
        };
        b.code.imports.push(Import { path, name, span });
    }
}

pub(super) fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let types = b.part(node, "type");
    let all = types
        .map(|types| b.named(types))
        .unwrap_or_default()
        .into_iter()
        .any(|ty| matches!(last_part(b.slice(ty)), "Throwable" | "Exception"));
    let binds = b.part(node, "name").map(|name| b.slice(name).trim_start_matches('$'));
    let body = b.part(node, "body");
    Handler { catches: types.map_or("", |types| b.slice(types)), all, binds, body: b.body(body, node.end_byte()) }
}
