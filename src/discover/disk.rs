//! A project whose files are on disk, one of them perhaps in an editor's buffer.

use crate::finding::FileId;
use crate::language::Language;
use crate::project::{Memo, Project, ProjectFile};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How long a buffer is at first, and how long one stays that was used for a large file.
const BUFFER: usize = 1 << 17;

/// A file of the project and where its content is.
#[derive(Debug)]
pub(super) struct Entry {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) language: Language,
    /// Where that is not below the root at its path.
    pub(super) location: Option<PathBuf>,
    /// What to read instead of the file on disk.
    pub(super) content: Option<Vec<u8>>,
}

/// Where a file's content is.
#[derive(Clone, Debug)]
enum Content {
    /// On disk, below the root at its path.
    Below,
    Disk(PathBuf),
    Buffer(Arc<[u8]>),
}

/// The files of a root on disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    root: PathBuf,
    files: Vec<ProjectFile>,
    contents: Vec<Content>,
    memos: Vec<Memo>,
    complete: bool,
}

impl Disk {
    /// `entries` sorted by path.
    pub(super) fn new(root: PathBuf, entries: Vec<Entry>, complete: bool) -> Self {
        let (files, contents) = entries
            .into_iter()
            .map(|entry| {
                let file = ProjectFile { path: entry.path.into(), language: entry.language };
                let content = match (entry.content, entry.location) {
                    (Some(bytes), _) => Content::Buffer(bytes.into()),
                    (None, Some(location)) => Content::Disk(location),
                    (None, None) => Content::Below,
                };
                (file, content)
            })
            .unzip();
        Self::of(root, files, contents, complete)
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
        Self::of(self.root.clone(), files, contents, self.complete)
    }

    fn of(root: PathBuf, files: Vec<ProjectFile>, contents: Vec<Content>, complete: bool) -> Self {
        let memos = files.iter().map(|_| Memo::default()).collect();
        Self { root, files, contents, memos, complete }
    }

    /// The file at a path relative to the root.
    pub fn find(&self, path: &str) -> Option<FileId> {
        let index = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        Some(FileId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// Where a file's content is on disk; `None` where it is not there.
    pub fn location(&self, file: FileId) -> Option<Cow<'_, Path>> {
        let index = file.0 as usize;
        match self.contents.get(index)? {
            Content::Below => Some(Cow::Owned(self.root.join(&*self.files[index].path))),
            Content::Disk(path) => Some(Cow::Borrowed(path)),
            Content::Buffer(_) => None,
        }
    }

    /// Whether a file's content is on disk.
    pub fn is_stored(&self, file: FileId) -> bool {
        self.contents.get(file.0 as usize).is_some_and(|content| !matches!(content, Content::Buffer(_)))
    }
}

impl Project for Disk {
    fn files(&self) -> &[ProjectFile] {
        &self.files
    }

    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String> {
        if let Some(Content::Buffer(content)) = self.contents.get(file.0 as usize) {
            return Ok(Cow::Borrowed(content));
        }
        let path = self.location(file).ok_or_else(|| "no such file".to_owned())?;
        std::fs::read(path).map(Cow::Owned).map_err(|error| super::walk::reason(&error))
    }

    fn read_into<'b>(&'b self, file: FileId, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], String> {
        if let Some(Content::Buffer(content)) = self.contents.get(file.0 as usize) {
            return Ok(content);
        }
        let path = self.location(file).ok_or_else(|| "no such file".to_owned())?;
        match fill(&path, buffer) {
            Ok(len) => Ok(&buffer[..len]),
            Err(error) => Err(super::walk::reason(&error)),
        }
    }

    /// Each file is the same as long as the project lives, or the run would contradict itself.
    fn memo(&self, file: FileId) -> Option<&Memo> {
        self.memos.get(file.0 as usize)
    }

    fn complete(&self) -> bool {
        self.complete
    }
}

/// Reads a file to the beginning of a buffer; how long it is. The system is asked for bytes and for nothing else.
fn fill(path: &Path, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut file = File::open(path)?;
    if buffer.len() != BUFFER {
        buffer.truncate(BUFFER);
        buffer.shrink_to(BUFFER);
        buffer.resize(BUFFER, 0);
    }
    let mut len = 0;
    loop {
        match file.read(&mut buffer[len..]) {
            Ok(0) => return Ok(len),
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if len == buffer.len() {
            buffer.resize(2 * len, 0);
        }
    }
}
