//! What keys name and other files declare: constants (`AdvisoryKeys.ARCHIVE`, `Keys::ARCHIVE`, `keys.ARCHIVE`), and functions
//! that make a key (`room_key(room)`).

use crate::analysis::File;
use crate::driver::family;
use crate::finding::{FileId, Place};
use crate::flow::UnitFlow;
use crate::host;
use crate::host::code::{Binding, Code, Flow, Value};
use crate::language::{HostLanguage, Language, is_test};
use crate::pattern::ascii;
use crate::program::keys::{self, Made};
use crate::project::{Project, ProjectFile};
use crate::source::Source;
use crate::span::Span;
use crate::sql::advisory::{Key, KeyPart};
use rayon::prelude::*;
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// How many names are looked for.
const MAX_NAMES: usize = 256;

/// The constants and functions of a tree that its keys name.
#[derive(Debug, Default)]
pub struct Constants {
    /// By the file that names one and the text of the part of its key.
    values: HashMap<(FileId, String), i64>,
    /// What functions make, by language and name.
    made: HashMap<Name, Maker>,
}

/// An owner and its constant, as a file writes them; a function has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Name {
    language: HostLanguage,
    owner: String,
    name: String,
}

/// What a file declares by a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Declared {
    Number(i64),
    Function(Maker),
}

/// A function that makes keys.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Maker {
    /// The path of its file.
    path: Arc<str>,
    /// The class, module or object that it stands in.
    class: String,
    /// The keys with faults that it makes.
    made: Vec<Made>,
}

impl Maker {
    /// Whether a file names the file or the class, or stands beside it: of a name alone it is not known whose it is.
    fn is_named_by(&self, source: &Source) -> bool {
        let directory = |path: &str| path.rfind('/').unwrap_or(0);
        let is_beside = self.path[..directory(&self.path)] == source.path()[..directory(source.path())];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let names = |name: &str| !name.is_empty() && source.text().split(|c| !is_word(c)).any(|word| word == name);
        is_beside || names(module(&self.path)) || names(&self.class)
    }
}

impl Constants {
    /// The constants that the keys of some files name where a unit takes and releases something, and the functions that are
    /// called for keys.
    pub fn read<'f>(project: &dyn Project, files: impl Iterator<Item = &'f File<'f>>) -> Self {
        let mut asked: Vec<(FileId, String, Name)> = Vec::new();
        let mut functions: BTreeSet<Name> = BTreeSet::new();
        for file in files {
            let Language::Host(language) = file.source.language() else { continue };
            let function = |name| Name { language: family(language), owner: String::new(), name };
            let room = MAX_NAMES.saturating_sub(functions.len());
            functions.extend(keys::asked(file.source.text(), &file.program).into_iter().take(room).map(function));
            let both = |flow: &&UnitFlow| flow.acquired().next().is_some() && flow.released().next().is_some();
            for flow in file.units.iter().filter(both) {
                for (site, _, key) in flow.acquired().chain(flow.released()) {
                    let call = file.source.text().get(flow.unit.sites[site].span.range()).unwrap_or_default();
                    for text in key.parts().filter_map(variable) {
                        let name = named(text, call, language).filter(|_| asked.len() < MAX_NAMES);
                        asked.extend(name.map(|name| (file.id, text.to_owned(), name)));
                    }
                }
            }
        }
        let names: BTreeSet<&Name> = asked.iter().map(|(.., name)| name).chain(&functions).collect();
        if names.is_empty() {
            return Self::default();
        }
        let declared = |(index, file): (usize, &ProjectFile)| declared(project, index, file, &names);
        let all: Vec<(Name, Declared)> = project.files().par_iter().enumerate().flat_map_iter(declared).collect();
        let mut known: HashMap<Name, Option<Declared>> = HashMap::new();
        for (name, value) in all {
            // Of two of a name it is not said which one is meant.
            known.entry(name).and_modify(|one| *one = one.take().filter(|one| *one == value)).or_insert(Some(value));
        }
        let value = |name: &Name| match known.get(name) {
            Some(Some(Declared::Number(value))) => Some(*value),
            _ => None,
        };
        let values =
            asked.iter().filter_map(|(file, text, name)| Some(((*file, text.clone()), value(name)?))).collect();
        let made = known.into_iter().filter_map(|(name, value)| match value {
            Some(Declared::Function(made)) => Some((name, made)),
            _ => None,
        });
        Self { values, made: made.collect() }
    }

    /// What the one function of the tree with a name makes, where a key of it has a fault; for a source that names where it stands.
    pub fn made(&self, source: &Source, language: HostLanguage, name: &str) -> Vec<Made> {
        let name = Name { language: family(language), owner: String::new(), name: name.to_owned() };
        let maker = self.made.get(&name).filter(|maker| maker.is_named_by(source));
        maker.map(|maker| maker.made.clone()).unwrap_or_default()
    }

    /// A key with the values of what it names.
    pub fn folded(&self, file: FileId, key: &Key) -> Key {
        let part = |part: &KeyPart| {
            let value = variable(part).and_then(|text| self.values.get(&(file, text.to_owned())));
            value.map_or_else(|| part.clone(), |value| KeyPart::Constant(*value))
        };
        match key {
            Key::Bigint(key) => Key::Bigint(part(key)),
            Key::Pair(first, second) => Key::Pair(part(first), part(second)),
            Key::Unknown => Key::Unknown,
        }
    }
}

