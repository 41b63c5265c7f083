//! Functions that are followed into their bodies.

use super::call::Asked;
use super::value::{Handle, Origin, Val};
use super::{MAX_INLINED, MAX_STEPS, Run, THIS, names};
use crate::driver::{Does, Driver, Kind, LIBRARY, SCRIPT};
use crate::flow::{Action, Begins, Catches, Evidence, Node, Owner};
use crate::host::code::{Argument, Call, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;
use crate::sql::advisory::Function;
use crate::sql::value::Value as Sql;

/// Calls whose function argument runs where it stands, once or for each of several things.
const IN_PLACE: &[&str] = &[
    "map",
    "forEach",
    "each",
    "for_each",
    "flatMap",
    "filter",
    "reduce",
    "use",
    "let",
    "also",
    "apply",
    "run",
    "with",
    "tap",
    "then",
    "withContext",
    "runBlocking",
    "coroutineScope",
    "supervisorScope",
    "synchronized",
    "times",
    "each_with_index",
    "find_each",
    "in_batches",
    "loop",
    "catch",
    "finally",
    "withRetry",
    "retry",
    "all",
    "measure",
    "instrument",
    "span",
    "runInterruptible",
    "blocking",
    "guarantee",
    "bracket",
    "recover",
    "map_err",
    "and_then",
    "unwrap_or_else",
    "ok_or_else",
    "block_in_place",
    "step",
    "timeout",
    "Do",
    "fold",
    "traverse",
];

/// Functions of Elixir that run another in a process of its own.
const PROCESSES: &[&str] = &["async", "async_stream", "async_nolink", "async_stream_nolink", "spawn", "spawn_link"];

/// Methods that lend their receiver to a block.
const LENDS: &[&str] = &["use", "let", "also", "tap", "then", "run"];

/// Methods that run their function argument in a transaction, whatever the library is.
const TRANSACTIONS: &[&str] = &[
    "transaction",
    "transact",
    "inTransaction",
    "in_transaction",
    "withTransaction",
    "with_transaction",
    "runInTransaction",
    "tx",
    "BeginFunc",
    "RunInTx",
    "Transaction",
    "useTransaction",
    "transactional",
    "wrapInTransaction",
];

/// A transaction of some library: its handle is given to what works in it.
static UNNAMED: Driver = Driver {
    takes: &[(&["query", "$query", "transacting", "useTransaction", "withTransaction"], Does::Run)],
    ..LIBRARY
};

impl<'s> Run<'_, 's, '_> {
    /// Functions given to something unknown.
    pub(super) fn closures(
        &mut self,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        (mark, span): (usize, Span),
        out: &mut Vec<Node>,
    ) -> Val {
        let mut result = Val::Nothing;
        let blocks = matches!(
            self.program.language,
            HostLanguage::Ruby | HostLanguage::Kotlin | HostLanguage::Scala | HostLanguage::Elixir
        );
        let transaction = TRANSACTIONS.contains(&call.name.trim_start_matches('$'));
        for (index, val) in asked.vals.iter().enumerate() {
            let Val::Function(function) = val else { continue };
            if transaction {
                self.in_transaction(*function, call, span, out);
                continue;
            }
            let last = index + 1 == asked.vals.len();
            // Another process has no part in the transaction of this one.
            if self.program.language == HostLanguage::Elixir && PROCESSES.contains(&call.name) {
                let meanwhile = std::mem::take(&mut self.instead);
                self.follow(*function, &[], &[], true, out);
                self.instead = meanwhile;
                continue;
            }
            if self.is_multi(call) {
                self.in_multi(*function, call, out);
                continue;
            }
            if call.name == "finally" {
                // A promise's cleanup.
                let body = Node::Sequence(out.split_off(mark));
                let mut cleanup = Vec::new();
                self.cleanups += 1;
                self.follow(*function, &[], &[], true, &mut cleanup);
                self.cleanups -= 1;
                out.push(Node::Ensured { body: Box::new(body), cleanup: Box::new(Node::Sequence(cleanup)) });
            } else if IN_PLACE.contains(&call.name) || blocks && last {
                let mut body = Vec::new();
                // A coroutine's cleanup is cancelled with it, unless it says otherwise.
                let cancellable = self.cleanups > 0 && call.name == "withContext" && self.is_suspended(call);
                self.suspended += usize::from(cancellable);
                // `using(sessionOf(pool)) { session -> … }`
                let given: Vec<Val> = match asked.vals {
                    [handle @ Val::Handle(_), Val::Function(_)] => vec![handle.clone()],
                    _ => Vec::new(),
                };
                result = self.follow(*function, &given, &[], true, &mut body);
                self.suspended -= usize::from(cancellable);
                if let ([Val::Handle(handle)], "using" | "use") = (given.as_slice(), call.name) {
                    let mut cleanup = Vec::new();
                    self.at_end(handle, handle.kind.at_end, Span::new(span.end, span.end), &mut cleanup);
                    let body = Box::new(Node::Sequence(std::mem::take(&mut body)));
                    out.push(Node::Ensured { body, cleanup: Box::new(Node::Sequence(cleanup)) });
                }
                let many = matches!(
                    call.name,
                    "map" | "forEach" | "each" | "for_each" | "filter" | "times" | "loop" | "find_each"
                );
                if many {
                    out.push(Node::Loop { label: None, body: Box::new(Node::Sequence(body)), endless: false });
                } else {
                    out.extend(body);
                }
            } else {
                self.give_away(val);
            }
        }
        result
    }

    /// `promise.catch((err) => …)`: the function runs where something that the promise waited for has failed. Its steps are
    /// those since `mark`.
    pub(super) fn caught(&mut self, call: &Call<'s>, vals: &[Val], mark: usize, out: &mut Vec<Node>) -> bool {
        let ([Val::Function(function)], "catch", true) = (vals, call.name, SCRIPT.contains(&self.program.language))
        else {
            return false;
        };
        let body = Box::new(Node::Sequence(out.split_off(mark)));
        let mut handler = Vec::new();
        self.follow(*function, &[], &[], true, &mut handler);
        out.push(Node::Try { body, handlers: vec![Node::Sequence(handler)], catches: Catches::All });
        true
    }

    /// Ecto: `Multi.run(:name, fn repo, changes -> … end)` of a function that runs its Multi.
    fn is_multi(&self, call: &Call<'s>) -> bool {
        let root = self.frames.first().and_then(|frame| self.program.code.functions.get(frame.function));
        let text = root.map_or("", |function| self.slice(function.span));
        self.program.language == HostLanguage::Elixir
            && call.name == "run"
            && self.names.qualified(call.callee).is_some_and(|name| name.ends_with("Multi.run"))
            && [".transaction(", ".transact("].iter().any(|runs| text.contains(runs))
    }

    /// The steps of a Multi run in one transaction, one after the other.
    fn in_multi(&mut self, function: FunctionId, call: &Call<'s>, out: &mut Vec<Node>) {
        let origin = Origin::Text("repo".to_owned());
        let handle = Handle { driver: &UNNAMED, origin, evidence: Evidence::Shape, ..self.unknown("") };
        let session = self.session(&handle);
        self.sessions.all[session].begins = Begins::Never;
        if !self.builder.begins(session) {
            let at = Span::new(call.from_name.start, call.from_name.start + call.name.len());
            self.push(session, Action::Begin { one_snapshot: false }, at, out);
        }
        self.follow(function, &[Val::Handle(handle)], &[], true, out);
    }

    /// An index that a migration builds without blocking writes: `add_index …, algorithm: :concurrently`.
    pub(super) fn builds_index(&mut self, call: &Call<'s>, span: Span, out: &mut Vec<Node>) -> bool {
        let option = match (self.program.language, call.name) {
            (HostLanguage::Ruby, "add_index" | "remove_index" | "add_reference") => "algorithm: :concurrently",
            (HostLanguage::Elixir, "index" | "unique_index") => "concurrently: true",
            _ => return false,
        };
        let builds = self.slice(span).contains(option);
        if builds {
            let handle = self.unknown("");
            let session = self.session(&handle);
            self.push(session, Action::ConcurrentIndex, span, out);
        }
        builds
    }

    /// Whether a Kotlin call runs its block as part of the coroutine around it.
    fn is_suspended(&self, call: &Call<'s>) -> bool {
        let code = self.program.code;
        let context = call.arguments.first().map_or("", |argument| self.slice(code.exprs[argument.value].span));
        self.frames.iter().any(|frame| code.functions[frame.function].is_async) && !context.contains("NonCancellable")
    }

    /// A block that is lent a value for as long as it runs: `connection.use { … }`, `statement.let { … }`.
    pub(super) fn lent(
        &mut self,
        val: &Val,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Option<Val> {
        if !LENDS.contains(&call.name) {
            return None;
        }
        let Some(Val::Function(function)) = asked.vals.last() else { return None };
        let mut body = Vec::new();
        let result = self.follow(*function, std::slice::from_ref(val), &[], true, &mut body);
        let mut cleanup = Vec::new();
        if let (Val::Handle(handle), "use") = (val, call.name) {
            self.at_end(handle, handle.kind.at_end, Span::new(asked.span.end, asked.span.end), &mut cleanup);
        }
        if cleanup.is_empty() {
            out.extend(body);
        } else {
            out.push(Node::Ensured {
                body: Box::new(Node::Sequence(body)),
                cleanup: Box::new(Node::Sequence(cleanup)),
            });
        }
        Some(if call.name == "also" || call.name == "tap" { val.clone() } else { result })
    }

    /// A function that something unknown runs in a transaction: on the handle that it gets, or, where it gets none, on
    /// whatever it works.
    fn in_transaction(&mut self, function: FunctionId, call: &Call<'s>, span: Span, out: &mut Vec<Node>) {
        let code = self.program.code;
        let mut body = Vec::new();
        if code.functions[function].parameters.is_empty() {
            let before = std::mem::replace(&mut self.transactional, true);
            self.follow(function, &[], &[], true, &mut body);
            self.transactional = before;
            out.extend(body);
            return;
        }
        let at = Span::new(call.from_name.start, call.from_name.start + call.name.len());
        let unknown = self.unknown("");
        let handle = match self.library_transaction(call) {
            Some((driver, kind)) => Handle { driver, kind, ..unknown },
            None => Handle { driver: &UNNAMED, ..unknown },
        };
        let handle = Handle { origin: Origin::At(span), evidence: Evidence::Shape, ..handle };
        let session = self.session(&handle);
        self.sessions.all[session].begins = Begins::Never;
        let receiver = self.receiver_text(call.expr);
        let outer = self.unknown(&receiver);
        self.lend(&outer, &handle);
        self.begun_on.push(receiver);
        let one_snapshot = self.asks_one_snapshot(&call.arguments);
        self.push(session, Action::Begin { one_snapshot }, at, out);
        self.follow(function, &[Val::Handle(handle)], &[], true, &mut body);
        self.begun_on.pop();
        let mut cleanup = Vec::new();
        self.push(session, Action::End { chain: false, commits: true }, Span::new(span.end, span.end), &mut cleanup);
        out.push(Node::Ensured { body: Box::new(Node::Sequence(body)), cleanup: Box::new(Node::Sequence(cleanup)) });
    }

    /// The library whose function a call means that begins a transaction on whatever it is given: `pgx.BeginFunc(ctx, db, …)`.
    fn library_transaction(&self, call: &Call<'s>) -> Option<(&'static Driver, &'static Kind)> {
        let name = self.names.qualified(call.callee)?;
        self.names.drivers.iter().find_map(|driver| {
            let gives = driver.takes.iter().find_map(|(names, does)| match does {
                Does::Within { gives, transaction: true, .. } if names.contains(&name.as_str()) => Some(*gives),
                _ => None,
            });
            Some((*driver, driver.kind(gives?)?))
        })
    }

    /// Whether a function does no more than take or release the lock that its caller names.
    pub(super) fn is_wrapper(&self, function: FunctionId, call: &Call<'s>) -> bool {
        let span = self.program.code.functions[function].span;
        let mut inside = self.program.queries.iter().filter(|(at, _)| span.contains(**at));
        let (Some((_, statements)), None) = (inside.next(), inside.next()) else { return false };
        let [statement] = statements.as_slice() else { return false };
        let [lock] = statement.locks.as_slice() else { return false };
        let named = lock.args.iter().any(|arg| arg.any(&mut |part| matches!(part, Sql::Parameter(_))));
        let given = call.arguments.iter().any(|argument| {
            !matches!(self.key_value(argument.value, 0), Sql::Parameter(text) if text == "?")
                && self.names.handle(argument.value, self.function(), 0).is_none()
        });
        named && given
    }

    /// Whether nothing else in the file calls what a call means: there are no callers to tell apart.
    pub(super) fn is_only_call(&self, call: &Call<'s>) -> bool {
        self.program.code.calls.iter().filter(|other| other.name == call.name).nth(1).is_none()
    }

    /// A function of this file that a handle's method call means.
    pub(super) fn extension(
        &mut self,
        function: FunctionId,
        handle: &Handle,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Option<Val> {
        if !matches!(self.program.language, HostLanguage::Kotlin | HostLanguage::Scala | HostLanguage::Rust) {
            return None;
        }
        if asked.text.is_some() {
            return Some(self.run_text(handle, asked, out));
        }
        self.receiver = Some(handle.clone());
        Some(self.follow(function, asked.vals, &call.arguments, false, out))
    }

    /// Follows a function into its body; its value is what it returns.
    pub(super) fn follow(
        &mut self,
        function: FunctionId,
        vals: &[Val],
        arguments: &[Argument<'s>],
        closure: bool,
        out: &mut Vec<Node>,
    ) -> Val {
        let code = self.program.code;
        let receiver = self.receiver.take();
        let Some(called) = code.functions.get(function) else { return Val::Nothing };
        let deep = self.frames.len() > MAX_INLINED + 4 || self.frames.iter().any(|frame| frame.function == function);
        let matters = closure
            || self.handing.is_some()
            || receiver.is_some()
            || self.reached.get(function).is_some_and(|reached| *reached)
            || self.program.queries.keys().any(|at| called.span.contains(*at))
            || vals.iter().any(|val| matches!(val, Val::Handle(_) | Val::Query(_) | Val::Function(_) | Val::Lock(_)));
        if deep || !matters || self.builder.len() >= MAX_STEPS {
            for val in vals {
                self.give_away(val);
            }
            self.may_throw(called.at, out);
            return Val::Nothing;
        }
        let keys: Vec<(String, Sql)> = called
            .parameters
            .iter()
            .zip(arguments)
            .map(|(parameter, argument)| (names::bare(parameter.name).to_owned(), self.key_value(argument.value, 0)))
            .collect();
        self.inlined.insert(function);
        if !self.instead.is_empty() {
            self.pinned.insert(function);
        }
        // A closure sees the variables of the function in which it stands, whoever calls it.
        let around = || self.frames.iter().rposition(|frame| Some(frame.function) == called.outer);
        let outer = if closure { around().or_else(|| self.frames.len().checked_sub(1)) } else { None };
        let label = self.enter(function, outer);
        self.frame().rest = self.handing.take();
        // What an extension does inside is done to its receiver.
        if let Some(receiver) = receiver {
            self.frame().vars.insert(THIS.to_owned(), Val::Handle(receiver));
        }
        if self.program.language == HostLanguage::Ruby
            && let Some(block @ Val::Function(_)) = vals.last()
        {
            self.frame().vars.insert("yield".to_owned(), block.clone());
        }
        // Kotlin's and Groovy's blocks without parameters call what they get `it`.
        if called.parameters.is_empty()
            && let [val] = vals
        {
            self.frame().vars.insert("it".to_owned(), val.clone());
        }
        for (index, (parameter, val)) in called.parameters.iter().zip(vals).enumerate() {
            let pool = self.pool_given(parameter.ty, val, arguments.get(index));
            let val = pool.as_ref().unwrap_or(val);
            match (parameter.parts.as_slice(), val) {
                ([], val) => {
                    self.frame().vars.insert(names::bare(parameter.name).to_owned(), val.clone());
                }
                (parts, val) => {
                    for part in parts {
                        self.frame().vars.insert((*part).to_owned(), val.clone());
                    }
                }
            }
        }
        self.frame().keys.extend(keys);
        let mut body = Vec::new();
        let first = self.builder.len();
        self.stmt(called.body, &mut body);
        self.wrap_pending(0, &mut body);
        let frame = self.frames.pop().unwrap_or_default();
        // A context manager that does not yield in sight runs nothing.
        self.handing = frame.rest;
        let result = self.given_back(frame.returns, &frame.refused, first);
        let result = self.outcome_of(result, &frame.failures);
        if !closure {
            self.sessions.forget(called.span, &result);
        }
        let mut body = Node::Sequence(body);
        // Who calls a function that unlocks holds the lock: that it may find none is not so there.
        if !closure && self.only_releases(&body) {
            without_guards(&mut body);
        }
        out.push(Node::Block { label, body: Box::new(body) });
        result
    }

    /// A pool of which no more is known than the type of the parameter that gets it, and how the caller writes it.
    fn pool_given(&self, ty: Option<&str>, val: &Val, argument: Option<&Argument<'s>>) -> Option<Val> {
        let (driver, kind) = self.names.of_type(ty.filter(|_| matches!(val, Val::Nothing))?)?;
        let written = self.slice(self.program.code.exprs.get(argument?.value)?.span);
        let origin = Origin::Text(written.to_owned());
        let handle = Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None };
        (kind.owner == Owner::PerCall).then_some(Val::Handle(handle))
    }

    /// Whether some step of a part of the tree unlocks, and none takes a lock.
    fn only_releases(&self, node: &Node) -> bool {
        let takes = |site| self.builder.function(site).is_none_or(Function::acquires);
        let mut sites = node.steps().filter_map(|step| self.builder.site(step)).peekable();
        sites.peek().is_some() && !sites.any(takes)
    }

    /// A call that may throw, where that matters.
    pub(super) fn may_throw(&mut self, span: Span, out: &mut Vec<Node>) {
        // What a cleanup computes before its unlock is not taken for a way out.
        if self.program.code.throws && !self.builder.is_empty() && self.cleanups == 0 {
            let node = self.builder.step(None, Action::Call, span);
            out.push(node);
        }
    }

    /// Whether a call writes to a log, which is no way out for anybody.
    pub(super) fn is_told(&self, call: &Call<'s>) -> bool {
        const LOGS: &[&str] = &["console", "log", "logger", "logging"];
        let code = self.program.code;
        let Some(Value::Member { of, .. }) = code.exprs.get(call.callee).map(|expr| &expr.value) else {
            return matches!(call.name, "error_log" | "print" | "println" | "printf" | "puts");
        };
        let name = self.last_name(*of).trim_matches(['_', '$']).to_ascii_lowercase();
        LOGS.iter().any(|known| name.ends_with(known)) || matches!(call.name, "println" | "printf")
    }
}

/// Leaves out the ways by which a function goes at once, by a condition that says nothing of locks.
fn without_guards(node: &mut Node) {
    let Node::Sequence(nodes) = node else { return };
    let leaves = |node: &Node| match node {
        Node::Sequence(nodes) => matches!(nodes.as_slice(), [Node::Exit(..)]),
        Node::Exit(..) => true,
        _ => false,
    };
    let is_empty = |node: &Node| matches!(node, Node::Sequence(nodes) if nodes.is_empty());
    nodes.retain(|node| match node {
        Node::Branch { guard: None, then, otherwise } => !(leaves(then) && is_empty(otherwise)),
        _ => true,
    });
    nodes.iter_mut().for_each(without_guards);
}
