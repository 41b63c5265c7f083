//! `match`, `try`, `for`.

use crate::host::code::build::{Builder, Way, span_of};
use crate::host::code::{Binding, ExprId, Flow, FunctionId, Handler, StmtId, Value};
use crate::span::Span;
use tree_sitter::Node;

/// What a pattern binds: constants in it are no names.
pub(super) fn binding<'s, 't>(b: &mut Builder<'s, 't>, pattern: Node<'t>, value: Option<ExprId>) -> Binding<'s> {
    let mut binding = b.binding(pattern, value, true);
    if !matches!(pattern.kind(), "identifier" | "operator_identifier" | "identifiers") {
        binding.targets.retain(|target| {
            let is_name = matches!(b.code.exprs[target.expr].value, Value::Name(_));
            is_name && !target.name.starts_with(char::is_uppercase) && !target.name.contains('.')
        });
    }
    if pattern.kind() == "typed_pattern" {
        binding.ty = b.part(pattern, "type").map(|ty| b.type_of(ty));
    }
    binding
}

/// What a clause does.
fn body<'t>(b: &mut Builder<'_, 't>, clause: Node<'t>) -> StmtId {
    let nodes = b.fields(clause, "body");
    let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return b.empty(clause.end_byte()) };
    let span = Span::new(first.start_byte(), last.end_byte());
    b.sequence(nodes, span)
}

fn guard<'t>(b: &mut Builder<'_, 't>, clause: Node<'t>) -> Option<ExprId> {
    let guard = b.part(clause, "#guard")?;
    b.expr_at(guard, "condition").or_else(|| b.expr_at(guard, ""))
}

/// Clauses of which one is taken: the last where no other is.
pub(super) fn cases<'t>(
    b: &mut Builder<'_, 't>,
    node: Node<'t>,
    subject: Option<ExprId>,
    clauses: Vec<Node<'t>>,
) -> StmtId {
    let clauses: Vec<Node<'t>> = clauses.into_iter().filter(|clause| clause.kind() == "case_clause").collect();
    let last = clauses.len().saturating_sub(1);
    let mut left = subject;
    let (mut ways, mut otherwise): (Vec<Way<'_>>, _) = (Vec::new(), None);
    for (index, clause) in clauses.into_iter().enumerate() {
        let Some(pattern) = b.part(clause, "pattern") else { continue };
        let literals = literals(b, pattern);
        let certain =
            index == last && b.part(clause, "#guard").is_none() && (!ways.is_empty() || pattern.kind() == "wildcard");
        let fits = if certain {
            b.push(span_of(pattern), Value::Constant("true"))
        } else if literals.is_empty() || subject.is_none() {
            b.fits(&mut left, span_of(pattern))
        } else {
            b.one_of(&mut left, literals, span_of(pattern))
        };
        let is_constant = pattern.kind() == "identifier" && b.slice(pattern).starts_with(char::is_uppercase);
        let mut binds = Vec::new();
        if !is_constant {
            let binding = binding(b, pattern, subject);
            binds.extend(Some(binding).filter(|binding| !binding.targets.is_empty()));
        }
        let condition = match guard(b, clause) {
            Some(guard) => b.push(span_of(clause), Value::Logic { and: true, operands: [fits, guard] }),
            None => fits,
        };
        let then = body(b, clause);
        if certain && binds.is_empty() {
            otherwise = Some(then);
        } else {
            ways.push(Way { condition, binds, then, start: clause.start_byte() });
        }
    }
    let first = subject.filter(|_| ways.is_empty());
    let chain = b.chain(node, ways, otherwise);
    match first {
        Some(first) => {
            let first = b.run(first, span_of(node));
            b.push_stmt(span_of(node), Flow::Sequence(vec![first, chain]))
        }
        None => chain,
    }
}

/// What a pattern compares with, where it is made of literals alone.
fn literals<'t>(b: &Builder<'_, 't>, pattern: Node<'t>) -> Vec<Node<'t>> {
    let mut literals = Vec::new();
    let mut todo = vec![pattern];
    while let Some(pattern) = todo.pop() {
        match pattern.kind() {
            "alternative_pattern" => todo.extend(b.named(pattern).into_iter().rev()),
            "string" => literals.push(pattern),
            kind if kind.ends_with("_literal") => literals.push(pattern),
            _ => return Vec::new(),
        }
    }
    literals
}

/// `{ case … => … }` as a function.
pub(super) fn partial<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> FunctionId {
    let around = b.begin_function(node, "", Span::new(node.start_byte(), node.start_byte()));
    b.current().is_block = true;
    let clauses = b.named(node);
    let body = cases(b, node, None, clauses);
    b.give_last(body);
    b.current().body = body;
    b.end_function(around)
}

