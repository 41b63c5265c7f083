//! Calls of host code: what they do to sessions, and which functions are followed.

use super::library::{PASSES, borrows};
use super::sql::is_runner;
use super::value::{Handle, Origin, Val};
use super::{MAX_STEPS, Run, THIS, names};
use crate::driver::Does;
use crate::finding::Place;
use crate::flow::{Action, Evidence, Inside, Node, Owner};
use crate::host::code::{Argument, Call, CallId, ExprId, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;

/// What models of frameworks write with.
const WRITES: &[&str] = &[
    "save",
    "update",
    "create",
    "delete",
    "destroy",
    "insert",
    "update_all",
    "delete_all",
    "insert_all",
    "upsert",
    "bulk_create",
    "increment",
    "decrement",
    "firstOrCreate",
    "updateOrCreate",
    "forceDelete",
    "saveMany",
    "touch",
    "find_each",
    "maximum",
    "update_attribute",
    "update_attributes",
    "update_column",
    "update_columns",
];

/// Query builders whose handle may be imported from another file, and the methods by which statements begin in them.
const BUILDERS: &[&str] = &["Drizzle", "Kysely", "Knex"];
const STATEMENTS: &[&str] = &[
    "select",
    "selectDistinct",
    "insert",
    "update",
    "delete",
    "execute",
    "selectFrom",
    "insertInto",
    "updateTable",
    "deleteFrom",
    "raw",
];

/// What makes SQL of a text and runs nothing: `sql.raw(…)`.
const MAKERS: &[&str] = &["Prisma", "SQL", "Sql", "sql"];

/// What a model of Rails has of its base.
const MODEL: &[&str] = &["transaction", "connection", "connection_pool", "lease_connection", "with_connection"];

/// What is asked of a handle: the call's parts.
#[derive(Clone, Copy)]
pub(super) struct Asked<'c, 's> {
    pub(super) span: Span,
    /// The method's name.
    pub(super) name: &'s str,
    pub(super) arguments: &'c [Argument<'s>],
    pub(super) vals: &'c [Val],
    /// The argument that holds the SQL.
    pub(super) text: Option<ExprId>,
    /// Where the method's name begins.
    pub(super) from_name: usize,
}

impl<'s> Asked<'_, 's> {
    /// A call whose arguments are these.
    pub(super) fn of<'c>(call: &'c Call<'s>, span: Span, vals: &'c [Val]) -> Asked<'c, 's> {
        let text = call.arguments.iter().zip(vals).find(|(_, val)| val.query().is_some_and(|query| query.on.is_none()));
        Asked {
            span,
            name: call.name,
            arguments: &call.arguments,
            vals,
            text: text.map(|(argument, _)| argument.value),
            from_name: call.from_name.start,
        }
    }

    /// A property.
    pub(super) const fn property(span: Span) -> Self {
        Self { span, name: "", arguments: &[], vals: &[], text: None, from_name: span.end }
    }
}

