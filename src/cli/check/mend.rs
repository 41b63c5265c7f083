//! `--fix` and `--diff`: fixes are made in memory and the outcome is linted, until there is nothing left to mend.

use crate::discover::{Discovery, Disk};
use crate::emit::{counted, visible};
use crate::error::Error;
use crate::finding::{FileId, Fix, Level, Notice, Report};
use crate::fix::{apply, choose};
use crate::project::Project;
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

/// How often an outcome is mended again: fixes that meet are made one after the other.
const PASSES: usize = 10;

/// How long the search for the smallest difference of one file may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// A file before and after.
#[derive(Debug)]
pub(super) struct Changed {
    file: FileId,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// What was mended.
#[derive(Debug)]
pub(super) struct Mended {
    /// The files that are other now, sorted.
    pub(super) files: Vec<Changed>,
    /// What there is to report on them.
    pub(super) report: Report,
    /// How many findings were mended, or would be.
    pub(super) count: usize,
    /// What was not.
    pub(super) told: Vec<Notice>,
}

impl Mended {
    /// A report that nothing was done about.
    pub(super) fn nothing(report: Report) -> Self {
        Self { files: Vec::new(), report, count: 0, told: Vec::new() }
    }

    /// What was done, in one line.
    pub(super) fn summary(&self, stored: bool) -> Notice {
        let (findings, files) = (counted(self.count, "finding"), counted(self.files.len(), "file"));
        let message =
            if stored { format!("mended {findings} in {files}") } else { format!("{findings} to mend in {files}") };
        Notice { path: "".into(), message, trouble: false }
    }

    /// Writes the files.
    pub(super) fn store(&self, found: &Discovery) -> Result<(), Error> {
        for changed in &self.files {
            let Some(path) = found.project.location(changed.file) else { continue };
            let path = &*path;
            // What was linted is what is mended.
            let now = std::fs::read(path).map_err(|error| Error::file(path, error))?;
            if now != changed.before {
                return Err(Error::file(path, io::Error::other("it was changed meanwhile, and is left as it is")));
            }
            std::fs::write(path, &changed.after).map_err(|error| Error::file(path, error))?;
        }
        Ok(())
    }
}

/// Makes the fixes of a report's findings; `judge` lints a project with the same paths.
pub(super) fn mend(project: &Disk, first: Report, unsafe_too: bool, judge: &dyn Fn(&Disk) -> Report) -> Mended {
    let mut contents: BTreeMap<FileId, Vec<u8>> = BTreeMap::new();
    let mut refused: BTreeSet<FileId> = BTreeSet::new();
    let mut report = first;
    let mut now = project.clone();
    let mut count = 0;
    for _ in 0..PASSES {
        let made = pass(&now, &report, unsafe_too, &refused);
        if made.is_empty() {
            break;
        }
        let next = with(project, contents.iter().chain(made.iter().map(|(file, (content, _))| (file, content))));
        let after = judge(&next);
        let count_in = |report: &Report, file| {
            let mine = || report.findings.iter().filter(|finding| finding.at.file == file);
            (mine().count(), mine().filter(|finding| finding.level == Level::Error).count())
        };
        // What was hidden behind a mistake may show now; more than there was is no mending.
        let is_worse = |file: &FileId| {
            let ((all, errors), (all_before, errors_before)) = (count_in(&after, *file), count_in(&report, *file));
            all > all_before || errors > errors_before
        };
        let worse: BTreeSet<FileId> = made.keys().copied().filter(is_worse).collect();
        refused.extend(&worse);
        for (file, (content, fixes)) in made.into_iter().filter(|(file, _)| !worse.contains(file)) {
            contents.insert(file, content);
            count += fixes;
        }
        (now, report) = if worse.is_empty() {
            (next, after)
        } else {
            let next = with(project, &contents);
            let report = judge(&next);
            (next, report)
        };
    }
    let files: Vec<Changed> = contents
        .into_iter()
        .filter_map(|(file, after)| Some(Changed { file, before: project.read(file).ok()?.into_owned(), after }))
        .filter(|changed| changed.before != changed.after)
        .collect();
    let path = |file: FileId| project.files()[file.0 as usize].path.clone();
    let told = refused
        .iter()
        .map(|&file| Notice {
            path: path(file),
            message: "not mended: more would be found then".to_owned(),
            trouble: false,
        })
        .collect();
    Mended { files, report, count, told }
}

/// The content of each file with the fixes of its findings, and how many those are.
fn pass(
    project: &Disk,
    report: &Report,
    unsafe_too: bool,
    refused: &BTreeSet<FileId>,
) -> BTreeMap<FileId, (Vec<u8>, usize)> {
    let mut wanted: BTreeMap<FileId, Vec<&Fix>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| !refused.contains(&finding.at.file)) {
        wanted.entry(finding.at.file).or_default().extend(finding.fix.iter().filter(|fix| fix.safe || unsafe_too));
    }
    let made = wanted.into_iter().filter_map(|(file, fixes)| {
        let content = project.read(file).ok()?;
        let (edits, count) = choose(content.len(), fixes);
        (count > 0).then(|| (file, (apply(&content, edits), count)))
    });
    made.collect()
}

