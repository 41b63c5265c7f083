//! Control flow: two ways, rounds, cases, handlers.

use super::{Builder, Lowered, span_of};
use crate::host::code::language::{Place, Shape};
use crate::host::code::{Binding, Exit, ExprId, Flow, StmtId, Value};
use crate::span::Span;
use tree_sitter::Node;

/// How many ways stand each in the other case of the one before; of more, each may be taken or not. Trees are walked by
/// recursion.
const MAX_WAYS: usize = 100;

/// What a `break` without a label leaves.
#[derive(Debug)]
pub(super) enum Leaves<'s> {
    /// The loop.
    Loop,
    /// A block around the loop or the cases; whether one does.
    Block(&'s str, bool),
}

/// A way that is taken if its condition holds.
pub(in crate::host::code) struct Way<'s> {
    pub(in crate::host::code) condition: ExprId,
    pub(in crate::host::code) binds: Vec<Binding<'s>>,
    pub(in crate::host::code) then: StmtId,
    /// Where it begins.
    pub(in crate::host::code) start: usize,
}

impl<'s, 't> Builder<'s, 't> {
    pub(in crate::host::code) fn flow(&mut self, node: Node<'t>, shape: Shape) -> Lowered<'s> {
        let span = span_of(node);
        let label = if matches!(shape, Shape::Labeled(..)) { None } else { self.label.take() };
        let flow = match shape {
            Shape::If(condition, then, otherwise) => {
                return match self.branches(node, condition, then, otherwise) {
                    Some(stmt) => Lowered::Stmt(stmt),
                    None => self.unknown(node, true),
                };
            }
            Shape::While(condition, body) => {
                let condition = self.condition(node, condition);
                let endless = self.is_true(condition);
                let condition = Some(condition).filter(|_| !endless);
                return self.round(
                    node,
                    body,
                    Flow::Loop { label, condition, binds: Vec::new(), body: 0, endless, once: false },
                );
            }
            Shape::DoWhile(body, condition) => {
                self.breaks.push(Leaves::Loop);
                let body = self.body_at(node, body);
                self.breaks.pop();
                let condition = self.condition(node, condition);
                let endless = self.is_true(condition);
                let condition = Some(condition).filter(|_| !endless);
                Flow::Loop { label, condition, binds: Vec::new(), body, endless, once: true }
            }
            Shape::Each(left, right, body) => {
                let through = self.condition(node, right);
                if self.has_word(node, "async") || self.has_word(node, "await") {
                    self.awaited(through);
                }
                let left = self.part(node, left);
                let binds = left.map(|left| self.binding(left, Some(through), true)).into_iter().collect();
                return self.round(
                    node,
                    body,
                    Flow::Loop { label, condition: Some(through), binds, body: 0, endless: false, once: false },
                );
            }
            Shape::For(first, condition, between, body) => {
                let first = self.stmts_at(node, first);
                let condition = self.part(node, condition).filter(|node| node.is_named());
                let condition = condition.filter(|node| !node.kind().starts_with("empty"));
                let condition = condition.map(|condition| self.expr(condition));
                self.breaks.push(Leaves::Loop);
                let mut round = self.body_at(node, body);
                self.breaks.pop();
                if let Some(between) = self.stmts_at(node, between) {
                    round = self.push_stmt(span, Flow::Sequence(vec![round, between]));
                }
                let endless = condition.is_none_or(|condition| self.is_true(condition));
                let condition = condition.filter(|_| !endless);
                let rounds = Flow::Loop { label, condition, binds: Vec::new(), body: round, endless, once: false };
                match first {
                    None => rounds,
                    Some(first) => {
                        let rounds = self.push_stmt(span, rounds);
                        Flow::Sequence(vec![first, rounds])
                    }
                }
            }
            Shape::Labeled(label, body) => {
                let label = self.part(node, label).map(|label| self.label_of(label));
                let Some(body) = self.part(node, body) else { return Lowered::Nothing };
                let loops = matches!(
                    self.shape(body),
                    Shape::While(..) | Shape::DoWhile(..) | Shape::Each(..) | Shape::For(..) | Shape::Own
                );
                self.label = label.filter(|_| loops);
                let stmt = self.stmt(body);
                // What was no loop after all is a block.
                let unused = self.label.take().is_some() || !loops;
                return match (stmt, label) {
                    (Some(body), Some(label)) if unused => Lowered::Flow(Flow::Block { label, body }),
                    (Some(stmt), _) => Lowered::Stmt(stmt),
                    (None, _) => Lowered::Nothing,
                };
            }
            Shape::Try(body) => self.attempt(node, body),
            _ => return self.unknown(node, true),
        };
        Lowered::Flow(flow)
    }

    /// What stands in a field, once or several times.
    fn stmts_at(&mut self, node: Node<'t>, place: Place) -> Option<StmtId> {
        let nodes = self.fields(node, place);
        let (first, last) = (nodes.first()?.start_byte(), nodes.last()?.end_byte());
        match nodes.as_slice() {
            [only] => self.stmt(*only),
            _ => Some(self.sequence(nodes, Span::new(first, last))),
        }
    }

    /// The label that is written in a node.
    pub(in crate::host::code) fn label_of(&self, node: Node<'_>) -> &'s str {
        self.slice(node).trim_matches(['\'', ':', '@', ' '])
    }

    /// The loop that comes next has a label, which stands before it.
    pub(in crate::host::code) fn set_label(&mut self, node: Node<'_>) {
        self.label = Some(self.label_of(node));
    }

    /// The label of the loop that the node is.
    pub(in crate::host::code) fn take_label(&mut self) -> Option<&'s str> {
        self.label.take()
    }

    /// The loop that comes next has a label.
    pub(in crate::host::code) fn name_loop(&mut self, label: Option<&'s str>) {
        self.label = label;
    }

    /// The body of a loop, and what runs when it ended by itself.
    fn round(&mut self, node: Node<'t>, place: Place, rounds: Flow<'s>) -> Lowered<'s> {
        let otherwise = self.named(node).into_iter().find(|child| matches!(self.shape(*child), Shape::Else(_)));
        let body = self.part(node, place);
        let rounds = self.loop_of(node, body, rounds);
        let Some(otherwise) = otherwise.filter(|otherwise| Some(*otherwise) != body) else {
            return Lowered::Stmt(rounds.0);
        };
        let otherwise = self.body(Some(otherwise), node.end_byte());
        let both = self.push_stmt(span_of(node), Flow::Sequence(vec![rounds.0, otherwise]));
        Lowered::Flow(Flow::Block { label: "else", body: both })
    }

