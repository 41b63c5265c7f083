//! Which files of the tree an import leads to, and the handles that are declared there.

use crate::analysis::File;
use crate::driver::JVM;
use crate::finding::FileId;
use crate::language::{HostLanguage, Language, is_test};
use crate::project::Project;
use crate::sessions::{Exported, Imported, Wanted, exported};
use crate::source::Source;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// How many files of a package are read for one name.
const MAX_FILES: usize = 64;

/// What is asked of a file, each time by whom.
type Questions<'w> = BTreeMap<FileId, BTreeSet<&'w Wanted>>;

/// The handles that files import from others, by file.
pub fn handles(project: &dyn Project, files: &[File<'_>]) -> BTreeMap<FileId, Imported> {
    let tree = Tree { project, stems: OnceLock::new() };
    let asking: Vec<(&File<'_>, &Wanted)> =
        files.iter().flat_map(|file| file.wanted.iter().map(move |wanted| (file, wanted))).collect();
    let leads: Vec<Vec<FileId>> = asking.par_iter().map(|(file, wanted)| tree.leads_to(file, wanted)).collect();
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
            let found = declared(project, *id, &wanted);
            wanted.into_iter().zip(found).filter_map(|(wanted, found)| Some(((*id, wanted), found?)))
        })
        .collect();
    let mut handles: BTreeMap<FileId, Imported> = BTreeMap::new();
    for ((file, wanted), there) in asking.iter().zip(&leads) {
        let mut found = there.iter().filter_map(|id| answers.get(&(*id, *wanted)));
        // Where two files declare something else by that name, nobody knows which is meant.
        if let Some(first) = found.next()
            && found.all(|other| other == first)
        {
            handles.entry(file.id).or_default().insert(wanted.local.clone(), *first);
        }
    }
    handles
}

/// What a file declares of what is asked.
fn declared(project: &dyn Project, id: FileId, wanted: &[&Wanted]) -> Vec<Option<Exported>> {
    let read = || {
        let file = project.files().get(id.0 as usize)?;
        let content = project.read(id).ok()?;
        let has = |word: &str| memchr::memmem::find(&content, word.as_bytes()).is_some();
        let may = |wanted: &&Wanted| has(&wanted.part) && wanted.class.as_deref().is_none_or(has);
        wanted.iter().any(may).then_some(())?;
        Source::new(Arc::clone(&file.path), file.language, content.into_owned()).ok()
    };
    let parts: Vec<(Option<&str>, &str)> = wanted.iter().map(|one| (one.class.as_deref(), &*one.part)).collect();
    read().map_or_else(|| vec![None; wanted.len()], |source| exported(&source, &parts))
}

/// The files of a tree, as imports find them.
struct Tree<'p> {
    project: &'p dyn Project,
    /// Files of host code by their names, without what does not tell names apart.
    stems: OnceLock<HashMap<String, Vec<FileId>>>,
}

impl Tree<'_> {
    /// The files that a module may be in, as a file names it.
    fn leads_to(&self, file: &File<'_>, wanted: &Wanted) -> Vec<FileId> {
        let (id, from, module) = (file.id, file.source.path(), &*wanted.module);
        let Language::Host(language) = file.source.language() else { return Vec::new() };
        let project = self.project;
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let found = match language {
            HostLanguage::Go => package(project, directory, module),
            HostLanguage::Python => {
                let dots = module.bytes().take_while(|byte| *byte == b'.').count();
                let path = module[dots..].replace('.', "/");
                let endings = [".py", "/__init__.py"];
                match dots {
                    0 => anywhere(project, &path, &endings),
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
                    alias.map_or_else(Vec::new, |path| anywhere(project, path.trim_start_matches('/'), ENDINGS))
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
        found.extend(beside(self.project, directory).filter(|id| self.is_for(*id, language)).take(MAX_FILES));
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
            found.extend(beside(self.project, parent).filter(is_around));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Whether code of a language sees what a file declares, which is no test.
    fn is_for(&self, id: FileId, language: HostLanguage) -> bool {
        let file = &self.project.files()[id.0 as usize];
        let seen = match file.language {
            Language::Host(other) => other == language || JVM.contains(&other) && JVM.contains(&language),
            _ => false,
        };
        seen && !is_test(&file.path)
    }
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

/// The files of a directory itself.
fn beside<'p>(project: &'p dyn Project, directory: &'p str) -> impl Iterator<Item = FileId> + 'p {
    let files = project.files();
    let start = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let first = files.partition_point(|file| *file.path < *start);
    let inside = files.get(first..).unwrap_or_default().iter().take_while(move |file| file.path.starts_with(&start));
    inside
        .enumerate()
        .filter(move |(_, file)| file.path.rsplit_once('/').map_or("", |(found, _)| found) == directory)
        .filter_map(move |(at, _)| id(first + at))
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

/// The one file whose path ends so.
fn anywhere(project: &dyn Project, path: &str, endings: &[&str]) -> Vec<FileId> {
    let ends = |known: &str| {
        endings.iter().any(|ending| {
            known
                .strip_suffix(ending)
                .and_then(|rest| rest.strip_suffix(path))
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    };
    let mut found =
        project.files().iter().enumerate().filter(|(_, file)| ends(&file.path)).filter_map(|(at, _)| id(at));
    match (found.next(), found.next()) {
        (Some(only), None) => vec![only],
        _ => Vec::new(),
    }
}

/// The files of a Go package: of the importing file's own, or of the directory with which an import path ends.
fn package(project: &dyn Project, own: &str, module: &str) -> Vec<FileId> {
    let is_code = |path: &str| path.ends_with(".go") && !path.ends_with("_test.go");
    if module.is_empty() {
        let files = project.files();
        return beside(project, own).filter(|id| is_code(&files[id.0 as usize].path)).collect();
    }
    let is_it = |path: &str| {
        let (directory, _) = path.rsplit_once('/').unwrap_or(("", path));
        is_code(path)
            && !directory.is_empty()
            && module.strip_suffix(directory).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    project.files().iter().enumerate().filter(|(_, file)| is_it(&file.path)).filter_map(|(at, _)| id(at)).collect()
}

fn id(index: usize) -> Option<FileId> {
    u32::try_from(index).ok().map(FileId)
}
