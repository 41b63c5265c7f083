//! Elixir: all is a call in its grammar, and the name says what it is.

mod define;
mod flow;
mod pattern;

use super::build::{Builder, DEEPEST, Lowered, span_of};
use super::language::{Shape, Syntax, no_case, opens_nothing};
use super::{Argument, Exit, ExprId, Flow, Handler, StmtId, Value};
use crate::span::Span;
use tree_sitter::Node;

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "call",
                "binary_operator",
                "unary_operator",
                "anonymous_function",
                "list",
                "tuple",
                "map",
                "keywords",
                "bitstring",
                "block",
            ],
        ),
        (Shape::Skip, &["comment"]),
        (Shape::Name, &["identifier", "alias"]),
        (Shape::Constant, &["integer", "float", "char", "boolean", "nil", "atom", "keyword"]),
        (Shape::Keyword("key", "value"), &["pair"]),
        (Shape::Sequence, &["source", "body"]),
    ],
    own,
    handler: |b, node| Handler { catches: "", all: false, binds: None, body: b.empty(node.start_byte()) },
    using: opens_nothing,
    target: None,
    case: no_case,
    throws: true,
    breaks_cases: false,
    gives_last: true,
    starts_unawaited: false,
    leaves: &[
        ("raise", false),
        ("reraise", false),
        ("throw", false),
        ("exit", false),
        ("System.halt", true),
        ("System.stop", true),
    ],
    starts: &[
        ("spawn", false),
        ("spawn_link", false),
        ("spawn_monitor", false),
        ("async", false),
        ("async_nolink", false),
        ("start_child", false),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "call" => call(b, node, None, span_of(node))?,
        "binary_operator" => return operator(b, node, statement),
        "unary_operator" => return unary(b, node),
        "anonymous_function" => {
            let clauses = b.named(node);
            Lowered::Value(Value::Function(flow::closure(b, node, clauses)))
        }
        "block" => {
            let nodes = b.named(node);
            match nodes.as_slice() {
                [only] => Lowered::Expr(b.expr(*only)),
                _ => Lowered::Stmt(b.sequence(nodes, span_of(node))),
            }
        }
        "map" => {
            let Some(name) = b.part(node, "#struct").and_then(|of| b.part(of, "")) else {
                return Some(Lowered::Value(Value::Items(items(b, node))));
            };
            let callee = b.expr(name);
            let arguments = items(b, node);
            let call = b.call(node, callee, "", arguments);
            b.code.calls[call].constructs = true;
            Lowered::Expr(b.code.calls[call].expr)
        }
        _ => Lowered::Value(Value::Items(items(b, node))),
    })
}

/// The operator between or before operands.
fn operator_of<'s>(b: &Builder<'s, '_>, node: Node<'_>) -> &'s str {
    node.child_by_field_name("operator").map_or("", |operator| b.slice(operator))
}

/// The operands of an operator, if it is this one.
fn operands<'t>(b: &Builder<'_, 't>, node: Node<'t>, operator: &str) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind() != "binary_operator" || operator_of(b, node) != operator {
        return None;
    }
    Some((b.part(node, "left")?, b.part(node, "right")?))
}

fn operator<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
    match operator_of(b, node) {
        "=" => {
            let value = b.expr(right);
            if statement {
                let binding = pattern::binding(b, left, Some(value));
                return Some(Lowered::Flow(Flow::Bind(binding)));
            }
            let target = match left.kind() {
                "identifier" => b.name(left),
                _ => {
                    let targets = pattern::binding(b, left, None).targets;
                    let names = targets.into_iter().map(|target| Argument { name: target.part, value: target.expr });
                    let names = names.collect();
                    b.push(span_of(left), Value::Items(names))
                }
            };
            Some(Lowered::Value(Value::Assign { target, value }))
        }
        "|>" => Some(Lowered::Expr(pipe(b, node))),
        "::" => Some(Lowered::Expr(b.expr(left))),
        "->" | "<-" | "|" | "when" => None,
        _ => Some(b.value(node, Shape::Binary)),
    }
}

/// `a |> f(b)` is `f(a, b)`, a call in a call: a longer pipe than calls may nest is its steps, side by side.
fn pipe<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> ExprId {
    let mut steps = Vec::new();
    let mut first = node;
    while let Some((left, right)) = operands(b, first, "|>") {
        steps.push(right);
        first = left;
    }
    if steps.len() > DEEPEST {
        b.too_deep();
        steps.push(first);
        steps.reverse();
        let steps = b.exprs(steps);
        return b.push(span_of(node), Value::Other(steps));
    }
    let start = first.start_byte();
    let mut value = b.expr(first);
    while let Some(step) = steps.pop() {
        let span = Span::new(start, step.end_byte());
        let lowered = match step.kind() {
            "call" => call(b, step, Some(value), span),
            _ => {
                let callee = b.expr(step);
                let call = b.call_at(span, callee, "", vec![Argument { name: None, value }]);
                Some(Lowered::Expr(b.code.calls[call].expr))
            }
        };
        value = match lowered {
            Some(Lowered::Expr(expr)) => expr,
            Some(Lowered::Value(value)) => b.push(span, value),
            Some(Lowered::Stmt(stmt)) => b.push(span, Value::Block(stmt)),
            Some(Lowered::Flow(flow)) => {
                let stmt = b.push_stmt(span, flow);
                b.push(span, Value::Block(stmt))
            }
            Some(Lowered::Nothing) | None => value,
        };
    }
    value
}

