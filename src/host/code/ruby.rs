//! Ruby.
//!
//! A name that was not assigned to is a call without arguments. A block is a function; `next` in it returns from it, and
//! `return` from the method around.

use super::build::{Builder, Case, Lowered, Way, span_of};
use super::language::{Parts, Shape, Syntax, opens_nothing};
use super::{Argument, Exit, ExprId, Flow, Handler, Import, StmtId, Value};
use crate::span::Span;
use std::borrow::Cow;
use tree_sitter::Node;

const METHOD: Parts = Parts { name: "name", parameters: "parameters", returns: "returns", body: "body" };
const BLOCK: Parts = Parts { name: "", parameters: "parameters", returns: "", body: "body" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "identifier",
                "super",
                "yield",
                "call",
                "assignment",
                "operator_assignment",
                "begin",
                "body_statement",
                "block_body",
                "parenthesized_statements",
                "rescue_modifier",
                "unless",
                "if_modifier",
                "unless_modifier",
                "until",
                "while_modifier",
                "until_modifier",
                "case",
                "case_match",
                "return",
                "next",
                "break",
                "redo",
                "retry",
                "singleton_class",
                "singleton_method",
            ],
        ),
        (Shape::Skip, &["comment", "heredoc_body", "alias", "undef", "uninterpreted", "heredoc_content"]),
        (
            Shape::Name,
            &["constant", "instance_variable", "class_variable", "global_variable", "self", "hash_key_symbol"],
        ),
        (
            Shape::Constant,
            &["integer", "float", "true", "false", "nil", "simple_symbol", "character", "rational", "complex"],
        ),
        (Shape::Through(""), &["block_argument", "in", "rest_assignment", "pattern"]),
        (Shape::Through("body"), &["block", "do_block"]),
        (Shape::Through("name"), &["splat_parameter", "hash_splat_parameter", "block_parameter"]),
        (Shape::Member("scope", "name"), &["scope_resolution"]),
        (Shape::Keyword("key", "value"), &["pair"]),
        (Shape::Binary, &["binary"]),
        (Shape::Unary("operand"), &["unary"]),
        (Shape::Items, &["array", "hash", "left_assignment_list", "right_assignment_list"]),
        (Shape::Items, &["destructured_left_assignment", "destructured_parameter"]),
        (Shape::Choice("condition", "consequence", "alternative"), &["conditional"]),
        (Shape::Closure(&BLOCK), &["lambda"]),
        (Shape::Function(&METHOD), &["method"]),
        (Shape::Class("name", "superclass", "body"), &["class", "module"]),
        (Shape::Parameter("name", "type", "value"), &["optional_parameter", "keyword_parameter"]),
        (Shape::Sequence, &["program", "then", "do"]),
        (Shape::If("condition", "consequence", "alternative"), &["if", "elsif"]),
        (Shape::Else(""), &["else"]),
        (Shape::While("condition", "body"), &["while"]),
        (Shape::Each("pattern", "value", "body"), &["for"]),
        (Shape::Catch, &["rescue"]),
        (Shape::Finally(""), &["ensure"]),
    ],
    own,
    handler,
    using: opens_nothing,
    target: Some(target),
    case,
    throws: true,
    breaks_cases: false,
    gives_last: true,
    starts_unawaited: false,
    leaves: &[
        ("raise", false),
        ("fail", false),
        ("throw", false),
        ("exit", false),
        ("abort", false),
        ("exit!", true),
        ("Process.exit!", true),
    ],
    starts: &[("Thread", false), ("perform_later", false), ("perform_async", false), ("perform_in", false)],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "identifier" => {
            let name = b.slice(node);
            if b.locals.contains(name) || name.starts_with('_') || matches!(name, "it" | "__method__") {
                return Some(Lowered::Value(Value::Name(name)));
            }
            bare(b, node, node, Vec::new())
        }
        "super" => bare(b, node, node, Vec::new()),
        "yield" => {
            let arguments = b.part(node, "#argument_list").map(|list| b.arguments(list)).unwrap_or_default();
            let at = Span::new(node.start_byte(), node.start_byte() + "yield".len());
            let callee = b.push(at, Value::Name("yield"));
            let call = b.call(node, callee, "", arguments);
            Lowered::Expr(b.code.calls[call].expr)
        }
        "call" => call(b, node)?,
        "assignment" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            if statement && b.class.is_some() {
                let value = b.expr(right);
                let binding = b.binding(left, Some(value), true);
                b.field(binding);
                return Some(Lowered::Nothing);
            }
            if statement {
                return Some(Lowered::Stmt(b.bind(node, left, None, Some(right), false)));
            }
            let value = b.expr(right);
            let mut targets = Vec::new();
            b.targets(left, None, &mut targets);
            match targets.as_slice() {
                [only] => Lowered::Value(Value::Assign { target: only.expr, value }),
                _ => Lowered::Value(Value::Other(vec![value])),
            }
        }
        "operator_assignment" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            b.augmented(node, left, right)
        }
        "begin" | "body_statement" | "block_body" => statements(b, node),
        "parenthesized_statements" => match b.named(node).as_slice() {
            [only] if !statement => Lowered::Expr(b.expr(*only)),
            _ => statements(b, node),
        },
        "rescue_modifier" => {
            let (body, handler) = (b.part(node, "body"), b.part(node, "handler"));
            let body = b.body(body, node.start_byte());
            let handler = b.body(handler, node.end_byte());
            let handlers = vec![Handler { catches: "", all: true, binds: None, body: handler }];
            Lowered::Flow(Flow::Try { body, handlers, otherwise: None, finally: None })
        }
        "if_modifier" | "unless_modifier" | "unless" => {
            let condition = condition(b, node, node.kind() != "if_modifier")?;
            let then = b.part(node, "consequence").or_else(|| b.part(node, "body"));
            let then = b.body(then, node.start_byte());
            let otherwise = b.part(node, "alternative").and_then(|otherwise| b.stmt(otherwise));
            Lowered::Flow(Flow::If { condition, binds: Vec::new(), then, otherwise })
        }
        "until" | "while_modifier" | "until_modifier" => {
            let condition = condition(b, node, node.kind() != "while_modifier")?;
            let body = b.part(node, "body");
            let once = body.is_some_and(|body| body.kind() == "begin");
            let body = b.loop_body(body, node.end_byte());
            let (condition, binds) = (Some(condition), Vec::new());
            Lowered::Flow(Flow::Loop { label: None, condition, binds, body, endless: false, once })
        }
        "case" => {
            let subject = b.expr_at(node, "value");
            let cases = b.named(node);
            b.switch(node, subject, cases)
        }
        "case_match" => matches(b, node)?,
        "return" => {
            let value = given(b, node);
            Lowered::Flow(Flow::Exit(if b.current().is_block { Exit::ReturnOuter(value) } else { Exit::Return(value) }))
        }
        "next" => {
            let value = given(b, node);
            let exit = if b.is_outside_loops() { Exit::Return(value) } else { Exit::Continue(None) };
            Lowered::Flow(Flow::Exit(exit))
        }
        "break" => {
            let value = given(b, node);
            let leaves = b.push_stmt(span_of(node), Flow::Exit(Exit::Break(None)));
            match value {
                None => Lowered::Stmt(leaves),
                Some(value) => {
                    let first = b.run(value, span_of(node));
                    Lowered::Flow(Flow::Sequence(vec![first, leaves]))
                }
            }
        }
        "redo" => Lowered::Flow(Flow::Exit(Exit::Continue(None))),
        "retry" => {
            b.retried = true;
            Lowered::Flow(Flow::Exit(Exit::Continue(Some("retry"))))
        }
        "singleton_method" => {
            let of = b.part(node, "object").filter(|of| !matches!(of.kind(), "self" | "constant" | "identifier"));
            let of = of.and_then(|of| b.stmt(of));
            b.declare_function(node, &METHOD);
            of.map_or(Lowered::Nothing, Lowered::Stmt)
        }
        "singleton_class" => {
            let of = b.part(node, "value").filter(|of| of.kind() != "self").and_then(|of| b.stmt(of));
            let body = b.part(node, "body");
            let body = b.body(body, node.end_byte());
            Lowered::Flow(Flow::Sequence(of.into_iter().chain([body]).collect()))
        }
        _ => return None,
    })
}

