//! Handles that a file imports from another one of the tree: which it asks for, and what the other file declares by that
//! name.

use super::names::{Names, bare};
use super::value::Handle;
use crate::driver::{Driver, Kind};
use crate::host;
use crate::host::code::{Code, Value};
use crate::language::{HostLanguage, Language, SCRIPT};
use crate::pattern::ascii;
use crate::source::Source;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A name that a file runs SQL on, of which it does not say more than where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// How the file writes it: `db`, `db.pool`; a member of a class with the class' name.
    pub local: String,
    /// The module as the file names it; empty for its own package.
    pub module: String,
    /// The class that it is a member of.
    pub class: Option<String>,
    /// The name there; empty for what the module is as a whole.
    pub part: String,
}

/// What something that a file declares is for who names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The handle itself.
    Value,
    /// A function that gives it.
    Gives,
    /// A function that runs the SQL which it is given on it.
    Runs,
    /// A function that gets one for the function which is its argument at this place.
    Lends(usize),
}

/// A handle that a file declares for others, or a function that works with one.
#[derive(Clone, Copy, Debug)]
pub struct Exported {
    pub(super) driver: &'static Driver,
    pub(super) kind: &'static Kind,
    pub(super) role: Role,
}

impl PartialEq for Exported {
    fn eq(&self, other: &Self) -> bool {
        (self.driver.name, self.kind.name, self.role) == (other.driver.name, other.kind.name, other.role)
    }
}

/// The handles that a file imports, by how it writes them.
pub type Imported = BTreeMap<String, Exported>;

/// How many imports of a file are asked about.
const MAX_WANTED: usize = 64;

/// What a file imports that may be a handle: asked where it works on a session that nothing in it explains.
pub(super) fn wanted(names: &Names<'_, '_>, code: &Code<'_>, language: HostLanguage) -> BTreeSet<Wanted> {
    let declared = names.declared();
    let mut asked = Asked { names, language, found: BTreeSet::new() };
    // What is called and what is asked of: `pool.connection()`, `db.pool.acquire()`, `db('members')`.
    for expr in &code.exprs {
        match &expr.value {
            Value::Member { of, name, .. } => {
                if let Some(Value::Name(first)) = code.exprs.get(*of).map(|of| &of.value) {
                    asked.name(first, Some(name), declared.contains(first));
                }
                let function = names.function_at(expr.span);
                if let Some(class) = names.class_of_value(*of, function, 0) {
                    asked.member(&class, name);
                }
            }
            Value::Call(call) => {
                if let Some(Value::Name(name)) = code.exprs.get(code.calls[*call].callee).map(|callee| &callee.value) {
                    asked.name(name, None, declared.contains(name));
                }
            }
            Value::Name(name) if !declared.contains(name) => {
                // `DB[:items]`
                if language == HostLanguage::Ruby {
                    asked.name(name, None, false);
                }
                // A field of what a class extends, by its name alone.
                if let Some(class) = names.class_of(names.function_at(expr.span))
                    && !class.bases.is_empty()
                {
                    asked.member(class.name, name);
                }
            }
            _ => {}
        }
    }
    asked.found
}

/// What is asked for.
struct Asked<'n, 'a, 's> {
    names: &'n Names<'a, 's>,
    language: HostLanguage,
    found: BTreeSet<Wanted>,
}

impl Asked<'_, '_, '_> {
    fn want(&mut self, local: &str, module: &str, class: Option<&str>, part: &str) {
        if self.found.len() < MAX_WANTED {
            let (local, module, part) = (local.to_owned(), module.to_owned(), part.to_owned());
            self.found.insert(Wanted { local, module, class: class.map(str::to_owned), part });
        }
    }

    /// A name of the file, and what is asked of it.
    fn name(&mut self, first: &str, second: Option<&str>, declared: bool) {
        let qualified = second.map(|second| (format!("{first}.{second}"), second));
        match (self.names.import(first), self.language) {
            (None, HostLanguage::Go) if !declared => self.want(first, "", None, first),
            (None, HostLanguage::Ruby) if !declared && first.starts_with(|c: char| c.is_ascii_uppercase()) => {
                self.want(first, "", None, first);
            }
            (None, _) => {}
            (Some(path), HostLanguage::Go) => {
                if let Some((qualified, second)) = qualified {
                    self.want(&qualified, path, None, second);
                }
            }
            (Some(path), HostLanguage::Python) => {
                if let Some((module, part)) = path.rsplit_once('.') {
                    self.want(first, if module.is_empty() { "." } else { module }, None, part);
                }
                if let Some((qualified, second)) = qualified {
                    self.want(&qualified, path, None, second);
                }
            }
            (Some(path), HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx) => {
                let (module, part) = script_part(path);
                if let Some((qualified, second)) = qualified.filter(|_| part.is_empty()) {
                    self.want(&qualified, module, None, second);
                }
                self.want(first, module, None, part);
            }
            (Some(_), _) => {}
        }
    }

    /// A member of a class that no library has.
    fn member(&mut self, class: &str, name: &str) {
        if self.names.of_type(class).is_some() {
            return;
        }
        for class in self.names.seen_as(class) {
            let local = format!("{class}.{}", bare(name));
            let (first, rest) = class.split_once('.').map_or((&*class, None), |(first, rest)| (first, Some(rest)));
            let path = self.names.import(first).unwrap_or_default();
            let (module, class) = match (self.language, rest) {
                (HostLanguage::Go, Some(rest)) => (path, rest),
                (HostLanguage::Python, None) => path.rsplit_once('.').unwrap_or(("", first)),
                (HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx, None) => {
                    let (module, part) = script_part(path);
                    (module, if matches!(part, "" | "default") { first } else { part })
                }
                (_, rest) => (path, rest.unwrap_or(first)),
            };
            let nowhere = module.is_empty() && is_by_module(self.language);
            if !nowhere {
                self.want(&local, module, Some(class), bare(name));
            }
        }
    }
}

