//! From names and types to handles: what a file declares, and which library that is.

use super::answer::maps_rows;
use super::changes::Changes;
use super::imports::{Exported, Imported};
use super::library::{PASSES, aliases, borrows};
use super::members::parameter_place;
use super::types::{package, within};
use super::value::{Handle, Origin};
use crate::driver::{Does, Driver, Kind};
use crate::drivers::DRIVERS;
use crate::flow::{Evidence, Owner};
use crate::host::code::{Binding, Call, Class, Code, ExprId, Flow, FunctionId, Import, StmtId, Value};
use crate::language::HostLanguage;
use crate::span::Span;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// How far a value is followed through declarations.
const MAX_DEPTH: usize = 8;

/// A declaration of a field or of a variable of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'s> {
    pub(super) ty: Option<&'s str>,
    pub(super) value: Option<ExprId>,
    /// The part of the value that it is.
    pub(super) part: Option<&'s str>,
    /// The function in which it is assigned.
    pub(super) function: FunctionId,
}

/// The names of a file.
pub(super) struct Names<'a, 's> {
    pub(super) code: &'a Code<'s>,
    pub(super) text: &'s str,
    pub(super) language: HostLanguage,
    /// Variables by function.
    pub(super) locals: HashMap<(FunctionId, &'s str), Declared<'s>>,
    /// Fields by the name of their class, which may be declared in pieces.
    pub(super) fields: HashMap<(&'s str, &'s str), Declared<'s>>,
    /// Which of both are given more than one value.
    pub(super) changes: Changes<'s>,
    /// Functions by name, and those of a class by the class' name.
    functions: HashMap<&'s str, Vec<FunctionId>>,
    imports: HashMap<&'s str, &'a str>,
    /// The libraries of this file.
    pub(super) drivers: Vec<&'static Driver>,
    /// Other names of types.
    pub(super) aliases: HashMap<&'s str, &'s str>,
    /// The handles that it imports.
    pub(super) imported: &'a Imported,
    /// The classes whose fields are looked at.
    pub(super) around: RefCell<Vec<String>>,
    /// What its functions offer, as far as it was asked.
    pub(super) offers: RefCell<HashMap<FunctionId, Option<Exported>>>,
    /// The file may have rows made into something else.
    pub(super) maps_rows: bool,
    /// The file makes a pool one connection, which may be any of its pools.
    pub(super) of_one: OnceLock<bool>,
    /// The file uses Laravel.
    pub(super) is_laravel: bool,
}

impl<'a, 's> Names<'a, 's> {
    pub(super) fn new(code: &'a Code<'s>, text: &'s str, language: HostLanguage, imported: &'a Imported) -> Self {
        // Python's `import a.b` makes `a` known, and what it means is `a`.
        let meant = |import: &'a Import<'s>| match import.path.strip_prefix(import.name) {
            Some(rest) if rest.starts_with('.') && language == HostLanguage::Python => import.name,
            _ => import.path.as_ref(),
        };
        let imports: HashMap<_, _> = code.imports.iter().map(|import| (import.name, meant(import))).collect();
        // `require('knex')(…)` declares no name of the module.
        let module = |call: &Call<'s>| {
            let span = code.exprs.get(call.arguments.first().filter(|_| call.name == "require")?.value)?.span;
            Some(text.get(span.range())?.trim_matches(['"', '\'', '`']))
        };
        let required: Vec<&str> = code.calls.iter().filter_map(module).collect();
        let used = |driver: &&Driver| {
            driver.languages.contains(&language)
                && (driver.imports.is_empty()
                    || driver.shows.iter().any(|call| text.contains(call))
                    // Rust needs no `use` for a whole path.
                    || language == HostLanguage::Rust
                        && driver.imports.iter().any(|known| text.contains(&format!("{known}::")))
                    || required.iter().any(|path| driver.imports.iter().any(|known| within(path, known)))
                    || code.imports.iter().any(|import| driver.imports.iter().any(|known| within(&import.path, known))))
        };
        let mut names = Self {
            code,
            text,
            language,
            locals: HashMap::new(),
            changes: Changes::default(),
            fields: HashMap::new(),
            functions: HashMap::new(),
            imports,
            drivers: DRIVERS.iter().filter(used).collect(),
            aliases: aliases(text, language),
            imported,
            around: RefCell::default(),
            offers: RefCell::default(),
            maps_rows: maps_rows(text),
            of_one: OnceLock::new(),
            is_laravel: language == HostLanguage::Php && text.contains("Illuminate\\"),
        };
        // A class is what it extends: Entity Framework's contexts.
        for class in &code.classes {
            if let [base] = class.bases.as_slice()
                && *base != class.name
            {
                names.aliases.entry(class.name).or_insert(base);
            }
        }
        names.declare();
        names.compose();
        names
    }

