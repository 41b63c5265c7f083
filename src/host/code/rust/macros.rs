//! Macros. The grammar has the tokens of what they are called with; calls, members and texts are found in them.

use crate::host::code::build::{Builder, Lowered, span_of};
use crate::host::code::{Argument, Exit, ExprId, Flow, Value};
use crate::span::Span;
use tree_sitter::Node;

/// `name!(…)`.
pub(super) fn invocation<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let name = b.part(node, "macro")?;
    let callee = b.expr(name);
    let arguments = b.part(node, "#token_tree").map(|tree| arguments(b, tree)).unwrap_or_default();
    let first = arguments.first().map(|first| first.value);
    let call = b.call(node, callee, "", arguments);
    let (expr, name) = (b.code.calls[call].expr, b.code.calls[call].name);
    Some(match (name, first) {
        ("bail", _) => Lowered::Flow(Flow::Exit(Exit::Return(Some(expr)))),
        // The call has the condition in it.
        ("ensure", Some(first)) => {
            let condition = b.push(span_of(node), Value::Not(expr));
            let failed = b.copy(first);
            let then = b.push_stmt(span_of(node), Flow::Exit(Exit::Return(Some(failed))));
            Lowered::Flow(Flow::If { condition, binds: Vec::new(), then, otherwise: None })
        }
        _ => Lowered::Expr(expr),
    })
}

/// What stands between commas and semicolons.
pub(super) fn arguments<'s, 't>(b: &mut Builder<'s, 't>, tree: Node<'t>) -> Vec<Argument<'s>> {
    // A text that a macro joins: its holes are tokens too.
    let joined = b.as_text(tree);
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'t>> = tree.children(&mut cursor).filter(|token| !token.is_extra()).collect();
    let inside = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
    let pieces = b.deeper(|b| {
        let pieces = inside.split(|token| matches!(token.kind(), "," | ";" | "=>"));
        pieces.filter(|piece| !piece.is_empty()).map(|piece| argument(b, piece)).collect::<Vec<_>>()
    });
    let pieces = pieces.unwrap_or_default();
    let Some(value) = joined else { return pieces };
    let holes = pieces.into_iter().map(|piece| piece.value);
    let holes = holes.filter(|hole| !matches!(b.code.exprs[*hole].value, Value::Text(_))).collect();
    b.code.exprs[value].value = Value::Text(holes);
    vec![Argument { name: None, value }]
}

fn argument<'s, 't>(b: &mut Builder<'s, 't>, tokens: &[Node<'t>]) -> Argument<'s> {
    match tokens {
        [name, is, value @ ..] if name.kind() == "identifier" && is.kind() == "=" && !value.is_empty() => {
            Argument { name: Some(b.slice(*name)), value: expression(b, value) }
        }
        _ => Argument { name: None, value: expression(b, tokens) },
    }
}

/// Tokens as an expression: what is no name, member, call or text leaves its parts.
fn expression<'s, 't>(b: &mut Builder<'s, 't>, tokens: &[Node<'t>]) -> ExprId {
    let start = tokens.first().map_or(0, |first| first.start_byte());
    let end = tokens.last().map_or(start, |last| last.end_byte());
    let mut parts: Vec<ExprId> = Vec::new();
    let mut current: Option<ExprId> = None;
    let mut before = "";
    let mut returns = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let kind = token.kind();
        let span = Span::new(current.map_or(token.start_byte(), |of| b.code.exprs[of].span.start), token.end_byte());
        match kind {
            "." | "&" | "mut" | "ref" => {}
            "::" => {
                // `f::<T>(…)`
                if tokens.get(at).is_some_and(|next| next.kind() == "<") {
                    at += generics(&tokens[at..]);
                    continue;
                }
            }
            "?" => current = current.map(|of| b.push(span, Value::Propagate(of))),
            "!" if current.is_some() && tokens.get(at).is_some_and(|next| next.kind() == "token_tree") => continue,
            "return" => {
                parts.extend(current.take());
                returns = Some((parts.len(), token.start_byte()));
            }
            "await" => {
                if let Some(of) = current {
                    b.awaited(of);
                }
            }
            "token_tree" => {
                let is_call = b.slice(*token).starts_with('(');
                let inside = arguments(b, *token);
                current = match current.take() {
                    Some(callee) if is_call || before == "!" => {
                        let call = b.call_at(span, callee, "", inside);
                        Some(b.code.calls[call].expr)
                    }
                    of => {
                        let mut values: Vec<ExprId> = of.into_iter().collect();
                        values.extend(inside.into_iter().map(|argument| argument.value));
                        match values.as_slice() {
                            [only] => Some(*only),
                            _ => Some(b.push(span, Value::Other(values))),
                        }
                    }
                };
            }
            "integer_literal" if before == "." => current = current.map(|of| member(b, span, of, *token)),
            _ if !token.is_named() => parts.extend(current.take()),
            _ => {
                current = match current.take() {
                    Some(of) if matches!(before, "." | "::") => Some(member(b, span, of, *token)),
                    other => {
                        parts.extend(other);
                        Some(b.expr(*token)).filter(|expr| !b.is_nothing(*expr))
                    }
                };
            }
        }
        before = kind;
    }
    parts.extend(current);
    let span = Span::new(start, end);
    if let Some((first, start)) = returns {
        // Whether it comes to that is not known.
        let value = parts.split_off(first.min(parts.len()));
        let value = (!value.is_empty()).then(|| b.push(Span::new(start, end), Value::Other(value)));
        let then = b.push_stmt(Span::new(start, end), Flow::Exit(Exit::Return(value)));
        let condition = b.push(Span::new(start, start), Value::Other(Vec::new()));
        let leaves = Flow::If { condition, binds: Vec::new(), then, otherwise: None };
        let leaves = b.push_stmt(Span::new(start, end), leaves);
        parts.push(b.push(Span::new(start, end), Value::Block(leaves)));
    }
    match parts.as_slice() {
        [only] => *only,
        _ => b.push(span, Value::Other(parts)),
    }
}

fn member<'s, 't>(b: &mut Builder<'s, 't>, span: Span, of: ExprId, name: Node<'t>) -> ExprId {
    let value = Value::Member { of, name: b.slice(name), at: span_of(name) };
    b.push(span, value)
}

/// How many tokens `<…>` has.
fn generics(tokens: &[Node<'_>]) -> usize {
    let mut open = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind() {
            "<" => open += 1,
            ">" => open = open.saturating_sub(1),
            ">>" => open = open.saturating_sub(2),
            _ => {}
        }
        if open == 0 {
            return index + 1;
        }
    }
    tokens.len()
}