/// The text of a part that is known only at run time.
fn variable(part: &KeyPart) -> Option<&str> {
    match part {
        KeyPart::Expression { text, constant: false, opaque: false } => Some(text),
        _ => None,
    }
}

/// The constant that a part of a key is, as it stands in the call or is bound to it.
fn named(text: &str, call: &str, language: HostLanguage) -> Option<Name> {
    static QUALIFIED: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+").ok());
    let is_it = |written: &&str| *written == text || host::stand_in(written, Span::new(0, 0)) == text;
    let whole = QUALIFIED.as_ref()?.find(text).map(|found| found.as_str());
    let written =
        whole.into_iter().chain(QUALIFIED.as_ref()?.find_iter(call).map(|found| found.as_str())).find(is_it)?;
    let mut parts = written.rsplit(['.', ':']).filter(|part| !part.is_empty());
    let (name, owner) = (parts.next()?, parts.next()?);
    let is_own = matches!(owner, "self" | "this" | "static" | "Self" | "cls");
    (!is_own).then(|| Name { language: family(language), owner: owner.to_owned(), name: name.to_owned() })
}

/// What a file declares of some names.
fn declared(project: &dyn Project, index: usize, file: &ProjectFile, names: &BTreeSet<&Name>) -> Vec<(Name, Declared)> {
    let Language::Host(language) = file.language else { return Vec::new() };
    let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
    let mine = names.iter().filter(|name| name.language == family(language)).copied();
    if mine.clone().next().is_none() {
        return Vec::new();
    }
    let Some(content) = project.read(id).ok().filter(|_| !is_test(&file.path)) else { return Vec::new() };
    let has = |word: &str| memchr::memmem::find(&content, word.as_bytes()).is_some();
    let is_module = |name: &Name| name.owner == module(&file.path);
    let may = |name: &&Name| match name.owner.is_empty() {
        true => may_define(&content, &name.name),
        false => has(&name.name) && (is_module(name) || has(&name.owner)),
    };
    let wanted: Vec<&Name> = mine.filter(may).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let Ok(source) = Source::new(Arc::clone(&file.path), file.language, content.into_owned()) else {
        return Vec::new();
    };
    let host = host::read(&source);
    let mut found = Vec::new();
    for name in wanted.iter().filter(|name| name.owner.is_empty()) {
        let mine = host.functions.iter().enumerate().filter(|(_, function)| function.name == name.name);
        found.extend(mine.map(|(index, function)| {
            let made = keys::of_function(source.text(), language, &host.functions, index).into_iter();
            let made = made.map(|(at, moves)| Made { at: Place::new(id, at), moves }).collect();
            let class = function.class.unwrap_or_default().to_owned();
            ((*name).clone(), Declared::Function(Maker { path: Arc::clone(&file.path), class, made }))
        }));
    }
    let Some(code) = host::code(&source) else { return found };
    for name in wanted.into_iter().filter(|name| !name.owner.is_empty()) {
        let values = if is_module(name) { of_module(&code, name) } else { Vec::new() };
        let values = values.into_iter().chain(of_owner(&code, name));
        found.extend(values.map(|value| (name.clone(), Declared::Number(value))));
    }
    found
}