impl<'s> Run<'_, 's, '_> {
    /// Runs a call.
    pub(super) fn call(&mut self, id: CallId, out: &mut Vec<Node>) -> Val {
        let code = self.program.code;
        let call = &code.calls[id];
        let span = code.exprs[call.expr].span;
        if self.builder.len() >= MAX_STEPS {
            return Val::Nothing;
        }
        if let Some(val) = self.lock_expression(call, out) {
            return val;
        }
        if self.program.language == HostLanguage::Scala
            && let Some(val) = self.transact(call, span, out)
        {
            return val;
        }
        if let Some(val) = self.offered(call, span, out) {
            return val;
        }
        if matches!(code.exprs.get(call.callee).map(|expr| &expr.value), Some(Value::Name("yield"))) {
            return self.yields(call, out);
        }
        let mark = out.len();
        let receiver = match code.exprs.get(call.callee).map(|expr| &expr.value) {
            Some(Value::Member { of, .. }) => {
                if self.names.is_this(self.function(), *of) {
                    match self.migration(call).map_or_else(|| self.block_receiver(call.name), Val::Handle) {
                        Val::Nothing => self.names.promoted(*of, call, self.function()).map_or(Val::This, Val::Handle),
                        val => val,
                    }
                } else {
                    match self.names.qualified(*of).and_then(|name| self.names.global(&name)) {
                        // A variable has its name by itself.
                        Some(_) if self.variable(*of).is_some() => self.eval(*of, out),
                        Some(handle) if matches!(self.eval(*of, &mut Vec::new()), Val::Nothing | Val::Handle(_)) => {
                            Val::Handle(handle)
                        }
                        _ => self.eval(*of, out),
                    }
                }
            }
            Some(Value::Call(_) | Value::Function(_)) => self.eval(call.callee, out),
            Some(Value::Name(name)) => match self.lookup(name) {
                // `sql\`…\``, `trx('table')`: the handle itself is called.
                Val::Handle(handle) => return self.handle_called(&handle, call, span, out),
                Val::Function(function) => return self.closure_called(function, call, out),
                // A function of a library's module; or one of what a block works on.
                _ => {
                    let module = self.names.qualified(call.callee);
                    let module = module.as_deref().and_then(|name| name.rsplit_once('.')).map(|(module, _)| module);
                    match module.and_then(|module| self.names.global(module)) {
                        Some(handle) if handle.kind.method(call.name).is_some() => Val::Handle(handle),
                        _ => match self.migration(call) {
                            Some(handle) => Val::Handle(handle),
                            None => self.block_receiver(call.name),
                        },
                    }
                }
            },
            _ => Val::Nothing,
        };
        let receiver = if matches!(receiver, Val::Nothing) { self.model(call).unwrap_or(receiver) } else { receiver };
        if let Val::Handle(handle) = &receiver
            && let Some(does @ Does::Within { .. }) = handle.kind.method(call.name)
        {
            return self.within(handle, call, span, does, out);
        }
        let vals: Vec<Val> = call.arguments.iter().map(|argument| self.eval(argument.value, out)).collect();
        if let (Val::Nothing, Some(Val::Answer(answer)), HostLanguage::Php) =
            (&receiver, vals.first(), self.program.language)
            && call.name.starts_with("pg_")
        {
            return self.part_named(*answer, call.name, true).map_or(Val::Nothing, Val::Answer);
        }
        if self.is_counted(call, &vals) {
            return Val::Nothing;
        }
        if let Some(cast) = self.cast(call, &vals) {
            return cast;
        }
        vals.iter().for_each(|val| self.read_val(val));
        let asked = Asked::of(call, span, &vals);
        if matches!(receiver, Val::Answer(_) | Val::Nothing | Val::This) && self.caught(call, &vals, mark, out) {
            return receiver;
        }
        if let Some(val) = self.there_where(&receiver, call, &asked, out) {
            return val;
        }
        match receiver {
            Val::Handle(handle) => self.method(&handle, call, &asked, out),
            Val::Query(query) => self.of_query(query, call, &asked, span, out),
            Val::Answer(answer) => self.of_answer(answer, call, &asked, out),
            Val::Lock(lock) => {
                let handle = vals.iter().find_map(|val| val.handle().cloned());
                handle.map_or(Val::Lock(lock.clone()), |handle| self.run_lock(&handle, &lock, span, out))
            }
            Val::Function(function) => self.closure_called(function, call, out),
            Val::Failure(step) if self.program.language == HostLanguage::Rust && PASSES.contains(&call.name) => {
                Val::Failure(step)
            }
            receiver => self.other(&receiver, call, &asked, (mark, span), out),
        }
    }

    /// Rails: every model has the connection and the transactions of its base.
    fn model(&self, call: &Call<'s>) -> Option<Val> {
        let code = self.program.code;
        if self.program.language == HostLanguage::Ruby
            && MODEL.contains(&call.name)
            && matches!(code.exprs.get(call.callee).map(|expr| &expr.value), Some(Value::Name(_)))
            && self.names.class_of(self.function()).is_some_and(|class| !class.bases.is_empty())
        {
            return self.names.global("ActiveRecord.Base").map(Val::Handle);
        }
        let Some(Value::Member { of, .. }) = code.exprs.get(call.callee).map(|expr| &expr.value) else { return None };
        let Some(Value::Name(name)) = code.exprs.get(*of).map(|expr| &expr.value) else { return None };
        let is_model = self.program.language == HostLanguage::Ruby
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && MODEL.contains(&call.name);
        if !is_model {
            return None;
        }
        self.names.global("ActiveRecord.Base").map(Val::Handle)
    }