/// A call of a name without receiver.
fn bare<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, name: Node<'t>, arguments: Vec<Argument<'s>>) -> Lowered<'s> {
    let callee = b.name(name);
    let call = b.call(node, callee, "", arguments);
    Lowered::Expr(b.code.calls[call].expr)
}

fn condition<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, not: bool) -> Option<ExprId> {
    let condition = b.expr_at(node, "condition")?;
    let span = b.code.exprs[condition].span;
    Some(if not { b.push(span, Value::Not(condition)) } else { condition })
}

/// What `return`, `next` and `break` give.
fn given<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<ExprId> {
    let list = b.part(node, "#argument_list")?;
    let mut values = b.arguments(list);
    match values.len() {
        0 | 1 => values.pop().map(|value| value.value),
        _ => Some(b.push(span_of(list), Value::Items(values))),
    }
}

fn call<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let receiver = b.part(node, "receiver");
    let method = b.part(node, "method");
    let block = b.part(node, "block");
    let list = b.part(node, "arguments");
    let word = method.map_or("", |method| b.slice(method));
    if receiver.is_none() && word == "loop" && list.is_none() {
        // Its block runs in the method.
        let label = b.take_label();
        let body = block.and_then(|block| b.part(block, "body"));
        let body = b.loop_body(body, node.end_byte());
        let (condition, binds) = (None, Vec::new());
        let callee = b.name(method?);
        b.call(node, callee, "", Vec::new());
        return Some(Lowered::Flow(Flow::Loop { label, condition, binds, body, endless: true, once: false }));
    }
    let of = receiver.map(|receiver| b.expr(receiver));
    let constructs = word == "new" && receiver.is_some_and(|of| matches!(of.kind(), "constant" | "scope_resolution"));
    let callee = match (of, method) {
        (Some(of), Some(_)) if constructs => of,
        (Some(of), Some(method)) => {
            let at = span_of(method);
            let span = b.code.exprs[of].span.join(at);
            let start = receiver.map_or(span.start, |receiver| receiver.start_byte());
            b.push(Span::new(start, at.end), Value::Member { of, name: b.slice(method), at })
        }
        (Some(of), None) => of,
        (None, Some(method)) => b.name(method),
        (None, None) => return None,
    };
    let mut arguments = list.map(|list| b.arguments(list)).unwrap_or_default();
    if let Some(block) = block {
        // In a lambda `return` leaves that.
        let function = b.block(block, &BLOCK, receiver.is_some() || !matches!(word, "lambda"));
        let value = b.push(span_of(block), Value::Function(function));
        arguments.push(Argument { name: None, value });
    }
    includes(b, word, receiver, &arguments);
    requires(b, node, word, receiver, &arguments);
    let call = b.call(node, callee, "", arguments);
    b.code.calls[call].constructs = constructs;
    Some(Lowered::Expr(b.code.calls[call].expr))
}

