//! Handles by way of other values: entries of an object that the file makes, and one of two values.

use super::errors::HOLDS;
use super::names::{Declared, Names, bare};
use super::value::Handle;
use crate::host::code::{Argument, Call, Exit, ExprId, Flow, FunctionId, StmtId, Value};

/// How far a value is followed through variables and calls.
const MAX_DEPTH: usize = 8;

impl<'a, 's> Names<'a, 's> {
    /// The handle that one of two values is: of one kind where both are one, and what is made here where the other is not known:
    /// `global.pool ?? new Pool()`. What was there before may stand in for something else: `transaction ?? pool`.
    pub(super) fn either(&self, values: [ExprId; 2], function: FunctionId, depth: usize) -> Option<Handle> {
        let [first, second] = values.map(|value| self.handle(value, function, depth + 1));
        match (first, second) {
            (Some(first), Some(second)) => {
                let same = first.driver.name == second.driver.name && first.kind.name == second.kind.name;
                same.then_some(second)
            }
            (first, second) => first.or(second).filter(|one| one.made.is_some_and(|(made, _)| values.contains(&made))),
        }
    }

    /// The same of a block that is an expression, or a choice between two.
    pub(super) fn in_block(&self, stmt: StmtId, function: FunctionId, depth: usize) -> Option<Handle> {
        if let Some(expr) = self.alone_in(stmt) {
            return self.handle(expr, function, depth + 1);
        }
        let Flow::If { then, otherwise, .. } = &self.code.stmts.get(stmt)?.flow else { return None };
        self.either([self.alone_in(*then)?, self.alone_in((*otherwise)?)?], function, depth)
    }

    /// The entry of an object: `db.client`, where `db` is what a function of the file gives, `{ pool, client }`.
    pub(super) fn entry(&self, of: ExprId, name: &str, function: FunctionId, depth: usize) -> Option<Handle> {
        let (entries, function) = self.entries(of, function, depth)?;
        let entry =
            entries.iter().find(|entry| entry.name.is_some_and(|known| known.trim_matches(['"', '\'']) == name));
        // `{ pool }` is `{ pool: pool }`.
        let short = || {
            let is_it = |entry: &&Argument<'s>| {
                entry.name.is_none()
                    && matches!(self.code.exprs.get(entry.value).map(|expr| &expr.value), Some(Value::Name(known)) if *known == name)
            };
            entries.iter().find(is_it)
        };
        self.handle(entry.or_else(short)?.value, function, depth + 1)
    }

    /// The entries of an object, and the function that puts it together.
    fn entries(&self, of: ExprId, function: FunctionId, depth: usize) -> Option<(&'a [Argument<'s>], FunctionId)> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &self.code.exprs.get(of)?.value {
            Value::Items(entries) => Some((entries, function)),
            Value::Name(name) => {
                let Declared { value, part: None, function, .. } = self.local(function, bare(name))? else {
                    return None;
                };
                self.entries(value?, function, depth + 1)
            }
            Value::Logic { operands, .. } => {
                operands.iter().rev().find_map(|one| self.entries(*one, function, depth + 1))
            }
            Value::Call(call) => {
                let call = self.code.calls.get(*call)?;
                let called = self.function(function, call.name, call.arguments.len())?;
                self.entries(self.only_returned(called)?, called, depth + 1)
            }
            Value::Other(parts) => match parts.as_slice() {
                [only] => self.entries(*only, function, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value that a call puts into something, or gives once more: `Arc::clone(&self.pool)`.
    pub(super) fn held(&self, call: &Call<'s>) -> Option<ExprId> {
        let callee = self.text.get(self.code.exprs.get(call.callee)?.span.range())?;
        let [held] = call.arguments.as_slice() else { return None };
        HOLDS.contains(&callee).then_some(held.value)
    }

    /// The value of a function's only `return`.
    pub(super) fn only_returned(&self, function: FunctionId) -> Option<ExprId> {
        let called = self.code.functions.get(function)?;
        let mut returned = self.code.stmts.iter().filter_map(|stmt| match stmt.flow {
            Flow::Exit(Exit::Return(Some(value))) if called.span.contains(stmt.span) => Some(value),
            _ => None,
        });
        let value = returned.next()?;
        returned.next().is_none().then_some(value)
    }
}