    /// What a block without parameters works on: Kotlin's `transaction { exec("…") }`.
    fn block_receiver(&self, method: &str) -> Val {
        let handle = self.frames.iter().rev().find_map(|frame| frame.vars.get(THIS)?.handle());
        handle
            .filter(|handle| handle.kind.method(method).is_some())
            .map_or(Val::Nothing, |handle| Val::Handle(handle.clone()))
    }

    /// A handle that is called like a function, or tags a template.
    fn handle_called(&mut self, handle: &Handle, call: &Call<'s>, span: Span, out: &mut Vec<Node>) -> Val {
        let does = handle.kind.method("()");
        // Knex: `knex('wallet').where(…).transacting(trx)` runs on the transaction.
        let rest = self.after(span).split(';').next().unwrap_or_default();
        if rest.trim_start().starts_with('.') && rest.contains(".transacting(") {
            return Val::Nothing;
        }
        if let Some(does @ Does::Within { .. }) = does {
            return self.within(handle, call, span, does, out);
        }
        let vals: Vec<Val> = call.arguments.iter().map(|argument| self.eval(argument.value, out)).collect();
        let asked = Asked::of(call, span, &vals);
        let runs = asked.text.is_some() || vals.iter().any(|val| matches!(val, Val::Lock(_)));
        let does = does.unwrap_or(if runs { Does::Run } else { handle.kind.otherwise });
        self.does(handle, does, &asked, out)
    }

    fn closure_called(&mut self, function: FunctionId, call: &Call<'s>, out: &mut Vec<Node>) -> Val {
        let vals: Vec<Val> = call.arguments.iter().map(|argument| self.eval(argument.value, out)).collect();
        self.follow(function, &vals, &call.arguments, true, out)
    }

    /// A method of a handle.
    fn method(&mut self, handle: &Handle, call: &Call<'s>, asked: &Asked<'_, 's>, out: &mut Vec<Node>) -> Val {
        let known = handle.kind.method(call.name);
        if known.is_none() && self.program.language == HostLanguage::Rust && PASSES.contains(&call.name) {
            return Val::Handle(handle.clone());
        }
        // `pool.putconn(conn)`
        if known.is_none()
            && let Some(val) = self.taken(call, None, asked, out)
        {
            return val;
        }
        if known.is_none()
            && let Some(val) = self.lent(&Val::Handle(handle.clone()), call, asked, out)
        {
            return val;
        }
        // A function of this file by that name on a type of the library: Kotlin's and C#'s extensions, Go's embedding.
        if known.is_none()
            && let Some(function) = self.names.function(self.function(), call.name, call.arguments.len())
            && let Some(val) = self.extension(function, handle, call, asked, out)
        {
            return val;
        }
        let runs = asked.text.is_some() || asked.vals.iter().any(|val| matches!(val, Val::Lock(_)));
        if known.is_none() && !runs {
            self.hand_over(handle, "");
        }
        let does = match known {
            Some(does) if !runs || !matches!(does, Does::Works | Does::Nothing | Does::Writes) => does,
            _ if runs => Does::Run,
            Some(does) => does,
            None => handle.kind.otherwise,
        };
        // `sequelize.query("…", { transaction })` runs on the transaction.
        let given = asked.vals.iter().find_map(|val| match val {
            Val::Tuple(vals) => vals.iter().find_map(Val::handle),
            val => val.handle(),
        });
        let on = given.filter(|given| {
            handle.kind.owner == Owner::PerCall
                && given.kind.owner != Owner::PerCall
                && given.driver.name == handle.driver.name
        });
        self.does(on.unwrap_or(handle), does, asked, out)
    }

