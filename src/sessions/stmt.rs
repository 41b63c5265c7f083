//! Statements of host code, as nodes.

use super::answer::Part;
use super::query::is_binder;
use super::returns::Return;
use super::session::origins;
use super::value::{Answer, Handle, Query, Val};
use super::{Frame, MAX_STEPS, Run, names};
use crate::driver::Does;
use crate::flow::{Action, Begins, Catches, Evidence, Exit as Leave, Node};
use crate::host::code::{Binding, Exit, ExprId, Flow, Handler, StmtId, Value};
use crate::language::HostLanguage;
use crate::span::Span;

/// How many statements that defer something stand each in the rest of the one before; what more of them defer runs at the
/// end, wherever the function is left. Trees are walked by recursion.
const MAX_ENSURED: usize = 100;

impl<'a, 's> Run<'a, 's, '_> {
    /// Runs a statement; its nodes go to `out`.
    pub(super) fn stmt(&mut self, id: StmtId, out: &mut Vec<Node>) {
        let code = self.program.code;
        let Some(stmt) = code.stmts.get(id) else { return };
        if self.builder.len() >= MAX_STEPS {
            return;
        }
        match &stmt.flow {
            Flow::Sequence(stmts) => self.sequence(stmts, out),
            Flow::Block { label, body } => {
                let body = self.block(*body);
                out.push(Node::Block { label: (*label).to_owned(), body: Box::new(body) });
            }
            Flow::Run(expr) => {
                let before = self.taken_so_far();
                let val = self.eval(*expr, out);
                self.dropped(*expr, &val, out);
                self.thrown_away(*expr, &val, &before);
            }
            Flow::Bind(binding) => self.bind(binding, out),
            Flow::If { condition, binds, then, otherwise } => {
                self.either((*condition, binds), (*then, *otherwise), false, out);
            }
            Flow::Loop { label, condition, binds, body, endless, once } => {
                self.rounds(*label, *condition, binds, *body, (*endless, *once), out);
            }
            Flow::Try { body, handlers, otherwise, finally } => {
                let mut inner = Vec::new();
                let mut tried = vec![self.block(*body)];
                if let Some(otherwise) = otherwise {
                    tried.push(self.block(*otherwise));
                }
                let body = Node::Sequence(tried);
                if handlers.is_empty() {
                    inner.push(body);
                } else {
                    let catches = handlers.iter().map(taken_by).max().unwrap_or(Catches::Some);
                    let handlers = handlers.iter().map(|handler| self.block(handler.body)).collect();
                    inner.push(Node::Try { body: Box::new(body), handlers, catches });
                }
                match finally {
                    Some(finally) => {
                        self.cleanups += 1;
                        let cleanup = self.block(*finally);
                        self.cleanups -= 1;
                        out.push(Node::Ensured { body: Box::new(Node::Sequence(inner)), cleanup: Box::new(cleanup) });
                    }
                    None => out.extend(inner),
                }
            }
            Flow::With { .. } => self.with(id, 0, out),
            // In a sequence it is seen there.
            Flow::Defer(expr) => self.deferred(*expr, out),
            Flow::Exit(exit) => self.exit(exit, stmt.span, out),
        }
    }

    /// Statements one after the other; what is deferred runs after the rest.
    fn sequence(&mut self, stmts: &[StmtId], out: &mut Vec<Node>) {
        let known = self.frame().known.len();
        self.each(stmts, out);
        self.forget_known(known);
    }

    fn each(&mut self, stmts: &[StmtId], out: &mut Vec<Node>) {
        for (index, &id) in stmts.iter().enumerate() {
            let stmt = self.program.code.stmts.get(id).map(|stmt| &stmt.flow);
            if let Some(Flow::Defer(expr)) = stmt {
                let mut cleanup = Vec::new();
                self.cleanups += 1;
                self.deferred(*expr, &mut cleanup);
                self.cleanups -= 1;
                let cleanup = Node::Sequence(cleanup);
                if self.frame().depth == 0 && self.ensured < MAX_ENSURED {
                    self.rest_with(&stmts[index + 1..], cleanup, out);
                    return;
                }
                self.frame().pending.push(cleanup);
                continue;
            }
            self.stmt(id, out);
            if let Some(handle) = stmt.and_then(|stmt| self.ends_with_scope(stmt)) {
                self.rest_of_scope(&stmts[index + 1..], &handle, out);
                return;
            }
            if self.frame().depth == 0 && self.ensured < MAX_ENSURED && !self.frame().pending.is_empty() {
                let pending = std::mem::take(&mut self.frame().pending);
                self.rest_with(&stmts[index + 1..], Node::Sequence(pending), out);
                return;
            }
        }
    }

    /// The transaction that a statement keeps in a variable, where the end of the variable rolls it back: Rust drops it.
    fn ends_with_scope(&mut self, stmt: &Flow<'s>) -> Option<Handle> {
        let Flow::Bind(Binding { targets, .. }) = stmt else { return None };
        let [target] = targets.as_slice() else { return None };
        if self.program.language != HostLanguage::Rust || self.ensured >= MAX_ENSURED {
            return None;
        }
        let handle = self.frame().vars.get(names::bare(target.name))?.handle()?.clone();
        (handle.kind.begins == Begins::Already).then_some(handle)
    }

    /// The statements after a transaction was begun that ends with them, unless it goes on living somewhere else.
    fn rest_of_scope(&mut self, rest: &[StmtId], handle: &Handle, out: &mut Vec<Node>) {
        let mut body = Vec::new();
        self.ensured += 1;
        self.sequence(rest, &mut body);
        self.ensured -= 1;
        let session = self.session(handle);
        let given = self.frame().returns.iter().any(|given| origins(&given.val).contains(&&handle.origin));
        if given || self.sessions.all[session].escapes {
            out.extend(body);
            return;
        }
        let end = rest.last().and_then(|last| self.program.code.stmts.get(*last)).map_or(0, |last| last.span.end);
        let mut cleanup = Vec::new();
        self.push(session, Action::End { chain: false, commits: false }, Span::new(end, end), &mut cleanup);
        out.push(Node::Ensured { body: Box::new(Node::Sequence(body)), cleanup: Box::new(Node::Sequence(cleanup)) });
    }

    fn rest_with(&mut self, rest: &[StmtId], cleanup: Node, out: &mut Vec<Node>) {
        let mut body = Vec::new();
        self.ensured += 1;
        self.sequence(rest, &mut body);
        self.ensured -= 1;
        out.push(Node::Ensured { body: Box::new(Node::Sequence(body)), cleanup: Box::new(cleanup) });
    }

    /// What blocks deferred and no statement came after.
    pub(super) fn wrap_pending(&mut self, from: usize, out: &mut Vec<Node>) {
        let pending = std::mem::take(&mut self.frame().pending);
        if !pending.is_empty() {
            let body = Node::Sequence(out.split_off(from));
            out.push(Node::Ensured { body: Box::new(body), cleanup: Box::new(Node::Sequence(pending)) });
        }
    }

    /// What a deferred call does: a closure's body, or the call.
    fn deferred(&mut self, expr: ExprId, out: &mut Vec<Node>) {
        let code = self.program.code;
        if let Some(Value::Call(call)) = code.exprs.get(expr).map(|expr| &expr.value)
            && let Some(Value::Function(function)) = code.exprs.get(code.calls[*call].callee).map(|expr| &expr.value)
        {
            self.follow(*function, &[], &[], true, out);
            return;
        }
        let val = self.eval(expr, out);
        self.dropped(expr, &val, out);
    }

    fn rounds(
        &mut self,
        label: Option<&str>,
        condition: Option<ExprId>,
        binds: &[Binding<'s>],
        body: StmtId,
        (endless, once): (bool, bool),
        out: &mut Vec<Node>,
    ) {
        let label = label.map(str::to_owned);
        let leave = |label: &Option<String>| Node::Exit(Leave::Break(label.clone()), Span::new(0, 0));
        let each = condition.filter(|_| !binds.is_empty());
        if let Some(each) = each {
            let val = self.eval(each, out);
            self.read_val(&val);
            for target in binds.iter().flat_map(|binding| &binding.targets) {
                self.set(target.name, val.clone());
            }
            let body = self.block(body);
            out.push(Node::Loop { label, body: Box::new(body), endless: false });
            return;
        }
        let Some(condition) = condition else {
            let body = self.block(body);
            out.push(Node::Loop { label, body: Box::new(body), endless });
            return;
        };
        let mut round = Vec::new();
        if once {
            round.push(self.block(body));
            let condition = self.condition_of_round(condition, &mut round);
            round.push(self.branch(&condition, Node::Sequence(Vec::new()), leave(&label)));
        } else {
            let first = self.condition_of_round(condition, &mut round);
            let body = self.block(body);
            if round.is_empty() {
                // What the body has set decides about the next round.
                let mut rest = vec![body];
                let next = self.condition_of_round(condition, &mut rest);
                rest.push(self.branch(&next, Node::Sequence(Vec::new()), leave(&label)));
                let rounds = Node::Loop { label, body: Box::new(Node::Sequence(rest)), endless: true };
                out.push(self.branch(&first, rounds, Node::Sequence(Vec::new())));
                return;
            }
            round.push(self.branch(&first, body, leave(&label)));
        }
        out.push(Node::Loop { label, body: Box::new(Node::Sequence(round)), endless: true });
    }

    /// The handle that a name stands for now.
    pub(super) fn variable(&self, expr: ExprId) -> Option<super::value::Handle> {
        let Some(Value::Name(name)) = self.program.code.exprs.get(expr).map(|expr| &expr.value) else { return None };
        self.frames.iter().rev().find_map(|frame| frame.vars.get(names::bare(name))?.handle().cloned())
    }

    pub(super) fn bind(&mut self, binding: &Binding<'s>, out: &mut Vec<Node>) {
        let before = self.taken_so_far();
        let val = match binding.value {
            // In a program that is a value each part runs in its turn.
            Some(value) if self.runner.is_some() && !matches!(self.decided.get(&value), Some(Some(_))) => {
                self.program_value(value, 0, out)
            }
            Some(value) => self.eval(value, out),
            None => match binding.ty.and_then(|ty| self.names.of_type(ty)) {
                // A variable that something fills later.
                Some(_) => Val::Nothing,
                None => return,
            },
        };
        let val = match (val, binding.ty.and_then(|ty| self.names.of_type(ty))) {
            // What the value is does not show, but the type says it.
            (Val::Nothing, Some((driver, kind))) => {
                let at = binding.targets.first().and_then(|target| self.program.code.exprs.get(target.expr));
                let origin = names::origin_of(driver, kind, at.map_or(Span::new(0, 0), |expr| expr.span));
                Val::Handle(Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None })
            }
            (val, _) => val,
        };
        let several = binding.targets.len() > 1;
        let mut parts = Vec::new();
        for (index, target) in binding.targets.iter().enumerate() {
            let part = match &val {
                Val::Tuple(vals) => vals.get(index).cloned().unwrap_or_default(),
                Val::Answer(answer) if self.is_error(target.name) => answer.step.map_or(Val::Nothing, Val::Failure),
                Val::Failure(step) if several => {
                    if self.is_error(target.name) {
                        Val::Failure(*step)
                    } else {
                        Val::Nothing
                    }
                }
                Val::Handle(_) | Val::Query(_) if several && index > 0 => Val::Nothing,
                Val::Answer(answer) => self.taken_apart(*answer, target),
                val => val.clone(),
            };
            parts.push(part.clone());
            self.assign(target.expr, target.name, part);
        }
        self.bound_for_nothing(binding, &val, &parts, &before);
    }

    /// Whether a name is one for errors, in languages where they are values.
    pub(super) fn is_error(&self, name: &str) -> bool {
        !self.program.code.throws && name.to_ascii_lowercase().contains("err")
            || self.program.language == HostLanguage::Elixir && matches!(name, "reason" | "error")
    }

    /// A name that is made true where a lock was taken says whether it is held, and goes on to say so where it is made
    /// false again.
    fn flag(&mut self, name: &str, val: Val) -> Val {
        let site = match val {
            Val::Bool(true) => self.builder.just_acquired().filter(|&site| self.builder.function(site).is_some()),
            Val::Bool(false) => match self.lookup(name) {
                Val::Answer(Answer { site, step: None, granted: true, .. }) => site,
                _ => None,
            },
            _ => None,
        };
        site.map_or(val, |site| Val::Answer(Answer { site: Some(site), step: None, granted: true, part: Part::Value }))
    }

    /// Gives a name or a field a value.
    pub(super) fn assign(&mut self, target: ExprId, name: &str, val: Val) {
        if let Val::Bool(on) = val {
            self.switch(target, on);
        }
        let val = self.flag(name, val);
        // Another way may give it another value.
        let val = if matches!(val, Val::Bool(_) | Val::Null) { Val::Nothing } else { val };
        let function = self.function();
        if let Some(Value::Member { of, name, .. }) = self.program.code.exprs.get(target).map(|expr| &expr.value) {
            if !self.names.is_this(function, *of) {
                // A command's text, a context's field: kept by the name of the field.
                if let Val::Query(query) = &val {
                    self.text_of_field(*of, query);
                }
                return;
            }
            self.give_away(&val);
            let name = format!("this.{}", names::bare(name));
            self.set(&name, val);
            return;
        }
        if name.starts_with('@') {
            self.give_away(&val);
        }
        self.set(name, val);
    }

    /// `conn.autocommit = True`
    fn switch(&mut self, target: ExprId, on: bool) {
        let Some(Value::Member { of, name, .. }) = self.program.code.exprs.get(target).map(|expr| &expr.value) else {
            return;
        };
        let handle = self.names.handle(*of, self.function(), 0).or_else(|| self.variable(*of));
        if let Some(handle) = handle.filter(|handle| handle.kind.method(name) == Some(Does::Autocommit)) {
            self.set_begins(&handle, if on { Begins::Never } else { Begins::ByItself });
        }
    }

    /// `command.CommandText = "…"`: the command has that text.
    fn text_of_field(&mut self, of: ExprId, query: &Query) {
        let code = self.program.code;
        if let Some(Value::Name(name)) = code.exprs.get(of).map(|expr| &expr.value) {
            let on = self.lookup(name).handle().cloned();
            let query = Query { on: on.map(Box::new), ..query.clone() };
            self.set(name, Val::Query(query));
        }
    }

    fn exit(&mut self, exit: &Exit<'s>, span: Span, out: &mut Vec<Node>) {
        match exit {
            Exit::Return(value) => {
                let val = match value {
                    Some(value) if self.runner.is_some() => self.program_value(*value, 0, out),
                    Some(value) => {
                        let val = self.eval(*value, out);
                        self.dropped(*value, &val, out);
                        self.gives_back(*value, &val);
                        if self.gives_existence(*value, &val) { Val::Nothing } else { val }
                    }
                    None => Val::Null,
                };
                let last = self.frames.len().saturating_sub(1);
                self.leave(last, val, span, out);
            }
            Exit::ReturnOuter(value) => {
                let val = value.map_or(Val::Nothing, |value| self.eval(value, out));
                let mut at = self.frames.len().saturating_sub(1);
                while let Some(outer) = self.frames.get(at).and_then(|frame| frame.outer) {
                    at = outer;
                }
                self.leave(at, val, span, out);
            }
            Exit::Throw { value, dies } => {
                if let Some(value) = value {
                    self.eval(*value, out);
                }
                out.push(if *dies {
                    // Nothing comes after: the process and its connections end.
                    Node::Loop { label: None, body: Box::new(Node::Sequence(Vec::new())), endless: true }
                } else {
                    Node::Exit(Leave::Raise, span)
                });
            }
            Exit::Break(label) => out.push(Node::Exit(Leave::Break(label.map(str::to_owned)), span)),
            Exit::Continue(label) => out.push(Node::Exit(Leave::Continue(label.map(str::to_owned)), span)),
        }
    }

    /// Leaves the function of a frame with a value.
    fn leave(&mut self, frame: usize, val: Val, span: Span, out: &mut Vec<Node>) {
        let frame = self.frames.get(frame).and_then(|frame| frame.of).unwrap_or(frame);
        if frame == 0 {
            self.give_away(&val);
        }
        let Some(frame) = self.frames.get_mut(frame) else { return };
        let known = frame.known.clone();
        frame.returns.push(Return { val, known });
        out.push(match &frame.exit {
            Some(label) => Node::Exit(Leave::Break(Some(label.clone())), span),
            None => Node::Exit(Leave::Return, span),
        });
    }

    /// A value that nobody keeps: SQL that was handed to something unknown has run there.
    pub(super) fn dropped(&mut self, expr: ExprId, val: &Val, out: &mut Vec<Node>) {
        if let Some(Value::Call(call)) = self.program.code.exprs.get(expr).map(|expr| &expr.value)
            && is_binder(self.program.code.calls[*call].name)
        {
            return;
        }
        match val {
            Val::Query(query) if self.runner.is_some() || query.on.is_none() && self.is_call(expr) => {
                let handle = match self.runner.clone() {
                    Some(handle) => handle,
                    None => {
                        let text = self.receiver_text(expr);
                        self.unknown(&text)
                    }
                };
                let span = self.program.code.exprs[expr].span;
                self.run(&handle, &query.clone(), span, out);
            }
            Val::Lock(lock) => {
                let handle = match self.runner.clone() {
                    Some(handle) => handle,
                    None => {
                        let text = self.receiver_text(expr);
                        self.unknown(&text)
                    }
                };
                let span = self.program.code.exprs[expr].span;
                self.run_lock(&handle, &lock.clone(), span, out);
            }
            _ => {}
        }
    }

    pub(super) fn is_call(&self, expr: ExprId) -> bool {
        matches!(self.program.code.exprs.get(expr).map(|expr| &expr.value), Some(Value::Call(_)))
    }

    /// What stands before the last name of a call: how code names what runs it.
    pub(super) fn receiver_text(&self, expr: ExprId) -> String {
        let code = self.program.code;
        let Some(Value::Call(call)) = code.exprs.get(expr).map(|expr| &expr.value) else { return String::new() };
        match code.exprs.get(code.calls[*call].callee).map(|expr| &expr.value) {
            Some(Value::Member { of, .. }) => self.slice(code.exprs[*of].span).to_owned(),
            _ => String::new(),
        }
    }

    /// A new frame for a function that is followed.
    pub(super) fn enter(&mut self, function: usize, outer: Option<usize>) -> String {
        self.labels += 1;
        let label = format!("\u{0}{}", self.labels);
        self.frames.push(Frame { function, outer, exit: Some(label.clone()), ..Frame::default() });
        label
    }
}

/// The base classes of what client libraries throw where a statement fails.
const ERRORS: &[&str] = &[
    "ActiveRecordError",
    "DBAPIError",
    "DataAccessException",
    "DatabaseError",
    "DbException",
    "NpgsqlException",
    "PDOException",
    "PG::Error",
    "PostgresError",
    "QueryException",
    "SQLAlchemyError",
    "SQLException",
    "Sequel::Error",
    "StatementInvalid",
    "psycopg.Error",
    "psycopg2.Error",
];

/// What a handler takes.
fn taken_by(handler: &Handler<'_>) -> Catches {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let is_base = |name: &str| {
        let ends =
            |known: &&str| name.strip_suffix(*known).is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ':']));
        ERRORS.iter().any(ends)
    };
    match handler.all {
        true => Catches::All,
        false if handler.catches.split(|c| !is_part(c)).any(is_base) => Catches::Statements,
        false => Catches::Some,
    }
}