/// The project with other contents, of which the last for a file counts.
fn with<'c>(project: &Disk, contents: impl IntoIterator<Item = (&'c FileId, &'c Vec<u8>)>) -> Disk {
    let path = |file: &FileId| project.files()[file.0 as usize].path.to_string();
    project.with(contents.into_iter().map(|(file, content)| (path(file), Some(content.clone()))).collect())
}

/// Writes the changes as a patch that `git apply` takes at the root of the repository. On a terminal, where nobody applies
/// it, control characters are made visible.
pub(super) fn diff(files: &[Changed], found: &Discovery, color: bool, out: &mut dyn io::Write) -> io::Result<()> {
    for changed in files {
        let path = found.paths.in_repository(&found.project.files()[changed.file.0 as usize].path);
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(changed.before.as_slice(), &changed.after);
        let mut patch = Vec::new();
        let (before, after) = (quoted(&format!("a/{path}")), quoted(&format!("b/{path}")));
        diff.unified_diff().header(&before, &after).to_writer(&mut patch)?;
        if !color {
            out.write_all(&patch)?;
            continue;
        }
        for line in String::from_utf8_lossy(&patch).split_inclusive('\n') {
            let style = match line.as_bytes().first() {
                Some(b'+') => "\u{1b}[32m",
                Some(b'-') => "\u{1b}[31m",
                Some(b'@') => "\u{1b}[36m",
                _ => "",
            };
            let reset = if style.is_empty() { "" } else { "\u{1b}[0m" };
            writeln!(out, "{style}{}{reset}", visible(line.trim_end_matches(['\n', '\r'])))?;
        }
    }
    Ok(())
}

/// A path as git quotes it where it holds what would end or change the line.
fn quoted(path: &str) -> String {
    if !path.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        return path.to_owned();
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => c.to_string().bytes().for_each(|byte| out += &format!("\\{byte:03o}")),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::{Request, discover};
    use crate::lint::lint;
    use std::cell::Cell;

    #[test]
    fn more_than_there_was_is_no_mending() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("a.sql"), "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n").unwrap();
        let request = Request { directory: tree.path().to_owned(), paths: vec![".".into()], ..Request::default() };
        let found = discover(request, &[]).unwrap();
        let report = || lint(&found.project, &found.targets, &found.settings);
        let [error] = &report().findings[..] else { panic!("{:?}", report()) };
        let note = crate::finding::Finding { level: Level::Note, ..error.clone() };
        // What is found after the mending, with nothing to mend in it; whether the file is other then.
        for (after, is_made) in [
            (vec![], true),
            (vec![note.clone()], true),
            (vec![error.clone()], true),
            (vec![note.clone(), note.clone()], false),
            (vec![error.clone(), note.clone()], false),
        ] {
            let runs = Cell::new(0);
            let judge = |_: &Disk| {
                runs.set(runs.get() + 1);
                let mut next = report();
                if runs.get() == 1 {
                    next.findings =
                        after.iter().cloned().map(|one| crate::finding::Finding { fix: None, ..one }).collect();
                }
                next
            };
            let mended = mend(&found.project, report(), false, &judge);
            assert_eq!(mended.files.len(), usize::from(is_made), "{after:?}");
            assert_eq!(mended.told.len(), usize::from(!is_made), "{after:?}");
        }
    }
}
