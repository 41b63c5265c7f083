//! Fields and methods of classes: of the file, of what they extend, and of classes that other files declare.

use super::Run;
use super::call::Asked;
use super::imports::{Exported, Role};
use super::names::{Declared, Names, bare, derived, origin_of};
use super::types::type_name;
use super::value::{Handle, Origin, Val};
use crate::driver::Does;
use crate::flow::{Evidence, Node, Owner};
use crate::host::code::{Call, ExprId, FunctionId, Value};
use crate::language::HostLanguage;
use crate::span::Span;

/// How far a class is followed to those that it extends, and a value through members.
const MAX_DEPTH: usize = 8;

/// How many functions that begin before a place are looked at to find the one around it.
const MAX_NEAR: usize = 64;

impl<'a, 's> Names<'a, 's> {
    /// What a field stands for, of a class or of what it extends.
    pub(super) fn handle_of_field(&self, class: &str, name: &str, depth: usize) -> Option<Handle> {
        let lineage = self.lineage(class);
        let mut handle = match lineage.iter().find_map(|class| self.field(class, name)) {
            Some(declared) => {
                self.around.borrow_mut().push(class.to_owned());
                let handle = self.handle_of(declared, depth);
                self.around.borrow_mut().pop();
                handle?
            }
            None => {
                let seen = self.seen_as(class);
                seen.iter().find_map(|class| self.offered(&format!("{class}.{}", bare(name)), Role::Value))?
            }
        };
        if !matches!(handle.origin, Origin::Global(_)) {
            handle.origin = Origin::Field(class.to_owned(), bare(name).to_owned());
        }
        Some(handle)
    }

    /// The class whose fields a function sees, or what gives a field its value.
    pub(super) fn class_around(&self, function: FunctionId) -> String {
        let own = self.class_of(function).map(|class| class.name.to_owned());
        own.or_else(|| self.around.borrow().last().cloned()).unwrap_or_default()
    }

    /// A class and those that it extends, as far as the file says.
    fn lineage(&self, class: &str) -> Vec<String> {
        let mut found = vec![class.to_owned()];
        let mut at = 0;
        while let Some(class) = found.get(at).filter(|_| at < MAX_DEPTH) {
            let declared = self.code.classes.iter().filter(|one| one.name == class);
            let bases: Vec<String> =
                declared.flat_map(|one| &one.bases).filter_map(|base| type_name(base, 0)).collect();
            for base in bases {
                if !found.contains(&base) {
                    found.push(base);
                }
            }
            at += 1;
        }
        found
    }

    /// The classes of other files in which a member of a class may be declared: what it extends there, and the class itself
    /// where the file does not declare it, or a class may be in pieces.
    pub(super) fn seen_as(&self, class: &str) -> Vec<String> {
        use HostLanguage::{CSharp, Go, Kotlin, Ruby, Rust, Scala};
        let open = matches!(self.language, CSharp | Go | Kotlin | Ruby | Rust | Scala);
        let declared = |name: &String| self.code.classes.iter().any(|one| one.name == name);
        self.lineage(class).into_iter().filter(|name| open || !declared(name)).collect()
    }