    /// A loop with the body in it; in one with an `else` a `break` leaves that as well.
    fn loop_of(&mut self, node: Node<'t>, body: Option<Node<'t>>, mut rounds: Flow<'s>) -> (StmtId, bool) {
        let otherwise = {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).any(|child| matches!(self.shape(child), Shape::Else(_)))
        };
        self.breaks.push(if otherwise { Leaves::Block("else", false) } else { Leaves::Loop });
        let inside = self.body(body, node.end_byte());
        self.breaks.pop();
        if let Flow::Loop { body, .. } = &mut rounds {
            *body = inside;
        }
        (self.push_stmt(span_of(node), rounds), otherwise)
    }

    /// The statements of a loop's body, which the caller puts into a [`Flow::Loop`].
    pub(in crate::host::code) fn loop_body(&mut self, body: Option<Node<'t>>, at: usize) -> StmtId {
        self.breaks.push(Leaves::Loop);
        let body = self.body(body, at);
        self.breaks.pop();
        body
    }

    /// What a `break` may leave here, the innermost first: whether it is a loop.
    pub(in crate::host::code) fn around(&self) -> Vec<bool> {
        self.breaks.iter().rev().map(|left| matches!(left, Leaves::Loop)).collect()
    }

    /// Whether a `break` here leaves no loop of this function.
    pub(in crate::host::code) fn is_outside_loops(&self) -> bool {
        self.breaks.is_empty()
    }

    pub(in crate::host::code) fn is_true(&self, condition: ExprId) -> bool {
        matches!(self.code.exprs[condition].value, Value::Constant("true" | "True" | "1") | Value::Name("True"))
    }

    pub(in crate::host::code) fn exit(&mut self, node: Node<'t>, shape: Shape) -> Lowered<'s> {
        let exit = match shape {
            Shape::Return(place) => Exit::Return(self.expr_at(node, place)),
            Shape::Throw(place) => {
                let value = match self.part(node, place).is_some() {
                    // A cause is evaluated too.
                    true => {
                        let nodes = self.named(node);
                        let mut values = self.exprs(nodes);
                        if values.len() == 1 {
                            values.pop()
                        } else {
                            Some(self.push(span_of(node), Value::Other(values)))
                        }
                    }
                    false => None,
                };
                Exit::Throw { value, dies: false }
            }
            Shape::Break(place) => {
                let label = self.part(node, place).map(|label| self.label_of(label));
                let leaves = match self.breaks.last_mut() {
                    Some(Leaves::Block(label, used)) => Some((*label, used)),
                    _ => None,
                };
                Exit::Break(match (label, leaves) {
                    (None, Some((block, used))) => {
                        *used = true;
                        Some(block)
                    }
                    (label, _) => label,
                })
            }
            Shape::Continue(place) => Exit::Continue(self.part(node, place).map(|label| self.label_of(label))),
            _ => return self.unknown(node, true),
        };
        Lowered::Flow(Flow::Exit(exit))
    }

    /// `if … elif … else`, in whatever number.
    fn branches(&mut self, node: Node<'t>, condition: Place, then: Place, otherwise: Place) -> Option<StmtId> {
        let mut ways = Vec::new();
        let mut todo = vec![(node, condition, then, otherwise)];
        let mut last = None;
        let mut before = None;
        while let Some((node, condition, then, otherwise)) = todo.pop() {
            let first = self.part(node, "initializer").filter(|_| ways.is_empty());
            if let Some(first) = first {
                before = self.stmt(first);
            }
            let decides = self.part(node, condition)?;
            let condition = self.expr(decides);
            let body = self.part(node, then);
            let then = self.body(body, decides.end_byte());
            ways.push(Way { condition, binds: Vec::new(), then, start: node.start_byte() });
            let others = match otherwise {
                "" => {
                    self.named(node).into_iter().filter(|child| matches!(self.shape(*child), Shape::Else(_))).collect()
                }
                "$" => self.named(node).pop().filter(|last| Some(*last) != body).into_iter().collect(),
                _ => self.fields(node, otherwise),
            };
            let mut next = Vec::new();
            for other in others {
                // `else if` is an `if` alone in an `else`.
                let inner = match self.shape(other) {
                    Shape::Else(place) if other.named_child_count() == 1 => self.part(other, place).unwrap_or(other),
                    _ => other,
                };
                match self.shape(inner) {
                    Shape::If(condition, then, otherwise) if self.part(inner, "initializer").is_none() => {
                        next.push((inner, condition, then, otherwise))
                    }
                    _ => last = self.stmt(other),
                }
            }
            next.reverse();
            todo.extend(next);
        }
        let chain = self.chain(node, ways, last);
        Some(match before {
            Some(before) => self.push_stmt(span_of(node), Flow::Sequence(vec![before, chain])),
            None => chain,
        })
    }

    /// Ways one after the other, the first that holds is taken.
    pub(in crate::host::code) fn chain(
        &mut self,
        node: Node<'t>,
        mut ways: Vec<Way<'s>>,
        mut otherwise: Option<StmtId>,
    ) -> StmtId {
        let more = ways.split_off(ways.len().min(MAX_WAYS));
        if !more.is_empty() {
            otherwise = Some(self.any_of(node, more, otherwise));
        }
        for way in ways.into_iter().rev() {
            let Way { condition, binds, then, start } = way;
            let span = Span::new(start.min(node.end_byte()), node.end_byte());
            otherwise = Some(self.push_stmt(span, Flow::If { condition, binds, then, otherwise }));
        }
        otherwise.unwrap_or_else(|| self.empty(node.start_byte()))
    }

    /// Ways of which each may be taken or not.
    fn any_of(&mut self, node: Node<'t>, ways: Vec<Way<'s>>, otherwise: Option<StmtId>) -> StmtId {
        let mut stmts = Vec::new();
        for Way { condition, binds, then, start } in ways {
            let span = Span::new(start, self.code.stmts[then].span.end.max(start));
            stmts.push(self.push_stmt(span, Flow::If { condition, binds, then, otherwise: None }));
        }
        if let Some(then) = otherwise {
            let span = self.code.stmts[then].span;
            let unknown = self.push(Span::new(span.start, span.start), Value::Other(Vec::new()));
            let maybe = Flow::If { condition: unknown, binds: Vec::new(), then, otherwise: None };
            stmts.push(self.push_stmt(span, maybe));
        }
        let start = stmts.first().map_or(node.end_byte(), |first| self.code.stmts[*first].span.start);
        self.push_stmt(Span::new(start.min(node.end_byte()), node.end_byte()), Flow::Sequence(stmts))
    }

    fn attempt(&mut self, node: Node<'t>, body: Place) -> Flow<'s> {
        let body = self.body_at(node, body);
        self.attempt_of(node, body)
    }

    /// What is done about a body, by the handlers among the children of a node.
    pub(in crate::host::code) fn attempt_of(&mut self, node: Node<'t>, body: StmtId) -> Flow<'s> {
        let mut handlers = Vec::new();
        let (mut otherwise, mut finally) = (None, None);
        for child in self.named(node) {
            match self.shape(child) {
                Shape::Catch => handlers.push((self.syntax.handler)(self, child)),
                Shape::Else(_) => otherwise = Some(self.body(Some(child), child.end_byte())),
                Shape::Finally(_) => finally = Some(self.body(Some(child), child.end_byte())),
                _ => {}
            }
        }
        Flow::Try { body, handlers, otherwise, finally }
    }
}
