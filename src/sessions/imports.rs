//! Handles that a file imports from another one of the tree: which it asks for, and what the other file declares by that
//! name.

use super::Run;
use super::call::Asked;
use super::names::Names;
use super::value::{Handle, Origin, Val};
use crate::driver::{Driver, Kind};
use crate::flow::{Evidence, Node, Owner};
use crate::host;
use crate::host::code::{Argument, Call, Code, Value};
use crate::language::{HostLanguage, Language};
use crate::source::Source;
use crate::span::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A name that a file runs SQL on, of which it does not say more than where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// How the file writes it: `db`, `db.pool`.
    pub local: String,
    /// The module as the file names it; empty for its own package.
    pub module: String,
    /// The name there; empty for what the module is as a whole.
    pub part: String,
}

/// A handle that a file declares for others.
#[derive(Clone, Copy, Debug)]
pub struct Exported {
    pub(super) driver: &'static Driver,
    pub(super) kind: &'static Kind,
    /// It is no handle but a function that gets one for the function which is its argument at this place.
    pub(super) lends: Option<usize>,
}

/// The handles that a file imports, by how it writes them.
pub type Imported = BTreeMap<String, Exported>;

/// How many imports of a file are asked about.
const MAX_WANTED: usize = 64;

/// What a file imports that may be a handle: asked where it works on a session that nothing in it explains.
pub(super) fn wanted(names: &Names<'_, '_>, code: &Code<'_>, language: HostLanguage) -> BTreeSet<Wanted> {
    let declared = names.declared();
    // What is called and what is asked of: `pool.connection()`, `db.pool.acquire()`.
    let receivers = code.exprs.iter().filter_map(|expr| match &expr.value {
        Value::Member { of, name, .. } => match code.exprs.get(*of).map(|of| &of.value) {
            Some(Value::Name(first)) => Some((*first, *name)),
            _ => None,
        },
        _ => None,
    });
    // Who is given a function may call it with a handle: `withClient(async (client) => …)`.
    let lenders = code.calls.iter().filter_map(|call| {
        let is_function = |given: &Argument<'_>| {
            matches!(code.exprs.get(given.value).map(|expr| &expr.value), Some(Value::Function(_)))
        };
        let Some(Value::Name(name)) = code.exprs.get(call.callee).map(|expr| &expr.value) else { return None };
        (is_script(language) && call.arguments.iter().any(is_function)).then_some((*name, ""))
    });
    let mut found = BTreeSet::new();
    for (first, second) in receivers.chain(lenders) {
        let qualified = format!("{first}.{second}");
        let mut want = |local: &str, module: &str, part: &str| {
            if found.len() < MAX_WANTED {
                found.insert(Wanted { local: local.to_owned(), module: module.to_owned(), part: part.to_owned() });
            }
        };
        match (names.import(first), language) {
            (None, HostLanguage::Go) if !declared.contains(first) => want(first, "", first),
            (None, _) => {}
            (Some(path), HostLanguage::Go) => want(&qualified, path, second),
            (Some(path), HostLanguage::Python) => {
                if let Some((module, part)) = path.rsplit_once('.') {
                    want(first, if module.is_empty() { "." } else { module }, part);
                }
                want(&qualified, path, second);
            }
            (Some(path), _) => {
                let last = path.rsplit('/').next().unwrap_or(path);
                let (file, part) = named_part(last);
                let module = &path[..path.len() - last.len() + file.len()];
                if part.is_empty() && !second.is_empty() {
                    want(&qualified, module, second);
                }
                want(first, module, part);
            }
        }
    }
    found
}

/// The file that a path's last part names, and what is imported from it by name: `db.js.pool`.
fn named_part(last: &str) -> (&str, &str) {
    for ending in [".js", ".mjs", ".cjs", ".ts"] {
        if let Some(at) = last.find(&format!("{ending}.")) {
            return (&last[..at + ending.len()], &last[at + ending.len() + 1..]);
        }
        if last.ends_with(ending) {
            return (last, "");
        }
    }
    match last.rsplit_once('.') {
        Some((file, part)) if !file.trim_matches('.').is_empty() => (file, part),
        _ => (last, ""),
    }
}