/// `include M` in a class.
fn includes<'s>(b: &mut Builder<'s, '_>, word: &str, receiver: Option<Node<'_>>, arguments: &[Argument<'s>]) {
    let (Some(class), None, "include" | "extend" | "prepend") = (b.class, receiver, word) else { return };
    for argument in arguments {
        let base = b.text.get(b.code.exprs[argument.value].span.range()).unwrap_or_default();
        b.code.classes[class].bases.push(base);
    }
}

fn requires<'s>(
    b: &mut Builder<'s, '_>,
    node: Node<'_>,
    word: &str,
    receiver: Option<Node<'_>>,
    arguments: &[Argument<'s>],
) {
    let ([argument], None, "require" | "require_relative") = (arguments, receiver, word) else { return };
    let Value::Text(holes) = &b.code.exprs[argument.value].value else { return };
    if holes.is_empty() {
        let text = b.text.get(b.code.exprs[argument.value].span.range()).unwrap_or_default();
        let path = Cow::Borrowed(text.trim_matches(['\'', '"']));
        b.code.imports.push(Import { path, name: "*", span: span_of(node) });
    }
}

/// `obj.attribute = …` calls nothing that is written as a call; a name is a variable.
fn target<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> ExprId {
    match (node.kind(), b.part(node, "receiver"), b.part(node, "method")) {
        ("call", Some(receiver), Some(method)) => {
            let of = b.expr(receiver);
            b.push(span_of(node), Value::Member { of, name: b.slice(method), at: span_of(method) })
        }
        ("identifier", ..) => b.name(node),
        _ => b.expr(node),
    }
}

