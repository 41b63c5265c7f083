//! One walk over directories, in parallel, with ignore files honoured.

use super::place::slashed;
use crate::finding::Notice;
use crate::language::Language;
use crate::settings::FILE_NAME;
use ignore::{DirEntry, WalkBuilder, WalkState};
use rayon::prelude::*;
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
    /// Files in a language that is read, in the order of their paths, each once.
    pub(super) files: Vec<Met>,
    /// Configuration files by their directory.
    pub(super) configs: BTreeMap<String, PathBuf>,
    /// What could not be looked at.
    pub(super) troubles: Vec<Notice>,
}

/// A file that a walk met.
#[derive(Debug)]
pub(super) struct Met {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) language: Language,
    /// Where that is not what the path says: its name is no text.
    pub(super) location: Option<PathBuf>,
}

/// What one thread of a walk met, sent when the thread ends: a message for each file costs more than the file.
struct Batch<'s> {
    found: Found,
    sender: &'s mpsc::Sender<Found>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        // The receiver outlives the walk.
        let _ = self.sender.send(std::mem::take(&mut self.found));
    }
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
        let (sender, batches) = mpsc::channel();
        builder.build_parallel().run(|| {
            let mut batch = Batch { found: Found::default(), sender: &sender };
            Box::new(move |entry| {
                match entry {
                    Ok(entry) => self.meet(entry, &mut batch.found),
                    Err(error) => batch.found.troubles.extend(trouble(self.root, &error)),
                }
                WalkState::Continue
            })
        });
        drop(sender);
        for batch in batches {
            found.files.extend(batch.files);
            found.configs.extend(batch.configs);
            found.troubles.extend(batch.troubles);
        }
        found.sort();
        found
    }

    fn meet(&self, entry: DirEntry, found: &mut Found) {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let name = entry.file_name().to_string_lossy();
        if name == FILE_NAME {
            let path = entry.into_path();
            let directory = slashed(self.root, path.parent().unwrap_or(self.root));
            found.configs.insert(directory, path);
        } else if Language::of(&name).is_some() || name.ends_with(".out") {
            // What is expected of a test is told by its directory.
            let path = slashed(self.root, entry.path());
            found.files.extend(Language::of(&path).map(|language| Met::new(self.root, language, entry.into_path())));
        }
    }
}

impl Met {
    /// The file at a location.
    pub(super) fn new(root: &Path, language: Language, location: PathBuf) -> Self {
        let path = slashed(root, &location);
        let is_there = location.to_str().is_some() && location.starts_with(root);
        Self { path, language, location: (!is_there).then_some(location) }
    }
}

impl Found {
    /// Brings the files into order; of equal paths one stays.
    pub(super) fn sort(&mut self) {
        self.files.par_sort_unstable_by(|a, b| (&a.path, &a.location).cmp(&(&b.path, &b.location)));
        self.files.dedup_by(|late, early| late.path == early.path);
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
