//! Programs: what the functions of host code do on which session. Each function is run over its declarations, with the
//! functions of the file that it calls in their places; out come the units that the interpreter of `flow` judges.

mod answer;
mod call;
mod changes;
mod choice;
mod compose;
mod condition;
mod does;
mod entries;
mod errors;
mod eval;
mod follow;
mod imports;
mod keys;
mod lender;
mod library;
mod made;
mod members;
mod migration;
mod model;
mod names;
mod query;
mod reach;
mod returns;
mod session;
mod sql;
mod stmt;
mod types;
mod unread;
mod value;
mod with;
mod within;
mod wrapper;
mod yields;

pub use imports::{Exported, Imported, Wanted, exported, is_by_module, passed_on};
pub use wrapper::{HostWrapper, HostWrappers};

use crate::builders;
use crate::finding::FileId;
use crate::flow::lower::HostBuilder;
use crate::flow::{Node, Owner, SiteId, StepId, Unit};
use crate::host::code::{Code, ExprId, FunctionId, StmtId};
use crate::language::HostLanguage;
use crate::span::Span;
use crate::sql::advisory::Function;
use crate::sql::value::Value as Sql;
use crate::statement::Statement;
use names::Names;
use session::Sessions;
use std::collections::{BTreeSet, HashMap, HashSet};
use value::{Handle, Val};

/// The variable that stands for what a block, or an extension, works on without naming it.
const THIS: &str = "\0this";

/// How deep functions are followed into those that they call.
const MAX_INLINED: usize = 4;

/// How deep statements and expressions may lie in each other with all that is followed. A `switch` of many cases is that
/// deep, for each case lies in what happens when those before it do not hold. What is deeper is left out, and nothing is said
/// of the function's paths.
const MAX_NESTED: usize = 200;

/// How many steps a function may have with all that it calls; more are not followed.
const MAX_STEPS: usize = 4000;

/// The SQL of a literal, by the literal's place.
pub type Queries<'q, 'd> = HashMap<Span, Vec<&'q Statement<'d>>>;

/// A source as this module needs it.
#[derive(Clone, Copy, Debug)]
pub struct Functions<'a, 's, 'd> {
    /// Its code.
    pub code: &'a Code<'s>,
    /// Its text.
    pub text: &'s str,
    /// Its identity in the project.
    pub file: FileId,
    /// Its language.
    pub language: HostLanguage,
    /// The SQL in it.
    pub queries: &'a Queries<'a, 'd>,
    /// Its path, relative to the root.
    pub path: &'a str,
    /// Functions of other files that it may call.
    pub wrappers: &'a HostWrappers,
    /// The handles that it imports from other files.
    pub imported: &'a Imported,
    /// The names of constants and variables that hold a query, by the place of its literal.
    pub constants: &'a [(Span, &'a str)],
    /// Whether its query builders lock rows.
    pub locks_rows: bool,
    /// Where its query builders lock rows or call an advisory function.
    pub builders: &'a [Span],
}

/// What the functions of a source do.
#[derive(Debug, Default)]
pub struct Found {
    /// The units of all.
    pub units: Vec<Unit>,
    /// Which of them are wrappers for other files.
    pub wrappers: Vec<HostWrapper>,
    /// The handles that only other files explain.
    pub wanted: BTreeSet<Wanted>,
    /// Calls that run what stands elsewhere in the file, each with a site there.
    pub ran: Vec<(Span, Span)>,
}

/// Runs all functions of a source.
pub fn units(program: Functions<'_, '_, '_>) -> Found {
    let names = Names::new(program.code, program.text, program.language, program.imported);
    let mut found: Vec<(FunctionId, Vec<Unit>)> = Vec::new();
    let (mut wrappers, mut ran) = (Vec::new(), BTreeSet::new());
    let (mut inlined, mut pinned) = (HashSet::new(), HashSet::new());
    let mut later: Vec<(FunctionId, HashMap<String, Val>)> = Vec::new();
    let reached = reach::functions(&program, program.builders);
    for (id, function) in program.code.functions.iter().enumerate() {
        let is_root = function.outer.is_none_or(|outer| outer == 0) || !function.name.is_empty();
        if reached[id] && is_root {
            let mut run = Run::new(program, &names, &reached);
            let units = run.root(id, HashMap::new());
            wrappers.extend(wrapper::of(&program, id, &units, &run.result, &run.called));
            found.push((id, units));
            inlined.extend(run.inlined);
            pinned.extend(run.pinned);
            later.extend(run.later);
            ran.extend(run.ran);
        }
    }
    // Closures that somebody else runs, with the variables that they saw.
    let mut seen = HashSet::new();
    while let Some((id, vars)) = later.pop() {
        if inlined.contains(&id) || !seen.insert(id) {
            continue;
        }
        let mut run = Run::new(program, &names, &reached);
        found.push((id, run.root(id, vars)));
        inlined.extend(run.inlined);
        pinned.extend(run.pinned);
        later.extend(run.later);
        ran.extend(run.ran);
    }
    let unknown =
        |unit: &Unit| unit.session.as_ref().is_some_and(|one| one.driver.is_empty() || one.owner == Owner::Unknown);
    let unexplained = program.locks_rows && builders::is_followed(program.language)
        || found.iter().flat_map(|(_, units)| units).any(unknown);
    let judged_by_callers = |id: &FunctionId, unit: &Unit| {
        unit.session.as_ref().is_some_and(|session| {
            inlined.contains(id) && session.is_parameter || pinned.contains(id) && session.is_global
        })
    };
    found.sort_by_key(|(id, _)| *id);
    let units = found
        .into_iter()
        .flat_map(|(id, units)| units.into_iter().map(move |unit| (id, unit)))
        .filter(|(id, unit)| !judged_by_callers(id, unit))
        .map(|(_, unit)| unit)
        .collect();
    let wanted = if unexplained { imports::wanted(&names, program.code, program.language) } else { BTreeSet::new() };
    Found { units, wrappers, wanted, ran: ran.into_iter().collect() }
}