/// Statements, with what is done about exceptions in them.
fn statements<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let parts = ["rescue", "else", "ensure"];
    let (handlers, body): (Vec<_>, Vec<_>) = b.named(node).into_iter().partition(|part| parts.contains(&part.kind()));
    let end = handlers.first().map_or(node.end_byte(), |first| first.start_byte());
    let body = b.sequence(body, Span::new(node.start_byte(), end));
    if handlers.is_empty() {
        return Lowered::Stmt(body);
    }
    let around = std::mem::take(&mut b.retried);
    let attempt = b.attempt_of(node, body);
    if !std::mem::replace(&mut b.retried, around) {
        return Lowered::Flow(attempt);
    }
    // Once more, until it ends without a `retry`.
    let span = span_of(node);
    let attempt = b.push_stmt(span, attempt);
    let done = b.push_stmt(Span::new(span.end, span.end), Flow::Exit(Exit::Break(Some("retry"))));
    let body = b.push_stmt(span, Flow::Sequence(vec![attempt, done]));
    let (label, condition, binds) = (Some("retry"), None, Vec::new());
    Lowered::Flow(Flow::Loop { label, condition, binds, body, endless: true, once: false })
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let types = b.part(node, "exceptions");
    let catches = types.map_or("", |types| b.slice(types));
    let all = types.is_none() || catches.split(',').any(|ty| matches!(ty.trim(), "StandardError" | "Exception"));
    let variable = b.part(node, "variable").and_then(|variable| b.part(variable, ""));
    let binds = variable.map(|variable| b.slice(variable));
    b.locals.extend(binds);
    let computed = types.map(|types| b.named(types)).unwrap_or_default();
    let computed = b.exprs(computed);
    let body = b.part(node, "body");
    let mut body = b.body(body, node.end_byte());
    let runs = |value: &Value<'_>| !matches!(value, Value::Name(_) | Value::Member { .. });
    let computed: Vec<ExprId> = computed.into_iter().filter(|expr| runs(&b.code.exprs[*expr].value)).collect();
    if !computed.is_empty() {
        let at = Span::new(node.start_byte(), node.start_byte());
        let mut stmts: Vec<StmtId> = computed.into_iter().map(|expr| b.run(expr, at)).collect();
        stmts.push(body);
        body = b.push_stmt(span_of(node), Flow::Sequence(stmts));
    }
    Handler { catches, all, binds, body }
}

fn case<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<Case<'t>> {
    match node.kind() {
        "when" => {
            let body = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
            Some(Case { node, values: b.fields(node, "pattern"), default: false, guard: None, body, falls: false })
        }
        "else" => {
            Some(Case { node, values: Vec::new(), default: true, guard: None, body: b.named(node), falls: false })
        }
        _ => None,
    }
}

/// `case … in`
fn matches<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let subject = b.expr_at(node, "value")?;
    let mut left = Some(subject);
    let clauses = b.named(node);
    Some(b.ways(node, |b, ways, otherwise| {
        for clause in clauses {
            if clause.kind() == "else" {
                *otherwise = b.stmt(clause);
                continue;
            }
            let Some(pattern) = b.part(clause, "pattern").filter(|_| clause.kind() == "in_clause") else { continue };
            let mut targets = Vec::new();
            let mut todo = vec![(pattern, None)];
            while let Some((pattern, part)) = todo.pop() {
                let key = b.part(pattern, "key");
                let part = part.or(key.map(|key| b.key(key)));
                match pattern.kind() {
                    "identifier" => {
                        let (expr, name) = (b.name(pattern), b.slice(pattern));
                        b.locals.insert(name);
                        targets.push(super::Target { expr, name, part });
                    }
                    "keyword_pattern" if b.part(pattern, "value").is_none() => {
                        let Some(name) = key else { continue };
                        let (expr, name) = (b.name(name), b.slice(name));
                        b.locals.insert(name);
                        targets.push(super::Target { expr, name, part });
                    }
                    // What is compared with is no name.
                    "variable_reference_pattern" | "expression_reference_pattern" | "string" => {}
                    _ => {
                        let children = b.named(pattern).into_iter().filter(|child| Some(*child) != key);
                        todo.extend(children.rev().map(|child| (child, part)));
                    }
                }
            }
            let mut condition = b.fits(&mut left, span_of(pattern));
            let mut binds = Vec::new();
            if !targets.is_empty() {
                binds.push(super::Binding { targets, ty: None, value: Some(subject), declares: true });
            }
            if let Some(guard) = b.part(clause, "guard") {
                let guard = b.expr_at(guard, "condition").map(|expr| (expr, guard.kind() == "unless_guard"));
                if let Some((expr, not)) = guard {
                    let span = b.code.exprs[expr].span;
                    let expr = if not { b.push(span, Value::Not(expr)) } else { expr };
                    let operands = [condition, expr];
                    condition = b.push(span_of(clause), Value::Logic { and: true, operands });
                }
            }
            let body = b.part(clause, "body");
            let then = b.way_body(body, clause.end_byte());
            ways.push(Way { condition, binds, then, start: clause.start_byte() });
        }
    }))
}