fn unary<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let operand = b.part(node, "operand")?;
    Some(match operator_of(b, node) {
        "@" => match operand.kind() {
            "call" => {
                define::attribute(b, operand);
                Lowered::Nothing
            }
            _ => Lowered::Value(Value::Name(b.slice(node))),
        },
        "&" => match operands(b, operand, "/") {
            // `&f/1` is the function.
            Some((function, _)) => match (function.kind(), b.part(function, "target")) {
                ("call", Some(target)) if target.kind() == "dot" => Lowered::Expr(dot(b, target)?),
                _ => Lowered::Expr(b.expr(function)),
            },
            None if operand.kind() == "integer" => Lowered::Value(Value::Name(b.slice(node))),
            None => Lowered::Value(Value::Function(flow::capture(b, node, operand))),
        },
        "^" => Lowered::Expr(b.expr(operand)),
        "!" | "not" => Lowered::Value(Value::Not(b.expr(operand))),
        "-" | "+" if matches!(operand.kind(), "integer" | "float") => Lowered::Value(Value::Constant(b.slice(node))),
        _ => {
            let operand = b.expr(operand);
            Lowered::Value(Value::Other(vec![operand]))
        }
    })
}

/// `of.name`; without a name `of` is a function that is called.
fn dot<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<ExprId> {
    let of = b.expr_at(node, "left")?;
    let Some(name) = b.part(node, "right") else { return Some(of) };
    let value = Value::Member { of, name: b.slice(name), at: span_of(name) };
    Some(b.push(span_of(node), value))
}

/// A call, or what looks like one; `first` was piped into it.
fn call<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, first: Option<ExprId>, span: Span) -> Option<Lowered<'s>> {
    let target = b.part(node, "target")?;
    let name = if target.kind() == "identifier" { b.slice(target) } else { "" };
    if let Some(lowered) = flow::special(b, node, name, first) {
        return Some(lowered);
    }
    if first.is_none()
        && let Some(lowered) = define::definition(b, node, name)
    {
        return Some(lowered);
    }
    let callee = match target.kind() {
        "dot" => dot(b, target)?,
        _ => b.expr(target),
    };
    let (inside, block) = (b.part(node, "#arguments"), b.part(node, "#do_block"));
    if inside.is_none() && block.is_none() && first.is_none() {
        // `of.name` may be a field; of a module it is a function.
        let of_module = b.part(target, "left").is_some_and(|of| of.kind() == "alias");
        if !of_module {
            return Some(Lowered::Expr(callee));
        }
    }
    let mut arguments: Vec<Argument<'s>> = first.into_iter().map(|value| Argument { name: None, value }).collect();
    arguments.extend(inside.map(|inside| items(b, inside)).unwrap_or_default());
    if let Some(block) = block {
        let function = flow::block_function(b, block);
        let value = b.push(span_of(block), Value::Function(function));
        arguments.push(Argument { name: None, value });
    }
    let call = b.call_at(span, callee, "", arguments);
    Some(Lowered::Expr(b.code.calls[call].expr))
}

/// Elements, entries and arguments, with the keywords among them.
fn items<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Vec<Argument<'s>> {
    let mut items = Vec::new();
    let mut todo: Vec<Node<'t>> = b.named(node);
    todo.reverse();
    while let Some(item) = todo.pop() {
        let texts = b.as_text(item);
        if let Some(value) = texts {
            items.push(Argument { name: None, value });
            continue;
        }
        match item.kind() {
            "keywords" | "map_content" => todo.extend(b.named(item).into_iter().rev()),
            "struct" => {}
            // `%{m | a: 1}`, `[h | t]`
            "binary_operator" if operator_of(b, item) == "|" => todo.extend(b.named(item).into_iter().rev()),
            "binary_operator" if operator_of(b, item) == "=>" => {
                let (Some(key), Some(value)) = (b.part(item, "left"), b.part(item, "right")) else { continue };
                let key_value = b.expr(key);
                let name = match &b.code.exprs[key_value].value {
                    Value::Text(holes) if holes.is_empty() => Some(b.key(key)),
                    Value::Constant(_) => Some(b.key(key)),
                    _ => None,
                };
                let value = b.expr(value);
                let value = match name {
                    Some(_) => value,
                    None => b.push(span_of(item), Value::Other(vec![key_value, value])),
                };
                items.push(Argument { name, value });
            }
            _ => items.extend(b.argument(item)),
        }
    }
    items
}

/// Statements as one, with `value` given at the end where there is one.
fn statements<'t>(b: &mut Builder<'_, 't>, nodes: Vec<Node<'t>>, around: Node<'t>) -> StmtId {
    b.sequence(nodes, span_of(around))
}

/// Leaves the `with` around.
fn leave_with(b: &mut Builder<'_, '_>, at: usize) -> StmtId {
    b.push_stmt(Span::new(at, at), Flow::Exit(Exit::Break(Some("with"))))
}