/// One function that is run, with those inside it.
struct Run<'a, 's, 'd> {
    program: Functions<'a, 's, 'd>,
    names: &'a Names<'a, 's>,
    /// Which functions lead to a lock, or begin something.
    reached: &'a [bool],
    builder: HostBuilder,
    sessions: Sessions,
    frames: Vec<Frame>,
    /// Handles that mean another one for now: those of a pool inside its ambient transaction.
    instead: Vec<(value::Origin, Handle)>,
    /// The handle that runs what is a value elsewhere: inside Scala's `transact`.
    runner: Option<Handle>,
    /// The handles that closures around work with, the innermost last: Scala gives them on implicitly.
    lent: Vec<Handle>,
    /// Names of what transactions around were begun on, where nothing else is known of them.
    begun_on: Vec<String>,
    /// Functions that were followed.
    inlined: HashSet<FunctionId>,
    /// Those of them that a caller runs where a handle means one connection, or a transaction on it.
    pinned: HashSet<FunctionId>,
    /// The values that conditions around bind to names, as soon as they have run.
    decided: HashMap<ExprId, Option<Val>>,
    /// What the function that is followed next runs where it yields.
    handing: Option<yields::Rest>,
    /// The handle that the function which is followed next is an extension of.
    receiver: Option<Handle>,
    /// The advisory calls that were met, with their arguments.
    called: Vec<(&'static Function, Vec<Sql>, Span)>,
    /// Calls that ran what stands elsewhere in the file, each with a site there.
    ran: Vec<(Span, Span)>,
    /// What the function gives back.
    result: Val,
    /// Handles that followed functions give back where a try-lock was granted.
    given: returns::Given,
    /// Closures that were given away, with the variables that they see.
    later: Vec<(FunctionId, HashMap<String, Val>)>,
    /// Who looks at answers.
    asking: answer::Asking,
    /// A framework calls the function itself.
    is_entry: bool,
    /// An annotation in sight says so.
    annotated: bool,
    /// A framework has begun a transaction around the function.
    transactional: bool,
    /// How many blocks are around that a cancelled coroutine does not enter.
    suspended: usize,
    /// How many cleanups are around.
    cleanups: usize,
    /// How many rests of functions, each with what is deferred before it, are around.
    ensured: usize,
    /// Names for the ends of what is followed.
    labels: usize,
    /// How many statements and expressions are around.
    nested: usize,
    /// Something was left out, because it lies too deep.
    is_cut: bool,
}

/// A function on the way.
#[derive(Debug, Default)]
struct Frame {
    function: FunctionId,
    vars: HashMap<String, Val>,
    /// What parameters stand for in keys.
    keys: HashMap<String, Sql>,
    /// Of a closure: the frame whose variables it sees.
    outer: Option<usize>,
    /// Where `return` goes; out of the root where there is none.
    exit: Option<String>,
    /// The frame whose function this runs a part of.
    of: Option<usize>,
    /// What the function runs where it yields.
    rest: Option<yields::Rest>,
    /// What it gives back, on each way.
    returns: Vec<returns::Return>,
    /// What conditions say of try-locks where it is.
    known: Vec<returns::Known>,
    /// Its ways on which some was refused.
    refused: Vec<returns::Refused>,
    /// The steps by whose failure it gives back an error; nothing where it does so for some other reason.
    failures: Vec<Option<StepId>>,
    /// Blocks around the current statement.
    depth: usize,
    /// Cleanups that were deferred in a block.
    pending: Vec<Node>,
}

