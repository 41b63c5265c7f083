//! Whether a transaction-mode pooler stands between programs and the server, as the tree's configuration files show it
//! for each connection setting. Evidence belongs to the setting that carries it: code that reads another one is not
//! covered.
//!
//! These files hold passwords. What leaves this module is a setting's name, its host and port, and sources in which
//! everything else is masked.

mod connection;
mod evidence;
mod group;
mod lines;
mod pgbouncer;
mod redact;
mod runners;
#[cfg(test)]
mod tests;
mod yaml;

pub use evidence::Evidence;

use crate::fence::fenced;
use crate::finding::{FileId, Notice, Place};
use crate::language::{Config, Language};
use crate::prefilter;
use crate::project::{Project, ProjectFile};
use crate::source::Source;
use crate::span::Span;
use evidence::Tree;
use group::{Group, Read};
use pgbouncer::PgBouncer;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A longer file is data, not configuration.
const MAX_LEN: usize = 1 << 20;

/// A connection setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `DATABASE_URL`, `spring.datasource.url`.
    pub name: String,
    /// Its host and port where they stand, else its name.
    pub at: Place,
    /// `host:port`, as far as they are known.
    pub target: String,
    /// What stands between.
    pub evidence: Evidence,
    /// Path of its file, relative to the root.
    pub path: Arc<str>,
    /// Whether it is for the developer's own machine.
    local: bool,
    /// Index of the program that it is for.
    group: usize,
    /// Part of a command line.
    is_command: bool,
}

/// The connection settings of a tree.
#[derive(Debug, Default)]
pub struct Pooler {
    settings: Vec<Setting>,
    groups: Vec<Group>,
    /// Whether some file was not understood in full: it may hold a setting that is not here.
    in_part: bool,
    /// The files that settings point into, with everything masked but what settings show.
    sources: BTreeMap<FileId, Arc<Source>>,
    /// Where reading failed.
    pub troubles: Vec<Notice>,
}

impl Pooler {
    /// Reads the configuration files of a project.
    pub fn read(project: &dyn Project) -> Self {
        let of_files: Vec<Result<_, Notice>> = project
            .files()
            .par_iter()
            .enumerate()
            .filter(|(_, file)| matches!(file.language, Language::Config(_)) && !is_trial(&file.path))
            .filter_map(|(index, file)| {
                let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
                fenced(&file.path, || of_file(project, id, file)).transpose()
            })
            .collect();
        let mut troubles = Vec::new();
        let read: Vec<(FileId, Option<Source>, Read)> =
            of_files.into_iter().filter_map(|one| one.map_err(|notice| troubles.push(notice)).ok()).collect();
        let in_part = !troubles.is_empty() || read.iter().any(|(_, _, read)| read.in_part);
        let services: Vec<_> = read.iter().flat_map(|(_, _, read)| read.services.iter().cloned()).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut poolers: Vec<PgBouncer> = Vec::new();
        let mut files: Vec<(Arc<str>, PgBouncer)> = Vec::new();
        let mut sources = BTreeMap::new();
        for (id, source, read) in read {
            let ini = source.as_ref().filter(|source| source.language() == Language::Config(Config::Ini));
            if let Some((source, pooler)) = ini.zip(PgBouncer::of_file(&read.groups)) {
                files.push((Arc::clone(source.path()), pooler));
            } else {
                for group in read.groups {
                    let inside = group.entries.iter().filter_map(|entry| PgBouncer::of_value(&group, entry));
                    poolers.extend(inside);
                    match PgBouncer::of_service(&group, &services) {
                        Some(pooler) => poolers.push(pooler),
                        None => groups.push(group),
                    }
                }
            }
            sources.extend(source.map(|source| (id, source)));
        }
        for pooler in &mut poolers {
            for (path, file) in &files {
                pooler.adopt(path, file);
            }
        }
        poolers.extend(files.into_iter().map(|(_, pooler)| pooler));
        let tree = Tree { poolers: &poolers, groups: &groups };
        let (settings, shown) = tree.settings(&sources);
        let mut by_file: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
        for place in shown {
            by_file.entry(place.file).or_default().push(place.span);
        }
        let sources = sources
            .iter()
            .filter_map(|(id, source)| {
                let redacted = redact::redacted(source, by_file.get(id)?)?;
                Some((*id, Arc::new(redacted)))
            })
            .collect();
        Self { settings, groups, in_part, sources, troubles }
    }