    /// Whether the file uses one of some libraries.
    pub(super) fn uses(&self, names: &[&str]) -> bool {
        self.drivers.iter().any(|driver| names.contains(&driver.name))
    }

    fn declare(&mut self) {
        for class in &self.code.classes {
            for field in &class.fields {
                for target in &field.targets {
                    let declared = Declared { ty: field.ty, value: field.value, part: target.part, function: 0 };
                    self.fields.entry((class.name, bare(target.name))).or_insert(declared);
                }
            }
        }
        for (id, function) in self.code.functions.iter().enumerate() {
            if !function.name.is_empty() {
                self.functions.entry(function.name).or_default().push(id);
            }
            self.bindings(id, function.body);
        }
    }

    /// Every declaration and assignment of a function, the first of each name.
    fn bindings(&mut self, function: FunctionId, body: StmtId) {
        let code = self.code;
        let mut open = vec![body];
        while let Some(id) = open.pop() {
            let Some(stmt) = code.stmts.get(id) else { continue };
            let mut bind = |binding: &Binding<'s>| {
                self.note_changes(function, binding);
                for target in &binding.targets {
                    let declared = Declared { ty: binding.ty, value: binding.value, part: target.part, function };
                    match code.exprs.get(target.expr).map(|expr| &expr.value) {
                        Some(Value::Member { of, name, .. }) if self.is_this(function, *of) => {
                            if let Some(class) = self.class_of(function) {
                                self.fields
                                    .entry((class.name, bare(name)))
                                    .and_modify(|known| {
                                        if known.value.is_none() {
                                            *known = Declared { ty: known.ty.or(declared.ty), ..declared };
                                        }
                                    })
                                    .or_insert(declared);
                            }
                        }
                        _ => {
                            let name = target.name;
                            let is_field = name.starts_with('@')
                                || self.class_of(function).is_some_and(|class| {
                                    !binding.declares && self.fields.contains_key(&(class.name, bare(name)))
                                });
                            if is_field && let Some(class) = self.class_of(function) {
                                let known = self.fields.entry((class.name, bare(name))).or_insert(declared);
                                if known.value.is_none() {
                                    *known = Declared { ty: known.ty.or(declared.ty), ..declared };
                                }
                            }
                            self.locals.entry((function, bare(name))).or_insert(declared);
                        }
                    }
                }
            };
            match &stmt.flow {
                Flow::Sequence(stmts) => open.extend(stmts.iter().rev()),
                Flow::Bind(binding) => bind(binding),
                Flow::If { binds, then, otherwise, .. } => {
                    binds.iter().for_each(&mut bind);
                    open.extend(otherwise);
                    open.push(*then);
                }
                Flow::Block { body, .. } => open.push(*body),
                Flow::Loop { binds, body, .. } => {
                    binds.iter().for_each(&mut bind);
                    open.push(*body);
                }
                Flow::Try { body, handlers, otherwise, finally } => {
                    open.extend(finally.iter().chain(otherwise).copied());
                    open.extend(handlers.iter().map(|handler| handler.body));
                    open.push(*body);
                }
                Flow::With { items, body } => {
                    items.iter().for_each(&mut bind);
                    open.push(*body);
                }
                Flow::Run(_) | Flow::Defer(_) | Flow::Exit(_) => {}
            }
        }
    }

    /// Whether an expression is the object that a method belongs to.
    pub(super) fn is_this(&self, function: FunctionId, expr: ExprId) -> bool {
        let Some(Value::Name(name)) = self.code.exprs.get(expr).map(|expr| &expr.value) else { return false };
        matches!(*name, "self" | "this" | "cls" | "@self") || self.this_of(function) == Some(name)
    }

    fn this_of(&self, function: FunctionId) -> Option<&'s str> {
        self.chain(function).find_map(|id| self.code.functions[id].this)
    }

    /// A function and those around it, the innermost first.
    pub(super) fn chain(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        std::iter::successors(Some(function), |id| self.code.functions.get(*id)?.outer)
            .take_while(|id| *id < self.code.functions.len())
            .take(64)
    }

    /// The class whose method a function is, or is in.
    pub(super) fn class_of(&self, function: FunctionId) -> Option<&'a Class<'s>> {
        let id = self.chain(function).find_map(|id| self.code.functions[id].class)?;
        self.code.classes.get(id)
    }

    /// A field of a class, by the name of the class.
    pub(super) fn field(&self, class: &str, name: &str) -> Option<Declared<'s>> {
        self.fields.get(&(class, bare(name))).copied()
    }

    /// A variable of the file.
    pub(super) fn module(&self, name: &str) -> Option<Declared<'s>> {
        self.locals.get(&(0, bare(name))).copied()
    }

    /// A variable of a function or of those around it.
    pub(super) fn local(&self, function: FunctionId, name: &str) -> Option<Declared<'s>> {
        self.chain(function).find_map(|id| self.locals.get(&(id, bare(name))).copied())
    }

    /// The variables, parameters and fields that the file declares.
    pub(super) fn declared(&self) -> HashSet<&'s str> {
        let functions = self.code.functions.iter();
        let parameters =
            functions.flat_map(|one| one.this.into_iter().chain(one.parameters.iter().map(|parameter| parameter.name)));
        let variables = self.locals.keys().map(|(_, name)| *name);
        variables.chain(self.fields.keys().map(|(_, name)| *name)).chain(parameters).collect()
    }

    /// A variable of a function itself.
    pub(super) fn own(&self, function: FunctionId, name: &str) -> Option<Declared<'s>> {
        self.locals.get(&(function, bare(name))).copied()
    }

    /// The function of this file that a call by this name means: a method of the class if there is one.
    pub(super) fn function(&self, from: FunctionId, name: &str, arity: usize) -> Option<FunctionId> {
        let all = self.functions.get(name)?;
        let class = self.class_of(from).map(|class| class.name);
        let of =
            |id: &FunctionId| self.code.functions[*id].class.and_then(|id| self.code.classes.get(id)).map(|c| c.name);
        let mine: Vec<FunctionId> = all.iter().copied().filter(|id| of(id) == class).collect();
        let fitting = if mine.is_empty() { all.clone() } else { mine };
        let by_arity: Vec<FunctionId> =
            fitting.iter().copied().filter(|id| self.code.functions[*id].parameters.len() == arity).collect();
        match (fitting.as_slice(), by_arity.as_slice()) {
            ([only], _) | (_, [only]) => Some(*only),
            // Elixir's clauses of one function: the first stands for all.
            (_, [first, ..]) if self.language == HostLanguage::Elixir => Some(*first),
            _ => None,
        }
    }

    /// What a name was imported from.
    pub(super) fn import(&self, name: &str) -> Option<&'a str> {
        self.imports.get(name).copied()
    }

    /// A name with dots, through the file's imports: `pg.Pool`, `pgxpool.New`.
    pub(super) fn qualified(&self, expr: ExprId) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = expr;
        loop {
            match &self.code.exprs.get(at)?.value {
                Value::Member { of, name, .. } if parts.len() < MAX_DEPTH => {
                    parts.push(*name);
                    at = *of;
                }
                Value::Name(name) => {
                    parts.push(name);
                    break;
                }
                // `require('knex')(…)`
                Value::Call(call) if self.code.calls[*call].name == "require" => {
                    let module = self.code.exprs.get(self.code.calls[*call].arguments.first()?.value)?.span;
                    parts.push(self.text.get(module.range())?.trim_matches(['"', '\'', '`']));
                    break;
                }
                _ => return None,
            }
        }
        parts.reverse();
        Some(self.expand(&parts.join(".")))
    }

    /// The first name replaced by what it was imported as.
    pub(super) fn expand(&self, name: &str) -> String {
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let Some(path) = self.imports.get(first) else { return name.to_owned() };
        let path = path.replace("::", ".").replace('\\', ".");
        let path = if self.language == HostLanguage::Go { package(&path).to_owned() } else { path };
        rest.map_or(path.clone(), |rest| format!("{path}.{rest}"))
    }

    /// What an expression stands for by declarations alone, without running anything. `Borrows` and its like give a
    /// session named by their place.
    pub(super) fn handle(&self, expr: ExprId, function: FunctionId, depth: usize) -> Option<Handle> {
        if depth > MAX_DEPTH {
            return None;
        }
        let node = self.code.exprs.get(expr)?;
        match &node.value {
            Value::Name(name) => (self.handle_of_name(name, function, depth))
                .or_else(|| self.global(&self.expand(name)))
                .or_else(|| self.embedded(expr, function)),
            Value::Member { of, name, .. } => {
                if self.is_this(function, *of) {
                    let class = self.class_of(function)?;
                    return self.handle_of_field(class.name, name, depth);
                }
                if let Some(global) = self.qualified(expr).and_then(|name| self.global(&name)) {
                    return Some(global);
                }
                if let Some(imported) = self.text.get(node.span.range()).and_then(|text| self.imported(text)) {
                    return Some(imported);
                }
                match self.handle(*of, function, depth + 1) {
                    Some(of) => derived(&of, of.kind.method(name)?, node.span),
                    None => (self.member_of_value(*of, name, function, depth + 1))
                        .or_else(|| self.entry(*of, name, function, depth + 1)),
                }
            }
            Value::Call(call) => {
                let call = self.code.calls.get(*call)?;
                if let Some(given) = self.given_by(call, function, node.span, depth) {
                    return Some(given);
                }
                if let Some(held) = self.held(call) {
                    return self.handle(held, function, depth + 1);
                }
                let made = self.maker(call, function);
                if let Some((driver, kind)) = made.or_else(|| self.of_container(call)) {
                    // What stands on a pool or a connection works on that.
                    let on =
                        call.arguments.iter().find_map(|argument| self.handle(argument.value, function, depth + 1));
                    let kind = self.variant((driver, kind), call, function);
                    if let Some(on) = on.filter(|on| !borrows(on, kind)) {
                        return Some(Handle { driver, kind, evidence: Evidence::Declared, ..on });
                    }
                    let origin = origin_of(driver, kind, node.span);
                    return Some(Handle {
                        driver,
                        kind,
                        root: kind,
                        origin,
                        evidence: Evidence::Declared,
                        made: Some((expr, function)),
                    });
                }
                if let Value::Member { of, .. } = &self.code.exprs.get(call.callee)?.value
                    && let Some(of) = self.handle(*of, function, depth + 1)
                {
                    return match of.kind.method(call.name) {
                        Some(does) => derived(&of, does, node.span),
                        None => Some(of).filter(|_| self.language == HostLanguage::Rust && PASSES.contains(&call.name)),
                    };
                }
                // `pgp(url)`: what the handle gives that is called.
                if let Value::Name(name) = &self.code.exprs.get(call.callee)?.value
                    && let Some(of) = self.handle_of_name(name, function, depth + 1)
                {
                    return derived(&of, of.kind.method("()")?, node.span);
                }
                // A function of the file: by the type it gives.
                let called = self.function(function, call.name, call.arguments.len())?;
                let (driver, kind) = self.of_type(self.code.functions[called].returns?)?;
                Some(Handle {
                    driver,
                    kind,
                    root: kind,
                    origin: Origin::At(node.span),
                    evidence: Evidence::Declared,
                    made: None,
                })
            }
            Value::Propagate(inner) => self.handle(*inner, function, depth + 1),
            Value::Block(stmt) => self.in_block(*stmt, function, depth + 1),
            Value::Logic { operands, and: false } => self.either(*operands, function, depth),
            Value::Other(parts) => match parts.as_slice() {
                [only] => self.handle(*only, function, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a name stands for by declarations: a parameter, a variable, a field, a variable of the file.
    pub(super) fn handle_of_name(&self, name: &str, function: FunctionId, depth: usize) -> Option<Handle> {
        let name = bare(name);
        for id in self.chain(function) {
            let scope = &self.code.functions[id];
            if let Some(parameter) = scope.parameters.iter().find(|parameter| bare(parameter.name) == name) {
                let (driver, kind) = self.of_type(parameter.ty?)?;
                let origin = origin_of(driver, kind, parameter_place(scope.at, name));
                return Some(Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None });
            }
            if let Some(declared) = self.locals.get(&(id, name)) {
                // What is required by name is another file's.
                let own = self.handle_of(*declared, depth);
                let mut handle = own.or_else(|| self.imported(name).filter(|_| self.imports.contains_key(name)))?;
                if matches!(handle.origin, Origin::Imported(_)) {
                    return Some(handle);
                }
                if id == 0 && !matches!(handle.origin, Origin::Global(_)) {
                    handle.origin = Origin::Module(name.to_owned());
                }
                return Some(handle);
            }
        }
        let class = &self.class_around(function);
        let known = self.handle_of_field(class, name, depth).or_else(|| self.imported(name));
        known.or_else(|| self.opened(name, function, depth)).or_else(|| {
            // Ruby's constants are seen from the modules inside.
            let (around, _) = self.fields.keys().find(|(around, field)| *field == name && *around != class)?;
            if name.starts_with(char::is_uppercase) { self.handle_of_field(around, name, depth) } else { None }
        })
    }

    pub(super) fn handle_of(&self, declared: Declared<'s>, depth: usize) -> Option<Handle> {
        if depth > MAX_DEPTH {
            return None;
        }
        let typed = declared.ty.and_then(|ty| self.of_type(ty));
        let made = || self.handle(declared.value?, declared.function, depth + 1);
        if let Some((driver, kind)) = typed {
            // A type of which nothing is known, and of a connection that has a beginning in sight.
            if let Some(handle) = made()
                && (matches!(kind.owner, Owner::Unknown | Owner::Given) || handle.driver.name == driver.name)
            {
                return Some(handle);
            }
            let span = declared.value.and_then(|value| self.code.exprs.get(value)).map_or(Span::new(0, 0), |e| e.span);
            return Some(Handle {
                driver,
                kind,
                root: kind,
                origin: origin_of(driver, kind, span),
                evidence: Evidence::Declared,
                made: None,
            });
        }
        match declared.part {
            None | Some("0" | "ok") => made(),
            Some(part) => self.entry(declared.value?, part, declared.function, depth + 1),
        }
    }
}

/// Of a framework's handle there is one.
pub(super) fn origin_of(driver: &'static Driver, kind: &'static Kind, at: Span) -> Origin {
    if kind.owner == Owner::Ambient { Origin::Global(driver.name) } else { Origin::At(at) }
}

/// The handle that a method of another one gives, by declarations alone.
pub(super) fn derived(of: &Handle, does: Does, at: Span) -> Option<Handle> {
    let (kind, origin) = match does {
        Does::Gives(kind) => (kind, of.origin.clone()),
        Does::Borrows(kind) | Does::Opens(kind) => (kind, Origin::At(at)),
        Does::Begins(kind) => (kind, if of.kind.owner == Owner::PerCall { Origin::At(at) } else { of.origin.clone() }),
        _ => return None,
    };
    let kind = of.driver.kind(kind)?;
    let root = if origin == of.origin { of.root } else { kind };
    Some(Handle { driver: of.driver, kind, root, origin, evidence: of.evidence, made: of.made })
}

/// A name without what languages put before it.
pub(super) fn bare(name: &str) -> &str {
    name.trim_start_matches(['@', '$', '&', '*'])
}
