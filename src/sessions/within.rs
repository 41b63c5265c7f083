//! Functions and programs that a library runs on a session of its choice.

use super::value::{Handle, Origin, Val};
use super::{MAX_INLINED, Run, THIS};
use crate::driver::Does;
use crate::flow::lower::SessionId;
use crate::flow::{Action, Begins, Evidence, Node, Owner};
use crate::host::code::{Argument, Call, ExprId, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;

/// How long the options of a transaction may be, in bytes.
const LONGEST_OPTIONS: usize = 256;

/// What is open while a library runs a function or a block.
pub(super) struct Opened {
    pub(super) inner: Handle,
    own: bool,
    /// Other handles of the library mean the inner one meanwhile.
    pub(super) ambient: bool,
    pub(super) origin: Origin,
    /// What the end does.
    pub(super) cleanup: Vec<Node>,
}

impl<'s> Run<'_, 's, '_> {
    /// Opens what a library runs a function or a block in: the handle inside, whether the session is its own, and what the
    /// end does.
    pub(super) fn open_within(
        &mut self,
        handle: &Handle,
        call: &Call<'s>,
        span: Span,
        does: Does,
        out: &mut Vec<Node>,
    ) -> Option<Opened> {
        let Does::Within { gives, transaction, session } = does else { return None };
        let meant = self.meant(handle);
        let pool = handle.kind.owner == Owner::PerCall && meant.origin == handle.origin;
        let own = session && pool;
        let inner = if own { self.fresh(handle, gives, span, true) } else { self.same(&meant, gives) }?;
        let id = self.session(&inner);
        if own {
            let one = &mut self.sessions.all[id];
            one.begins = Begins::Never;
            if one.owner == Owner::PerCall {
                one.owner = Owner::Borrowed;
            }
        }
        if transaction {
            let at = Span::new(call.from_name.start, call.from_name.start + call.name.len());
            let one_snapshot = self.asks_one_snapshot(&call.arguments);
            self.push(id, Action::Begin { one_snapshot }, at, out);
        }
        let mut cleanup = Vec::new();
        let end = Span::new(span.end, span.end);
        if transaction {
            self.push(id, Action::End { chain: false, commits: true }, end, &mut cleanup);
        }
        if own {
            self.give_back(id, end, &mut cleanup);
        }
        let ambient = handle.driver.ambient && own;
        Some(Opened { inner, own, ambient, origin: handle.origin.clone(), cleanup })
    }

    /// Whether options ask for REPEATABLE READ or SERIALIZABLE, in the spelling of some client.
    pub(super) fn asks_one_snapshot(&self, arguments: &[Argument<'s>]) -> bool {
        let code = self.program.code;
        arguments.iter().any(|argument| {
            let Some(expr) = code.exprs.get(argument.value) else { return false };
            let text = self.slice(expr.span);
            let plain: String =
                text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
            !matches!(expr.value, Value::Function(_))
                && text.len() <= LONGEST_OPTIONS
                && (plain.contains("repeatableread") || plain.contains("serializable"))
        })
    }

    /// Runs the function argument of a call with a handle.
    pub(super) fn within(
        &mut self,
        handle: &Handle,
        call: &Call<'s>,
        span: Span,
        does: Does,
        out: &mut Vec<Node>,
    ) -> Val {
        let code = self.program.code;
        let Some(opened) = self.open_within(handle, call, span, does, out) else { return Val::Nothing };
        let inner = opened.inner.clone();
        let mut body = Vec::new();
        let mut result = Val::Nothing;
        for argument in &call.arguments {
            match code.exprs.get(argument.value).map(|expr| &expr.value) {
                Some(Value::Function(function)) => {
                    let takes = &code.functions[*function].parameters;
                    if opened.ambient {
                        self.instead.push((opened.origin.clone(), inner.clone()));
                    }
                    let typed = |ty: &str| self.names.of_type(ty).is_some();
                    let place = takes.iter().position(|parameter| parameter.ty.is_some_and(typed));
                    let mut given = vec![Val::Nothing; takes.len()];
                    if let Some(slot) = given.get_mut(place.unwrap_or(0)) {
                        *slot = Val::Handle(inner.clone());
                    }
                    if takes.is_empty() {
                        self.frame().vars.insert(THIS.to_owned(), Val::Handle(inner.clone()));
                    }
                    self.lent.push(inner.clone());
                    result = self.follow(*function, &given, &[], true, &mut body);
                    self.lent.pop();
                    self.frame().vars.remove(THIS);
                    if opened.ambient {
                        self.instead.pop();
                    }
                }
                // A list of queries that run in the transaction.
                Some(Value::Items(_)) if opened.own => {
                    self.instead.push((opened.origin.clone(), inner.clone()));
                    self.eval(argument.value, &mut body);
                    self.instead.pop();
                }
                _ => {
                    let val = self.eval(argument.value, out);
                    // `pool.AcquireFunc(ctx, sendDigests)`
                    if let (Val::Nothing, Some(function)) = (&val, self.named_function(argument.value)) {
                        result = self.named(function, &inner, &mut body);
                    } else if let Val::Function(function) = val {
                        result = self.follow(function, &[Val::Handle(inner.clone())], &[], true, &mut body);
                    }
                }
            }
        }
        let cleanup = Box::new(Node::Sequence(opened.cleanup));
        out.push(Node::Ensured { body: Box::new(Node::Sequence(body)), cleanup });
        result
    }

    /// A function of the file that is given by its name.
    fn named_function(&self, expr: ExprId) -> Option<FunctionId> {
        let code = self.program.code;
        let name = match &code.exprs.get(expr)?.value {
            Value::Name(name) => name,
            Value::Member { of, name, .. } if self.names.is_this(self.function(), *of) => name,
            _ => return None,
        };
        // Of two by that name, nobody knows which.
        self.names.function(self.function(), name, usize::MAX)
    }

    /// Runs a named function with a handle, for the parameter that has its type or else the first.
    fn named(&mut self, function: FunctionId, inner: &Handle, out: &mut Vec<Node>) -> Val {
        let takes = &self.program.code.functions[function].parameters;
        let typed = |ty: &str| self.names.of_type(ty).is_some();
        let place = takes.iter().position(|parameter| parameter.ty.is_some_and(typed));
        let mut given = vec![Val::Nothing; takes.len()];
        if let Some(slot) = given.get_mut(place.unwrap_or(0)) {
            *slot = Val::Handle(inner.clone());
        }
        self.lent.push(inner.clone());
        let result = self.follow(function, &given, &[], false, out);
        self.lent.pop();
        result
    }

    /// Scala: `program.transact(xa)`, `db.run(program)`: the value is run here, on a session of its own.
    pub(super) fn transact(&mut self, call: &Call<'s>, span: Span, out: &mut Vec<Node>) -> Option<Val> {
        let code = self.program.code;
        let function = self.function();
        let Some(Value::Member { of, .. }) = code.exprs.get(call.callee).map(|expr| &expr.value) else { return None };
        let by_argument = call.arguments.iter().find_map(|argument| {
            let handle = self.names.handle(argument.value, function, 0)?;
            matches!(handle.kind.method(call.name), Some(Does::Within { .. })).then_some(handle)
        });
        let (handle, program) = match by_argument {
            Some(handle) => (handle, *of),
            None => {
                let handle = self.names.handle(*of, function, 0)?;
                matches!(handle.kind.method(call.name), Some(Does::Within { .. })).then_some(())?;
                let program = call.arguments.first()?.value;
                if matches!(code.exprs.get(program).map(|expr| &expr.value), Some(Value::Function(_))) {
                    return None;
                }
                (handle, program)
            }
        };
        let Some(Does::Within { gives, transaction, .. }) = handle.kind.method(call.name) else { return None };
        // Slick says by the action what it is run in.
        let (program, wrapped) = match code.exprs.get(program).map(|expr| &expr.value) {
            Some(Value::Member { of, name: name @ ("transactionally" | "withPinnedSession"), .. }) => {
                (*of, Some(*name))
            }
            _ => (program, None),
        };
        let transaction = transaction || wrapped == Some("transactionally");
        if !transaction && wrapped.is_none() {
            // Each run is a call on the pool like any other.
            let id = self.session(&handle);
            return Some(self.run_program(program, (handle, id), out));
        }
        let inner = self.fresh(&handle, gives, span, true)?;
        let id = self.session(&inner);
        self.sessions.all[id].begins = Begins::Never;
        self.sessions.all[id].owner = Owner::Borrowed;
        if transaction {
            let at = Span::new(call.from_name.start, call.from_name.start + call.name.len());
            self.push(id, Action::Begin { one_snapshot: false }, at, out);
        }
        let mut body = Vec::new();
        let val = self.run_program(program, (inner, id), &mut body);
        let mut cleanup = Vec::new();
        let end = Span::new(span.end, span.end);
        if transaction {
            self.push(id, Action::End { chain: false, commits: true }, end, &mut cleanup);
        }
        self.give_back(id, end, &mut cleanup);
        out.push(Node::Ensured { body: Box::new(Node::Sequence(body)), cleanup: Box::new(Node::Sequence(cleanup)) });
        Some(val)
    }

    /// Runs a program on a session; one of which no part is known works there as well.
    fn run_program(&mut self, program: ExprId, (on, id): (Handle, SessionId), out: &mut Vec<Node>) -> Val {
        let first = self.builder.len();
        let before = self.runner.replace(on);
        let val = self.program_value(program, 0, out);
        self.runner = before;
        if !self.builder.runs_since(first)
            && let Some(span) = self.program.code.exprs.get(program).map(|expr| expr.span)
        {
            const WRITES: &[&str] = &["+=", ".insertOrUpdate(", ".update(", ".delete"];
            let writes = WRITES.iter().any(|word| self.slice(span).contains(word));
            let writes = if writes { vec![String::new()] } else { Vec::new() };
            self.push(id, Action::Work { reads: Vec::new(), writes }, span, out);
        }
        val
    }

    /// Scala: what runs the program that a function gives, whoever that is.
    pub(super) fn program_of(&self, function: FunctionId) -> Option<Handle> {
        let called = self.program.code.functions.get(function)?;
        let (driver, kind) =
            self.names.of_type(called.returns.filter(|_| self.program.language == HostLanguage::Scala)?)?;
        let is_program = matches!(kind.name, "Program" | "Action");
        let origin = Origin::At(called.at);
        is_program.then_some(Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None })
    }

    /// Runs a program that is a value: by its name the one that was declared.
    pub(super) fn program_value(&mut self, expr: ExprId, depth: usize, out: &mut Vec<Node>) -> Val {
        let code = self.program.code;
        if depth < MAX_INLINED
            && let Some(Value::Name(name)) = code.exprs.get(expr).map(|expr| &expr.value)
        {
            let function = self.function();
            let declared = self.names.local(function, name).or_else(|| {
                let class = self.names.class_of(function)?;
                self.names.field(class.name, name)
            });
            if let Some(value) = declared.and_then(|declared| declared.value) {
                return self.program_value(value, depth + 1, out);
            }
        }
        let span = code.exprs.get(expr).map_or(Span::new(0, 0), |expr| expr.span);
        if let Some(handle) = self.runner.clone()
            && matches!(self.slice(span), "FC.commit" | "FC.rollback" | "HC.commit" | "HC.rollback")
        {
            let session = self.session(&handle);
            self.sessions.all[session].ends.push(self.builder.len());
            self.push(session, Action::End { chain: false, commits: self.slice(span).ends_with("commit") }, span, out);
            self.push(session, Action::Begin { one_snapshot: false }, span, out);
            return Val::Nothing;
        }
        let val = self.eval(expr, out);
        match (&val, self.runner.clone()) {
            (Val::Query(query), Some(handle)) => self.run(&handle, &query.clone(), span, out),
            _ => val,
        }
    }
}
