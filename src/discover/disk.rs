//! A project whose files are on disk, one of them perhaps in an editor's buffer.

use crate::finding::FileId;
use crate::language::Language;
use crate::project::{Project, ProjectFile};
use std::path::PathBuf;

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
#[derive(Debug)]
enum Content {
    Disk(PathBuf),
    Buffer(Vec<u8>),
}

/// The files of a root on disk.
#[derive(Debug)]
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
                let content = entry.content.map_or(Content::Disk(entry.location), Content::Buffer);
                (file, content)
            })
            .unzip();
        Self { files, contents, complete }
    }
}

impl Project for Disk {
    fn files(&self) -> &[ProjectFile] {
        &self.files
    }

    fn read(&self, file: FileId) -> Result<Vec<u8>, String> {
        match self.contents.get(file.0 as usize) {
            Some(Content::Disk(path)) => std::fs::read(path).map_err(|error| super::walk::reason(&error)),
            Some(Content::Buffer(content)) => Ok(content.clone()),
            None => Err("no such file".to_owned()),
        }
    }

    fn complete(&self) -> bool {
        self.complete
    }
}
