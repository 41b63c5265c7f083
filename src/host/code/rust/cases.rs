//! Conditions with patterns, `if` and `match`.

use super::binding;
use crate::host::code::build::{Builder, Lowered, Way, span_of};
use crate::host::code::{Binding, ExprId, Flow, Value};
use crate::span::Span;
use tree_sitter::Node;

/// A condition, and what it binds when it holds.
pub(super) fn condition<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, binds: &mut Vec<Binding<'s>>) -> ExprId {
    match node.kind() {
        "let_condition" => {
            let Some(value) = b.expr_at(node, "value") else { return b.push(span_of(node), Value::Other(Vec::new())) };
            if let Some(pattern) = b.part(node, "pattern") {
                let binding = binding(b, pattern, Some(value));
                binds.extend(Some(binding).filter(|binding| !binding.targets.is_empty()));
            }
            outcome(b, b.part(node, "pattern"), value, span_of(node))
                .unwrap_or_else(|| b.push(span_of(node), Value::Other(vec![value])))
        }
        "let_chain" => {
            let mut all = None;
            for part in b.named(node) {
                // A chain is flat: this goes no deeper than one level.
                let part = match part.kind() {
                    "let_condition" => condition(b, part, binds),
                    _ => b.expr(part),
                };
                all = Some(match all {
                    None => part,
                    Some(first) => b.push(span_of(node), Value::Logic { and: true, operands: [first, part] }),
                });
            }
            all.unwrap_or_else(|| b.push(span_of(node), Value::Other(Vec::new())))
        }
        _ => b.expr(node),
    }
}

/// `if … else if … else`, in whatever number.
pub(super) fn branches<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let mut ways = Vec::new();
    let mut otherwise = None;
    let mut next = Some(node);
    while let Some(way) = next.take() {
        let mut binds = Vec::new();
        let decides = b.part(way, "condition")?;
        let condition = condition(b, decides, &mut binds);
        let then = b.part(way, "consequence");
        let then = b.body(then, decides.end_byte());
        ways.push(Way { condition, binds, then, start: way.start_byte() });
        match b.part(way, "alternative").and_then(|other| b.part(other, "")) {
            Some(other) if other.kind() == "if_expression" => next = Some(other),
            Some(other) => otherwise = Some(b.body(Some(other), way.end_byte())),
            None => {}
        }
    }
    Some(Lowered::Stmt(b.chain(node, ways, otherwise)))
}

/// One of the arms is taken: the last where no other is.
pub(super) fn matches<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let span = span_of(node);
    let subject = b.expr_at(node, "value")?;
    let mut left = Some(subject);
    let mut ways: Vec<Way<'s>> = Vec::new();
    let mut otherwise = None;
    let arms: Vec<Node<'t>> = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
    let arms: Vec<Node<'t>> = arms.into_iter().filter(|arm| arm.kind() == "match_arm").collect();
    let last = arms.len().saturating_sub(1);
    for (index, arm) in arms.into_iter().enumerate() {
        let (Some(pattern), Some(value)) = (b.part(arm, "pattern"), b.part(arm, "value")) else { continue };
        let guard = b.part(pattern, "condition");
        let inside = b.named(pattern).into_iter().find(|part| Some(*part) != guard);
        let mut binds = Vec::new();
        let literals = inside.map(|inside| literals(b, inside)).unwrap_or_default();
        let certain = index == last && guard.is_none() && (!ways.is_empty() || inside.is_none());
        let fits = if certain {
            b.push(span_of(pattern), Value::Constant("true"))
        } else if literals.is_empty() {
            let first = left.and_then(|subject| outcome(b, inside, subject, span_of(pattern)));
            if first.is_some() {
                left = left.map(|subject| b.copy(subject));
            }
            first.unwrap_or_else(|| b.fits(&mut left, span_of(pattern)))
        } else {
            b.one_of(&mut left, literals, span_of(pattern))
        };
        if let Some(inside) = inside {
            let binding = binding(b, inside, Some(subject));
            binds.extend(Some(binding).filter(|binding| !binding.targets.is_empty()));
        }
        let condition = match guard {
            Some(guard) => {
                let guard = condition(b, guard, &mut binds);
                b.push(span_of(arm), Value::Logic { and: true, operands: [fits, guard] })
            }
            None => fits,
        };
        let then = b.gives(value);
        if certain && binds.is_empty() {
            otherwise = Some(then);
        } else {
            ways.push(Way { condition, binds, then, start: arm.start_byte() });
        }
    }
    let first = Some(subject).filter(|_| ways.is_empty()).map(|subject| b.run(subject, span));
    let chain = b.chain(node, ways, otherwise);
    Some(match first {
        Some(first) => Lowered::Flow(Flow::Sequence(vec![first, chain])),
        None => Lowered::Stmt(chain),
    })
}

/// Whether a value is `Ok(_)`, or `Err(_)`: the comparison of it with that name. None for a pattern that asks for more.
fn outcome<'s, 't>(b: &mut Builder<'s, 't>, pattern: Option<Node<'t>>, value: ExprId, span: Span) -> Option<ExprId> {
    let pattern = pattern.filter(|pattern| pattern.kind() == "tuple_struct_pattern")?;
    let name = b.slice(b.part(pattern, "type")?);
    let inner: Vec<Node<'t>> = b.named(pattern).into_iter().skip(1).collect();
    let whole = inner.iter().all(|part| matches!(part.kind(), "identifier" | "_" | "remaining_field_pattern"));
    if !whole || !matches!(name, "Ok" | "Err") {
        return None;
    }
    let name = b.push(span, Value::Name(name));
    Some(b.push(span, Value::Binary { operator: "is", operands: [value, name] }))
}

/// What a pattern compares with, where it is made of literals alone.
fn literals<'t>(b: &Builder<'_, 't>, pattern: Node<'t>) -> Vec<Node<'t>> {
    let mut literals = Vec::new();
    let mut todo = vec![pattern];
    while let Some(pattern) = todo.pop() {
        if pattern.kind() == "or_pattern" {
            todo.extend(b.named(pattern).into_iter().rev());
        } else if pattern.kind().ends_with("_literal") && pattern.kind() != "negative_literal" {
            literals.push(pattern);
        } else {
            return Vec::new();
        }
    }
    literals
}
