//! Modules, functions, attributes, imports.

use super::{flow, items, operands, pattern};
use crate::host::code::build::{Builder, Lowered, last_part, span_of};
use crate::host::code::{Binding, Import, Target, Value};
use std::borrow::Cow;
use tree_sitter::Node;

/// Attributes that hold no value of the program.
const NOTES: &[&str] = &[
    "moduledoc",
    "doc",
    "typedoc",
    "shortdoc",
    "spec",
    "type",
    "typep",
    "opaque",
    "callback",
    "macrocallback",
    "impl",
    "optional_callbacks",
    "dialyzer",
    "deprecated",
    "since",
    "derive",
    "enforce_keys",
    "compile",
];

/// What is declared by a call of that name; `None` where nothing is.
pub(super) fn definition<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, name: &'s str) -> Option<Lowered<'s>> {
    let arguments = b.part(node, "#arguments");
    let inside = arguments.map(|arguments| b.named(arguments)).unwrap_or_default();
    let first = inside.first().copied();
    match name {
        "defmodule" | "defprotocol" | "defimpl" => {
            let first = first?;
            let target = keyword(b, &inside, "for").filter(|_| name == "defimpl");
            let bases = if name == "defimpl" { vec![b.slice(first)] } else { Vec::new() };
            let named = b.slice(target.unwrap_or(first));
            let body = b.part(node, "#do_block");
            Some(b.define_class(node, named, bases, body))
        }
        "def" | "defp" | "defmacro" | "defmacrop" => {
            function(b, node, first?);
            Some(Lowered::Nothing)
        }
        "defdelegate" | "defguard" | "defguardp" | "defoverridable" | "defexception" => Some(Lowered::Nothing),
        "defstruct" => {
            fields(b, node);
            Some(Lowered::Nothing)
        }
        "alias" | "import" | "require" | "use" => {
            import(b, node, name, &inside);
            Some(Lowered::Nothing)
        }
        _ => None,
    }
}

/// The value of a keyword among arguments.
fn keyword<'t>(b: &Builder<'_, 't>, arguments: &[Node<'t>], name: &str) -> Option<Node<'t>> {
    let keywords = arguments.last().filter(|last| last.kind() == "keywords")?;
    let pair =
        b.named(*keywords).into_iter().find(|pair| b.part(*pair, "key").is_some_and(|key| b.key(key) == name))?;
    b.part(pair, "value")
}

/// `def name(parameters) when guard do … end`
fn function<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, head: Node<'t>) {
    let head = operands(b, head, "when").map_or(head, |(head, _)| head);
    let name = b.part(head, "target").unwrap_or(head);
    let around = b.begin_function(node, b.slice(name), span_of(name));
    let parameters = b.part(head, "#arguments").map(|parameters| b.named(parameters)).unwrap_or_default();
    let parameters = parameters.into_iter().map(|parameter| pattern::parameter(b, parameter)).collect();
    b.current().parameters = parameters;
    let body = flow::guarded_body(b, node);
    b.give_last(body);
    b.current().body = body;
    b.end_function(around);
}

/// `defstruct [:a, b: 1]`
fn fields<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let Some(arguments) = b.part(node, "#arguments") else { return };
    let list = b.part(arguments, "#list").unwrap_or(arguments);
    for item in items(b, list) {
        let span = b.code.exprs[item.value].span;
        let (name, value) = match (item.name, &b.code.exprs[item.value].value) {
            (Some(name), _) => (name, Some(item.value)),
            (None, Value::Constant(atom)) => (atom.trim_start_matches(':'), None),
            _ => continue,
        };
        let expr = b.push(span, Value::Name(name));
        let targets = vec![Target { expr, name, part: None }];
        b.field(Binding { targets, ty: None, value, declares: true });
    }
}

/// `@name value`
pub(super) fn attribute<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let (Some(target), Some(arguments)) = (b.part(node, "target"), b.part(node, "#arguments")) else { return };
    let name = b.slice(target);
    if NOTES.contains(&name) {
        return;
    }
    if name == "behaviour" {
        let base = b.part(arguments, "").map(|base| b.slice(base));
        if let (Some(class), Some(base)) = (b.class, base) {
            b.code.classes[class].bases.push(base);
        }
        return;
    }
    let values = items(b, arguments);
    let value = match values.as_slice() {
        [only] if only.name.is_none() => only.value,
        _ => b.push(span_of(arguments), Value::Items(values)),
    };
    // The name has its mark, as where it is used.
    let span = crate::span::Span::new(target.start_byte().saturating_sub(1), target.end_byte());
    let name = b.text.get(span.range()).unwrap_or(name);
    let expr = b.push(span, Value::Name(name));
    let targets = vec![Target { expr, name, part: None }];
    b.field(Binding { targets, ty: None, value: Some(value), declares: true });
}

/// `alias A.{B, C}`, `import A`, `use A, option: 1`.
fn import<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, word: &str, arguments: &[Node<'t>]) {
    let span = span_of(node);
    let Some(first) = arguments.first().copied() else { return };
    let push = |b: &mut Builder<'_, 't>, path: Node<'t>, before: Option<Node<'t>>, name: Option<Node<'t>>| {
        let last = b.slice(path);
        let path = match before {
            Some(before) => Cow::Owned(format!("{}.{last}", b.slice(before))),
            None => Cow::Borrowed(last),
        };
        let name = match word {
            "import" | "use" => "*",
            _ => name.map_or(last_part(last), |name| b.slice(name)),
        };
        b.code.imports.push(Import { path, name, span });
    };
    let whole = if first.kind() == "call" { b.part(first, "target").unwrap_or(first) } else { first };
    if whole.kind() == "dot" {
        let (before, list) = (b.part(whole, "left"), b.part(whole, "right"));
        for name in list.map(|list| b.named(list)).unwrap_or_default() {
            push(b, name, before, None);
        }
        return;
    }
    let name = keyword(b, arguments, "as");
    push(b, first, None, name);
    if word == "use" {
        let base = b.slice(first);
        if let Some(class) = b.class {
            b.code.classes[class].bases.push(base);
        }
    }
}