impl<'a, 's, 'd> Run<'a, 's, 'd> {
    fn new(program: Functions<'a, 's, 'd>, names: &'a Names<'a, 's>, reached: &'a [bool]) -> Self {
        Self {
            program,
            names,
            reached,
            builder: HostBuilder::default(),
            sessions: Sessions::default(),
            frames: Vec::new(),
            instead: Vec::new(),
            runner: None,
            lent: Vec::new(),
            begun_on: Vec::new(),
            inlined: HashSet::new(),
            pinned: HashSet::new(),
            decided: HashMap::new(),
            handing: None,
            receiver: None,
            called: Vec::new(),
            ran: Vec::new(),
            result: Val::Nothing,
            given: HashMap::new(),
            later: Vec::new(),
            asking: answer::Asking::default(),
            is_entry: false,
            annotated: false,
            transactional: false,
            suspended: 0,
            cleanups: 0,
            ensured: 0,
            labels: 0,
            nested: 0,
            is_cut: false,
        }
    }

    /// The units of a function.
    fn root(&mut self, id: FunctionId, vars: HashMap<String, Val>) -> Vec<Unit> {
        let Some(function) = self.program.code.functions.get(id) else { return Vec::new() };
        self.frames.push(Frame { function: id, vars, ..Frame::default() });
        let mut nodes = Vec::new();
        self.enter_ambient(id);
        self.runner = self.program_of(id);
        self.stmt(function.body, &mut nodes);
        self.wrap_pending(0, &mut nodes);
        let root = Node::Sequence(nodes);
        let returns = std::mem::take(&mut self.frame().returns);
        let refused = std::mem::take(&mut self.frame().refused);
        self.result = self.given_back(returns, &refused, 0);
        if self.builder.is_empty() {
            return Vec::new();
        }
        let name = match function.class.and_then(|class| self.program.code.classes.get(class)) {
            Some(class) => format!("{}.{}", class.name, function.name),
            None => function.name.to_owned(),
        };
        self.settle_answers();
        self.sessions.finish(self.program.language);
        let sessions = &self.sessions;
        let mut units = self
            .builder
            .units((&name, function.span), &root, &sessions.all, &|mine, other| sessions.outside(mine, other));
        if function.has_error || self.is_cut || self.builder.len() >= MAX_STEPS {
            for unit in &mut units {
                if let Some(session) = &mut unit.session {
                    session.escapes = true;
                }
            }
        }
        units
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn function(&self) -> FunctionId {
        self.frames.last().map(|frame| frame.function).unwrap_or_default()
    }

    fn slice(&self, span: Span) -> &'s str {
        self.program.text.get(span.range()).unwrap_or_default()
    }

    /// What follows a place.
    fn after(&self, span: Span) -> &'s str {
        self.program.text.get(span.end..).unwrap_or_default()
    }

    /// A block as one node.
    fn block(&mut self, stmt: StmtId) -> Node {
        let mut nodes = Vec::new();
        self.frame().depth += 1;
        self.deeper(|run| run.stmt(stmt, &mut nodes));
        let frame = self.frame();
        frame.depth = frame.depth.saturating_sub(1);
        Node::Sequence(nodes)
    }

    /// Notes that a call at a place ran the sites since there were `first`, of those that stand elsewhere.
    fn note_ran(&mut self, at: Span, around: Span, first: SiteId) {
        let sites = (first..self.builder.sites()).filter_map(|site| self.builder.span(site));
        let elsewhere: Vec<_> = sites.filter(|site| !around.contains(*site)).map(|site| (at, site)).collect();
        self.ran.extend(elsewhere);
    }

    /// One level deeper; what is too deep gives nothing.
    fn deeper<T: Default>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        if self.nested == MAX_NESTED {
            self.is_cut = true;
            return T::default();
        }
        self.nested += 1;
        let value = run(self);
        self.nested -= 1;
        value
    }

    /// What a name stands for: a variable on the way, else a declaration.
    fn lookup(&mut self, name: &str) -> Val {
        let name = names::bare(name);
        let mut at = self.frames.len().checked_sub(1);
        while let Some(index) = at {
            if let Some(val) = self.frames[index].vars.get(name) {
                return val.clone();
            }
            at = self.frames[index].outer;
        }
        let function = self.function();
        if let Some(handle) = self.names.handle_of_name(name, function, 0) {
            return Val::Handle(handle);
        }
        if let Some(declared) = self.names.local(function, name).or_else(|| {
            let class = self.names.class_of(function)?;
            self.names.field(class.name, name)
        }) && let Some(value) = declared.value
            && let Some(text) = self.text_of(value)
        {
            return text;
        }
        Val::Nothing
    }

    /// Sets a variable: where it is known, else here.
    fn set(&mut self, name: &str, val: Val) {
        let name = names::bare(name);
        let mut at = self.frames.len().checked_sub(1);
        while let Some(index) = at {
            if let Some(known) = self.frames[index].vars.get_mut(name) {
                *known = val;
                return;
            }
            at = self.frames[index].outer;
        }
        self.frame().vars.insert(name.to_owned(), val);
    }
}