/// Whether a content may define a function: its name stands behind a word or a type, with its parameters, or is assigned.
fn may_define(content: &[u8], name: &str) -> bool {
    const NOT: &[&[u8]] =
        &[b"and", b"await", b"case", b"else", b"in", b"new", b"not", b"or", b"return", b"throw", b"yield"];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    memchr::memmem::find_iter(content, name.as_bytes()).any(|at| {
        let (before, after) = (&content[..at], content[at + name.len()..].trim_ascii_start());
        let last = before.trim_ascii_end();
        let word = last.rsplit(|byte| !is_word(byte)).next().unwrap_or_default();
        let is_behind =
            last.len() < before.len() && last.last().is_some_and(|byte| is_word(byte) || b")>]?".contains(byte));
        is_behind && after.first().is_some_and(|byte| b"(:=<".contains(byte)) && !NOT.contains(&word)
    })
}

/// The name by which code of other files names a file: that of its directory where the file has none of its own, or is Go's.
fn module(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let is_package = file.ends_with(".go") || matches!(stem, "index" | "mod" | "__init__");
    if is_package { parts.next().unwrap_or_default() } else { stem }
}

/// What a file binds to a name.
fn of_module(code: &Code<'_>, name: &Name) -> Vec<i64> {
    let bound = code.stmts.iter().filter_map(|stmt| match &stmt.flow {
        Flow::Bind(binding) => Some(binding),
        _ => None,
    });
    let is_it = |binding: &&Binding<'_>| matches!(&binding.targets[..], [one] if one.name == name.name);
    bound.filter(is_it).filter_map(|binding| code.number(binding.value?)).collect()
}

/// What a class, an object or an object literal of that name declares.
fn of_owner(code: &Code<'_>, name: &Name) -> Vec<i64> {
    let around = code.classes.iter().filter(|class| class.name.rsplit(['.', ':']).next() == Some(&name.owner));
    let mut found: Vec<i64> = Vec::new();
    for class in around {
        let inside =
            code.stmts.iter().filter(|stmt| class.span.contains(stmt.span)).filter_map(|stmt| match &stmt.flow {
                Flow::Bind(binding) => Some(binding),
                _ => None,
            });
        // A companion object and a module's body are the class as well.
        let nested =
            code.classes.iter().filter(|inner| class.span.contains(inner.span)).flat_map(|inner| &inner.fields);
        for binding in nested.chain(inside) {
            if matches!(&binding.targets[..], [one] if one.name == name.name) {
                found.extend(binding.value.and_then(|value| code.number(value)));
            }
        }
    }
    // `export const LOCKS = { ARCHIVE: 1 } as const`
    for stmt in &code.stmts {
        let Flow::Bind(binding) = &stmt.flow else { continue };
        if matches!(&binding.targets[..], [one] if one.name == name.owner)
            && let Some(value) = binding.value
        {
            found.extend(of_entries(code, value, name));
        }
    }
    found
}

/// The entry of an object literal.
fn of_entries(code: &Code<'_>, value: usize, name: &Name) -> Option<i64> {
    match &code.exprs.get(value)?.value {
        Value::Items(items) => code.number(items.iter().find(|item| item.name == Some(name.name.as_str()))?.value),
        Value::Other(parts) => of_entries(code, *parts.first()?, name),
        _ => None,
    }
}
