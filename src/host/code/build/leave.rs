//! What leaves: calls that do not come back, statements after which nothing runs, values that a function gives last; and
//! what is known of calls when all functions are.

use super::Builder;
use crate::host::code::{Call, CallId, Exit, ExprId, Flow, Function, StmtId, Value};
use crate::span::Span;
use std::collections::HashSet;

impl<'s> Builder<'s, '_> {
    /// An expression that is a call which does not come back, as that.
    pub(super) fn leaving(&self, expr: ExprId) -> Option<Flow<'s>> {
        let Value::Call(call) = self.code.exprs[expr].value else { return None };
        let call = &self.code.calls[call];
        if !self.syntax.leaves.iter().any(|(name, _)| name.ends_with(call.name)) {
            return None;
        }
        let callee = self.text.get(self.code.exprs[call.callee].span.range()).unwrap_or_default();
        let (_, dies) = self.syntax.leaves.iter().find(|(name, _)| {
            callee == *name || name.strip_prefix("*.").is_some_and(|last| last == call.name && callee != last)
        })?;
        Some(Flow::Exit(Exit::Throw { value: Some(expr), dies: *dies }))
    }

    /// Whether nothing runs after a statement.
    pub(super) fn leaves(&self, stmt: StmtId) -> bool {
        let mut todo = vec![stmt];
        while let Some(stmt) = todo.pop() {
            if self.ended.contains(&stmt) {
                continue;
            }
            match &self.code.stmts[stmt].flow {
                Flow::Exit(_) => {}
                Flow::Sequence(stmts) => match stmts.last() {
                    Some(last) => todo.push(*last),
                    None => return false,
                },
                Flow::If { then, otherwise: Some(otherwise), .. } => todo.extend([*then, *otherwise]),
                Flow::With { body, .. } => todo.push(*body),
                Flow::Try { finally: Some(finally), .. } if self.leaves_simply(*finally) => {}
                Flow::Try { body, handlers, otherwise, .. } => {
                    todo.push(otherwise.unwrap_or(*body));
                    todo.extend(handlers.iter().map(|handler| handler.body));
                }
                _ => return false,
            }
        }
        true
    }

    fn leaves_simply(&self, stmt: StmtId) -> bool {
        match &self.code.stmts[stmt].flow {
            Flow::Exit(_) => true,
            Flow::Sequence(stmts) => {
                stmts.last().is_some_and(|last| matches!(self.code.stmts[*last].flow, Flow::Exit(_)))
            }
            _ => false,
        }
    }

    /// What a body runs last is what its function gives.
    pub(in crate::host::code) fn give_last(&mut self, body: StmtId) {
        let mut todo = vec![body];
        while let Some(stmt) = todo.pop() {
            match &self.code.stmts[stmt].flow {
                Flow::Run(expr) => {
                    let expr = *expr;
                    self.code.stmts[stmt].flow = Flow::Exit(Exit::Return(Some(expr)));
                }
                Flow::Sequence(stmts) => {
                    let last = stmts.last().copied();
                    todo.extend(last);
                    if last.is_some_and(|last| self.is_end_of_with(last)) {
                        todo.extend(stmts.iter().rev().nth(1));
                    }
                }
                Flow::Block { label: "with", body } => match &self.code.stmts[*body].flow {
                    Flow::Sequence(stmts) => todo.extend(stmts),
                    _ => todo.push(*body),
                },
                Flow::If { then, otherwise, .. } => {
                    todo.push(*then);
                    todo.extend(*otherwise);
                }
                Flow::Try { body, handlers, otherwise, .. } => {
                    todo.push(otherwise.unwrap_or(*body));
                    todo.extend(handlers.iter().map(|handler| handler.body));
                }
                Flow::With { body, .. } => todo.push(*body),
                _ => {}
            }
        }
    }

    /// Elixir's `with` leaves its block so that what it does otherwise does not run.
    fn is_end_of_with(&self, stmt: StmtId) -> bool {
        matches!(self.code.stmts[stmt].flow, Flow::Exit(Exit::Break(Some("with"))))
    }

    /// An `async` function that is started and not waited for does its work at another time.
    pub(super) fn finish(&mut self) {
        if !self.syntax.starts_unawaited {
            return;
        }
        let is_async = |function: &&Function<'s>| function.is_async;
        let known: HashSet<&str> = self.code.functions.iter().filter(is_async).map(|function| function.name).collect();
        let started = |call: &Call<'s>| !call.awaited && !call.constructs && known.contains(call.name);
        let calls: Vec<CallId> = self
            .code
            .stmts
            .iter()
            .filter_map(|stmt| match stmt.flow {
                Flow::Run(expr) => match self.code.exprs[expr].value {
                    Value::Call(call) => Some(call),
                    _ => None,
                },
                _ => None,
            })
            .filter(|call| {
                let call = &self.code.calls[*call];
                started(call) && self.is_own(call.callee)
            })
            .collect();
        for call in calls {
            self.code.calls[call].elsewhere = true;
        }
    }

    /// A name, or a member of the object itself.
    fn is_own(&self, callee: ExprId) -> bool {
        match &self.code.exprs[callee].value {
            Value::Name(_) => true,
            Value::Member { of, .. } => matches!(self.code.exprs[*of].value, Value::Name("this" | "self")),
            _ => false,
        }
    }

    /// An empty span at the start of another.
    pub(super) fn before(span: Span) -> Span {
        Span::new(span.start, span.start)
    }
}
