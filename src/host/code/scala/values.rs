//! Calls, closures, operators.

use crate::host::code::build::{Builder, Lowered, span_of};
use crate::host::code::language::Shape;
use crate::host::code::{Argument, Binding, ExprId, Flow, FunctionId, Parameter, Value};
use crate::span::Span;
use tree_sitter::Node;

/// Operators that are no calls of what a client library knows.
const OPERATORS: &[&str] = &[
    "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "::", ":::", "++", "+:",
    ":+", "->", "eq", "ne", "to", "until",
];

/// A call. Lists of arguments one after the other, and a block after them, are arguments of one.
pub(super) fn call<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<ExprId> {
    let mut lists = Vec::new();
    let mut function = node;
    while function.kind() == "call_expression" {
        lists.extend(b.part(function, "arguments"));
        function = b.part(function, "function")?;
    }
    let (function, types) = match function.kind() {
        "generic_function" => (b.part(function, "function")?, b.part(function, "type_arguments")),
        _ => (function, None),
    };
    let callee = of_placeholder(b, function).unwrap_or_else(|| b.expr(function));
    let types = types.map_or("", |types| b.slice(types));
    let mut all = Vec::new();
    while let Some(list) = lists.pop() {
        all.extend(arguments(b, list));
    }
    let call = b.call(node, callee, types, all);
    Some(b.code.calls[call].expr)
}

/// `_.name`: a member of what the function around is given.
fn of_placeholder<'t>(b: &mut Builder<'_, 't>, function: Node<'t>) -> Option<ExprId> {
    let (value, field) = (b.part(function, "value")?, b.part(function, "field")?);
    (function.kind() == "field_expression" && value.kind() == "wildcard").then_some(())?;
    let of = b.push(span_of(value), Value::Name(b.slice(value)));
    let (name, at) = (b.slice(field), span_of(field));
    Some(b.push(span_of(function), Value::Member { of, name, at }))
}

/// `Using(a) { x => … }`, `Using.resource(a) { x => … }`: what is opened is closed.
pub(super) fn using<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let (inner, block) = (b.part(node, "function")?, b.part(node, "arguments")?);
    let (opener, opened) = (b.part(inner, "function")?, b.part(inner, "arguments")?);
    if !matches!(b.slice(opener), "Using" | "Using.resource" | "Using.resources" | "scala.util.Using") {
        return None;
    }
    let inside = b.named(block);
    let [lambda] = inside.as_slice() else { return None };
    if lambda.kind() != "lambda_expression" {
        return None;
    }
    let parameters = b.fields(*lambda, "parameters").pop();
    let names: Vec<Node<'t>> = match parameters {
        Some(name) if name.kind() == "identifier" => vec![name],
        Some(list) => b.named(list).into_iter().filter_map(|binding| b.part(binding, "name")).collect(),
        None => Vec::new(),
    };
    let mut items = Vec::new();
    for (index, value) in b.named(opened).into_iter().enumerate() {
        let value = Some(b.expr(value));
        items.push(match names.get(index) {
            Some(name) => b.binding(*name, value, true),
            None => Binding { targets: Vec::new(), ty: None, value, declares: true },
        });
    }
    let nodes = b.named(*lambda).into_iter().filter(|child| Some(*child) != parameters).collect();
    let body = b.sequence(nodes, span_of(*lambda));
    Some(Lowered::Flow(Flow::With { items, body }))
}

