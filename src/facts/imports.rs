//! Which files of the tree an import leads to, and the handles that are declared there.

use crate::analysis::File;
use crate::driver::share;
use crate::drivers;
use crate::finding::FileId;
use crate::language::{HostLanguage, Language, SCRIPT, is_test};
use crate::project::Project;
use crate::sessions::{Exported, Imported, Wanted, exported, is_by_module, passed_on};
use crate::source::Source;
use rayon::prelude::*;
use regex::bytes::Regex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, OnceLock};

/// How many files of a package are read for one name.
const MAX_FILES: usize = 64;

/// How many files pass a name on to each other, before one declares it.
const MAX_PASSED_ON: usize = 2;

/// How many names are asked of others for one that is passed on, and in how many files.
const MAX_ASKED: usize = 16;

/// What is asked of a file, each time by whom.
type Questions<'w> = BTreeMap<FileId, BTreeSet<&'w Wanted>>;

/// The handles that files import from others, by file.
pub fn handles(project: &dyn Project, files: &[File<'_>]) -> BTreeMap<FileId, Imported> {
    let tree = Tree { project, stems: OnceLock::new(), places: OnceLock::new() };
    let asking: Vec<(&File<'_>, &Wanted)> =
        files.iter().flat_map(|file| file.wanted.iter().map(move |wanted| (file, wanted))).collect();
    let leads: Vec<Vec<FileId>> =
        asking.par_iter().map(|(file, wanted)| tree.leads_to((file.id, file.source), wanted)).collect();
    let mut questions = Questions::new();
    for ((_, wanted), there) in asking.iter().zip(&leads) {
        for id in there {
            questions.entry(*id).or_default().insert(wanted);
        }
    }
    let answers: BTreeMap<(FileId, &Wanted), Exported> = questions
        .par_iter()
        .flat_map_iter(|(id, wanted)| {
            let wanted: Vec<&Wanted> = wanted.iter().copied().collect();
            let found = tree.declared(*id, &wanted, MAX_PASSED_ON);
            wanted.into_iter().zip(found).filter_map(|(wanted, found)| Some(((*id, wanted), found?)))
        })
        .collect();
    let mut handles: BTreeMap<FileId, Imported> = BTreeMap::new();
    for ((file, wanted), there) in asking.iter().zip(&leads) {
        let found = there.iter().filter_map(|id| answers.get(&(*id, *wanted)));
        if let Some(found) = agreed(found.copied()) {
            handles.entry(file.id).or_default().insert(wanted.local.clone(), found);
        }
    }
    handles
}

/// What files declare by a name; where two of them declare something else, nobody knows which is meant.
fn agreed(mut found: impl Iterator<Item = Exported>) -> Option<Exported> {
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The files of a tree, as imports find them.
struct Tree<'p> {
    project: &'p dyn Project,
    /// Files of host code by their names, without what does not tell names apart.
    stems: OnceLock<HashMap<String, Vec<FileId>>>,
    places: OnceLock<Places<'p>>,
}

/// Files of host code by where they are.
#[derive(Default)]
struct Places<'p> {
    directory: HashMap<&'p str, Vec<FileId>>,
    /// With what it ends in.
    name: HashMap<&'p str, Vec<FileId>>,
}

impl<'p> Places<'p> {
    fn of(project: &'p dyn Project) -> Self {
        let mut places = Self::default();
        for (index, file) in project.files().iter().enumerate() {
            if let (Language::Host(_), Some(id)) = (file.language, id(index)) {
                let (directory, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
                places.directory.entry(directory).or_default().push(id);
                places.name.entry(name).or_default().push(id);
            }
        }
        places
    }
}

impl Tree<'_> {
    /// What a file declares of what is asked. What it passes on is asked of others, `depth` files away at most.
    fn declared(&self, id: FileId, wanted: &[&Wanted], depth: usize) -> Vec<Option<Exported>> {
        let nothing = || vec![None; wanted.len()];
        let Some((source, is_last)) = self.read(id, wanted, depth) else { return nothing() };
        let parts: Vec<(Option<&str>, &str)> = wanted.iter().map(|one| (one.class.as_deref(), &*one.part)).collect();
        let found = exported(&source, &parts, &Imported::new());
        if is_last || found.iter().all(Option::is_some) {
            return found;
        }
        let missing = parts.iter().zip(&found).filter(|(_, found)| found.is_none());
        let missing: Vec<(Option<&str>, &str)> = missing.map(|(part, _)| *part).collect();
        let mut imported = Imported::new();
        for asked in passed_on(&source, &missing).iter().take(MAX_ASKED) {
            let there = self.leads_to((id, &source), asked).into_iter().take(MAX_ASKED);
            let answers = there.filter_map(|id| self.declared(id, &[asked], depth - 1).into_iter().next().flatten());
            if let Some(found) = agreed(answers) {
                imported.insert(asked.local.clone(), found);
            }
        }
        if imported.is_empty() { found } else { exported(&source, &parts, &imported) }
    }

    /// A file that may declare something of what is asked, or pass it on; and whether it can only do the former.
    fn read(&self, id: FileId, wanted: &[&Wanted], depth: usize) -> Option<(Source, bool)> {
        let file = self.project.files().get(id.0 as usize)?;
        let Language::Host(language) = file.language else { return None };
        let content = self.project.read(id).ok()?;
        let has = |word: &str| memchr::memmem::find(&content, word.as_bytes()).is_some();
        let may = |wanted: &&Wanted| match &wanted.class {
            Some(class) => has(&wanted.part) && may_declare(&content, class),
            None => wanted.part.is_empty() || may_declare(&content, &wanted.part),
        };
        let is_last = depth == 0 || !is_by_module(language);
        let declares = drivers::may_use(language, &content) && wanted.iter().any(may);
        let name = |wanted: &&Wanted| wanted.class.clone().unwrap_or_else(|| wanted.part.clone());
        let passes = || !is_last && wanted.iter().any(|wanted| may_pass_on(&content, &name(wanted), language));
        (declares || passes()).then_some(())?;
        let source = Source::new(Arc::clone(&file.path), file.language, content.into_owned()).ok()?;
        Some((source, is_last))
    }

    /// The files that a module may be in, as a file names it.
    fn leads_to(&self, (id, source): (FileId, &Source), wanted: &Wanted) -> Vec<FileId> {
        let (from, module) = (source.path(), &*wanted.module);
        let Language::Host(language) = source.language() else { return Vec::new() };
        let project = self.project;
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let found = match language {
            HostLanguage::Go => self.package(directory, module),
            HostLanguage::Python => {
                let dots = module.bytes().take_while(|byte| *byte == b'.').count();
                let path = module[dots..].replace('.', "/");
                let endings = [".py", "/__init__.py"];
                match dots {
                    0 => self.anywhere(&path, &endings),
                    _ => joined(directory, &"../".repeat(dots - 1)).map_or_else(Vec::new, |base| {
                        let path = if path.is_empty() { base } else { inside(&base, &path) };
                        there(project, &path, &endings)
                    }),
                }
            }
            HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx => {
                const ENDINGS: &[&str] =
                    &["", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", "/index.ts", "/index.js", "/index.mjs"];
                // A compiled name for what is TypeScript in the tree.
                let plain = [".js", ".mjs"].iter().find_map(|ending| module.strip_suffix(ending)).unwrap_or(module);
                if module.starts_with('.') {
                    joined(directory, plain).map_or_else(Vec::new, |path| there(project, &path, ENDINGS))
                } else {
                    let alias = ["@/", "~/", "#", "src/"].iter().find_map(|alias| plain.strip_prefix(alias));
                    alias.map_or_else(Vec::new, |path| self.anywhere(path.trim_start_matches('/'), ENDINGS))
                }
            }
            _ => self.by_name(directory, language, wanted),
        };
        found.into_iter().filter(|found| *found != id).take(MAX_FILES).collect()
    }

    /// The files that a class, or a constant, may be declared in where the language finds it by its name: those that are called
    /// like it or like its module, and those beside the file that asks.
    fn by_name(&self, directory: &str, language: HostLanguage, wanted: &Wanted) -> Vec<FileId> {
        let stems = self.stems.get_or_init(|| stems(self.project));
        let name = wanted.class.as_deref().unwrap_or(&wanted.part);
        let words = || wanted.module.split(['.', ':', '\\', '/']).filter(|word| !word.is_empty());
        let around: Vec<&str> = words().rev().skip(1).take(1).collect();
        let called = std::iter::once(name).chain(around.iter().copied());
        let mut found: Vec<FileId> = called
            .filter_map(|name| stems.get(&stem(name)))
            .flatten()
            .copied()
            .filter(|id| self.is_for(*id, language))
            .collect();
        // What is imported from a package is in its directory, where there is one.
        let in_package = |id: &FileId| {
            let path = &self.project.files()[id.0 as usize].path;
            around.iter().any(|package| path.split('/').any(|part| part.split('.').next() == Some(package)))
        };
        if found.iter().any(in_package) {
            found.retain(in_package);
        }
        found.extend(self.beside(directory).filter(|id| self.is_for(*id, language)).take(MAX_FILES));
        if language == HostLanguage::Rust
            && let Some((parent, own)) = directory.rsplit_once('/')
        {
            let is_around = |id: &FileId| {
                let name = self.project.files()[id.0 as usize]
                    .path
                    .rsplit('/')
                    .next()
                    .and_then(|name| name.strip_suffix(".rs"));
                name.is_some_and(|name| matches!(name, "mod" | "lib" | "main") || name == own)
            };
            found.extend(self.beside(parent).filter(is_around));
        }
        found.sort();
        found.dedup();
        found
    }

    /// The files of host code in a directory itself.
    fn beside(&self, directory: &str) -> impl Iterator<Item = FileId> {
        let by = self.places.get_or_init(|| Places::of(self.project));
        by.directory.get(directory).into_iter().flatten().copied()
    }

    /// The one file whose path ends so.
    fn anywhere(&self, path: &str, endings: &[&str]) -> Vec<FileId> {
        let by = self.places.get_or_init(|| Places::of(self.project));
        let ends = |id: &FileId, ending: &str| {
            let known = self.project.files()[id.0 as usize].path.strip_suffix(ending);
            known.and_then(|rest| rest.strip_suffix(path)).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let of_ending = |ending: &&str| -> Vec<FileId> {
            let whole = format!("{path}{ending}");
            let called = by.name.get(whole.rsplit('/').next().unwrap_or_default());
            called.into_iter().flatten().copied().filter(|id| ends(id, ending)).collect()
        };
        let found: Vec<FileId> = endings.iter().flat_map(of_ending).collect();
        if found.len() == 1 { found } else { Vec::new() }
    }

    /// The files of a Go package: of the importing file's own, or of the directory with which an import path ends.
    fn package(&self, own: &str, module: &str) -> Vec<FileId> {
        let is_code = |id: &FileId| {
            let path = &self.project.files()[id.0 as usize].path;
            path.ends_with(".go") && !path.ends_with("_test.go")
        };
        if module.is_empty() {
            return self.beside(own).filter(is_code).collect();
        }
        let parts = std::iter::once(0).chain(module.match_indices('/').map(|(at, _)| at + 1));
        parts.flat_map(|start| self.beside(&module[start..])).filter(is_code).collect()
    }

    /// Whether code of a language sees what a file declares, which is no test.
    fn is_for(&self, id: FileId, language: HostLanguage) -> bool {
        let file = &self.project.files()[id.0 as usize];
        let seen = match file.language {
            Language::Host(other) => share(other, language),
            _ => false,
        };
        seen && !is_test(&file.path)
    }
}

/// Whether a content may pass on a name that it has from another file: `export * from "./x"`, `export { db } from "./x"`,
/// `from .x import db`, `export const db = client`.
fn may_pass_on(content: &[u8], name: &str, language: HostLanguage) -> bool {
    static EXPORTS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?-u)\bexport\s+(?:type\s+)?(?:\*|\{[^{}]*\})\s*from\b").ok());
    let is_script = SCRIPT.contains(&language);
    let lists = || EXPORTS.as_ref().into_iter().flat_map(|exports| exports.find_iter(content));
    let holds = |text: &[u8]| memchr::memmem::find(text, name.as_bytes()).is_some();
    if is_script && lists().any(|list| list.as_bytes().contains(&b'*') || holds(list.as_bytes())) {
        return true;
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    memchr::memmem::find_iter(content, name.as_bytes()).any(|at| {
        let line = &content[memchr::memrchr(b'\n', &content[..at]).map_or(0, |at| at + 1)..at];
        let after = &content[at + name.len()..];
        let value = after.trim_ascii_start().strip_prefix(b"=").unwrap_or_default();
        let value = value.split(|byte| matches!(byte, b'\n' | b';')).next().unwrap_or_default().trim_ascii();
        let is_plain = !value.is_empty() && value.iter().all(|byte| is_word(byte) || *byte == b'.');
        let is_imported = !is_script && memchr::memmem::find(line, b"import").is_some();
        is_imported || is_plain && !after.first().is_some_and(is_word)
    })
}

/// Whether a content may declare a name: behind a word that declares something, in a receiver of Go's or Kotlin's, or where a
/// line begins with an assignment to it.
fn may_declare(content: &[u8], name: &str) -> bool {
    const WORDS: &[&[u8]] = &[
        b"class",
        b"const",
        b"def",
        b"defmodule",
        b"enum",
        b"fn",
        b"fun",
        b"func",
        b"function",
        b"impl",
        b"interface",
        b"let",
        b"lazy",
        b"module",
        b"mut",
        b"object",
        b"record",
        b"static",
        b"struct",
        b"trait",
        b"type",
        b"val",
        b"var",
    ];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    memchr::memmem::find_iter(content, name.as_bytes()).any(|at| {
        let (before, after) = (&content[..at], &content[at + name.len()..]);
        if before.last().is_some_and(is_word) || after.first().is_some_and(is_word) {
            return false;
        }
        let head = before.trim_ascii_end();
        let word = &head[head.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1)..];
        let begins = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| *byte == b'\n');
        let tail = after.trim_ascii_start();
        let is_bound = || begins && matches!(tail.first(), Some(b'=' | b':' | b','));
        // `func (s *Store) pool()`, `fun Store.pool()`, `exports.pool = …`, `export { pool }`, `static Pool pool = …`
        let is_received = || after.starts_with(b")") || word == b"fun" || head.ends_with(b"exports.");
        let is_listed = || matches!(head.last(), Some(b'{' | b',')) && matches!(tail.first(), Some(b'}' | b','));
        WORDS.contains(&word)
            || is_bound()
            || is_received()
            || is_listed()
            || tail.starts_with(b"=") && !word.is_empty()
    })
}

/// Files of host code by their names.
fn stems(project: &dyn Project) -> HashMap<String, Vec<FileId>> {
    let mut stems: HashMap<String, Vec<FileId>> = HashMap::new();
    for (index, file) in project.files().iter().enumerate() {
        let name = file.path.rsplit('/').next().and_then(|name| name.split('.').next());
        if let (Language::Host(_), Some(name), Some(id)) = (file.language, name, id(index)) {
            stems.entry(stem(name)).or_default().push(id);
        }
    }
    stems
}

/// A name without what languages write differently in the names of files.
fn stem(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `directory` and a relative path in it; none where that leads out of the root.
fn joined(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn inside(directory: &str, path: &str) -> String {
    if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
}

/// The file at a path with one of some endings.
fn there(project: &dyn Project, path: &str, endings: &[&str]) -> Vec<FileId> {
    let find = |ending: &&str| {
        let path = format!("{path}{ending}");
        project.files().binary_search_by(|file| (*file.path).cmp(&*path)).ok().and_then(id)
    };
    endings.iter().filter_map(find).collect()
}

fn id(index: usize) -> Option<FileId> {
    u32::try_from(index).ok().map(FileId)
}
