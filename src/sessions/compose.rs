//! What constructions in a file give the fields of its classes.

use super::Run;
use super::names::{Declared, Names, bare};
use crate::host::code::{Argument, Call, CallId, ExprId, Flow, FunctionId, StmtId, Value};
use std::collections::HashSet;

impl<'s> Names<'_, 's> {
    /// What `T { field: value }` gives the fields of a class of this file, and `T(value)` in the program's `main`.
    pub(super) fn compose(&mut self) {
        let code = self.code;
        let of_file: HashSet<&str> = code.classes.iter().map(|class| class.name).collect();
        for call in code.calls.iter().filter(|call| call.name == "Self" || of_file.contains(call.name)) {
            let Some(at) = code.exprs.get(call.expr).map(|expr| expr.span) else { continue };
            let around = code.functions.iter().enumerate().rfind(|(_, function)| function.span.contains(at));
            let function = around.map(|(id, _)| id).unwrap_or_default();
            let class = match self.class_of(function) {
                Some(class) if call.name == "Self" => class.name,
                _ => call.name,
            };
            let in_main = code.functions.get(function).is_some_and(|function| function.name == "main");
            let by_place = if in_main { self.by_place(class, call) } else { Vec::new() };
            let by_name = call
                .arguments
                .iter()
                .filter_map(|argument| Some((argument.name.filter(|_| call.constructs)?, argument)));
            let given: Vec<(&str, &Argument<'s>)> = by_name.chain(by_place).collect();
            for (name, argument) in given {
                let declared = Declared { ty: None, value: Some(argument.value), part: None, function };
                let known = self.fields.entry((class, bare(name))).or_insert(declared);
                if known.value.is_none() {
                    *known = Declared { ty: known.ty, ..declared };
                }
            }
        }
    }

    /// What a block of nothing but an expression is: a value on a line of its own.
    pub(super) fn alone_in(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.code.stmts.get(stmt)?.flow {
            Flow::Run(expr) => Some(*expr),
            Flow::Sequence(stmts) => match stmts.as_slice() {
                [only] => self.alone_in(*only),
                _ => None,
            },
            _ => None,
        }
    }

    /// The fields that a class's constructor has in its head, with the arguments of a call of it.
    fn by_place<'c>(&self, class: &str, call: &'c Call<'s>) -> Vec<(&'s str, &'c Argument<'s>)> {
        let of_class = self.code.classes.iter().filter(|one| one.name == class).flat_map(|one| &one.fields);
        let fields: Vec<&'s str> = of_class
            .filter(|field| field.value.is_none())
            .flat_map(|field| &field.targets)
            .map(|target| target.name)
            .collect();
        if fields.len() != call.arguments.len() || call.arguments.iter().any(|argument| argument.name.is_some()) {
            return Vec::new();
        }
        fields.into_iter().zip(&call.arguments).collect()
    }
}

impl Run<'_, '_, '_> {
    /// Whether a pool of JDBC is set up in this file alone, which says nothing of autocommit.
    pub(super) fn is_configured_here(&self, call: CallId, function: FunctionId) -> bool {
        let code = self.program.code;
        let is_empty = |expr: ExprId| {
            let text = self.slice(code.exprs[expr].span);
            text.strip_prefix("new ").unwrap_or(text).starts_with("HikariConfig()")
        };
        let known = |value: ExprId| match code.exprs.get(value).map(|expr| &expr.value) {
            Some(Value::Name(name)) => {
                self.names.local(function, name).and_then(|declared| declared.value).is_some_and(is_empty)
            }
            _ => is_empty(value),
        };
        code.calls[call].name == "HikariDataSource"
            && code.calls[call].arguments.iter().all(|argument| known(argument.value))
            && !self.program.text.contains("utoCommit")
    }
}
