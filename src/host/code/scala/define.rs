//! Classes, objects, functions, values, imports.

use crate::host::code::build::{Builder, Lowered, last_part, span_of};
use crate::host::code::{Binding, ExprId, Flow, Import, Value};
use crate::span::Span;
use std::borrow::Cow;
use tree_sitter::Node;

/// A class, with its parameters as fields.
pub(super) fn class<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let name = b.part(node, "name").map_or("", |name| b.slice(name));
    let extends = b.part(node, "extend");
    let bases = extends.map(|extends| b.fields(extends, "type")).unwrap_or_default();
    let bases = bases.into_iter().map(|base| b.slice(base)).collect();
    let id = b.code.classes.len();
    let body = b.part(node, "body");
    let defined = b.define_class(node, name, bases, body);
    let mut fields = Vec::new();
    for list in b.fields(node, "class_parameters") {
        for parameter in b.named(list).into_iter().filter(|parameter| parameter.kind() == "class_parameter") {
            let Some(name) = b.part(parameter, "name") else { continue };
            let value = b.expr_at(parameter, "default_value");
            let ty = b.part(parameter, "type").map(|ty| b.type_of(ty));
            fields.push(Binding { ty, ..b.binding(name, value, true) });
        }
    }
    if let Some(class) = b.code.classes.get_mut(id) {
        fields.append(&mut class.fields);
        class.fields = fields;
    }
    // What the class around is made with.
    let arguments = extends.map(|extends| b.fields(extends, "arguments")).unwrap_or_default();
    let mut stmts = Vec::new();
    for list in arguments {
        for argument in super::values::arguments(b, list) {
            let span = b.code.exprs[argument.value].span;
            stmts.push(b.run(argument.value, span));
        }
    }
    let names = |expr: ExprId| matches!(b.code.exprs[expr].value, Value::Name(_) | Value::Constant(_));
    stmts.retain(|stmt| !matches!(b.code.stmts[*stmt].flow, Flow::Run(expr) if names(expr)));
    if stmts.is_empty() {
        return defined;
    }
    if let Lowered::Stmt(stmt) = defined {
        stmts.push(stmt);
    }
    Lowered::Flow(Flow::Sequence(stmts))
}

/// `given a: B = c`, `given B with …`
pub(super) fn given<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let ty = b.part(node, "return_type").map(|ty| b.type_of(ty));
    let (name, body) = (b.part(node, "name"), b.part(node, "body"));
    if let Some(body) = body.filter(|body| body.kind().ends_with("template_body")) {
        let name = name.map_or(ty.unwrap_or_default(), |name| b.slice(name));
        return b.define_class(node, name, ty.into_iter().collect(), Some(body));
    }
    let value = body.map(|body| b.expr(body));
    let binding = match name {
        Some(name) => Binding { ty, ..b.binding(name, value, true) },
        None => Binding { targets: Vec::new(), ty, value, declares: true },
    };
    declare(b, binding)
}

fn declare<'s>(b: &mut Builder<'s, '_>, binding: Binding<'s>) -> Lowered<'s> {
    if b.class.is_none() {
        return Lowered::Flow(Flow::Bind(binding));
    }
    b.field(binding);
    Lowered::Nothing
}

/// `val p: T = e`
pub(super) fn value<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let pattern = b.part(node, "pattern").or_else(|| b.part(node, "name"))?;
    let value = b.expr_at(node, "value");
    let ty = b.part(node, "type").map(|ty| b.type_of(ty));
    let binding = Binding { ty, ..super::cases::binding(b, pattern, value) };
    Some(declare(b, binding))
}

/// A function with its lists of parameters.
pub(super) fn function<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    b.own_annotations(node);
    let name = b.part(node, "name");
    let at = name.map_or(Span::new(node.start_byte(), node.start_byte()), span_of);
    let around = b.begin_function(node, name.map_or("", |name| b.slice(name)), at);
    let mut parameters = Vec::new();
    for list in b.fields(node, "parameters") {
        parameters.extend(b.parameters(list));
    }
    let returns = b.part(node, "return_type").map(|ty| b.type_of(ty));
    let function = b.current();
    function.parameters = parameters;
    function.returns = returns;
    if let Some(body) = b.part(node, "body") {
        let body = b.function_body(body);
        b.current().body = body;
    }
    b.end_function(around);
}

/// `import a.b.{C, D => E, _}, f.g`
pub(super) fn imports<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let mut cursor = node.walk();
    let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
    for part in children.split(|child| child.kind() == ",") {
        let names = part.iter().filter(|child| child.kind() == "identifier" || child.kind() == "stable_identifier");
        let (Some(first), Some(last)) = (names.clone().next(), names.clone().next_back()) else { continue };
        let path = b.text.get(first.start_byte()..last.end_byte()).unwrap_or_default();
        let after = part.iter().find(|child| {
            matches!(child.kind(), "namespace_selectors" | "namespace_wildcard")
                || child.kind().ends_with("renamed_identifier")
        });
        let Some(after) = after.copied() else {
            import(b, node, Cow::Borrowed(path), last_part(path));
            continue;
        };
        let selectors = if after.kind() == "namespace_selectors" { b.named(after) } else { vec![after] };
        for selector in selectors {
            if selector.kind() == "namespace_wildcard" {
                import(b, node, Cow::Borrowed(path), "*");
                continue;
            }
            let name = b.part(selector, "name").unwrap_or(selector);
            let alias = b.part(selector, "alias").unwrap_or(name);
            let (name, alias) = (b.slice(name), b.slice(alias));
            match name {
                "_" | "*" => import(b, node, Cow::Borrowed(path), "*"),
                _ => import(b, node, Cow::Owned(format!("{path}.{name}")), alias),
            }
        }
    }
}

fn import<'s>(b: &mut Builder<'s, '_>, node: Node<'_>, path: Cow<'s, str>, name: &'s str) {
    b.code.imports.push(Import { path, name, span: span_of(node) });
}
