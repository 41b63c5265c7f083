//! SQL that a call runs, on the session of a handle.

use super::answer::{Part, always_one_row, given};
use super::call::Asked;
use super::value::{Answer, Handle, LockExpr, Query, Val};
use super::{MAX_STEPS, Run, names};
use crate::flow::lower::is_concurrent_index;
use crate::flow::{Action, Answer as Says, Evidence, Node, StepId};
use crate::host::code::{Argument, Call, ExprId, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;
use crate::sql::advisory::{self, Action as Lock};
use crate::sql::clause::Verb;
use crate::sql::key;
use crate::sql::value::Value as Sql;
use crate::statement::{LockCall, Statement};
use std::collections::HashSet;

/// How often a context is handed on under another name.
const MAX_RENAMED: usize = 8;

/// Methods that give how many rows there were, or whether there are any, but no value: who asks them does not know whether a
/// lock was granted, unless the rows are fetched later.
fn counts(language: HostLanguage, name: &str) -> bool {
    let names: &[&str] = match language {
        HostLanguage::Go => &["Exec", "ExecContext", "MustExec"],
        HostLanguage::CSharp => &["ExecuteNonQuery", "ExecuteNonQueryAsync"],
        HostLanguage::Php => &["execute", "exec", "statement", "unprepared", "affectingStatement", "executeStatement"],
        HostLanguage::Java | HostLanguage::Kotlin => &["execute", "executeUpdate"],
        HostLanguage::Rust | HostLanguage::Scala => &["execute"],
        _ => &[],
    };
    names.contains(&name)
}

impl<'s> Run<'_, 's, '_> {
    /// Runs the SQL among the arguments of a call.
    pub(super) fn run_text(&mut self, handle: &Handle, asked: &Asked<'_, 's>, out: &mut Vec<Node>) -> Val {
        let joins = handle.kind.joins.is_some_and(|at| asked.arguments.len() > at);
        let elsewhere = joins.then(|| self.unknown(""));
        let handle = elsewhere.as_ref().unwrap_or(handle);
        let lock = asked.vals.iter().find_map(|val| if let Val::Lock(lock) = val { Some(lock.clone()) } else { None });
        if let Some(lock) = lock {
            return self.run_lock(handle, &lock, asked.span, out);
        }
        let query = asked.vals.iter().find_map(|val| val.query().cloned());
        match query {
            Some(mut query) => {
                if query.bound.is_empty() {
                    query.bound = self.bound(asked.arguments, asked.text);
                }
                let cancelled = self.is_cancellable(asked);
                // `one(sql, values, row => row.granted)`: the function makes the value.
                let mapped = asked.vals.iter().any(|val| matches!(val, Val::Function(_)));
                let name = if mapped { "" } else { asked.name };
                self.run_noting(handle, &query, (asked.span, name), cancelled, out)
            }
            None => {
                // SQL by a name: `c.query(BEGIN)`.
                for argument in asked.arguments {
                    if let Some(Value::Name(name)) = self.program.code.exprs.get(argument.value).map(|expr| &expr.value)
                    {
                        let value = self.names.local(self.function(), name).and_then(|declared| declared.value);
                        let text =
                            value.and_then(|value| self.program.code.exprs.get(value)).map(|e| self.slice(e.span));
                        self.hand_over(handle, text.unwrap_or(name));
                    }
                }
                let session = self.session(handle);
                let first = self.builder.len();
                // `execute(update(Model)…)` of a query builder.
                let writes = asked.arguments.iter().any(|argument| {
                    let text = self.slice(self.program.code.exprs[argument.value].span);
                    let text =
                        text.rsplit_once('.').filter(|(module, _)| module.len() < 8).map_or(text, |(_, rest)| rest);
                    ["update(", "insert(", "delete("].iter().any(|verb| text.starts_with(verb))
                });
                let writes = if writes { vec![String::new()] } else { Vec::new() };
                let action = match self.runs_a_list_with_builds(asked) {
                    true => Action::ConcurrentIndex,
                    false => Action::Work { reads: Vec::new(), writes },
                };
                self.push(session, action, asked.span, out);
                Val::Answer(Answer { site: None, step: self.step_from(first), granted: true, part: Part::Unknown })
            }
        }
    }

    /// Whether what a call runs comes from a list of statements that the file declares and the function names, one of which
    /// builds an index CONCURRENTLY: the steps of a migration runner.
    fn runs_a_list_with_builds(&self, asked: &Asked<'_, 's>) -> bool {
        let exprs = &self.program.code.exprs;
        let is_named = |argument: &Argument<'s>| {
            let value = exprs.get(argument.value).map(|expr| &expr.value);
            matches!(value, Some(Value::Name(_) | Value::Member { .. }))
        };
        if !asked.arguments.iter().any(is_named) {
            return false;
        }
        let builds = |statements: &[&Statement<'_>]| {
            statements.iter().any(|statement| is_concurrent_index(statement.tree.verb()))
        };
        let texts: Vec<Span> = self.program.queries.iter().filter(|(_, all)| builds(all)).map(|(at, _)| *at).collect();
        let around = self.program.code.functions.get(self.function()).map_or("", |function| self.slice(function.span));
        let words: HashSet<&str> = around.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let holds = |value: Option<ExprId>| {
            let span = value.and_then(|value| exprs.get(value)).map(|expr| expr.span);
            span.is_some_and(|span| texts.iter().any(|text| *text != span && span.contains(*text)))
        };
        let locals = self
            .names
            .locals
            .iter()
            .filter(|((function, _), _)| *function == 0)
            .map(|((_, name), known)| (name, known));
        let fields = self.names.fields.iter().map(|((_, name), known)| (name, known));
        !texts.is_empty() && locals.chain(fields).any(|(name, known)| words.contains(*name) && holds(known.value))
    }

    /// Runs SQL on a handle's session.
    pub(super) fn run(&mut self, handle: &Handle, query: &Query, span: Span, out: &mut Vec<Node>) -> Val {
        self.run_noting(handle, query, (span, ""), false, out)
    }

    pub(super) fn run_noting(
        &mut self,
        handle: &Handle,
        query: &Query,
        (span, name): (Span, &str),
        cancelled: bool,
        out: &mut Vec<Node>,
    ) -> Val {
        let session = self.session(handle);
        let cancelled = cancelled && !self.closes_cancelled(handle, name);
        let first = self.builder.len();
        let first_site = self.builder.sites();
        let Some(statements) = self.program.queries.get(&query.text).cloned() else { return Val::Nothing };
        let one_row = matches!(statements.as_slice(), [only] if always_one_row(only));
        let mut given_out = Vec::new();
        for (index, statement) in statements.into_iter().enumerate() {
            if self.builder.len() >= MAX_STEPS {
                break;
            }
            if matches!(statement.tree.verb(), Verb::Commit { .. } | Verb::Rollback { .. }) {
                self.sessions.all[session].ends.push(self.builder.len());
            }
            let mut keys = Vec::new();
            for lock in &statement.locks {
                let args = self.arguments_of(statement, lock, query);
                let key = if lock.args.is_empty() { lock.key.clone() } else { key::of_arguments(&args) };
                keys.push((lock.span, key));
                self.called.push((lock.function, args, lock.span));
            }
            let key = |lock: &LockCall| {
                let known = keys.iter().find(|(at, _)| *at == lock.span);
                known.map_or_else(|| lock.key.clone(), |(_, key)| key.clone())
            };
            given_out.extend(statement.locks.iter().filter(|lock| statement.gives_out(lock)).map(|lock| lock.span));
            let first = self.builder.len();
            let nodes = self.builder.statement(session, (statement, index > 0 && query.bound.is_empty()), &key);
            out.extend(nodes);
            if goes_on(statement) {
                (first..self.builder.len())
                    .filter_map(|step| self.builder.site(step))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|site| self.builder.shares_its_text(site));
            }
        }
        self.note_ran(span, span, first_site);
        if self.builder.len() == first {
            self.push(session, Action::Call, span, out);
        }
        let mut site = None;
        let counts = handle.evidence > Evidence::Name && counts(self.program.language, name);
        for step in first..self.builder.len() {
            let Some(at) = self.builder.site(step) else { continue };
            match self.builder.function(at).map(|function| function.action) {
                Some(Lock::TryLock) => {
                    let counted = counts && self.builder.span(at).is_some_and(|span| given_out.contains(&span));
                    if counted {
                        self.builder.answered(at, Says::Dropped);
                    }
                    // Elsewhere the rows can be fetched later.
                    let is_all = match self.program.language {
                        HostLanguage::Rust | HostLanguage::Go | HostLanguage::CSharp => true,
                        HostLanguage::Scala => handle.driver.name == "ScalikeJDBC",
                        _ => false,
                    };
                    site = Some(at).filter(|_| !(counted && is_all));
                }
                Some(Lock::Unlock) if cancelled || self.suspended > 0 => self.cancelled(session, at),
                _ => {}
            }
        }
        let known = handle.evidence > Evidence::Name && one_row && !self.names.maps_rows;
        let part = if known { given(self.program.language, handle.driver.name, name) } else { Part::Unknown };
        let answer = Answer { site, step: self.step_from(first), granted: true, part };
        if handle.evidence > Evidence::Name && !name.is_empty() {
            self.is_evident(site, handle.driver.name);
        }
        self.sessions.answers.insert(session, answer);
        self.unread(answer, session);
        Val::Answer(answer)
    }

    /// The first step since there were so many.
    pub(super) fn step_from(&self, first: usize) -> Option<StepId> {
        (self.builder.len() > first).then_some(first)
    }

    /// Runs an advisory function that a query builder calls.
    pub(super) fn run_lock(&mut self, handle: &Handle, lock: &LockExpr, span: Span, out: &mut Vec<Node>) -> Val {
        let session = self.session(handle);
        let first = self.builder.len();
        let args: Vec<Sql> = lock.arguments.iter().map(Sql::fold).collect();
        let key = key::of_arguments(&args);
        self.called.push((lock.function, args, lock.span));
        let node = self.builder.call(session, lock.function, key, lock.span, span);
        self.note_ran(span, span, self.builder.sites() - 1);
        out.push(node);
        let site = self.builder.site(first).filter(|_| lock.function.action == Lock::TryLock);
        let answer = Answer { site, step: Some(first), granted: true, part: Part::Unknown };
        self.sessions.answers.insert(session, answer);
        Val::Answer(answer)
    }

    /// `func.pg_advisory_lock(1)`, `Sequel.function(:pg_advisory_lock, 1)`, `rpc('pg_advisory_lock')`.
    pub(super) fn lock_expression(&mut self, call: &Call<'s>, out: &mut Vec<Node>) -> Option<Val> {
        let code = self.program.code;
        let (function, skip, span) = match advisory::function(call.name) {
            // A function of the tree may have that name: only as a builder's.
            Some(function) if matches!(code.exprs.get(call.callee).map(|e| &e.value), Some(Value::Member { .. })) => {
                if self.names.function(self.function(), call.name, call.arguments.len()).is_some() {
                    return None;
                }
                (function, 0, call.from_name)
            }
            _ => {
                if !matches!(call.name, "function" | "fn" | "Func" | "Function" | "func" | "get_function") {
                    return None;
                }
                let first = call.arguments.first()?;
                let text = self.slice(code.exprs.get(first.value)?.span);
                let function = advisory::function(text.trim_matches([':', '"', '\'', '`']))?;
                (function, 1, call.from_name)
            }
        };
        for argument in &call.arguments {
            self.eval(argument.value, out);
        }
        let arguments = call.arguments.iter().skip(skip).map(|argument| self.key_value(argument.value, 0)).collect();
        Some(Val::Lock(LockExpr { function, arguments, span }))
    }

    /// Whether a call that cleans up is given the context of the request that it cleans up after.
    pub(super) fn is_cancellable(&self, asked: &Asked<'_, 's>) -> bool {
        let last = self.frames.len().checked_sub(1);
        self.cleanups > 0
            && asked.arguments.iter().any(|argument| {
                match self.program.code.exprs.get(argument.value).map(|e| &e.value) {
                    Some(Value::Name(name)) => last.is_some_and(|frame| self.ends_with_request(name, frame, 0)),
                    _ => false,
                }
            })
    }

    /// Whether a name, as a frame sees it, stands for a context that ends with the request.
    fn ends_with_request(&self, name: &str, frame: usize, depth: usize) -> bool {
        const CONTEXTS: &[&str] = &["context.Context", "CancellationToken", "AbortSignal"];
        if depth > MAX_RENAMED {
            return false;
        }
        let mut at = Some(frame);
        while let Some(index) = at {
            let Some(here) = self.frames.get(index) else { return false };
            for function in self.names.chain(here.function) {
                if let Some(value) = self.names.own(function, name).and_then(|declared| declared.value) {
                    return self.derives_from(value, &|inner| {
                        inner != name && self.ends_with_request(inner, index, depth + 1)
                            || inner == name && self.is_context(function, name, CONTEXTS)
                    });
                }
                if !self.is_context(function, name, CONTEXTS) {
                    continue;
                }
                // What the caller gave, or, of the function itself, whatever its caller gives.
                return match here.keys.get(names::bare(name)) {
                    Some(Sql::Parameter(given)) if function == here.function && index > 0 => {
                        self.ends_with_request(given, index - 1, depth + 1)
                    }
                    _ => true,
                };
            }
            at = here.outer;
        }
        false
    }

    /// Whether a function or one around it has a context by that name as its parameter.
    fn is_context(&self, function: FunctionId, name: &str, types: &[&str]) -> bool {
        self.names.chain(function).any(|function| {
            self.program.code.functions[function].parameters.iter().any(|parameter| {
                names::bare(parameter.name) == names::bare(name)
                    && parameter.ty.is_some_and(|ty| types.contains(&ty.trim_end_matches('?')))
            })
        })
    }

    /// Whether a call with a context that was cancelled before leaves no lock: lib/pq has that of all calls.
    fn closes_cancelled(&self, handle: &Handle, name: &str) -> bool {
        let known = handle.driver.closes_cancelled;
        let sends = || self.program.code.imports.iter().any(|import| import.path == "github.com/lib/pq");
        known.contains(&name) || !known.is_empty() && sends()
    }

    /// `context.WithTimeout(ctx, …)` ends with `ctx`; `context.WithoutCancel(ctx)` does not.
    pub(super) fn derives_from(&self, expr: ExprId, ends: &dyn Fn(&str) -> bool) -> bool {
        let code = self.program.code;
        let Some(Value::Call(call)) = code.exprs.get(expr).map(|expr| &expr.value) else { return false };
        let call = &code.calls[*call];
        // The context of a request that is served.
        if call.name == "Context" && call.arguments.is_empty() && self.program.language == HostLanguage::Go {
            return true;
        }
        matches!(call.name, "WithTimeout" | "WithContext" | "NotifyContext" | "WithCancel" | "WithDeadline" | "WithValue")
            && call.arguments.first().is_some_and(|argument| {
                matches!(code.exprs.get(argument.value).map(|expr| &expr.value), Some(Value::Name(name)) if ends(name))
            })
    }
}

/// Whether more follows a statement in its text.
fn goes_on(statement: &Statement<'_>) -> bool {
    let end = statement.tree.tokens().last().map_or(0, |token| token.span().end);
    let rest = statement.tree.text().get(end..).unwrap_or_default();
    !rest.trim_start_matches(|c: char| c == ';' || c.is_whitespace()).is_empty()
}

/// Whether a method of something unknown runs the SQL that it is given.
pub(super) fn is_runner(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "exec", "query", "run", "fetch", "select", "get", "scalar", "one", "all", "raw", "value", "first", "single",
        "list", "update", "insert",
    ]
    .iter()
    .any(|known| name.contains(known))
}
