//! A tree as an editor has it: what is on disk, read once, with the open documents in place of their files.

use crate::discover::{self, ConfigSource, Discovery, Disk, Request};
use crate::error::Error;
use crate::finding::{FileId, Report};
use crate::lint::lint;
use crate::project::{Memo, Project, ProjectFile, Targets};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes of files are kept, at most; what is beyond is read from disk each time.
const KEPT: usize = 1 << 28;

/// What a workspace is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    /// The root of a tree.
    Tree(PathBuf),
    /// A file that belongs to no tree.
    File(PathBuf),
}

impl Home {
    pub(super) fn of(file: &Path) -> Self {
        discover::root_of(file).map_or_else(|| Self::File(file.to_owned()), Self::Tree)
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Tree(path) | Self::File(path) => path,
        }
    }
}

/// What was read of a file.
#[derive(Debug, Default)]
struct Kept {
    content: OnceLock<Vec<u8>>,
    memo: Memo,
}

/// A tree and what is known of its files.
#[derive(Debug)]
pub(super) struct Workspace {
    found: Discovery,
    /// By path; a file that changes on disk gets an empty place.
    kept: HashMap<String, Kept>,
    /// Bytes of what is kept.
    size: AtomicUsize,
}

impl Workspace {
    /// The tree below `root`.
    pub(super) fn read(root: &Path, rules: &[&str]) -> Result<Self, Error> {
        let request = Request {
            directory: root.to_owned(),
            paths: vec![root.to_owned()],
            config: ConfigSource::Nearest,
            ..Request::default()
        };
        discover::discover(request, rules).map(Self::of)
    }

    /// A file that belongs to no tree.
    pub(super) fn alone(file: &Path, rules: &[&str]) -> Result<Self, Error> {
        let buffer = discover::Buffer { path: Some(file.to_owned()), content: Vec::new() };
        let directory = file.parent().unwrap_or(file).to_owned();
        let request = Request { directory, buffer: Some(buffer), ..Request::default() };
        discover::discover(request, rules).map(Self::of)
    }

    fn of(found: Discovery) -> Self {
        let kept = found.project.files().iter().map(|file| (file.path.to_string(), Kept::default())).collect();
        Self { found, kept, size: AtomicUsize::new(0) }
    }

    /// Forgets what was read of a file; whether it is one of the tree's.
    pub(super) fn forget(&mut self, file: &Path) -> bool {
        let Some(kept) = self.relative(file).and_then(|path| self.kept.get_mut(&path)) else { return false };
        let forgotten = std::mem::take(kept).content.into_inner();
        *self.size.get_mut() -= forgotten.map_or(0, |content| content.len());
        true
    }

    /// The path relative to the root, with `/`.
    pub(super) fn relative(&self, file: &Path) -> Option<String> {
        let inside = file.strip_prefix(&self.found.root).ok()?;
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    /// Where the file of a path is.
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        self.found.root.join(path)
    }

    /// Lints the documents, given by their relative paths; the answer says which of the files each is.
    pub(super) fn lint(&self, documents: &BTreeMap<String, &str>) -> (Report, BTreeMap<String, FileId>) {
        let buffers = documents.iter().filter(|(path, _)| !self.found.excludes(path));
        let buffers = buffers.map(|(path, text)| (path.clone(), Some(text.as_bytes().to_vec())));
        let disk = self.found.project.with(buffers.collect());
        let files: BTreeMap<String, FileId> =
            documents.keys().filter_map(|path| Some((path.clone(), disk.find(path)?))).collect();
        let ids = files.iter().filter(|(path, _)| !self.found.excludes(path));
        let mut targets: Vec<FileId> = ids.map(|(_, id)| *id).collect();
        targets.sort();
        let report = lint(&View { disk: &disk, workspace: self }, &Targets(targets), &self.found.settings);
        (report, files)
    }
}

/// The tree with documents, which reads through what is kept.
struct View<'v> {
    disk: &'v Disk,
    workspace: &'v Workspace,
}

impl View<'_> {
    /// What is kept of a file; nothing of an open document.
    fn kept(&self, file: FileId) -> Option<&Kept> {
        if !self.disk.is_stored(file) {
            return None;
        }
        self.workspace.kept.get(&*self.disk.files().get(file.0 as usize)?.path)
    }
}

impl Project for View<'_> {
    fn files(&self) -> &[ProjectFile] {
        self.disk.files()
    }

    fn read(&self, file: FileId) -> Result<Cow<'_, [u8]>, String> {
        let Some(kept) = self.kept(file) else { return self.disk.read(file) };
        if let Some(known) = kept.content.get() {
            return Ok(Cow::Borrowed(known));
        }
        let content = self.disk.read(file)?;
        let (size, length) = (&self.workspace.size, content.len());
        if size.fetch_add(length, Ordering::Relaxed) + length > KEPT {
            size.fetch_sub(length, Ordering::Relaxed);
            return Ok(content);
        }
        // Another thread may have kept it meanwhile.
        if kept.content.set(content.into_owned()).is_err() {
            size.fetch_sub(length, Ordering::Relaxed);
        }
        Ok(Cow::Borrowed(kept.content.get().map_or(&[], Vec::as_slice)))
    }

    fn memo(&self, file: FileId) -> Option<&Memo> {
        self.kept(file).map(|kept| &kept.memo)
    }

    fn complete(&self) -> bool {
        self.disk.complete()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_takes_no_room() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join(".git")).unwrap();
        let (a, b) = (tree.path().join("a.sql"), tree.path().join("b.sql"));
        std::fs::write(&a, "SELECT 1;").unwrap();
        std::fs::write(&b, "SELECT 22;").unwrap();
        let mut workspace = Workspace::read(tree.path(), &[]).unwrap();
        let look = |workspace: &Workspace| {
            workspace.lint(&BTreeMap::from([("c.sql".to_owned(), "SELECT pg_advisory_lock(1);")]));
            workspace.size.load(Ordering::Relaxed)
        };
        for _ in 0..3 {
            assert_eq!(look(&workspace), 19);
            assert!(workspace.forget(&a));
            assert_eq!(workspace.size.load(Ordering::Relaxed), 10);
        }
        assert!(workspace.forget(&b) && workspace.forget(&b) && workspace.forget(&a));
        assert_eq!(workspace.size.load(Ordering::Relaxed), 0);
        assert!(!workspace.forget(&tree.path().join("c.sql")) && !workspace.forget(Path::new("/elsewhere.sql")));
    }
}
