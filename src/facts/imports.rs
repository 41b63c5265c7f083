//! Which files of the tree an import leads to, and the handles that are declared there.

use crate::analysis::File;
use crate::finding::FileId;
use crate::language::{HostLanguage, Language};
use crate::project::Project;
use crate::sessions::{Exported, Imported, Wanted, exported};
use crate::source::Source;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many files of a package are read for one name.
const MAX_FILES: usize = 64;

/// The handles that files import from others, by file.
pub fn handles(project: &dyn Project, files: &[File<'_>]) -> BTreeMap<FileId, Imported> {
    let of_file = |file: &File<'_>| {
        let Language::Host(language) = file.source.language() else { return None };
        let mut found = Imported::new();
        for wanted in &file.wanted {
            let mut there = leads_to(project, (file.id, file.source.path()), language, &wanted.module).into_iter();
            if let Some(handle) = there.find_map(|id| declared(project, id, wanted)) {
                found.insert(wanted.local.clone(), handle);
            }
        }
        (!found.is_empty()).then_some((file.id, found))
    };
    files.par_iter().filter_map(of_file).collect()
}

fn declared(project: &dyn Project, id: FileId, wanted: &Wanted) -> Option<Exported> {
    let file = project.files().get(id.0 as usize)?;
    let content = project.read(id).ok()?;
    memchr::memmem::find(&content, wanted.part.as_bytes())?;
    let source = Source::new(Arc::clone(&file.path), file.language, content.into_owned()).ok()?;
    exported(&source, &wanted.part)
}

/// The files that a module may be in, as a file names it.
fn leads_to(project: &dyn Project, (id, from): (FileId, &str), language: HostLanguage, module: &str) -> Vec<FileId> {
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
        _ => Vec::new(),
    };
    found.into_iter().filter(|found| *found != id).take(MAX_FILES).collect()
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
    let is_it = |path: &str| {
        let (directory, _) = path.rsplit_once('/').unwrap_or(("", path));
        let named = || {
            !directory.is_empty()
                && module.strip_suffix(directory).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        path.ends_with(".go")
            && !path.ends_with("_test.go")
            && if module.is_empty() { directory == own } else { named() }
    };
    project.files().iter().enumerate().filter(|(_, file)| is_it(&file.path)).filter_map(|(at, _)| id(at)).collect()
}

fn id(index: usize) -> Option<FileId> {
    u32::try_from(index).ok().map(FileId)
}
