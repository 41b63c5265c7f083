//! Functions that run a block of their caller where they `yield`: Ruby's methods, and Python's context managers.

use super::Run;
use super::value::Val;
use crate::flow::Node;
use crate::host::code::{Call, ExprId, Flow, FunctionId, StmtId, Value};
use crate::span::Span;
use crate::sql::advisory::Action;
use crate::statement::Statement;

/// The rest of a `with` statement, which runs where its context manager yields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// The statement.
    with: StmtId,
    /// The item whose value is yielded.
    item: usize,
    /// The frame that it stands in.
    frame: usize,
}

impl<'s> Run<'_, 's, '_> {
    /// The function of this file that a `with` calls for its context manager.
    fn manager(&self, value: ExprId) -> Option<FunctionId> {
        let code = self.program.code;
        let Value::Call(call) = &code.exprs.get(value)?.value else { return None };
        let call = &code.calls[*call];
        let receiver = match &code.exprs.get(call.callee)?.value {
            Value::Member { of, .. } if self.names.is_this(self.function(), *of) => Val::This,
            _ => Val::Nothing,
        };
        let function = self.names.function(self.function(), call.name, call.arguments.len())?;
        (self.is_mine(&receiver, call) && self.is_manager(function)).then_some(function)
    }

    /// Runs a `with` statement from an item on inside the context manager of that item; false where it is none of this file.
    pub(super) fn managed(&mut self, with: StmtId, item: usize, value: ExprId, out: &mut Vec<Node>) -> bool {
        let code = self.program.code;
        let Some(function) = self.manager(value) else { return false };
        let Value::Call(call) = &code.exprs[value].value else { return false };
        let call = &code.calls[*call];
        let vals: Vec<Val> = call.arguments.iter().map(|argument| self.eval(argument.value, out)).collect();
        let frame = self.frames.len().saturating_sub(1);
        self.handing = Some(Rest { with, item, frame });
        let first = self.builder.sites();
        self.follow(function, &vals, &call.arguments, false, out);
        self.note_ran(call.from_name, code.stmts[with].span, first);
        if self.handing.take().is_some() {
            self.with(with, item + 1, out);
        }
        true
    }

    /// `yield`: what the caller's block does happens here.
    pub(super) fn yields(&mut self, call: &Call<'s>, out: &mut Vec<Node>) -> Val {
        let vals: Vec<Val> = call.arguments.iter().map(|argument| self.eval(argument.value, out)).collect();
        let mut at = self.frames.len().checked_sub(1);
        while let Some(index) = at {
            if let Some(rest) = self.frames[index].rest.take() {
                self.rest(rest, vals.into_iter().next().unwrap_or_default(), out);
                return Val::Nothing;
            }
            if let Some(Val::Function(block)) = self.frames[index].vars.get("yield") {
                let block = *block;
                return self.follow(block, &vals, &call.arguments, true, out);
            }
            at = self.frames[index].outer;
        }
        // Who uses a context manager gives back what it hands out, and what it throws arrives here.
        if !self.releases_after(call.from_name) {
            vals.iter().for_each(|val| self.give_away(val));
        }
        self.may_throw(call.from_name, out);
        Val::Nothing
    }

    /// Whether a place is in a context manager that unlocks by itself after it.
    fn releases_after(&self, at: Span) -> bool {
        let Some(function) = self.program.code.functions.get(self.function()) else { return false };
        let rest = Span::new(at.end, function.span.end);
        self.is_manager(self.function())
            && self.program.queries.iter().any(|(at, statements)| {
                let unlocks = |statement: &&Statement<'_>| {
                    statement.locks.iter().any(|lock| lock.function.action == Action::Unlock)
                };
                rest.contains(*at) && statements.iter().any(unlocks)
            })
    }

    fn is_manager(&self, function: FunctionId) -> bool {
        let code = self.program.code;
        code.functions[function].annotations.iter().any(|annotation| {
            code.exprs.get(*annotation).is_some_and(|expr| self.slice(expr.span).ends_with("contextmanager"))
        })
    }

    /// Runs the rest of a `with` statement in the frame that it stands in.
    fn rest(&mut self, Rest { with, item, frame }: Rest, val: Val, out: &mut Vec<Node>) {
        let code = self.program.code;
        let Some(Flow::With { items, .. }) = code.stmts.get(with).map(|stmt| &stmt.flow) else { return };
        let function = self.frames[frame].function;
        self.frames.push(super::Frame { function, outer: Some(frame), of: Some(frame), ..super::Frame::default() });
        for target in items.get(item).into_iter().flat_map(|item| &item.targets) {
            self.assign(target.expr, target.name, val.clone());
        }
        self.with(with, item + 1, out);
        let done = self.frames.pop().unwrap_or_default();
        // Python's blocks have no variables of their own.
        self.frames[frame].vars.extend(done.vars);
    }
}
