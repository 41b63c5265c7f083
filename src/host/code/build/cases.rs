//! Cases: of each what decides, in a chain of ways.

use super::flow::{Leaves, Way};
use super::{Builder, Lowered, span_of};
use crate::host::code::language::Shape;
use crate::host::code::{Expr, ExprId, Flow, StmtId, Value};
use crate::span::Span;
use tree_sitter::Node;

/// A case of a `switch`.
pub(in crate::host::code) struct Case<'t> {
    /// All of it.
    pub(in crate::host::code) node: Node<'t>,
    /// What is compared with, one of them.
    pub(in crate::host::code) values: Vec<Node<'t>>,
    /// What it is in any case.
    pub(in crate::host::code) default: bool,
    /// What must hold too.
    pub(in crate::host::code) guard: Option<Node<'t>>,
    /// What it does.
    pub(in crate::host::code) body: Vec<Node<'t>>,
    /// Whether it goes on with the next case where it does not leave: always, or where it says so.
    pub(in crate::host::code) falls: bool,
}

impl<'s, 't> Builder<'s, 't> {
    /// A `switch` over the cases among the children of `body`; what decides is `subject`.
    pub(in crate::host::code) fn switch(
        &mut self,
        node: Node<'t>,
        subject: Option<ExprId>,
        cases: Vec<Node<'t>>,
    ) -> Lowered<'s> {
        self.begin_cases();
        let mut ways: Vec<Way<'s>> = Vec::new();
        let mut otherwise = None;
        let mut subject = subject;
        // Cases that go on with the next: their condition, and what they do, if not nothing.
        let mut falling: Vec<(Option<ExprId>, StmtId)> = Vec::new();
        let mut started = node.start_byte();
        let cases: Vec<Case<'t>> = cases.into_iter().filter_map(|case| (self.syntax.case)(self, case)).collect();
        let count = cases.len();
        for (index, case) in cases.into_iter().enumerate() {
            let Case { node, values, default, guard, body, falls } = case;
            let condition = if default { None } else { Some(self.one_of(&mut subject, values, span_of(node))) };
            let guard = guard.map(|guard| self.expr(guard));
            let condition = match (condition, guard) {
                (Some(first), Some(guard)) => {
                    Some(self.push(span_of(node), Value::Logic { and: true, operands: [first, guard] }))
                }
                (condition, guard) => condition.or(guard),
            };
            let nothing = body.is_empty();
            let then = self.case_body(body, span_of(node));
            if falling.is_empty() {
                started = node.start_byte();
            }
            falling.push((condition, then));
            if index + 1 < count && falls && (nothing || !self.leaves(then)) {
                continue;
            }
            let group = std::mem::take(&mut falling);
            let (condition, then) = self.falling(group, Span::new(started, node.end_byte()));
            match condition {
                None => otherwise = Some(then),
                Some(condition) => ways.push(Way { condition, binds: Vec::new(), then, start: started }),
            }
        }
        let first = subject.filter(|_| ways.is_empty()).map(|subject| self.run(subject, span_of(node)));
        let mut stmt = self.chain(node, ways, otherwise);
        if let Some(first) = first {
            stmt = self.push_stmt(span_of(node), Flow::Sequence(vec![first, stmt]));
        }
        self.end_cases(stmt)
    }

    fn begin_cases(&mut self) {
        if self.syntax.breaks_cases {
            self.breaks.push(Leaves::Block("switch", false));
        }
    }

    /// The cases, in a block where a `break` leaves them.
    fn end_cases(&mut self, stmt: StmtId) -> Lowered<'s> {
        let left = if self.syntax.breaks_cases { self.breaks.pop() } else { None };
        match left {
            Some(Leaves::Block(label, true)) => Lowered::Flow(Flow::Block { label, body: stmt }),
            _ => Lowered::Stmt(stmt),
        }
    }

    /// Ways of which a `break` without a label leaves the whole; `read` finds them, and what is done where none is taken.
    pub(in crate::host::code) fn ways(
        &mut self,
        node: Node<'t>,
        read: impl FnOnce(&mut Self, &mut Vec<Way<'s>>, &mut Option<StmtId>),
    ) -> Lowered<'s> {
        let (mut ways, mut otherwise) = (Vec::new(), None);
        self.begin_cases();
        read(self, &mut ways, &mut otherwise);
        let stmt = self.chain(node, ways, otherwise);
        self.end_cases(stmt)
    }

    /// What one of [`Self::ways`] does.
    pub(in crate::host::code) fn way_body(&mut self, body: Option<Node<'t>>, at: usize) -> StmtId {
        match body {
            Some(body) => self.case_body(vec![body], span_of(body)),
            None => self.empty(at),
        }
    }

    /// Cases of which each goes on with the next, as one. Every condition stands once.
    fn falling(&mut self, group: Vec<(Option<ExprId>, StmtId)>, span: Span) -> (Option<ExprId>, StmtId) {
        let mut any: Option<ExprId> = None;
        let mut default = false;
        let mut todo = Vec::new();
        let last = group.len().saturating_sub(1);
        for (index, (condition, then)) in group.into_iter().enumerate() {
            default |= condition.is_none();
            any = match (any, condition) {
                (Some(first), Some(second)) => {
                    let span = self.code.exprs[first].span.join(self.code.exprs[second].span);
                    Some(self.push(span, Value::Logic { and: false, operands: [first, second] }))
                }
                (first, second) => first.or(second),
            };
            if index == last {
                todo.push(then);
            } else if !matches!(&self.code.stmts[then].flow, Flow::Sequence(stmts) if stmts.is_empty()) {
                // Whether it was this one is not asked again.
                let at = self.code.stmts[then].span;
                let unknown = self.push(Span::new(at.start, at.start), Value::Other(Vec::new()));
                let maybe = Flow::If { condition: unknown, binds: Vec::new(), then, otherwise: None };
                todo.push(self.push_stmt(at, maybe));
            }
        }
        let then = match todo.as_slice() {
            [only] => *only,
            _ => self.push_stmt(span, Flow::Sequence(todo)),
        };
        (any.filter(|_| !default), then)
    }

    /// What a case does, without the `break` at its end.
    fn case_body(&mut self, mut body: Vec<Node<'t>>, span: Span) -> StmtId {
        if let [block] = body.as_slice()
            && matches!(self.shape(*block), Shape::Sequence)
        {
            body = self.inner(*block);
        }
        let ends = |node: &Node<'t>| match self.shape(*node) {
            Shape::Break(place) => self.part(*node, place).is_none(),
            _ => node.kind() == "break_statement" && node.named_child_count() == 0,
        };
        let ended = body.last().is_some_and(ends);
        if ended {
            body.pop();
        }
        let stmt = self.sequence(body, span);
        if ended {
            // So that it does not seem to go on with the next case.
            self.ended.insert(stmt);
        }
        stmt
    }

    /// What stands where an expression is meant again and does not run again: a name as such, else nothing.
    pub(in crate::host::code) fn copy(&mut self, expr: ExprId) -> ExprId {
        let Expr { span, value } = &self.code.exprs[expr];
        let value = match value {
            Value::Name(name) => Value::Name(name),
            _ => Value::Other(Vec::new()),
        };
        self.push(*span, value)
    }

    /// The condition that the subject fits a pattern; the first that asks has the subject in it.
    pub(in crate::host::code) fn fits(&mut self, subject: &mut Option<ExprId>, pattern: Span) -> ExprId {
        let first = *subject;
        *subject = first.map(|first| self.copy(first));
        let parts = first.into_iter().filter(|first| !self.is_nothing(*first)).collect();
        self.push(pattern, Value::Other(parts))
    }

    /// The condition that the subject is one of the values. It runs once: later cases have a copy of a name, else nothing.
    pub(in crate::host::code) fn one_of(
        &mut self,
        subject: &mut Option<ExprId>,
        values: Vec<Node<'t>>,
        span: Span,
    ) -> ExprId {
        let mut any = None;
        for value in values {
            let place = span_of(value);
            let value = self.expr(value);
            let condition = match *subject {
                None => value,
                Some(first) => {
                    *subject = Some(self.copy(first));
                    self.push(place, Value::Binary { operator: "==", operands: [first, value] })
                }
            };
            any = Some(match any {
                None => condition,
                Some(first) => self.push(span, Value::Logic { and: false, operands: [first, condition] }),
            });
        }
        any.unwrap_or_else(|| self.push(Span::new(span.start, span.start), Value::Other(Vec::new())))
    }
}
