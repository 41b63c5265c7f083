//! The one pure entry: a project, the files to report on, settings; out comes a report.

use crate::analysis::File;
use crate::document::{Document, documents};
use crate::facts::Facts;
use crate::facts::catalog::Catalog;
use crate::facts::routines;
use crate::finding::{FileId, Finding, Level, Notice, Report};
use crate::fingerprint;
use crate::language::is_other_database;
use crate::prefilter;
use crate::project::{Project, Targets};
use crate::region::Region;
use crate::rule::{Check, Context, Sink, arbitrate};
use crate::rules::RULES;
use crate::settings::Settings;
use crate::source::{Source, Unreadable};
use crate::span::Span;
use crate::suppress;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Lints the targets of a project. Pure: the same project, targets and settings give the same report.
pub fn lint(project: &dyn Project, targets: &Targets, settings: &Settings) -> Report {
    let mut report = Report::default();
    report.summary.files = targets.0.len();
    let sources = read(project, targets, &mut report.notices);
    let texts: Vec<Vec<Document<'_>>> = sources
        .par_iter()
        .map(|(_, source)| {
            let whole = Span::new(source.bom(), source.text().len());
            documents(Region::verbatim(source.text(), whole))
        })
        .collect();
    let mut files: Vec<File<'_>> = sources
        .par_iter()
        .zip(&texts)
        .map(|((id, source), documents)| File::new(*id, source, documents))
        .collect();
    for (id, definition) in routines::replaced(&files) {
        if let Ok(index) = files.binary_search_by_key(&id, |file| file.id) {
            files[index].leave_out(definition);
        }
    }
    // Only a row lock asks for keys, so only then is the DDL read.
    let asks = files.iter().filter(|file| targets.contains(file.id)).any(File::skips_locked);
    let catalog = if asks { Catalog::read(project, settings) } else { Catalog::default() };
    let facts = Facts::of(&files, project.complete(), catalog);
    let found = check(&files, &facts, targets);
    let mut findings = suppressed(found, &files, targets, &facts, settings);
    select(&mut findings, project, settings);
    findings.sort_by(|a, b| (a.at, a.rule, &a.message).cmp(&(b.at, b.rule, &b.message)));
    for file in files.iter().filter(|file| targets.contains(file.id)) {
        report.summary.lock_sites += file.lock_sites;
        report.summary.understood += file.understood;
    }
    fingerprint::assign(&mut findings, &files);
    for finding in &findings {
        *match finding.level {
            Level::Error => &mut report.summary.errors,
            Level::Warning => &mut report.summary.warnings,
            Level::Note => &mut report.summary.notes,
        } += 1;
    }
    let named: BTreeSet<FileId> = findings
        .iter()
        .flat_map(|f| std::iter::once(f.at.file).chain(f.related.iter().map(|r| r.at.file)))
        .collect();
    report.sources = sources
        .iter()
        .filter(|(id, _)| named.contains(id))
        .map(|(id, source)| (*id, Arc::clone(source)))
        .collect();
    report.findings = findings;
    report.notices.sort();
    report
}

/// What became of a file: its source, if it is worth one, and what there is to tell.
type Read = (Option<(FileId, Arc<Source>)>, Option<Notice>);

/// The sources that may hold a lock; of the others, what keeps a target from being read is told.
fn read(project: &dyn Project, targets: &Targets, notices: &mut Vec<Notice>) -> Vec<(FileId, Arc<Source>)> {
    let all: Vec<Read> = project
        .files()
        .par_iter()
        .enumerate()
        .map(|(index, file)| {
            let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
            let tell = |message: String, trouble| {
                targets.contains(id).then(|| Notice { path: Arc::clone(&file.path), message, trouble })
            };
            let content = match project.read(id) {
                Ok(content) => content,
                Err(why) => return (None, tell(why, true)),
            };
            let locks = prefilter::may_lock(&content)
                && (!is_other_database(&file.path) || prefilter::names_advisory(&content));
            if !locks && !prefilter::may_suppress(&content) {
                return (None, None);
            }
            match Source::new(Arc::clone(&file.path), file.language, content) {
                Ok(source) => {
                    let told = (source.replaced() > 0).then(|| {
                        tell(
                            format!(
                                "{} bytes are not UTF-8 and were read as unknown characters",
                                source.replaced()
                            ),
                            false,
                        )
                    });
                    (Some((id, Arc::new(source))), told.flatten())
                }
                Err(Unreadable::Binary) => {
                    (None, tell("not linted: it holds NUL bytes, so it is no text".to_owned(), false))
                }
                Err(Unreadable::Utf16) => {
                    (None, tell("not linted: it is UTF-16; SQL tools read UTF-8".to_owned(), false))
                }
            }
        })
        .collect();
    let mut sources = Vec::new();
    for (source, notice) in all {
        sources.extend(source);
        notices.extend(notice);
    }
    sources
}

/// What the rules find in the targets, after arbitration.
fn check(files: &[File<'_>], facts: &Facts, targets: &Targets) -> Vec<Finding> {
    let mut candidates: Vec<_> = files
        .par_iter()
        .filter(|file| targets.contains(file.id))
        .flat_map_iter(|file| {
            let mut sink = Sink::default();
            let context = Context { file, facts };
            for check in RULES.iter().flat_map(|rule| rule.checks) {
                match check {
                    Check::Statement(check) => {
                        file.statements.iter().for_each(|s| check(&context, s, &mut sink))
                    }
                    Check::Unit(check) => file.units.iter().for_each(|u| check(&context, u, &mut sink)),
                    Check::Project(_) => {}
                }
            }
            sink.into_candidates()
        })
        .collect();
    let mut sink = Sink::default();
    for check in RULES.iter().flat_map(|rule| rule.checks) {
        if let Check::Project(check) = check {
            check(files, facts, &mut sink);
        }
    }
    candidates.extend(sink.into_candidates().into_iter().filter(|c| targets.contains(c.finding.at.file)));
    arbitrate(candidates)
}

/// Applies the files' suppression comments, and adds what there is to say about them.
fn suppressed(
    findings: Vec<Finding>,
    files: &[File<'_>],
    targets: &Targets,
    facts: &Facts,
    settings: &Settings,
) -> Vec<Finding> {
    let known: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let mut kept = Vec::new();
    let mut rest = findings;
    for file in files.iter().filter(|file| targets.contains(file.id)) {
        let (mut mine, others) = rest.into_iter().partition(|finding| finding.at.file == file.id);
        rest = others;
        let mut comments = suppress::suppressions(file.source, &file.comments, &known);
        suppress::apply(&mut mine, &mut comments, file.source);
        let of = settings.of(file.source.path());
        let ran = |rule: &str| facts.complete && of.level(rule, Level::Error).is_some();
        let mut told = suppress::complaints(file.id, &comments, file.source, ran);
        // What stands in a definition that another one replaces was not looked at.
        told.retain(|finding| !file.left_out.iter().any(|definition| definition.contains(finding.at.span)));
        suppress::apply(&mut told, &mut comments, file.source);
        kept.extend(mine);
        kept.extend(told);
    }
    kept.extend(rest);
    kept
}

/// Levels by settings; what is switched off goes.
fn select(findings: &mut Vec<Finding>, project: &dyn Project, settings: &Settings) {
    findings.retain_mut(|finding| {
        let path = &project.files()[finding.at.file.0 as usize].path;
        match settings.of(path).level(finding.rule, finding.level) {
            Some(level) => {
                finding.level = level;
                true
            }
            None => false,
        }
    });
}
