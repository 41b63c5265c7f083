//! The trees of git beside the one on disk: a commit, to know what is new since, and the index, to judge what is about to be
//! committed. What git says is equal to the file on disk is read from there; only the rest is read from its objects.

mod git;
#[cfg(test)]
mod tests;

use crate::discover::{Discovery, Disk};
use crate::error::Error;
use crate::finding::FileId;
use crate::language::Language;
use crate::project::{Project, Targets};
use git::Git;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A tree of before, and what its files are called now.
#[derive(Debug)]
pub struct Base {
    /// Its files.
    pub project: Disk,
    /// Those that stand for the files that are reported on.
    pub targets: Targets,
    /// New paths by old ones, for what was renamed.
    renamed: HashMap<String, String>,
}

impl Base {
    /// What the file at an old path is called now.
    pub fn path_now<'p>(&'p self, path: &'p str) -> &'p str {
        self.renamed.get(path).map_or(path, String::as_str)
    }
}

/// The tree of the commit where the work left `reference`: the merge base with it, or `reference` itself where git knows
/// none. `found` is what is looked at now: the files on disk, `no_ignore` as they were discovered, or what [`stage`] made of
/// them.
///
/// # Errors
/// Where there is no git, no work tree or no such commit.
pub fn base(found: &Discovery, reference: &str, staged: bool, no_ignore: bool) -> Result<Base, Error> {
    let git = Git::new(&found.root)?;
    let commit = git.commit(reference)?;
    let mut changes = Changes::new(found);
    let mut renamed = HashMap::new();
    let all: &[&str] = if staged { &["--cached", &commit] } else { &[&commit] };
    for one in git.differences(all)? {
        if one.is_file_now() {
            changes.remove(one.path_now());
        }
        if let Some(object) = one.before {
            changes.put(one.path.clone(), object);
            if let Some(now) = one.renamed {
                renamed.insert(one.path, now);
            }
        }
    }
    // What git does not track was not there.
    if !staged {
        for path in git.untracked(no_ignore)? {
            changes.remove(&path);
        }
    }
    let project = changes.apply(&git)?;
    let mut base = Base { project, targets: Targets(Vec::new()), renamed };
    let targets: BTreeSet<&str> = found.targets.0.iter().map(|id| path(&found.project, *id)).collect();
    let ids = (0..).map(FileId).zip(base.project.files());
    let ids = ids.filter(|(_, file)| targets.contains(base.path_now(&file.path)));
    base.targets = Targets(ids.map(|(id, _)| id).collect());
    Ok(base)
}

/// Puts the content of the index in place of what is on disk. Unless `all` of it is looked at, only those files stay
/// targets whose content in the index is not that of the last commit.
///
/// # Errors
/// Where there is no git or no work tree.
pub fn stage(found: &mut Discovery, all: bool, no_ignore: bool) -> Result<(), Error> {
    let git = Git::new(&found.root)?;
    let mut changes = Changes::new(found);
    for one in git.differences(&[])? {
        match one.before {
            Some(object) => changes.put(one.path, object),
            None => changes.remove(&one.path),
        }
    }
    for path in git.untracked(no_ignore)? {
        changes.remove(&path);
    }
    let mut targets: BTreeSet<String> = found.targets.0.iter().map(|id| path(&found.project, *id).to_owned()).collect();
    targets.extend(changes.paths().filter(|path| found.covers(path)).map(str::to_owned));
    if !all {
        let staged = git.differences(&["--cached"])?;
        let staged: BTreeSet<String> =
            staged.iter().filter(|one| one.is_file_now()).map(|one| one.path_now().to_owned()).collect();
        // A configuration file is looked at where it is staged, though not in a whole tree.
        targets.extend(staged.iter().filter(|path| found.covers(path) && !found.excludes(path)).cloned());
        targets.retain(|path| staged.contains(path));
    }
    let project = changes.apply(&git)?;
    let ids = (0..).map(FileId).zip(project.files());
    let ids = ids.filter(|(_, file)| targets.contains(&*file.path));
    found.targets = Targets(ids.map(|(id, _)| id).collect());
    found.project = project;
    Ok(())
}

fn path(project: &Disk, id: FileId) -> &str {
    project.files().get(id.0 as usize).map_or("", |file| &file.path)
}

/// What is other than on disk.
struct Changes<'d> {
    found: &'d Discovery,
    /// Paths with git's name of their content; without one where there is no file.
    objects: BTreeMap<String, Option<String>>,
}

impl<'d> Changes<'d> {
    fn new(found: &'d Discovery) -> Self {
        Self { found, objects: BTreeMap::new() }
    }

    fn remove(&mut self, path: &str) {
        self.objects.entry(path.to_owned()).or_insert(None);
    }

    /// A file that is looked at, or would be if it were on disk.
    fn put(&mut self, path: String, object: String) {
        let known = self.found.project.find(&path).is_some();
        let whole = self.found.project.complete() || self.found.covers(&path);
        if known || Language::of(&path).is_some() && whole && !self.found.excludes(&path) {
            self.objects.insert(path, Some(object));
        }
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().filter(|(_, object)| object.is_some()).map(|(path, _)| path.as_str())
    }

    fn apply(self, git: &Git<'_>) -> Result<Disk, Error> {
        let wanted: Vec<&str> = self.objects.values().flatten().map(String::as_str).collect();
        let mut contents = git.contents(&wanted)?.into_iter();
        let mut changes = BTreeMap::new();
        for (path, object) in &self.objects {
            let content = if object.is_some() { contents.next() } else { None };
            changes.insert(path.clone(), content);
        }
        Ok(self.found.project.with(changes))
    }
}
