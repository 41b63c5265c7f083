//! One walk over directories, in parallel, with ignore files honoured.

use super::place::slashed;
use crate::finding::Notice;
use crate::language::Language;
use crate::settings::FILE_NAME;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

/// Where version control keeps its own files. Other hidden directories are walked: containers' and editors' set-up
/// scripts live there.
const STORES: &[&str] = &[".git", ".hg", ".jj", ".svn"];

/// How to walk.
pub(super) struct Walk<'w> {
    pub(super) root: &'w Path,
    pub(super) no_ignore: bool,
}

/// What a walk met. Paths are relative to the root, with `/`.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files in a language that is read.
    pub(super) files: BTreeMap<String, PathBuf>,
    /// Configuration files by their directory.
    pub(super) configs: BTreeMap<String, PathBuf>,
    /// What could not be looked at.
    pub(super) troubles: Vec<Notice>,
}

enum Event {
    File(PathBuf),
    Config(PathBuf),
    Trouble(Notice),
}

impl Walk<'_> {
    /// Everything below the directories.
    pub(super) fn run(&self, directories: &[PathBuf]) -> Found {
        let mut found = Found::default();
        let Some((first, rest)) = directories.split_first() else {
            return found;
        };
        let mut builder = WalkBuilder::new(first);
        for directory in rest {
            builder.add(directory);
        }
        builder
            .standard_filters(!self.no_ignore)
            .hidden(false)
            .require_git(false)
            .filter_entry(|entry| !STORES.iter().any(|store| entry.file_name() == *store));
        let (sender, events) = mpsc::channel();
        builder.build_parallel().run(|| {
            let sender = sender.clone();
            Box::new(move |entry| {
                let event = match entry {
                    Ok(entry) => file(entry),
                    Err(error) => trouble(self.root, &error).map(Event::Trouble),
                };
                // The receiver outlives the walk.
                let _ = event.map(|event| sender.send(event));
                WalkState::Continue
            })
        });
        drop(sender);
        for event in events {
            match event {
                Event::File(path) => {
                    found.files.insert(slashed(self.root, &path), path);
                }
                Event::Config(path) => {
                    let directory = path.parent().unwrap_or(self.root);
                    found.configs.insert(slashed(self.root, directory), path);
                }
                Event::Trouble(notice) => found.troubles.push(notice),
            }
        }
        found
    }
}

fn file(entry: DirEntry) -> Option<Event> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let name = entry.file_name().to_string_lossy();
    if name == FILE_NAME {
        Some(Event::Config(entry.into_path()))
    } else if Language::of(&entry.path().to_string_lossy().replace('\\', "/")).is_some() {
        Some(Event::File(entry.into_path()))
    } else {
        None
    }
}

/// What to say about an error of the walk; nothing about a malformed line of an ignore file, which git skips too.
fn trouble(root: &Path, error: &ignore::Error) -> Option<Notice> {
    let message = reason(error.io_error()?);
    Some(Notice { path: slashed(root, path_of(error)?).into(), message, trouble: true })
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        _ => None,
    }
}

/// An input or output error in the form of a notice: lower case, and without the number of the system's error.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