/// Whether what a file does not import is not seen in it.
pub fn is_by_module(language: HostLanguage) -> bool {
    matches!(language, HostLanguage::Python | HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx)
}

/// The module of an import's path, and what is imported from it by name.
fn script_part(path: &str) -> (&str, &str) {
    let last = path.rsplit('/').next().unwrap_or(path);
    let (file, part) = named_part(last);
    (&path[..path.len() - last.len() + file.len()], part)
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

/// What a file declares for others: by a name, or by no name what it is as a whole; by a class and the name of a member.
/// `imported` is what it has from other files.
pub fn exported(source: &Source, parts: &[(Option<&str>, &str)], imported: &Imported) -> Vec<Option<Exported>> {
    let nothing = || vec![None; parts.len()];
    let (Language::Host(language), Some(code)) = (source.language(), host::code(source)) else { return nothing() };
    let names = Names::new(&code, source.text(), language, imported);
    let value = |handle: Handle| Exported { driver: handle.driver, kind: handle.kind, role: Role::Value };
    let one = |(class, part): &(Option<&str>, &str)| match class {
        _ if imported.contains_key(&written(*class, part)) => imported.get(&written(*class, part)).copied(),
        Some(class) => {
            code.classes.iter().any(|known| known.name == *class).then_some(())?;
            let field = names.handle_of_field(class, part, 0).map(value);
            field.or_else(|| names.offers(names.method(class, part, 0)?, 0))
        }
        None if part.is_empty() => names.only_handle().map(value),
        None => names
            .handle_of_name(part, 0, 0)
            .map(value)
            .or_else(|| names.offers(names.function(0, part, usize::MAX)?, 0))
            .or_else(|| names.lender(part)),
    };
    parts.iter().map(one).collect()
}

/// How a file writes what it passes on.
fn written(class: Option<&str>, part: &str) -> String {
    class.map_or_else(|| part.to_owned(), |class| format!("{class}.{part}"))
}

/// What a file would have to know of others to say what these parts are: it passes them on, or makes them of what it imports.
pub fn passed_on(source: &Source, parts: &[(Option<&str>, &str)]) -> BTreeSet<Wanted> {
    let (Language::Host(language), Some(code)) = (source.language(), host::code(source)) else {
        return BTreeSet::new();
    };
    let imported = Imported::new();
    let names = Names::new(&code, source.text(), language, &imported);
    let mut found = wanted(&names, &code, language);
    let declared = names.declared();
    let mut asked = Asked { names: &names, language, found: BTreeSet::new() };
    for (class, part) in parts {
        let name = class.unwrap_or(part);
        if SCRIPT.contains(&language) {
            for (module, there) in passed_from(source.text(), name) {
                let local = written(*class, part);
                match class {
                    Some(_) => asked.want(&local, module, Some(there), part),
                    None => asked.want(&local, module, None, there),
                }
            }
        }
        if class.is_none() {
            asked.name(part, None, declared.contains(part));
        }
    }
    // Handles by their names alone: `export const db = client`.
    let plain = code.exprs.iter().filter_map(|expr| match expr.value {
        Value::Name(name) if names.import(name).is_some() => Some(name),
        _ => None,
    });
    plain.for_each(|name| asked.name(name, None, false));
    found.append(&mut asked.found);
    found
}

/// The modules from which JavaScript passes a name on, and what it is called there: `export { a as name } from "./x"`,
/// `export * from "./y"`.
fn passed_from<'t>(text: &'t str, name: &'t str) -> Vec<(&'t str, &'t str)> {
    static PASSES_ON: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"\bexport\s+(?:type\s+)?(?:\*|\{([^{}]*)\})\s*from\s*[\x22']([^\x22']+)[\x22']").ok());
    let all = PASSES_ON.as_ref().into_iter().flat_map(|passes| passes.captures_iter(text));
    let named = |list: &'t str| {
        list.split(',').find_map(|one| {
            let (there, here) = one.trim().split_once(" as ").unwrap_or((one.trim(), one.trim()));
            (here.trim() == name).then_some(there.trim())
        })
    };
    all.filter_map(|found| {
        let there = found.get(1).map_or(Some(name), |list| named(list.as_str()))?;
        Some((found.get(2)?.as_str(), there))
    })
    .collect()
}

impl Names<'_, '_> {
    /// A handle that another file declares, by how this one writes it.
    pub(super) fn imported(&self, written: &str) -> Option<Handle> {
        self.offered(written, Role::Value)
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
