//! `with`, `using`, try-with-resources: blocks with what they open and close.

use super::Run;
use super::value::Val;
use super::within::Opened;
use crate::driver::{AtEnd, Does};
use crate::flow::{Begins, Node};
use crate::host::code::{Call, ExprId, Flow, StmtId, Value};
use crate::span::Span;

impl<'a, 's> Run<'a, 's, '_> {
    /// `with`: each thing is opened, the body runs, and they are closed in reverse.
    pub(super) fn with(&mut self, id: StmtId, from: usize, out: &mut Vec<Node>) {
        let Some(stmt) = self.program.code.stmts.get(id) else { return };
        let Flow::With { items, body } = &stmt.flow else { return };
        let span = stmt.span;
        let Some(item) = items.get(from) else {
            let node = self.block(*body);
            out.push(node);
            return;
        };
        if let Some(value) = item.value
            && self.managed(id, from, value, out)
        {
            return;
        }
        let end = Span::new(span.end, span.end);
        let at = item.value.and_then(|value| self.program.code.exprs.get(value)).map_or(span, |expr| expr.span);
        let mut cleanup = Vec::new();
        let mut ambient = false;
        let before = self.taken_so_far();
        let opened = item.value.and_then(|value| self.opened(value, out));
        let val = match opened {
            Some(opened) => {
                if opened.ambient {
                    self.instead.push((opened.origin, opened.inner.clone()));
                    ambient = true;
                }
                cleanup = opened.cleanup;
                Val::Handle(opened.inner)
            }
            None => {
                let val = item.value.map_or(Val::Nothing, |value| self.eval(value, out));
                if let Val::Handle(handle) = &val {
                    let (begins, ends) = (handle.kind.begins, handle.kind.at_end);
                    if ends == AtEnd::Ends && begins == Begins::Already && !self.began(item.value) {
                        let one_snapshot =
                            self.call_of(item.value).is_some_and(|call| self.asks_one_snapshot(&call.arguments));
                        self.begin(handle, one_snapshot, at, out);
                    }
                    self.at_end(handle, ends, end, &mut cleanup);
                }
                val
            }
        };
        for target in &item.targets {
            self.assign(target.expr, target.name, val.clone());
        }
        let parts = vec![val.clone(); item.targets.len()];
        self.bound_for_nothing(item, &val, &parts, &before);
        let mut inner = Vec::new();
        self.with(id, from + 1, &mut inner);
        if ambient {
            self.instead.pop();
        }
        let inner = Node::Sequence(inner);
        if cleanup.is_empty() {
            out.push(inner);
        } else {
            out.push(Node::Ensured { body: Box::new(inner), cleanup: Box::new(Node::Sequence(cleanup)) });
        }
    }

    /// What a `with` opens by a call whose function argument is the block.
    fn opened(&mut self, value: ExprId, out: &mut Vec<Node>) -> Option<Opened> {
        let code = self.program.code;
        let expr = code.exprs.get(value)?;
        let Value::Call(call) = &expr.value else { return None };
        let call = code.calls.get(*call)?;
        let handle = match &code.exprs.get(call.callee)?.value {
            Value::Member { of, .. } => {
                let known = self.names.handle(*of, self.function(), 0).filter(|_| self.variable(*of).is_none());
                known.or_else(|| self.eval(*of, out).handle().cloned())?
            }
            _ => return None,
        };
        let does = handle.kind.method(call.name)?;
        self.open_within(&handle, call, expr.span, does, out)
    }

    /// The call that an expression is.
    fn call_of(&self, value: Option<ExprId>) -> Option<&'a Call<'s>> {
        match &self.program.code.exprs.get(value?)?.value {
            Value::Call(call) => self.program.code.calls.get(*call),
            _ => None,
        }
    }

    /// Whether an expression is a call that began a transaction itself.
    fn began(&self, value: Option<ExprId>) -> bool {
        let code = self.program.code;
        let Some(call) = self.call_of(value) else { return false };
        let Some(Value::Member { of, .. }) = code.exprs.get(call.callee).map(|expr| &expr.value) else { return false };
        self.names
            .handle(*of, self.function(), 0)
            .or_else(|| self.variable(*of))
            .is_some_and(|handle| matches!(handle.kind.method(call.name), Some(Does::Begins(_))))
    }
}
