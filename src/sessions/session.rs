//! The sessions of one function.

use super::value::{Answer, Handle, Origin, Val};
use super::{Run, members, names};
use crate::driver::{AtEnd, Does, HANDLE, Kind, LIBRARY};
use crate::flow::lower::{HostBuilder, SessionId};
use crate::flow::{Action, Begins, Evidence, Node, Owner, Session, SiteId, Size};
use crate::host::code::{ExprId, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;
use std::collections::{HashMap, HashSet};

/// What a facade is in a transaction that something around has begun.
static AROUND: Kind = Kind { name: "around", begins: Begins::Already, otherwise: Does::Works, ..HANDLE };

/// Longer names of handles are expressions, which say nothing in a message.
const MAX_NAME: usize = 40;

/// Functions that frameworks call.
const ENTRIES: &[&str] =
    &["handle", "__invoke", "perform", "main", "handle_call", "handle_cast", "handle_info", "handle_event"];

/// Decorators of what a worker calls: Celery's, dramatiq's, huey's.
const TASKS: &[&str] = &["shared_task", "task", "periodic_task", "actor", "db_task", "db_periodic_task"];

/// The sessions, and how they hang together.
#[derive(Default)]
pub(super) struct Sessions {
    pub(super) all: Vec<Session>,
    by_origin: HashMap<Origin, SessionId>,
    /// The pool that a session was borrowed from.
    pool: Vec<Option<Origin>>,
    origins: Vec<Origin>,
    /// What was answered last.
    pub(super) answers: HashMap<SessionId, Answer>,
    /// Pools of one connection.
    single: HashSet<Origin>,
}

impl Sessions {
    /// Whether the steps of `other` go through the pool that `mine` was borrowed from.
    pub(super) fn outside(&self, mine: SessionId, other: SessionId) -> bool {
        self.pool[mine].is_some() && self.pool[mine].as_ref() == self.origins.get(other)
    }

    /// Code commits or rolls back by hand: where nothing began a transaction, the statements begin them by themselves.
    pub(super) fn ended(&mut self, id: SessionId, builder: &HostBuilder) {
        let session = &mut self.all[id];
        session.ends.push(builder.len());
        if matches!(session.begins, Begins::Unknown | Begins::NeverByDefault) && !builder.begins(id) {
            session.begins = Begins::ByItself;
        }
    }

    /// The session of a framework that keeps one for the thread or request.
    pub(super) fn ambient(&self) -> Option<SessionId> {
        self.all.iter().position(|session| session.owner == Owner::Ambient)
    }

    /// The session of that origin.
    pub(super) fn of(&self, origin: &Origin) -> Option<SessionId> {
        self.by_origin.get(origin).copied()
    }

    /// A function that is called again opens other sessions than before; those that it gives back stay what they are.
    pub(super) fn forget(&mut self, function: Span, result: &Val) {
        // What a closure sees goes on living.
        if holds_function(result) {
            return;
        }
        let kept = origins(result);
        self.by_origin
            .retain(|origin, _| kept.contains(&origin) || !matches!(origin, Origin::At(at) if function.contains(*at)));
    }

    /// A pool of one connection is no pool.
    pub(super) fn limit(&mut self, origin: &Origin) {
        self.single.insert(origin.clone());
    }

    /// What is known only at the end.
    pub(super) fn finish(&mut self, language: HostLanguage) {
        for (id, session) in self.all.iter_mut().enumerate() {
            // In Rust what a function borrows goes back when it is dropped.
            session.returned |= language == HostLanguage::Rust
                && session.owner == Owner::Borrowed
                && !session.escapes
                && !session.is_parameter;
            // PHP's process keeps a persistent connection for the next request.
            session.returned |= language == HostLanguage::Php && session.owner == Owner::Borrowed && !session.escapes;
            if self.single.contains(self.pool[id].as_ref().unwrap_or(&self.origins[id])) {
                session.size = Size::One;
            }
            if session.owner == Owner::PerCall && session.size == Size::One {
                session.owner = Owner::Ambient;
            }
        }
    }
}

fn holds_function(val: &Val) -> bool {
    match val {
        Val::Function(_) => true,
        Val::Tuple(vals) => vals.iter().any(holds_function),
        _ => false,
    }
}

/// Where the sessions in a value come from.
pub(super) fn origins(val: &Val) -> Vec<&Origin> {
    match val {
        Val::Handle(handle) => vec![&handle.origin],
        Val::Query(query) => query.on.iter().map(|handle| &handle.origin).collect(),
        Val::Tuple(vals) => vals.iter().flat_map(origins).collect(),
        _ => Vec::new(),
    }
}

impl<'s> Run<'_, 's, '_> {
    /// The session of a handle.
    pub(super) fn session(&mut self, handle: &Handle) -> SessionId {
        let handle = self.meant(handle);
        if let Some(id) = self.sessions.by_origin.get(&handle.origin) {
            return *id;
        }
        let function = self.function();
        let declared = match &handle.origin {
            Origin::At(span) => Some(*span),
            _ => None,
        };
        let root = self.frames.first().map_or(function, |frame| frame.function);
        let parameter = self.program.code.functions.get(root).and_then(|function| {
            let is_it = |name: &str| declared == Some(members::parameter_place(function.at, names::bare(name)));
            function.parameters.iter().map(|parameter| parameter.name).find(|name| is_it(name))
        });
        let name = match &handle.origin {
            Origin::Field(_, name) | Origin::Module(name) | Origin::Imported(name) => name.clone(),
            // Ecto's is the application's.
            Origin::Global("Ecto") => "Repo".to_owned(),
            Origin::Global(name) => (*name).to_owned(),
            Origin::Text(text) => text.trim_start_matches('\0').to_owned(),
            Origin::At(span) => {
                parameter.unwrap_or_else(|| self.slice(*span).split('(').next().unwrap_or_default()).to_owned()
            }
        };
        let shown = |name: &String| !name.is_empty() && name.len() <= MAX_NAME && !name.contains(char::is_control);
        let id = self.sessions.all.len();
        self.sessions.all.push(Session {
            owner: handle.root.owner,
            begins: handle.root.begins,
            evidence: handle.evidence,
            driver: handle.driver.name,
            handle: Some(name).filter(shown).unwrap_or_default(),
            declared: declared.filter(|_| parameter.is_none()),
            pin: handle.root.pin,
            escapes: false,
            returned: false,
            gives_back: Vec::new(),
            throws: self.program.code.throws,
            setting: self.other_database(&handle),
            is_parameter: parameter.is_some(),
            annotated: self.annotated && handle.kind.name == AROUND.name,
            is_global: matches!(handle.origin, Origin::Global(_)),
            is_entry: self.is_entry,
            is_injected: self.is_routed(root),
            is_field: matches!(handle.origin, Origin::Field(..)),
            is_imported: matches!(handle.origin, Origin::Imported(_)),
            is_made: handle.made.is_some(),
            size: Size::Unknown,
            cancelled: Vec::new(),
            ends: Vec::new(),
            handed: None,
        });
        // .NET's ambient transaction takes in what is opened under it.
        let around = self.program.code.functions.get(root).map_or("", |function| self.slice(function.span));
        if self.program.language == HostLanguage::CSharp && around.contains("TransactionScope") {
            self.sessions.all[id].begins = Begins::Unknown;
        }
        self.sessions.pool.push(None);
        self.sessions.origins.push(handle.origin.clone());
        self.sessions.by_origin.insert(handle.origin.clone(), id);
        if let Some((expr, function)) = handle.made {
            self.settle(id, expr, function);
        }
        if self.sessions.all[id].size != Size::Many && self.limits_to_one() {
            self.sessions.all[id].size = Size::One;
        }
        id
    }

    /// The handle that is meant by one for now.
    pub(super) fn meant(&self, handle: &Handle) -> Handle {
        let facade = matches!(handle.kind.owner, Owner::PerCall | Owner::Ambient | Owner::Unknown | Owner::UntilCommit);
        // What the thread knows holds for every handle of the library.
        let shared = |other: &Handle| facade && handle.driver.ambient && other.driver.name == handle.driver.name;
        let instead = self.instead.iter().rev().find(|(origin, other)| *origin == handle.origin || shared(other));
        if let Some((_, other)) = instead {
            return other.clone();
        }
        // Where something around has begun a transaction, a facade works in it.
        let lends = handle.kind.methods.iter().any(|(_, does)| matches!(does, Does::Borrows(_)))
            && !handle.kind.methods.iter().any(|(_, does)| *does == Does::Run);
        if self.transactional && facade && !lends {
            let origin = Origin::Text(format!("\u{0}{}", handle.driver.name));
            return Handle { origin, kind: &AROUND, root: &AROUND, ..handle.clone() };
        }
        handle.clone()
    }

    /// A handle of `kind` of the same library on a session of its own, which comes from the place `at`.
    pub(super) fn fresh(&mut self, of: &Handle, kind: &str, at: Span, borrowed: bool) -> Option<Handle> {
        let kind = of.driver.kind(kind)?;
        let handle = Handle {
            driver: of.driver,
            kind,
            root: kind,
            origin: Origin::At(at),
            evidence: of.evidence,
            made: of.made,
        };
        let id = self.session(&handle);
        if borrowed {
            self.sessions.pool[id] = Some(of.origin.clone());
        }
        Some(handle)
    }

    /// Notes that a session comes from a pool.
    pub(super) fn lend(&mut self, pool: &Handle, handle: &Handle) {
        let id = self.session(handle);
        self.sessions.pool[id] = Some(pool.origin.clone());
    }

    /// A handle of `kind` on the same session.
    pub(super) fn same(&self, of: &Handle, kind: &str) -> Option<Handle> {
        Some(Handle {
            driver: of.driver,
            kind: of.driver.kind(kind)?,
            root: of.root,
            origin: of.origin.clone(),
            evidence: of.evidence,
            made: of.made,
        })
    }

    /// The session of which only the text of its handle is known.
    pub(super) fn unknown(&mut self, text: &str) -> Handle {
        Handle {
            driver: &LIBRARY,
            kind: &HANDLE,
            root: &HANDLE,
            origin: Origin::Text(text.to_owned()),
            evidence: Evidence::Name,
            made: None,
        }
    }

    /// A step on a session.
    pub(super) fn push(&mut self, session: SessionId, action: Action, span: Span, out: &mut Vec<Node>) {
        if self.builder.len() < super::MAX_STEPS {
            let node = self.builder.step(Some(session), action, span);
            out.push(node);
        }
    }

    /// Begins a transaction on a handle's session.
    pub(super) fn begin(&mut self, handle: &Handle, one_snapshot: bool, span: Span, out: &mut Vec<Node>) {
        let session = self.session(handle);
        self.push(session, Action::Begin { one_snapshot }, span, out);
    }

    /// The end of a block that opened a handle.
    pub(super) fn at_end(&mut self, handle: &Handle, end: AtEnd, span: Span, out: &mut Vec<Node>) {
        let session = self.session(handle);
        match end {
            AtEnd::Nothing => {}
            AtEnd::Ends => self.push(session, Action::End { chain: false, commits: true }, span, out),
            AtEnd::Returns => self.give_back(session, span, out),
            AtEnd::Closes => self.push(session, Action::EndSession, span, out),
        }
    }

    /// A connection goes back to its pool: what it holds stays, unless the pool resets it.
    pub(super) fn give_back(&mut self, session: SessionId, span: Span, out: &mut Vec<Node>) {
        match self.sessions.all[session].owner {
            Owner::Reset | Owner::Own => self.push(session, Action::EndSession, span, out),
            _ => {
                let step = self.builder.len();
                self.sessions.all[session].returned = true;
                self.sessions.all[session].gives_back.push(step);
                self.push(session, Action::End { chain: false, commits: false }, span, out);
            }
        }
    }

    /// A handle is given to a function that is not followed, or SQL is run that is not seen: where its name says that it
    /// begins or ends transactions or locks, nothing is known of these from here on.
    pub(super) fn hand_over(&mut self, handle: &Handle, name: &str) {
        const WORDS: &[&str] = &["begin", "commit", "lock", "release", "rollback", "starttx", "transaction"];
        let session = self.session(handle);
        let next = self.builder.len();
        self.sessions.all[session].handed.get_or_insert(next);
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        if WORDS.iter().any(|word| name.contains(word)) {
            self.sessions.all[session].escapes = true;
        }
    }

    /// What a value given away may do elsewhere is not followed.
    pub(super) fn give_away(&mut self, val: &Val) {
        match val {
            Val::Handle(handle) => {
                let session = self.session(handle);
                self.sessions.all[session].escapes = true;
            }
            Val::Function(function) => {
                let vars = self.visible();
                self.later.push((*function, vars.clone()));
                // What the function has in sight may be released in it.
                let span = self.program.code.functions[*function].span;
                let text = self.slice(span);
                let seen = |(name, val): (&String, &Val)| text.contains(name.as_str()).then(|| val.clone());
                let answers: Vec<Val> = vars.iter().filter_map(seen).collect();
                for (name, val) in vars {
                    if let Val::Handle(handle) = val
                        && text.contains(name.as_str())
                    {
                        let session = self.session(&handle);
                        self.sessions.all[session].escapes = true;
                    }
                }
                for val in answers {
                    self.read_val(&val);
                }
                let releases = self.program.queries.iter().any(|(at, statements)| {
                    span.contains(*at)
                        && statements.iter().any(|s| s.locks.iter().any(|lock| !lock.function.acquires()))
                });
                if releases {
                    for session in &mut self.sessions.all {
                        session.escapes = true;
                    }
                }
            }
            Val::Tuple(vals) => vals.iter().for_each(|val| self.give_away(val)),
            Val::Answer(answer) => self.read(*answer),
            _ => {}
        }
    }

    /// The variables in sight.
    fn visible(&self) -> HashMap<String, Val> {
        let mut vars = HashMap::new();
        let mut at = self.frames.len().checked_sub(1);
        while let Some(index) = at {
            for (name, val) in &self.frames[index].vars {
                vars.entry(name.clone()).or_insert_with(|| val.clone());
            }
            at = self.frames[index].outer;
        }
        vars
    }

    /// What frameworks do around a function: Spring's `@Transactional`, and who calls it.
    pub(super) fn enter_ambient(&mut self, function: FunctionId) {
        let code = self.program.code;
        let annotated = |annotations: &[usize]| {
            const BEGINS: &[&str] = &["Transactional", "atomic", "ReactiveTransactional", "UnitOfWork"];
            annotations.iter().any(|&expr| self.is_named(expr, BEGINS))
        };
        let class = self.names.class_of(function);
        let this = &code.functions[function];
        self.annotated = annotated(&this.annotations) || class.is_some_and(|class| annotated(&class.annotations));
        self.transactional = self.annotated;
        let class = class.map_or("", |class| class.name);
        let is_task = this.annotations.iter().any(|&expr| self.is_named(expr, TASKS));
        self.is_entry = is_task && self.program.language == HostLanguage::Python
            || this.name.is_empty() && this.outer.is_some()
            || ENTRIES.contains(&this.name)
            // A function that the file calls is a helper of those that the framework calls.
            || ["Controller", "Job", "Command", "Worker", "Listener"].iter().any(|end| class.ends_with(end))
                && !code.calls.iter().any(|call| call.name == this.name);
    }

    /// Whether an annotation has one of some names, with arguments or without.
    fn is_named(&self, annotation: ExprId, names: &[&str]) -> bool {
        let code = self.program.code;
        match code.exprs.get(annotation).map(|expr| &expr.value) {
            Some(Value::Name(name) | Value::Member { name, .. }) => names.contains(name),
            Some(Value::Call(call)) => names.contains(&code.calls[*call].name),
            _ => false,
        }
    }

    /// Whether a function is given to a route of ASP.NET's minimal APIs, which hands it what it declares.
    fn is_routed(&self, function: FunctionId) -> bool {
        const ROUTES: &[&str] = &["MapGet", "MapPost", "MapPut", "MapDelete", "MapPatch", "MapMethods"];
        let code = self.program.code;
        let is_it = |expr: ExprId| matches!(code.exprs[expr].value, Value::Function(found) if found == function);
        self.program.language == HostLanguage::CSharp
            && code
                .calls
                .iter()
                .any(|call| ROUTES.contains(&call.name) && call.arguments.iter().any(|argument| is_it(argument.value)))
    }

    /// Notes that an unlock is sent with a context that may be cancelled by then.
    pub(super) fn cancelled(&mut self, session: SessionId, site: SiteId) {
        self.sessions.all[session].cancelled.push(site);
    }

    /// The transactions of a session, from here on.
    pub(super) fn set_begins(&mut self, handle: &Handle, begins: Begins) {
        let session = self.session(handle);
        // Where it is switched off, switching it on again is what comes after the transaction.
        if self.sessions.all[session].begins != Begins::ByItself || handle.root.begins == Begins::ByItself {
            self.sessions.all[session].begins = begins;
        }
    }
}