pub(super) fn attempt<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Flow<'s> {
    let tried = b.part(node, "body");
    let body = b.body(tried, node.end_byte());
    let mut handlers = Vec::new();
    let mut finally = None;
    for child in b.named(node) {
        match child.kind() {
            "catch_clause" => {
                let inside = b.named(child);
                let mut clauses = Vec::new();
                for part in inside {
                    match part.kind() {
                        "case_block" | "indented_cases" => clauses.extend(b.named(part)),
                        "case_clause" => clauses.push(part),
                        _ => {
                            // A function that handles.
                            let stmt = b.gives(part);
                            handlers.push(Handler { catches: b.slice(part), all: false, binds: None, body: stmt });
                        }
                    }
                }
                for clause in clauses.into_iter().filter(|clause| clause.kind() == "case_clause") {
                    handlers.push(handler(b, clause));
                }
            }
            "finally_clause" => {
                let inside = b.part(child, "");
                finally = Some(b.body(inside, child.end_byte()));
            }
            _ => {}
        }
    }
    Flow::Try { body, handlers, otherwise: None, finally }
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, clause: Node<'t>) -> Handler<'s> {
    let pattern = b.part(clause, "pattern");
    let names = |b: &Builder<'s, 't>, node: Option<Node<'t>>| {
        node.filter(|node| node.kind() == "identifier").map(|node| b.slice(node))
    };
    let (catches, binds, mut all) = match pattern.map(|pattern| (pattern, pattern.kind())) {
        Some((pattern, "typed_pattern")) => {
            let ty = b.part(pattern, "type").map_or("", |ty| b.slice(ty));
            let inside = b.part(pattern, "pattern");
            (ty, names(b, inside), matches!(ty, "Throwable" | "Exception"))
        }
        Some((pattern, "case_class_pattern")) => {
            let inside = b.part(pattern, "pattern");
            let all = b.part(pattern, "type").is_some_and(|ty| b.slice(ty).ends_with("NonFatal"));
            (b.slice(pattern), names(b, inside), all)
        }
        Some((pattern, "identifier")) => ("", names(b, Some(pattern)), true),
        Some((_, "wildcard")) | None => ("", None, true),
        Some((pattern, _)) => (b.slice(pattern), None, false),
    };
    let guard = guard(b, clause);
    let mut body = body(b, clause);
    if let Some(condition) = guard {
        all = false;
        let flow = Flow::If { condition, binds: Vec::new(), then: body, otherwise: None };
        body = b.push_stmt(span_of(clause), flow);
    }
    Handler { catches, all, binds, body }
}

/// `for { … } yield e` binds one after the other; without `yield` it goes round.
pub(super) fn comprehension<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Flow<'s>> {
    enum Step<'s> {
        Each(ExprId, Binding<'s>),
        Bind(StmtId),
        If(ExprId),
    }
    let span = span_of(node);
    let yields = b.has_word(node, "yield");
    let mut steps = Vec::new();
    let enumerators = b.fields(node, "enumerators").into_iter().find(|part| part.kind() == "enumerators")?;
    for enumerator in b.named(enumerators) {
        let start = enumerator.start_byte();
        let parts = b.named(enumerator);
        match parts.as_slice() {
            [only] if only.kind() == "guard" => {
                let condition = guard(b, enumerator);
                steps.extend(condition.map(|condition| (start, Step::If(condition))));
            }
            [pattern, value, guards @ ..] => {
                let value = b.expr(*value);
                let binding = binding(b, *pattern, Some(value));
                let equals = enumerator.children(&mut enumerator.walk()).any(|child| child.kind() == "=");
                steps.push(if yields || equals {
                    (start, Step::Bind(b.push_stmt(span_of(enumerator), Flow::Bind(binding))))
                } else {
                    (start, Step::Each(value, binding))
                });
                if !guards.is_empty() {
                    steps.extend(guard(b, enumerator).map(|condition| (start, Step::If(condition))));
                }
            }
            _ => {}
        }
    }
    let inside = b.part(node, "body")?;
    let last = b.gives(inside);
    // From the last to the first.
    let mut rest = vec![last];
    for (start, step) in steps.into_iter().rev() {
        let place = Span::new(start, span.end);
        let flow = match step {
            Step::Bind(stmt) => {
                rest.push(stmt);
                continue;
            }
            Step::If(condition) => {
                let then = backwards(b, place, &mut rest);
                Flow::If { condition, binds: Vec::new(), then, otherwise: None }
            }
            Step::Each(through, binding) => {
                let body = backwards(b, place, &mut rest);
                let (condition, binds) = (Some(through), vec![binding]);
                Flow::Loop { label: None, condition, binds, body, endless: false, once: false }
            }
        };
        rest.push(b.push_stmt(place, flow));
    }
    rest.reverse();
    Some(Flow::Sequence(rest))
}

/// Statements that were found from the last to the first, as one.
fn backwards(b: &mut Builder<'_, '_>, span: Span, stmts: &mut Vec<StmtId>) -> StmtId {
    let mut stmts = std::mem::take(stmts);
    stmts.reverse();
    match stmts.as_slice() {
        [only] => *only,
        _ => b.push_stmt(span, Flow::Sequence(stmts)),
    }
}
