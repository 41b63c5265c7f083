//! Control flow of Kotlin.

use super::is_type;
use crate::host::code::build::{Builder, Lowered, Way, span_of};
use crate::host::code::{Binding, Exit, ExprId, Flow, Handler, StmtId, Value};
use tree_sitter::Node;

pub(super) fn branches<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<StmtId> {
    let mut ways: Vec<Way<'s>> = Vec::new();
    let mut at = node;
    loop {
        let condition = b.expr_at(at, "condition")?;
        let then = b.part(at, "consequence");
        let then = b.body(then, at.end_byte());
        ways.push(Way { condition, binds: Vec::new(), then, start: at.start_byte() });
        let Some(otherwise) = b.part(at, "alternative") else { return Some(b.chain(node, ways, None)) };
        match b.named(otherwise).as_slice() {
            [next] if next.kind() == "if_expression" => at = *next,
            _ => {
                let otherwise = b.stmt(otherwise);
                return Some(b.chain(node, ways, otherwise));
            }
        }
    }
}

pub(super) fn when<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let mut first = None;
    let mut subject = None;
    if let Some(head) = b.part(node, "#when_subject") {
        let name = b.part(head, "#variable_declaration");
        if let Some(value) = b.part(head, "$").filter(|value| Some(*value) != name) {
            let value = b.expr(value);
            subject = Some(value);
            if let Some(name) = name {
                let binding = b.binding(name, Some(value), true);
                subject = binding.targets.first().map(|target| target.expr);
                subject = subject.map(|subject| b.copy(subject));
                first = Some(b.push_stmt(span_of(head), Flow::Bind(binding)));
            }
        }
    }
    let had = subject.is_some();
    let entries: Vec<Node<'t>> = b.named(node).into_iter().filter(|part| part.kind() == "when_entry").collect();
    let chain = b.ways(node, |b, ways, otherwise| {
        for entry in entries {
            let (conditions, bodies): (Vec<_>, Vec<_>) =
                b.named(entry).into_iter().partition(|part| part.kind() == "when_condition");
            let body = bodies.last().copied();
            if conditions.is_empty() {
                *otherwise = Some(b.body(body, entry.end_byte()));
                continue;
            }
            let mut any: Option<ExprId> = None;
            for condition in conditions {
                let span = span_of(condition);
                let test = b.part(condition, "").filter(|test| matches!(test.kind(), "type_test" | "range_test"));
                let one = match test {
                    Some(test) if had => {
                        let fits = b.fits(&mut subject, span);
                        let parts = b.named(test);
                        let parts = b.exprs(parts);
                        if parts.is_empty() || test.kind() == "type_test" {
                            fits
                        } else {
                            b.push(span, Value::Other(std::iter::once(fits).chain(parts).collect()))
                        }
                    }
                    _ => b.one_of(&mut subject, vec![condition], span),
                };
                any = Some(match any {
                    None => one,
                    Some(before) => b.push(span, Value::Logic { and: false, operands: [before, one] }),
                });
            }
            let then = b.body(body, entry.end_byte());
            if let Some(condition) = any {
                ways.push(Way { condition, binds: Vec::new(), then, start: entry.start_byte() });
            }
        }
    });
    let Some(first) = first else { return chain };
    let chain = match chain {
        Lowered::Stmt(stmt) => stmt,
        Lowered::Flow(flow) => b.push_stmt(span_of(node), flow),
        _ => return Lowered::Stmt(first),
    };
    Lowered::Flow(Flow::Sequence(vec![first, chain]))
}

pub(super) fn rounds<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let label = b.take_label();
    let body = b.part(node, "#control_structure_body");
    let once = node.kind() == "do_while_statement";
    let parts: Vec<Node<'t>> = b.named(node).into_iter().filter(|part| Some(*part) != body).collect();
    let last = parts.last().copied()?;
    // The condition of `do` runs after the body.
    let before = if once { Some(b.loop_body(body, node.start_byte())) } else { None };
    let condition = b.expr(last);
    let mut binds = Vec::new();
    if node.kind() == "for_statement" {
        let pattern = *parts.iter().find(|part| part.kind().ends_with("variable_declaration"))?;
        let ty = b.part(pattern, "$").filter(is_type).map(|ty| b.type_of(ty));
        binds.push(Binding { ty, ..b.binding(pattern, Some(condition), true) });
    }
    let body = before.unwrap_or_else(|| b.loop_body(body, node.end_byte()));
    let endless = b.is_true(condition);
    let condition = Some(condition).filter(|_| !endless);
    Some(Lowered::Flow(Flow::Loop { label, condition, binds, body, endless, once }))
}

pub(super) fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let catches = b.named(node).into_iter().find(is_type).map_or("", |ty| b.slice(ty));
    let all = matches!(catches, "Exception" | "Throwable");
    let binds = b.part(node, "#simple_identifier").map(|name| b.slice(name));
    let body = b.part(node, "#statements");
    let body = b.body(body, node.end_byte());
    Handler { catches, all, binds, body }
}

/// `return`, `throw`, `break`, `continue`. A `return` with a label leaves a lambda.
pub(super) fn jump<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let label = b.part(node, "#label").map(|label| b.label_of(label));
    let value = b.named(node).into_iter().find(|part| part.kind() != "label").map(|value| b.expr(value));
    let word = b.slice(node);
    let exit = if word.starts_with("return") {
        match label {
            None if b.current().is_block => Exit::ReturnOuter(value),
            _ => Exit::Return(value),
        }
    } else if word.starts_with("throw") {
        Exit::Throw { value, dies: false }
    } else if word.starts_with("break") {
        Exit::Break(label)
    } else {
        Exit::Continue(label)
    };
    Some(Lowered::Flow(Flow::Exit(exit)))
}