/// What a file declares by a name for others; by no name what it is as a whole.
pub fn exported(source: &Source, part: &str) -> Option<Exported> {
    let Language::Host(language) = source.language() else { return None };
    let code = host::code(source)?;
    let nothing = Imported::new();
    let names = Names::new(&code, source.text(), language, &nothing);
    let handle = if part.is_empty() { names.only_handle() } else { names.handle_of_name(part, 0, 0) };
    match handle {
        Some(handle) => Some(Exported { driver: handle.driver, kind: handle.kind, lends: None }),
        None => lender(&names, &code, source.text(), language, part),
    }
}

/// A function that borrows a connection, calls one of its parameters with it, and gives it back, with nothing else done to
/// the session.
fn lender(names: &Names<'_, '_>, code: &Code<'_>, text: &str, language: HostLanguage, part: &str) -> Option<Exported> {
    const DOES_MORE: &[&str] =
        &["begin", "transaction", "commit", "discard", "advisory", "end(", "release(true", "destroy"];
    let declared = || match code.exprs.get(names.module(part)?.value?)?.value {
        Value::Function(function) => Some(function),
        _ => None,
    };
    let id = code.functions.iter().position(|function| function.name == part).or_else(declared)?;
    let function = &code.functions[id];
    let body = text.get(function.span.range())?.to_ascii_lowercase();
    if !is_script(language) || DOES_MORE.iter().any(|word| body.contains(word)) {
        return None;
    }
    code.calls.iter().find_map(|call| {
        let Value::Name(name) = code.exprs.get(call.callee)?.value else { return None };
        let lends = function.parameters.iter().position(|parameter| parameter.name == name)?;
        let given = call.arguments.first().filter(|_| function.span.contains(code.exprs[call.expr].span))?;
        let handle = names.handle(given.value, id, 0).filter(|handle| handle.kind.owner == Owner::Borrowed)?;
        Some(Exported { driver: handle.driver, kind: handle.kind, lends: Some(lends) })
    })
}

fn is_script(language: HostLanguage) -> bool {
    matches!(language, HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx)
}

impl<'s> Run<'_, 's, '_> {
    /// A call of another file's function that lends a connection to the function which it is given.
    pub(super) fn lends_elsewhere(
        &mut self,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Option<Val> {
        let Some(Value::Name(name)) = self.program.code.exprs.get(call.callee).map(|expr| &expr.value) else {
            return None;
        };
        let Exported { driver, kind, lends: Some(place) } = *self.names.imported.get(*name)? else { return None };
        let Some(Val::Function(function)) = asked.vals.get(place) else { return None };
        let origin = Origin::At(asked.span);
        let handle = Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None };
        let session = self.session(&handle);
        let (mut body, mut cleanup) = (Vec::new(), Vec::new());
        let result = self.follow(*function, &[Val::Handle(handle)], &[], true, &mut body);
        self.give_back(session, Span::new(asked.span.end, asked.span.end), &mut cleanup);
        let (body, cleanup) = (Box::new(Node::Sequence(body)), Box::new(Node::Sequence(cleanup)));
        out.push(Node::Ensured { body, cleanup });
        Some(result)
    }
}

impl Names<'_, '_> {
    /// A handle that another file declares, by how this one writes it.
    pub(super) fn imported(&self, written: &str) -> Option<Handle> {
        let exported = self.imported.get(written).filter(|exported| exported.lends.is_none())?;
        let origin = match exported.kind.owner {
            Owner::Ambient => Origin::Global(exported.driver.name),
            _ => Origin::Imported(written.to_owned()),
        };
        let (driver, kind) = (exported.driver, exported.kind);
        Some(Handle { driver, kind, root: kind, origin, evidence: Evidence::Declared, made: None })
    }

    /// The handle that the file is as a whole, for who imports it: the only one that it declares.
    pub(super) fn only_handle(&self) -> Option<Handle> {
        let whole = ["exports", "default"].iter().find_map(|name| self.handle_of_name(name, 0, 0));
        whole.or_else(|| {
            let names = self.locals.keys().filter(|(function, _)| *function == 0).map(|(_, name)| *name);
            let mut found = names.filter_map(|name| self.handle_of_name(name, 0, 0));
            found.next().filter(|_| found.next().is_none())
        })
    }
}