    /// The files that settings point into, masked.
    pub fn sources(&self) -> &BTreeMap<FileId, Arc<Source>> {
        &self.sources
    }

    /// Every connection setting, by file and place.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The setting that shows a transaction-mode pooler in front of everything that connects; `None` where one setting
    /// does not, or something was not understood.
    pub fn everywhere(&self) -> Option<&Setting> {
        let pooled = self.settings.iter().all(|setting| setting.evidence.is_transaction());
        self.settings.first().filter(|_| pooled && !self.in_part)
    }

    /// The setting of a name that code reads, if it shows a transaction-mode pooler wherever it is set, but for the
    /// developer's own machine.
    pub fn of_setting(&self, name: &str) -> Option<&Setting> {
        let own = || self.settings.iter().filter(|setting| setting.name == name);
        let pooled = own().find(|setting| setting.evidence.is_transaction());
        pooled.filter(|_| own().all(|setting| setting.evidence.is_transaction() || setting.local))
    }

    /// The setting that shows a transaction-mode pooler in front of a migration runner; `None` where another setting of
    /// the runner leads elsewhere, unless that is for the developer's own machine.
    pub fn of_runner(&self, name: &str) -> Option<&Setting> {
        let own = self.own(runners::runner(name)?);
        let pooled = own.iter().find(|setting| setting.evidence.is_transaction());
        let others = own.iter().all(|setting| setting.evidence.is_transaction() || setting.local);
        pooled.copied().filter(|_| others)
    }

    /// The settings that a runner uses.
    fn own(&self, runner: &runners::Runner) -> Vec<&Setting> {
        let runs = |setting: &&Setting| {
            let group = self.groups.get(setting.group);
            group.is_some_and(|group| runner.programs.iter().any(|program| group.runs(program)))
        };
        let named = |settings: &[&'_ Setting]| -> Vec<usize> {
            let of = |names: &&[&str]| -> Vec<usize> {
                let is_one = |setting: &Setting| names.iter().any(|name| setting.is_named(name));
                (0..settings.len()).filter(|&at| is_one(settings[at])).collect()
            };
            runner.settings.iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
        };
        let of_programs: Vec<&Setting> = self.settings.iter().filter(runs).collect();
        if !of_programs.is_empty() {
            // A service of the runner's own: what is on its command line goes before its variables.
            let commands: Vec<&Setting> = of_programs.iter().copied().filter(|one| one.is_command).collect();
            if !commands.is_empty() {
                return commands;
            }
            let named = named(&of_programs);
            if named.is_empty() {
                return of_programs;
            }
            return named.into_iter().map(|at| of_programs[at]).collect();
        }
        let all: Vec<&Setting> = self.settings.iter().collect();
        named(&all).into_iter().map(|at| all[at]).collect()
    }
}

/// What one configuration file says; `None` where it says nothing of PostgreSQL.
fn of_file(project: &dyn Project, id: FileId, file: &ProjectFile) -> Option<(FileId, Option<Source>, Read)> {
    let unread = || Some((id, None, Read { in_part: true, ..Read::default() }));
    let Ok(content) = project.read(id) else { return unread() };
    if !prefilter::may_connect(&content) {
        return None;
    }
    if content.len() > MAX_LEN {
        return unread();
    }
    let Ok(source) = Source::new(Arc::clone(&file.path), file.language, content.into_owned()) else {
        return unread();
    };
    let read = group::read(id, &source);
    Some((id, Some(source), read))
}

impl Setting {
    /// Whether it has this name, or, after a `/`, this name in a file of that name.
    fn is_named(&self, name: &str) -> bool {
        match name.rsplit_once('/') {
            Some((file, name)) => self.name == name && self.path.rsplit('/').next() == Some(file),
            None => self.name == name,
        }
    }
}

/// Directories and files that say how tests and pipelines connect, which is nothing about the program.
fn is_trial(path: &str) -> bool {
    const TRIALS: &[&str] =
        &[".github", ".circleci", ".gitlab", ".woodpecker", "test", "tests", "testdata", "fixtures", "node_modules"];
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let pipeline = name.starts_with(".gitlab-ci") || name.starts_with(".travis") || name.starts_with("azure-pipelines");
    pipeline
        || parts.any(|part| TRIALS.contains(&part))
        || name.split(['.', '-', '_']).any(|word| matches!(word, "test" | "tests" | "testing" | "ci"))
}