    /// The class of what an expression stands for, by its declaration; a class itself has its name.
    pub(super) fn class_of_value(&self, expr: ExprId, function: FunctionId, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &self.code.exprs.get(expr)?.value {
            Value::Name(_) if self.is_this(function, expr) => Some(self.class_of(function)?.name.to_owned()),
            Value::Name(name) => {
                for id in self.chain(function) {
                    let parameters = &self.code.functions[id].parameters;
                    let is_it = |known: &str| bare(known) == bare(name);
                    if let Some(parameter) =
                        parameters.iter().find(|one| is_it(one.name) || one.parts.iter().any(|part| is_it(part)))
                    {
                        return type_name(parameter.ty?, 0);
                    }
                    if let Some(declared) = self.own(id, name) {
                        return self.class_of_declared(declared, depth);
                    }
                }
                let class = self.class_around(function);
                match self.lineage(&class).iter().find_map(|class| self.field(class, name)) {
                    Some(declared) => self.class_of_declared(declared, depth),
                    None => name.starts_with(|c: char| c.is_ascii_uppercase()).then(|| (*name).to_owned()),
                }
            }
            Value::Member { of, name, .. } => {
                let class = self.class_of_value(*of, function, depth + 1)?;
                let declared = self.lineage(&class).iter().find_map(|class| self.field(class, name))?;
                self.class_of_declared(declared, depth)
            }
            Value::Call(call) => {
                let call = self.code.calls.get(*call)?;
                let made = call.constructs || call.name.starts_with(|c: char| c.is_ascii_uppercase());
                let ty = self.code.exprs.get(call.callee).and_then(|callee| self.text.get(callee.span.range()));
                type_name(ty.filter(|_| made)?, 0)
            }
            Value::Other(parts) => match parts.as_slice() {
                [only] => self.class_of_value(*only, function, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }

    fn class_of_declared(&self, declared: Declared<'s>, depth: usize) -> Option<String> {
        match declared.ty {
            Some(ty) => type_name(ty, 0),
            None => self.class_of_value(declared.value?, declared.function, depth + 1),
        }
    }

    /// The field of a value whose class is known: `state.pool`, `this.database.pool`.
    pub(super) fn member_of_value(&self, of: ExprId, name: &str, function: FunctionId, depth: usize) -> Option<Handle> {
        let class = self.class_of_value(of, function, depth)?;
        self.handle_of_field(&class, name, depth + 1)
    }

    /// What a value gives by a name where all of it was imported: Scala's `import config._`.
    pub(super) fn opened(&self, name: &str, function: FunctionId, depth: usize) -> Option<Handle> {
        if self.language != HostLanguage::Scala || depth > MAX_DEPTH {
            return None;
        }
        self.code.imports.iter().filter(|import| import.name == "*" && !import.path.contains('.')).find_map(|import| {
            let of = self.handle_of_name(&import.path, function, depth + 1)?;
            derived(&of, of.kind.method(name)?, import.span)
        })
    }

    /// Go: the receiver of a method, where its struct embeds a handle.
    pub(super) fn embedded(&self, expr: ExprId, function: FunctionId) -> Option<Handle> {
        if self.language != HostLanguage::Go || !self.is_this(function, expr) {
            return None;
        }
        let class = self.class_of(function).filter(|class| !class.bases.is_empty())?;
        let (driver, kind) = self.of_type(class.name)?;
        let origin = origin_of(driver, kind, class.span);
        Some(Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None })
    }

    /// The same for a method that the handle has and no function of the file: `store.QueryRow(…)`.
    pub(super) fn promoted(&self, of: ExprId, call: &Call<'s>, function: FunctionId) -> Option<Handle> {
        let own = self.function(function, call.name, call.arguments.len());
        self.embedded(of, function).filter(|handle| own.is_none() && handle.kind.method(call.name).is_some())
    }

    /// A handle that another file offers by a name and in a way.
    pub(super) fn offered(&self, name: &str, role: Role) -> Option<Handle> {
        let exported = self.known(name).filter(|exported| exported.role == role)?;
        Some(exported.handle(Origin::Imported(name.to_owned())))
    }

    /// What another file, or a library's class, is known to offer.
    fn known(&self, name: &str) -> Option<Exported> {
        self.imported.get(name).copied().or_else(|| {
            self.drivers.iter().find_map(|driver| {
                let is_it = |class: &str, member: &str| {
                    name.strip_suffix(member).and_then(|rest| rest.strip_suffix('.')).is_some_and(|rest| rest == class)
                };
                let (.., kind) = driver.gives_heirs.iter().find(|(class, member, _)| is_it(class, member))?;
                Some(Exported { driver, kind: driver.kind(kind)?, role: Role::Value })
            })
        })
    }

    /// A variable of the file that a call makes, by a name that a library has for its own.
    pub(super) fn constant(&self, name: &str) -> Option<Handle> {
        let declared = self.module(name)?;
        let made = matches!(self.code.exprs.get(declared.value?)?.value, Value::Call(_));
        let handle = if made { self.handle_of(declared, MAX_DEPTH - 1)? } else { return None };
        Some(Handle { origin: Origin::Module(name.to_owned()), ..handle })
    }

    /// What a function of the file is for who calls it: it gives a handle, or runs the SQL that it is given on one.
    pub(super) fn offers(&self, function: FunctionId, depth: usize) -> Option<Exported> {
        if let Some(known) = self.offers.borrow().get(&function) {
            return *known;
        }
        // While it is looked for, a function that calls itself offers nothing.
        self.offers.borrow_mut().insert(function, None);
        let found = self.found_in(function, depth);
        self.offers.borrow_mut().insert(function, found);
        found
    }

    fn found_in(&self, function: FunctionId, depth: usize) -> Option<Exported> {
        let called = self.code.functions.get(function)?;
        if let Some((driver, kind)) = called.returns.and_then(|ty| self.of_type(ty)) {
            return Some(Exported { driver, kind, role: Role::Gives });
        }
        self.runs(function, depth).or_else(|| {
            let handle = self.handle(self.only_returned(function)?, function, depth + 1)?;
            let shared = matches!(handle.kind.owner, Owner::PerCall | Owner::Ambient);
            shared.then_some(Exported { driver: handle.driver, kind: handle.kind, role: Role::Gives })
        })
    }

    /// `query(text, values) { return pool.query(text, values) }`: the pool, where that is all that is run.
    fn runs(&self, function: FunctionId, depth: usize) -> Option<Exported> {
        let called = self.code.functions.get(function)?;
        let parameter = called.parameters.first().filter(|parameter| !parameter.name.is_empty())?;
        let inside = |expr: ExprId| self.code.exprs.get(expr).is_some_and(|expr| called.span.contains(expr.span));
        let mut found = self.code.calls.iter().filter(|call| inside(call.expr)).filter_map(|call| {
            let Value::Member { of, .. } = self.code.exprs.get(call.callee)?.value else { return None };
            let handle = self.handle(of, function, depth + 1)?;
            let does = handle.kind.method(call.name).unwrap_or(handle.kind.otherwise);
            (does != Does::Nothing).then_some((call, handle, does))
        });
        let (call, handle, does) = found.next()?;
        let is_it = |expr: ExprId| matches!(self.code.exprs.get(expr).map(|expr| &expr.value), Some(Value::Name(name)) if bare(name) == bare(parameter.name));
        let given = call.arguments.iter().any(|argument| is_it(argument.value));
        (given && does == Does::Run && handle.kind.owner == Owner::PerCall && found.next().is_none())
            .then_some(Exported { driver: handle.driver, kind: handle.kind, role: Role::Runs })
    }

    /// What a call of a function means that belongs to another file, or to a class of this one: by how it is written.
    fn function_offered(&self, call: &Call<'s>, function: FunctionId, depth: usize) -> Option<(String, Exported)> {
        let known = |name: &str| {
            let exported = self.known(name)?;
            // A field and what gives it may have one name.
            let gives =
                exported.role == Role::Value && call.arguments.is_empty() && exported.kind.method("()").is_none();
            let role = if gives { Role::Gives } else { exported.role };
            matches!(role, Role::Gives | Role::Runs).then(|| (name.to_owned(), Exported { role, ..exported }))
        };
        match &self.code.exprs.get(call.callee)?.value {
            Value::Name(name) if self.local(function, name).is_none_or(|_| self.import(name).is_some()) => known(name),
            Value::Member { of, name, .. } if !self.is_this(function, *of) => {
                let written = self.text.get(self.code.exprs.get(call.callee)?.span.range())?;
                known(written).or_else(|| {
                    let class = self.class_of_value(*of, function, depth)?;
                    let method = self.method(&class, name, call.arguments.len());
                    let mine = method.and_then(|id| self.offers(id, depth + 1));
                    match mine {
                        Some(exported) => Some((format!("{class}.{name}"), exported)),
                        None => self.seen_as(&class).iter().find_map(|class| known(&format!("{class}.{name}"))),
                    }
                })
            }
            Value::Member { name, .. } => {
                let class = self.class_of(function)?.name;
                self.method(class, name, call.arguments.len()).is_none().then_some(())?;
                self.seen_as(class).iter().find_map(|class| known(&format!("{class}.{name}")))
            }
            _ => None,
        }
    }

    /// The innermost function around a place.
    pub(super) fn function_at(&self, at: Span) -> FunctionId {
        let before = self.code.functions.partition_point(|function| function.span.start <= at.start);
        let near = before.saturating_sub(MAX_NEAR)..before;
        near.rev().find(|&id| self.code.functions[id].span.contains(at)).unwrap_or_default()
    }

    /// The method of a class of this file.
    pub(super) fn method(&self, class: &str, name: &str, arity: usize) -> Option<FunctionId> {
        let of = |id: FunctionId| self.code.functions[id].class.and_then(|id| self.code.classes.get(id));
        let mut found = (0..self.code.functions.len()).filter(|&id| {
            let function = &self.code.functions[id];
            function.name == name && function.parameters.len() >= arity && of(id).is_some_and(|one| one.name == class)
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// The handle that such a call gives, by declarations alone.
    pub(super) fn given_by(&self, call: &Call<'s>, function: FunctionId, at: Span, depth: usize) -> Option<Handle> {
        let (written, exported) = self.function_offered(call, function, depth)?;
        (exported.role == Role::Gives).then(|| exported.given(written, at))
    }
}

impl Exported {
    /// The handle that it is, or that its calls work on.
    pub(super) fn handle(self, origin: Origin) -> Handle {
        let (driver, kind) = (self.driver, self.kind);
        let origin = if kind.owner == Owner::Ambient { Origin::Global(driver.name) } else { origin };
        Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None }
    }

    /// The handle that a call gives: a pool is the same each time.
    fn given(self, written: String, at: Span) -> Handle {
        let shared = self.kind.owner == Owner::PerCall;
        self.handle(if shared { Origin::Imported(written) } else { origin_of(self.driver, self.kind, at) })
    }
}

impl<'s> Run<'_, 's, '_> {
    /// A call of what another file, or another class, offers for sessions.
    pub(super) fn offered(&mut self, call: &Call<'s>, span: Span, out: &mut Vec<Node>) -> Option<Val> {
        let (written, exported) = self.names.function_offered(call, self.function(), 0)?;
        let vals: Vec<Val> = call.arguments.iter().map(|argument| self.eval(argument.value, out)).collect();
        let handle = exported.given(written, span);
        if exported.role == Role::Gives {
            return Some(Val::Handle(handle));
        }
        Some(self.run_text(&handle, &Asked::of(call, span, &vals), out))
    }
}

/// The place of a parameter: that of its function, told apart by its name.
pub(super) fn parameter_place(function: Span, name: &str) -> Span {
    let hash = name.bytes().fold(0_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into())) % 251;
    Span::new(function.start, function.start + hash)
}
