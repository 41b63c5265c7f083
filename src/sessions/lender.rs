//! Functions of other files that lend a connection to the function which they are given: `withClient(async (client) => …)`.

use super::Run;
use super::call::Asked;
use super::imports::{Exported, Role};
use super::names::Names;
use super::value::{Origin, Val};
use crate::driver::SCRIPT;
use crate::flow::{Node, Owner};
use crate::host::code::{Call, Value};
use crate::span::Span;

impl Names<'_, '_> {
    /// A function that borrows a connection, calls one of its parameters with it, and gives it back, with nothing else done to
    /// the session.
    pub(super) fn lender(&self, part: &str) -> Option<Exported> {
        const DOES_MORE: &[&str] =
            &["begin", "transaction", "commit", "discard", "advisory", "end(", "release(true", "destroy"];
        let code = self.code;
        let declared = || match code.exprs.get(self.module(part)?.value?)?.value {
            Value::Function(function) => Some(function),
            _ => None,
        };
        let id = code.functions.iter().position(|function| function.name == part).or_else(declared)?;
        let function = &code.functions[id];
        let body = self.text.get(function.span.range())?.to_ascii_lowercase();
        if !SCRIPT.contains(&self.language) || DOES_MORE.iter().any(|word| body.contains(word)) {
            return None;
        }
        code.calls.iter().find_map(|call| {
            let Value::Name(name) = code.exprs.get(call.callee)?.value else { return None };
            let lends = function.parameters.iter().position(|parameter| parameter.name == name)?;
            let given = call.arguments.first().filter(|_| function.span.contains(code.exprs[call.expr].span))?;
            let handle = self.handle(given.value, id, 0).filter(|handle| handle.kind.owner == Owner::Borrowed)?;
            Some(Exported { driver: handle.driver, kind: handle.kind, role: Role::Lends(lends) })
        })
    }
}

impl<'s> Run<'_, 's, '_> {
    /// A call of another file's function that lends a connection to the function which it is given.
    pub(super) fn lends_elsewhere(
        &mut self,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Option<Val> {
        let Some(Value::Name(name)) = self.program.code.exprs.get(call.callee).map(|expr| &expr.value) else {
            return None;
        };
        let exported = *self.names.imported.get(*name)?;
        let Role::Lends(place) = exported.role else { return None };
        let Some(Val::Function(function)) = asked.vals.get(place) else { return None };
        let handle = exported.handle(Origin::At(asked.span));
        let session = self.session(&handle);
        let (mut body, mut cleanup) = (Vec::new(), Vec::new());
        let result = self.follow(*function, &[Val::Handle(handle)], &[], true, &mut body);
        self.give_back(session, Span::new(asked.span.end, asked.span.end), &mut cleanup);
        let (body, cleanup) = (Box::new(Node::Sequence(body)), Box::new(Node::Sequence(cleanup)));
        out.push(Node::Ensured { body, cleanup });
        Some(result)
    }
}