/// One list of arguments, or a block.
pub(super) fn arguments<'s, 't>(b: &mut Builder<'s, 't>, list: Node<'t>) -> Vec<Argument<'s>> {
    let alone = |value: ExprId| vec![Argument { name: None, value }];
    match list.kind() {
        "block" | "indented_block" | "colon_argument" => {
            let nodes = b.named(list);
            if let [only] = nodes.as_slice()
                && only.kind() == "lambda_expression"
            {
                return alone(b.expr(*only));
            }
            let (start, nodes) = match list.kind() {
                "colon_argument" => (b.part(list, "lambda_start"), nodes.last().copied().into_iter().collect()),
                _ => (None, nodes),
            };
            let function = closure(b, list, start, nodes);
            alone(b.push(span_of(list), Value::Function(function)))
        }
        "arguments" => {
            // A text that a function puts together.
            if let Some(value) = b.as_text(list) {
                return alone(value);
            }
            b.named(list).into_iter().map(|argument| one(b, argument)).collect()
        }
        _ => alone(b.expr(list)),
    }
}

fn one<'s, 't>(b: &mut Builder<'s, 't>, argument: Node<'t>) -> Argument<'s> {
    if argument.kind() == "assignment_expression"
        && let (Some(name), Some(value)) = (b.part(argument, "left"), b.part(argument, "right"))
        && name.kind() == "identifier"
    {
        let value = one(b, value).value;
        let name = Some(b.slice(name));
        b.names_closure(value, name);
        return Argument { name, value };
    }
    if has_placeholder(b, argument) {
        let function = closure(b, argument, None, vec![argument]);
        // What each `_` stands for, of which the first is the receiver.
        let what = Parameter { name: "_", parts: Vec::new(), ty: None, default: None, annotations: Vec::new() };
        b.code.functions[function].parameters.push(what);
        let value = b.push(span_of(argument), Value::Function(function));
        return Argument { name: None, value };
    }
    Argument { name: None, value: b.expr(argument) }
}

/// Whether an expression is a function of the `_` in it.
fn has_placeholder<'t>(b: &Builder<'_, 't>, node: Node<'t>) -> bool {
    let mut todo = vec![node];
    while let Some(part) = todo.pop() {
        match part.kind() {
            "wildcard" if part != node => return true,
            "infix_expression" => todo.extend([b.part(part, "left"), b.part(part, "right")].into_iter().flatten()),
            "field_expression" => todo.extend(b.part(part, "value")),
            "generic_function" => todo.extend(b.part(part, "function")),
            "prefix_expression" => todo.extend(b.part(part, "")),
            "call_expression" => {
                todo.extend(b.part(part, "function"));
                let arguments = b.part(part, "arguments").filter(|arguments| arguments.kind() == "arguments");
                let arguments = arguments.map(|arguments| b.named(arguments)).unwrap_or_default();
                todo.extend(arguments.into_iter().filter(|argument| argument.kind() == "wildcard"));
            }
            _ => {}
        }
    }
    false
}

/// A function as a value, of statements.
fn closure<'t>(
    b: &mut Builder<'_, 't>,
    node: Node<'t>,
    parameters: Option<Node<'t>>,
    nodes: Vec<Node<'t>>,
) -> FunctionId {
    let around = b.begin_function(node, "", Span::new(node.start_byte(), node.start_byte()));
    let parameters = parameters.map(|parameters| b.parameters(parameters)).unwrap_or_default();
    let function = b.current();
    function.parameters = parameters;
    function.is_block = true;
    let body = b.sequence(nodes, span_of(node));
    b.give_last(body);
    b.current().body = body;
    b.end_function(around)
}

/// `x => e`
pub(super) fn lambda<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> FunctionId {
    let parameters = b.fields(node, "parameters").pop();
    let nodes = b.named(node).into_iter().filter(|child| Some(*child) != parameters).collect();
    closure(b, node, parameters, nodes)
}

/// `new T(…) { … }`
pub(super) fn construction<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<ExprId> {
    let mut ty = None;
    let mut all = Vec::new();
    for child in b.named(node) {
        match child.kind() {
            "arguments" => all.extend(arguments(b, child)),
            "template_body" => {
                let bases = ty.map(|ty| b.slice(ty)).into_iter().collect();
                b.define_class(child, "", bases, Some(child));
            }
            _ if ty.is_none() => ty = Some(child),
            _ => {}
        }
    }
    let ty = ty?;
    let (name, types) = match ty.kind() {
        "generic_type" => (b.part(ty, "type")?, b.part(ty, "type_arguments")),
        _ => (ty, None),
    };
    let callee = b.name(name);
    let types = types.map_or("", |types| b.slice(types));
    let call = b.call(node, callee, types, all);
    b.code.calls[call].constructs = true;
    Some(b.code.calls[call].expr)
}

/// `a op b`: an operator, an assignment, or a call of `op` of `a`.
pub(super) fn infix<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    let (left, operator, right) = (b.part(node, "left")?, b.part(node, "operator")?, b.part(node, "right")?);
    let name = b.slice(operator);
    if OPERATORS.contains(&name) {
        return Some(b.value(node, Shape::Binary));
    }
    let assigns = name.ends_with('=') && name.len() == 2 && matches!(left.kind(), "identifier" | "field_expression");
    if statement && assigns && "+-*/|&^".contains(&name[..1]) {
        return Some(b.augmented(node, left, right));
    }
    let of = b.expr(left);
    let at = span_of(operator);
    let callee = b.push(Span::new(left.start_byte(), operator.end_byte()), Value::Member { of, name, at });
    let all = match right.kind() {
        "block" | "case_block" => arguments(b, right),
        _ => vec![one(b, right)],
    };
    let call = b.call(node, callee, "", all);
    Some(Lowered::Expr(b.code.calls[call].expr))
}
