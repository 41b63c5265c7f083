//! Functions of host code that do nothing to a session but call one advisory function, and their calls in other files: a
//! call of one is a call of what it calls, with its arguments.

use super::call::Asked;
use super::value::{Handle, LockExpr, Origin, Val};
use super::{Functions, Run, names};
use crate::driver::{Driver, Kind};
use crate::finding::Place;
use crate::flow::{Action, Evidence, Node, Owner, Unit};
use crate::host::code::{Call, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;
use crate::sql::advisory::{Action as Lock, Function};
use crate::sql::value::Value as Sql;
use std::collections::{BTreeSet, HashMap};

/// Words that say nothing of a module: every one of some language's files is called so.
const NAMELESS: &[&str] = &["index", "mod", "lib", "main", "__init__", "src"];

/// A function that does nothing to a session but call one advisory function.
#[derive(Clone, Debug)]
pub struct HostWrapper {
    language: HostLanguage,
    /// The file, relative to the root.
    path: String,
    /// Its class, with what is around that where the language writes it so.
    class: Option<String>,
    name: String,
    /// The names of its parameters.
    parameters: Vec<String>,
    session: Whose,
    function: &'static Function,
    /// The key, in terms of the parameters.
    args: Vec<Sql>,
    /// Where the advisory function is called.
    at: Place,
}

/// Whose session a wrapper works on.
#[derive(Clone, Debug)]
enum Whose {
    /// Its caller's, who gives it as this argument.
    Given(usize),
    /// The one of a framework.
    Shared(&'static Driver, &'static Kind),
}

/// The wrappers of a tree.
#[derive(Clone, Debug, Default)]
pub struct HostWrappers {
    by_name: HashMap<String, Vec<HostWrapper>>,
}

impl HostWrappers {
    /// Adds one.
    pub fn insert(&mut self, wrapper: HostWrapper) {
        self.by_name.entry(wrapper.name.clone()).or_default().push(wrapper);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Whether any is of a language.
    pub fn any_in(&self, language: HostLanguage) -> bool {
        self.by_name.values().flatten().any(|wrapper| wrapper.is_for(language))
    }

    /// Whether a file that has the name of some wrapper may call it: it is of the same language, and names its class or module
    /// as well.
    pub fn may_call(&self, path: &str, language: HostLanguage, content: &[u8]) -> bool {
        let has = |word: &str| !word.is_empty() && memchr::memmem::find(content, word.as_bytes()).is_some();
        self.by_name.iter().filter(|(name, _)| has(name)).flat_map(|(_, wrappers)| wrappers).any(|wrapper| {
            wrapper.is_for(language)
                && wrapper.path != path
                && (wrapper.is_in_package_of(path) || wrapper.qualifiers().into_iter().any(has))
        })
    }
}

impl HostWrapper {
    fn is_for(&self, language: HostLanguage) -> bool {
        let family = |language| match language {
            HostLanguage::TypeScript | HostLanguage::Tsx => HostLanguage::JavaScript,
            other => other,
        };
        family(language) == family(self.language)
    }

    /// The names by which code of other files qualifies it.
    fn qualifiers(&self) -> Vec<&str> {
        match &self.class {
            Some(class) => class.rsplit(['.', ':']).next().into_iter().collect(),
            None => self.modules(),
        }
    }

    /// The names of its file and of the directory of that.
    fn modules(&self) -> Vec<&str> {
        let mut parts = self.path.rsplit('/');
        let file = parts.next().and_then(|file| file.split('.').next()).unwrap_or_default();
        let names = [file, parts.next().unwrap_or_default()];
        names.into_iter().filter(|name| !name.is_empty() && !NAMELESS.contains(name)).collect()
    }

    /// Whether code of a file reaches it by its name alone: Go's packages are directories.
    fn is_in_package_of(&self, path: &str) -> bool {
        let directory = |path: &str| path.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned());
        self.language == HostLanguage::Go && self.class.is_none() && directory(path) == directory(&self.path)
    }

    /// Whether the path of an import leads to its file: `../db/locks.js`, `app.locks.acquire`, `crate::locks`.
    fn is_at(&self, import: &str) -> bool {
        let endings = [".js", ".mjs", ".cjs", ".ts", ".tsx", ".rb"];
        let path = endings.iter().find_map(|ending| import.strip_suffix(ending)).unwrap_or(import);
        let mut parts = path.split(['/', '.', ':', '\\']).filter(|part| !part.is_empty() && *part != self.name);
        parts.next_back().is_some_and(|last| self.modules().contains(&last))
    }
}

/// What a function is, where it is a wrapper for its callers; `called` are the advisory calls that its run met.
pub(super) fn of(
    program: &Functions<'_, '_, '_>,
    id: FunctionId,
    units: &[Unit],
    result: &Val,
    called: &[(&'static Function, Vec<Sql>, Span)],
) -> Option<HostWrapper> {
    let function =
        program.code.functions.get(id).filter(|function| !function.name.is_empty() && !function.has_error)?;
    let ([unit], [(advisory, args, at)]) = (units, called) else { return None };
    let session = unit.session.as_ref().filter(|session| !session.escapes && !session.returned)?;
    let mut steps = unit.steps.iter().enumerate().filter(|(_, step)| step.action != Action::Call);
    let (step, _) = steps.next().filter(|(_, step)| matches!(step.action, Action::Acquire(_) | Action::Release(_)))?;
    if steps.next().is_some() || !runs(&unit.root, step) {
        return None;
    }
    // Whether a try-lock was granted has to come out as it is.
    if advisory.action == Lock::TryLock
        && !matches!(result, Val::Answer(answer) if answer.site.is_some() && answer.granted)
    {
        return None;
    }
    let parameters: Vec<String> =
        function.parameters.iter().map(|parameter| names::bare(parameter.name).to_owned()).collect();
    let whose = match parameters.iter().position(|name| *name == session.handle) {
        Some(index) => Whose::Given(index),
        None if session.is_global => {
            let driver = crate::drivers::DRIVERS.iter().find(|driver| driver.name == session.driver)?;
            Whose::Shared(driver, driver.kinds.iter().find(|kind| kind.owner == Owner::Ambient)?)
        }
        None => return None,
    };
    let class = function.class.and_then(|class| program.code.classes.get(class)).map(|class| class.name.to_owned());
    Some(HostWrapper {
        language: program.language,
        path: program.path.to_owned(),
        class,
        name: function.name.to_owned(),
        parameters,
        session: whose,
        function: advisory,
        args: args.clone(),
        at: Place::new(program.file, *at),
    })
}

/// Whether a step runs whenever the tree does.
fn runs(node: &Node, wanted: usize) -> bool {
    match node {
        Node::Step(step) => *step == wanted,
        Node::Sequence(nodes) => nodes.iter().any(|node| runs(node, wanted)),
        Node::Block { body, .. } | Node::Try { body, .. } => runs(body, wanted),
        Node::Ensured { body, cleanup } => runs(body, wanted) || runs(cleanup, wanted),
        Node::Branch { .. } | Node::Failed { .. } | Node::Loop { .. } | Node::Exit(..) => false,
    }
}

impl<'s> Run<'_, 's, '_> {
    /// A call of another file's wrapper.
    pub(super) fn wrapped(&mut self, call: &Call<'s>, asked: &Asked<'_, 's>, out: &mut Vec<Node>) -> Option<Val> {
        let candidates = self.program.wrappers.by_name.get(call.name)?;
        let mut fitting = candidates.iter().filter(|wrapper| self.means(call, wrapper));
        let wrapper = fitting.next().filter(|_| fitting.next().is_none())?;
        let handle = match wrapper.session {
            Whose::Given(index) => match asked.vals.get(index)? {
                Val::Handle(handle) => handle.clone(),
                Val::Nothing => {
                    self.unknown(self.slice(self.program.code.exprs.get(asked.arguments[index].value)?.span))
                }
                _ => return None,
            },
            Whose::Shared(driver, kind) => {
                let origin = Origin::Global(driver.name);
                Handle { driver, kind, root: kind, origin, evidence: Evidence::Shape, made: None }
            }
        };
        let given = |name: &str| {
            let index = wrapper.parameters.iter().position(|parameter| parameter == name)?;
            Some(self.key_value(asked.arguments.get(index)?.value, 0))
        };
        let arguments = wrapper.args.iter().map(|arg| {
            arg.substitute(&|part| match part {
                // Another text is nobody's but the wrapper's: its own constant, or what it computes.
                Sql::Parameter(text) => {
                    Some(given(text).unwrap_or_else(|| Sql::Parameter(computed(text, &wrapper.parameters))))
                }
                _ => None,
            })
        });
        let lock = LockExpr { function: wrapper.function, arguments: arguments.collect(), span: call.from_name };
        let (first, at) = (self.builder.sites(), wrapper.at);
        let val = self.run_lock(&handle, &lock, asked.span, out);
        self.builder.reached_through(first, at);
        Some(val)
    }

    /// Whether a call means a wrapper: by a class, a module or a package that the code names.
    fn means(&self, call: &Call<'s>, wrapper: &HostWrapper) -> bool {
        let code = self.program.code;
        if !wrapper.is_for(self.program.language)
            || wrapper.path == self.program.path
            || wrapper.parameters.len() != call.arguments.len()
        {
            return false;
        }
        match code.exprs.get(call.callee).map(|expr| &expr.value) {
            Some(Value::Name(name)) => {
                wrapper.class.is_none()
                    && match self.names.import(name) {
                        Some(path) => wrapper.is_at(path),
                        None => wrapper.is_in_package_of(self.program.path),
                    }
            }
            Some(Value::Member { of, .. }) => {
                let qualifier = self.last_name(*of);
                match &wrapper.class {
                    Some(class) => {
                        self.type_of(*of).unwrap_or(qualifier) == class.rsplit(['.', ':']).next().unwrap_or(class)
                    }
                    None => self.names.import(qualifier).is_some_and(|path| wrapper.is_at(path)),
                }
            }
            _ => false,
        }
    }

    /// The type by which a receiver is declared.
    fn type_of(&self, receiver: crate::host::code::ExprId) -> Option<&'s str> {
        let name = self.last_name(receiver);
        let function = self.function();
        let of_class = || self.names.field(self.names.class_of(function)?.name, name);
        let declared = self.names.local(function, name).or_else(of_class);
        let of_parameter = || {
            let all = &self.program.code.functions.get(function)?.parameters;
            all.iter().find(|parameter| names::bare(parameter.name) == names::bare(name))?.ty
        };
        let ty = declared.and_then(|declared| declared.ty).or_else(of_parameter)?;
        ty.trim_start_matches(['*', '&', '?']).rsplit(['.', ':', '\\']).next()
    }
}

/// The text of what a wrapper computes of its parameters: another value for each call.
fn computed(text: &str, parameters: &[String]) -> String {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let varies = parameters.iter().any(|parameter| words.contains(parameter.as_str()));
    if varies { "?".to_owned() } else { text.to_owned() }
}
