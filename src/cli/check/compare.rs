//! What is new: findings held against a tree of before and against a baseline file.

use super::Args;
use crate::baseline::{Baseline, Scope};
use crate::changed;
use crate::discover::{Discovery, Disk};
use crate::emit::counted;
use crate::error::Error;
use crate::finding::{FileId, Finding, Level, Report};
use crate::lint::lint;
use crate::project::Project;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// What is known from before, and what is asked of this run.
pub(super) struct Known<'k> {
    found: &'k Discovery,
    /// The findings of the tree of before, under the paths of now.
    base: Option<Baseline>,
    /// Those that the baseline file accepts.
    accepted: Option<Baseline>,
    /// The lowest level that is shown.
    least: Level,
}

impl<'k> Known<'k> {
    /// Lints the tree of before and reads the baseline, as far as they are asked for.
    pub(super) fn read(args: &Args, found: &'k Discovery) -> Result<Self, Error> {
        let base = args.changed_since.as_ref().map(|reference| {
            let base = changed::base(found, reference, args.staged, args.no_ignore)?;
            let report = lint(&base.project, &base.targets, &found.settings);
            let path = |finding: &Finding| base.path_now(report.source(finding.at).path()).to_owned();
            Ok::<_, Error>(Baseline::of(report.findings.iter().map(|finding| (finding, path(finding)))))
        });
        let accepted = args.baseline.as_ref().map(|path| read(path));
        let least = if args.compares() && args.write_baseline.is_none() { args.least() } else { Level::Note };
        Ok(Self { found, base: base.transpose()?, accepted: accepted.transpose()?, least })
    }

    /// The report of a project with the same paths: what is new in it.
    pub(super) fn judge(&self, project: &Disk) -> Report {
        let mut report = lint(project, &self.found.targets, &self.found.settings);
        let mut new = vec![true; report.findings.len()];
        let tests = std::mem::take(&mut report.tests);
        within(self.found, &tests, |scope| {
            for (known, tells) in [(&self.base, false), (&self.accepted, true)] {
                let Some(known) = known else { continue };
                let (is_new, left) = known.compare(with_paths(&report), scope);
                new.iter_mut().zip(is_new).for_each(|(new, one)| *new &= one);
                if tells {
                    report.notices.extend(left.stale(scope));
                }
            }
        });
        report.tests = tests;
        report.known = new.iter().filter(|new| !**new).count();
        let mut new = new.into_iter();
        report.retain(|finding| new.next().unwrap_or(true) && finding.level >= self.least);
        report
    }
}

fn with_paths(report: &Report) -> Vec<(&Finding, &str)> {
    report.findings.iter().map(|finding| (finding, &**report.source(finding.at).path())).collect()
}

/// Lets `work` see what this run could have found; `tests` are the files with locks that are test code.
fn within<T>(found: &Discovery, tests: &BTreeSet<FileId>, work: impl FnOnce(&Scope<'_>) -> T) -> T {
    let asked = |path: &str, rule: &str| {
        let settings = found.settings.of(path);
        let is_asked = |id| found.targets.contains(id) && (settings.include_tests() || !tests.contains(&id));
        found.project.find(path).is_some_and(is_asked) && settings.level(rule, Level::Error).is_some()
    };
    let exists = |path: &str| found.project.find(path).is_some();
    work(&Scope { asked: &asked, exists: if found.project.complete() { Some(&exists) } else { None } })
}

fn read(path: &Path) -> Result<Baseline, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
    Baseline::parse(&text).map_err(|why| Error::file(path, io::Error::other(why)))
}

/// Writes the findings to a baseline file; what the file holds about what this run did not look at stays. The answer says
/// what was done.
pub(super) fn write(path: &Path, report: &Report, found: &Discovery) -> Result<String, Error> {
    let before = if path.exists() { read(path)? } else { Baseline::default() };
    let now = within(found, &report.tests, |scope| before.renewed(Baseline::of(with_paths(report)), scope));
    std::fs::write(path, now.text()).map_err(|error| Error::file(path, error))?;
    Ok(format!("wrote {} to {}", counted(now.len(), "finding"), path.display()))
}
