//! What is linted: the files of a root, as the caller has them. Reading is the caller's; the linter never opens a file.

use crate::finding::FileId;
use crate::language::Language;
use crate::source::Source;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFile {
    /// Path relative to the root, with `/`.
    pub path: Arc<str>,
    /// What it is read as.
    pub language: Language,
}

/// Every file of a root: on disk, in the git index, in editor buffers, in a test.
pub trait Project: Sync {
    /// The files, sorted by path; a [`FileId`] is an index into them.
    fn files(&self) -> &[ProjectFile];

    /// The content of a file. It may be asked for more than once.
    ///
    /// # Errors
    /// Why it cannot be read: lower case, no full stop.
    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String>;

    /// The content of a file, in `buffer` where it is nowhere else in memory. What is in the buffer before does not matter:
    /// one serves for many files.
    ///
    /// # Errors
    /// As those of [`Project::read`].
    fn read_into<'b>(&'b self, file: FileId, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], String> {
        match self.read(file)? {
            Cow::Borrowed(content) => Ok(content),
            Cow::Owned(content) => {
                *buffer = content;
                Ok(buffer)
            }
        }
    }

    /// A file as text, where it can be read as that.
    fn source(&self, file: FileId) -> Option<Source> {
        let ProjectFile { path, language } = self.files().get(file.0 as usize)?;
        Source::new(Arc::clone(path), *language, self.read(file).ok()?.into_owned()).ok()
    }

    /// What was learned of a file's content, where the content is kept and this with it.
    fn memo(&self, _: FileId) -> Option<&Memo> {
        None
    }

    /// Whether these are all files of the root. Where they are not, rules that argue from absence go quieter.
    fn complete(&self) -> bool;
}

/// What is true of a content whatever is asked: it is found once, however often the content is asked for.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    /// Whether it may hold a lock, or a comment about one.
    pub marked: OnceLock<Mark>,
    /// Whether it may declare a table.
    pub declares: OnceLock<bool>,
}

/// Whether a content is worth reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// No word of a lock is in it.
    Plain,
    /// It may hold a lock, or a comment about one.
    Marked,
    /// It may hold a lock, but is made for machines and not read.
    Bundle,
}

/// The files that are reported on: sorted indices of the project's files. The others are context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets(pub Vec<FileId>);

impl Targets {
    /// Every file of the project in which findings may lie.
    pub fn all(project: &dyn Project) -> Self {
        let files = (0..).map(FileId).zip(project.files());
        Self(files.filter(|(_, file)| file.language.is_linted()).map(|(id, _)| id).collect())
    }

    /// Whether the file is reported on.
    pub fn contains(&self, file: FileId) -> bool {
        self.0.binary_search(&file).is_ok()
    }
}

/// A project held in memory: tests, one buffer on standard input.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: Vec<ProjectFile>,
    contents: Vec<Vec<u8>>,
    complete: bool,
}

impl Memory {
    /// The given paths with their contents; files in no language that is read are left out.
    pub fn new<P: AsRef<str>, C: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, C)>) -> Self {
        let mut all: Vec<(ProjectFile, Vec<u8>)> = files
            .into_iter()
            .filter_map(|(path, content)| {
                let language = Language::of(path.as_ref())?;
                Some((ProjectFile { path: path.as_ref().into(), language }, content.into()))
            })
            .collect();
        all.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        let (files, contents) = all.into_iter().unzip();
        Self { files, contents, complete: true }
    }

    /// The same, as a part of a root whose other files are unknown.
    #[must_use]
    pub fn incomplete(mut self) -> Self {
        self.complete = false;
        self
    }
}

impl Project for Memory {
    fn files(&self) -> &[ProjectFile] {
        &self.files
    }

    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String> {
        let content = self.contents.get(file.0 as usize).ok_or_else(|| "no such file".to_owned())?;
        Ok(Cow::Borrowed(content))
    }

    fn complete(&self) -> bool {
        self.complete
    }
}