    /// A call of nothing that is known.
    fn other(
        &mut self,
        receiver: &Val,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        (mark, span): (usize, Span),
        out: &mut Vec<Node>,
    ) -> Val {
        let code = self.program.code;
        let name = self.names.qualified(call.callee);
        // A framework's handle by a method without arguments.
        if call.arguments.is_empty()
            && let Some(handle) = name.as_ref().and_then(|name| self.names.global(name))
        {
            return Val::Handle(handle);
        }
        // A maker of a library.
        let made = self.names.maker(call, self.function());
        if let Some((driver, kind)) = made.or_else(|| self.names.of_container(call)) {
            let kind = self.names.variant((driver, kind), call, self.function());
            let origin = names::origin_of(driver, kind, span);
            let made = Some((call.expr, self.function()));
            let handle = Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made };
            return Val::Handle(match asked.vals.iter().find_map(|val| val.handle().cloned()) {
                Some(pool) if borrows(&pool, kind) => {
                    self.lend(&pool, &handle);
                    handle
                }
                // A transaction object around SQL text or a handle works on that.
                Some(given) => Handle { origin: given.origin, root: given.root, ..handle },
                None => handle,
            });
        }
        if let Some(val) = self.taken(call, name.as_deref(), asked, out).or_else(|| self.passed_on(call, asked.vals)) {
            return val;
        }
        // A function of the file.
        if !call.constructs
            && (matches!(receiver, Val::This | Val::Nothing))
            && let Some(function) = self.names.function(self.function(), call.name, call.arguments.len())
            && self.is_mine(receiver, call)
        {
            let first = self.builder.sites();
            let val = self.follow(function, asked.vals, &call.arguments, false, out);
            if self.runner.is_none() && self.is_wrapper(function, call) && !self.is_only_call(call) {
                let inside = Inside {
                    session: !asked.vals.iter().any(|val| matches!(val, Val::Handle(_))),
                    answer: !matches!(&val, Val::Answer(answer) if answer.site.is_some()),
                    ..Inside::default()
                };
                self.builder.called_at(first, Place::new(self.program.file, call.from_name), span, inside);
            }
            self.note_ran(call.from_name, span, first);
            return val;
        }
        if let Some(val) = self.lends_elsewhere(call, asked, out).or_else(|| self.wrapped(call, asked, out)) {
            return val;
        }
        // Something unknown gets a handle and SQL: it runs the one on the other.
        let handle = asked.vals.iter().find_map(|val| val.handle().cloned());
        let query = asked.vals.iter().find_map(|val| val.query().cloned());
        let lock = asked.vals.iter().find_map(|val| if let Val::Lock(lock) = val { Some(lock.clone()) } else { None });
        match (handle, query, lock) {
            (Some(handle), Some(_), _) => return self.run_text(&handle, asked, out),
            (Some(handle), None, Some(lock)) => return self.run_lock(&handle, &lock, span, out),
            (None, Some(mut query), _) => {
                query.bound.extend(self.bound(asked.arguments, asked.text));
                let receiver = match code.exprs.get(call.callee).map(|expr| &expr.value) {
                    // Rust's `module::function` makes a query.
                    Some(Value::Member { of, at, .. }) => {
                        let between = Span::new(code.exprs[*of].span.end, at.start);
                        !(self.program.language == HostLanguage::Rust && self.slice(between).contains("::"))
                    }
                    _ => false,
                };
                // `conn.execute("…")` on something unknown runs it; `text("…")` is still SQL.
                let text = self.receiver_text(call.expr);
                if receiver && is_runner(call.name) && query.on.is_none() && !MAKERS.contains(&text.as_str()) {
                    let handle = self.unknown(&text);
                    let cancelled = self.is_cancellable(asked);
                    return self.run_noting(&handle, &query, (span, call.name), cancelled, out);
                }
                return Val::Query(query);
            }
            (None, None, Some(lock)) => return Val::Lock(lock),
            _ => {}
        }
        if self.model_locks(call, span, out) || self.builds_index(call, span, out) {
            return Val::Nothing;
        }
        for handle in asked.vals.iter().filter_map(|val| val.handle().cloned()).collect::<Vec<_>>() {
            self.hand_over(&handle, call.name);
        }
        self.outside(call, asked, span, out);
        let result = self.closures(call, asked, (mark, span), out);
        if call.constructs || matches!(call.name, "append" | "push" | "add" | "store" | "put" | "set") {
            for val in asked.vals {
                self.give_away(val);
            }
        }
        if WRITES.contains(&call.name.trim_end_matches('!'))
            && let Some(session) = self.of_models()
        {
            self.push(session, Action::Work { reads: Vec::new(), writes: self.written_by(call) }, span, out);
            return result;
        }
        // Of a function that runs here the parts may throw.
        if !asked.vals.iter().any(|val| matches!(val, Val::Function(_))) && !self.is_told(call) && !call.constructs {
            self.may_throw(span, out);
        }
        result
    }

    /// Work on what a transaction around was begun on, and not in it.
    fn outside(&mut self, call: &Call<'s>, asked: &Asked<'_, 's>, span: Span, out: &mut Vec<Node>) {
        if self.begun_on.is_empty() || !STATEMENTS.contains(&call.name) || !self.names.uses(BUILDERS) {
            return;
        }
        let receiver = self.receiver_text(call.expr);
        let given = asked.vals.iter().any(|val| val.handle().is_some());
        if !given && self.begun_on.contains(&receiver) {
            let handle = self.unknown(&receiver);
            let session = self.session(&handle);
            self.push(session, Action::Work { reads: Vec::new(), writes: Vec::new() }, span, out);
        }
    }

    /// A call that a library's handle is an argument of.
    pub(super) fn taken(
        &mut self,
        call: &Call<'s>,
        qualified: Option<&str>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Option<Val> {
        let handle = asked
            .vals
            .iter()
            .find_map(|val| match val {
                Val::Handle(handle) => Some(handle.clone()),
                Val::Tuple(vals) => vals.iter().find_map(|val| val.handle().cloned()),
                _ => None,
            })
            .or_else(|| self.process(call, qualified?))?;
        let does = handle.driver.takes.iter().find(|(names, _)| {
            names.iter().any(|known| {
                *known == call.name
                    || qualified.is_some_and(|name| name == *known || name.ends_with(&format!(".{known}")))
            })
        });
        match does.map(|(_, does)| *does)? {
            does @ Does::Within { .. } => Some(self.within(&handle, call, asked.span, does, out)),
            does => Some(self.does(&handle, does, asked, out)),
        }
    }

    /// Elixir: what is called by the name of a process, or by a value that stands for one: `Postgrex.query!(MyApp.Pool, …)`.
    fn process(&self, call: &Call<'s>, qualified: &str) -> Option<Handle> {
        let code = self.program.code;
        if self.program.language != HostLanguage::Elixir || !qualified.starts_with("Postgrex.") {
            return None;
        }
        let name = self.slice(code.exprs.get(call.arguments.first()?.value)?.span);
        let driver = self.names.drivers.iter().find(|driver| driver.name == "Postgrex")?;
        let named = name == "__MODULE__" || name.starts_with(char::is_uppercase) || name.starts_with([':', '@']);
        let sized = named && self.program.text.contains("pool_size:") && !self.program.text.contains("pool_size: 1\n");
        // What a server keeps in its state is no transaction of a caller.
        let kind = driver.kind(match (sized, self.is_entry || named) {
            (true, _) => "Pooled",
            (_, true) => "Pool",
            _ => "Conn",
        })?;
        let origin = Origin::Text(name.to_owned());
        Some(Handle { driver, kind, root: kind, origin, evidence: Evidence::Shape, made: None })
    }

    /// Whether a call means a function of this file, and no method of something else.
    pub(super) fn is_mine(&self, receiver: &Val, call: &Call<'s>) -> bool {
        let code = self.program.code;
        match code.exprs.get(call.callee).map(|expr| &expr.value) {
            Some(Value::Name(_)) => true,
            Some(Value::Member { of, .. }) => {
                matches!(receiver, Val::This)
                    || match code.exprs.get(*of).map(|expr| &expr.value) {
                        // `Class.method()`, Elixir's `__MODULE__`.
                        Some(Value::Name(name)) => {
                            code.classes.iter().any(|class| class.name == *name)
                                || *name == "__MODULE__"
                                || *name == "Self"
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}
