//! What may be set, per file: the rules' levels, the schema's keys, the pooling in front of the server.
//!
//! A file's settings come from the nearest `locklint.toml` upwards; configuration files are never merged. What the
//! command line says holds for every file of the run.

mod check;
mod file;
mod globs;
#[cfg(test)]
mod tests;

pub use check::{Config, suggestion};
pub use file::{Pooling, UniqueKey, schema};
pub use globs::Globs;

use crate::finding::Level;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The name of a configuration file.
pub const FILE_NAME: &str = "locklint.toml";

/// Why a configuration file is refused, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct ConfigError {
    /// The configuration file, as it is shown to the user.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// The bytes of the text that are at fault.
    pub span: Range<usize>,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// What the command line says about every file.
#[derive(Clone, Debug)]
pub struct Run {
    /// The only rules that may report; none means all.
    pub select: BTreeSet<String>,
    /// Rules that stay silent.
    pub ignore: BTreeSet<String>,
    /// Findings below it are left out.
    pub min_level: Level,
    /// Report on test code too, whatever the files say.
    pub include_tests: bool,
}

impl Default for Run {
    fn default() -> Self {
        Self { select: BTreeSet::new(), ignore: BTreeSet::new(), min_level: Level::Note, include_tests: false }
    }
}

/// The settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    run: Run,
    /// By the directory that they are for, relative to the root, with `/`; empty for the root itself.
    configs: BTreeMap<String, Config>,
}

static BUILT_IN: LazyLock<Config> = LazyLock::new(Config::default);

impl Settings {
    /// Settings with the command line's say and no configuration file.
    pub fn new(run: Run) -> Self {
        Self { run, configs: BTreeMap::new() }
    }

    /// Lets `config` hold for the files below `directory` (relative to the root, with `/`, empty for the root itself)
    /// that have no nearer one.
    pub fn insert(&mut self, directory: &str, config: Config) {
        self.configs.insert(directory.trim_matches('/').to_owned(), config);
    }

    /// What holds for the file at `path`, relative to the root.
    pub fn of<'s>(&'s self, path: &str) -> FileSettings<'s> {
        let (config, inside) = self.nearest(path);
        FileSettings {
            run: &self.run,
            config,
            overrides: config.overrides.iter().map(|(paths, levels)| paths.matches(inside).then_some(levels)).collect(),
            excluded: config.exclude.matches(inside),
        }
    }

    /// Every key that some configuration file of the run declares unique.
    pub fn unique_keys(&self) -> impl Iterator<Item = &UniqueKey> {
        self.configs.values().flat_map(|config| &config.unique)
    }

    /// The nearest configuration upwards, and the path as seen from there.
    fn nearest<'p>(&self, path: &'p str) -> (&Config, &'p str) {
        let mut end = path.rfind('/');
        while let Some(at) = end {
            if let Some(config) = self.configs.get(&path[..at]) {
                return (config, &path[at + 1..]);
            }
            end = path[..at].rfind('/');
        }
        (self.configs.get("").unwrap_or(&BUILT_IN), path)
    }
}

/// What holds for one file.
#[derive(Clone, Debug)]
pub struct FileSettings<'s> {
    run: &'s Run,
    config: &'s Config,
    /// One entry per override of the file's configuration, empty where its globs do not match.
    overrides: Vec<Option<&'s BTreeMap<String, Option<Level>>>>,
    excluded: bool,
}

impl<'s> FileSettings<'s> {
    /// The level at which a finding of `rule` is reported that the rule itself gives `found`; `None` where it is not
    /// reported: the rule is off or not selected, or the level lies below the run's least.
    pub fn level(&self, rule: &str, found: Level) -> Option<Level> {
        let selected = self.run.select.is_empty() || self.run.select.contains(rule);
        if !selected || self.run.ignore.contains(rule) {
            return None;
        }
        let said = self
            .overrides
            .iter()
            .rev()
            .flatten()
            .find_map(|levels| levels.get(rule))
            .or_else(|| self.config.levels.get(rule));
        said.map_or(Some(found), |&level| level).filter(|&level| level >= self.run.min_level)
    }

    /// What stands between the program and the server.
    pub fn pooling(&self) -> Pooling {
        self.config.pooling
    }

    /// Keys declared unique beside those that the tree's own DDL shows.
    pub fn unique(&self) -> &'s [UniqueKey] {
        &self.config.unique
    }

    /// Whether test code is reported on.
    pub fn include_tests(&self) -> bool {
        self.run.include_tests || self.config.include_tests
    }

    /// Whether the file is left out unless it is named.
    pub fn excluded(&self) -> bool {
        self.excluded
    }
}
