//! A project whose files are on disk, one of them perhaps in an editor's buffer.

use crate::finding::FileId;
use crate::language::Language;
use crate::project::{Project, ProjectFile};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of the project and where its content is.
#[derive(Debug)]
pub(super) struct Entry {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) location: PathBuf,
    /// What to read instead of the file on disk.
    pub(super) content: Option<Vec<u8>>,
}

/// Where a file's content is.
#[derive(Clone, Debug)]
enum Content {
    Disk(PathBuf),
    Buffer(Arc<[u8]>),
}

/// The files of a root on disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    files: Vec<ProjectFile>,
    contents: Vec<Content>,
    complete: bool,
}

impl Disk {
    /// `entries` sorted by path.
    pub(super) fn new(entries: Vec<Entry>, complete: bool) -> Self {
        let (files, contents) = entries
            .into_iter()
            .map(|entry| {
                let file = ProjectFile { path: entry.path.into(), language: entry.language };
                let content =
                    entry.content.map_or(Content::Disk(entry.location), |bytes| Content::Buffer(bytes.into()));
                (file, content)
            })
            .unzip();
        Self { files, contents, complete }
    }

    /// The same files but for some, by path: with another content, or gone where there is none. What ends in no language
    /// that is read is left out.
    #[must_use]
    pub fn with(&self, changes: BTreeMap<String, Option<Vec<u8>>>) -> Self {
        let kept = self.files.iter().zip(&self.contents).filter(|(file, _)| !changes.contains_key(&*file.path));
        let mut all: Vec<(ProjectFile, Content)> =
            kept.map(|(file, content)| (file.clone(), content.clone())).collect();
        for (path, content) in changes {
            // A buffer without a name is read as SQL, whatever its name says.
            let known = self.find(&path).map(|id| self.files[id.0 as usize].language);
            if let (Some(content), Some(language)) = (content, known.or_else(|| Language::of(&path))) {
                all.push((ProjectFile { path: path.into(), language }, Content::Buffer(content.into())));
            }
        }
        all.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        let (files, contents) = all.into_iter().unzip();
        Self { files, contents, complete: self.complete }
    }

    /// The file at a path relative to the root.
    pub fn find(&self, path: &str) -> Option<FileId> {
        let index = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        Some(FileId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// Where a file's content is on disk; `None` where it is not there.
    pub fn location(&self, file: FileId) -> Option<&Path> {
        match self.contents.get(file.0 as usize)? {
            Content::Disk(path) => Some(path),
            Content::Buffer(_) => None,
        }
    }
}

impl Project for Disk {
    fn files(&self) -> &[ProjectFile] {
        &self.files
    }

    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String> {
        match self.contents.get(file.0 as usize) {
            Some(Content::Disk(path)) => {
                std::fs::read(path).map(Cow::Owned).map_err(|error| super::walk::reason(&error))
            }
            Some(Content::Buffer(content)) => Ok(Cow::Borrowed(content)),
            None => Err("no such file".to_owned()),
        }
    }

    fn complete(&self) -> bool {
        self.complete
    }
}
