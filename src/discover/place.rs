//! Where a run takes place: its root, and how the paths below it are shown.

use crate::paths::Paths;
use crate::settings::FILE_NAME;
use std::path::{Component, Path, PathBuf};

/// The root of a run.
#[derive(Debug)]
pub(super) struct Place {
    /// What paths are relative to.
    pub(super) root: PathBuf,
    /// The directory whose files are the context; `None` where nothing tells how far the project reaches.
    pub(super) context: Option<PathBuf>,
}

/// The root of the named absolute paths: the marked one that they share, or else the directory that was named or the
/// one that the user is in.
pub(super) fn locate(directory: &Path, named: &[PathBuf], buffer: bool) -> Place {
    // An editor's working directory says nothing about its files, and `/` and the home directory are nobody's project.
    let works_here = !buffer && directory.parent().is_some() && std::env::home_dir().as_deref() != Some(directory);
    let roots: Vec<(PathBuf, bool)> = named
        .iter()
        .map(|path| match marked(path) {
            Some(root) => (root, true),
            None if path.is_dir() => (path.clone(), true),
            None if works_here && path.starts_with(directory) => (directory.to_owned(), true),
            None => (path.parent().unwrap_or(path).to_owned(), false),
        })
        .collect();
    let Some(root) = roots.iter().map(|(root, _)| root.clone()).reduce(|a, b| shared(&a, &b)) else {
        return Place { root: directory.to_owned(), context: None };
    };
    // Several roots share a directory that may be no project at all; only one that was among them, or one marked, is.
    let known = roots.iter().any(|(one, sure)| *sure && *one == root) || root.join(".git").exists();
    Place { context: known.then(|| root.clone()), root }
}

/// The ancestor that is marked as a root: the nearest repository, or else the topmost directory with a configuration
/// file. A configuration below the root cuts no context off, or a file's verdict would depend on what was named.
fn marked(path: &Path) -> Option<PathBuf> {
    let home = std::env::home_dir();
    // Configuration in `/` or in the home directory is for everything there, which is nobody's project.
    let projects = || path.ancestors().take_while(|one| one.parent().is_some() && home.as_deref() != Some(*one));
    path.ancestors()
        .find(|one| one.join(".git").exists())
        .or_else(|| projects().filter(|one| one.join(FILE_NAME).is_file()).last())
        .map(Path::to_owned)
}

fn shared(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect()
}

/// `path` seen from `directory`, without `.` and `..`; links are not followed, so that a file keeps the name it was
/// given.
pub fn absolute(directory: &Path, path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in directory.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// `path` relative to `root` with `/`, or as it is where it lies elsewhere.
pub(super) fn slashed(root: &Path, path: &Path) -> String {
    let Ok(inside) = path.strip_prefix(root) else {
        return path.to_string_lossy().into_owned();
    };
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// How paths below the root are shown to a user in `directory`.
pub(super) fn paths(root: &Path, directory: &Path) -> Paths {
    let repository = root.ancestors().find(|one| one.join(".git").exists());
    Paths::new(
        if directory.starts_with(root) { slashed(root, directory) } else { String::new() },
        // A root that lies elsewhere is shown whole.
        if directory.starts_with(root) { String::new() } else { slashed(directory, root) },
        repository.map_or_else(String::new, |one| slashed(one, root)),
    )
}
