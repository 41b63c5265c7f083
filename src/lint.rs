//! The one pure entry: a project, the files to report on, settings; out comes a report.

use crate::analysis::{Elsewhere, File};
use crate::facts::around::begun_around;
use crate::facts::catalog::{self, Catalog};
use crate::facts::constants::Constants;
use crate::facts::imports::handles;
use crate::facts::pooler::Pooler;
use crate::facts::pools::Pools;
use crate::facts::wrappers::{Calls, wrappers};
use crate::facts::{Facts, languages};
use crate::facts::{routines, tree};
use crate::fence::fenced;
use crate::finding::{FileId, Finding, Level, Notice, Place, Related, Report};
use crate::fingerprint;
use crate::flow::UnitFlow;
use crate::language::{Language, expected_output};
use crate::prefilter;
use crate::project::{Mark, Project, ProjectFile, Targets};
use crate::region::Region;
use crate::rule::{Arbitration, Check, Context, Silence, Sink, arbitrate};
use crate::rules::RULES;
use crate::settings::{Pooling, Settings};
use crate::source::{Source, Unreadable, is_text};
use crate::span::Span;
use crate::sql::script::{self, Surroundings};
use crate::suppress;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Lints the targets of a project. Pure: the same project, targets and settings give the same report. Of a target in which
/// no finding may lie, a configuration file, those are reported whose story leads there: who names it has changed it.
pub fn lint(project: &dyn Project, targets: &Targets, settings: &Settings) -> Report {
    let is_linted = |id: &FileId| project.files().get(id.0 as usize).is_some_and(|file| file.language.is_linted());
    if targets.0.iter().all(is_linted) {
        return run(project, targets, targets, settings);
    }
    run(project, &Targets::all(project), targets, settings)
}

/// Lints `targets`, and reports what is about `shown`.
fn run(project: &dyn Project, targets: &Targets, shown: &Targets, settings: &Settings) -> Report {
    let mut report = Report::default();
    report.summary.files = shown.0.len();
    let mut notices = Vec::new();
    with_files(project, shown, &mut notices, |files, loaded| {
        let facts = facts(project, targets, settings, files);
        let Checked { arbitration, mut failed, .. } = check(files, &facts, targets, settings, None);
        report.notices.append(&mut failed);
        report.notices.extend(facts.pooler.troubles.iter().chain(&facts.catalog.troubles).cloned());
        let is_source = |id| files.binary_search_by_key(&id, |file: &File<'_>| file.id).is_ok();
        let mut findings = suppressed(arbitration.findings, files, targets, &facts, settings);
        report.tests = files.iter().filter(|file| file.is_test()).map(|file| file.id).collect();
        let in_test = |finding: &Finding| {
            let at = files.binary_search_by_key(&finding.at.file, |file| file.id);
            at.is_ok_and(|index| files[index].is_test_at(finding.at.span))
        };
        report.in_tests = select(&mut findings, project, settings, &in_test);
        findings.sort_by(|a, b| (a.at, a.rule, &a.message).cmp(&(b.at, b.rule, &b.message)));
        for file in files.iter().filter(|file| shown.contains(file.id)) {
            report.summary.lock_sites += file.lock_sites;
            report.summary.understood += file.understood;
        }
        fingerprint::assign(&mut findings, files);
        findings.retain(|finding| {
            shown.contains(finding.at.file)
                || finding.related.iter().any(|one| shown.contains(one.at.file) && !is_source(one.at.file))
        });
        let named: BTreeSet<FileId> = findings
            .iter()
            .flat_map(|f| std::iter::once(f.at.file).chain(f.related.iter().map(|r| r.at.file)))
            .collect();
        let known = loaded.iter().map(|(id, source)| (id, source)).chain(facts.pooler.sources());
        let known: BTreeMap<&FileId, &Arc<Source>> = known.collect();
        // A story may lead to a file that was read for one fact alone.
        let of = |id| known.get(&id).copied().cloned().or_else(|| project.source(id).map(Arc::new));
        report.sources = named.into_iter().filter_map(|id| Some((id, of(id)?))).collect();
        report.findings = findings;
    });
    report.count();
    report.notices.append(&mut notices);
    report.notices.sort();
    report
}

/// Reads the files of a project that may hold a lock, or call what does, and gives them to `then` with their sources.
/// What keeps a target from being read goes to `notices`.
pub(crate) fn with_files<R>(
    project: &dyn Project,
    targets: &Targets,
    notices: &mut Vec<Notice>,
    then: impl FnOnce(&[File<'_>], &[Loaded]) -> R,
) -> R {
    let asks_for_keys = AtomicBool::new(false);
    let bundles = AtomicUsize::new(0);
    let is_marked = |id, mark| {
        bundles.fetch_add(usize::from(mark == Mark::Bundle && targets.contains(id)), Ordering::Relaxed);
        mark == Mark::Marked
    };
    let known = |id| project.memo(id).and_then(|memo| memo.marked.get().copied());
    let passed = |id| known(id).is_some_and(|mark| !is_marked(id, mark));
    let marked = |id, file: &ProjectFile, content: &[u8]| {
        let Some(memo) = project.memo(id) else { return is_marked(id, marked(file, content)) };
        let marked = is_marked(id, *memo.marked.get_or_init(|| marked(file, content)));
        if marked && targets.contains(id) && prefilter::may_skip(content) {
            asks_for_keys.store(true, Ordering::Relaxed);
        }
        // The catalog will want to know, and need not read the file for it.
        if asks_for_keys.load(Ordering::Relaxed) {
            memo.declares.get_or_init(|| catalog::may_declare(file, content));
        }
        marked
    };
    let sources = read(project, targets, (&passed, &marked), notices);
    match bundles.into_inner() {
        0 => {}
        1 => notices.push(left_out("1 minified or bundled file with words of locks was not read".to_owned())),
        many => notices.push(left_out(format!("{many} minified or bundled files with words of locks were not read"))),
    }
    let mut regions = room(&sources);
    let mut files = analyse(project, &sources, &mut regions, &Elsewhere::default(), notices);
    place(project, &mut files);
    let mut known = wrappers(&files);
    known.handles = handles(project, &files);
    // What calls a wrapper need not hold a lock word itself.
    let callers = callers(project, targets, &sources, &known, notices);
    let (mut regions_again, mut caller_regions) = (room(&sources), room(&callers));
    let calls = Calls::of(&known);
    if calls.is_some() || !known.handles.is_empty() {
        let may_call = |source: &Source| {
            let (path, language, content) = (source.path(), source.language(), source.text().as_bytes());
            calls.as_ref().is_some_and(|calls| calls.may_be_in(path, language, content))
        };
        for ((id, source), regions) in sources.iter().zip(&mut regions_again) {
            if (known.handles.contains_key(id) || may_call(source))
                && let Ok(index) = files.binary_search_by_key(id, |file| file.id)
            {
                match fenced(source.path(), || File::new(*id, source, regions, &known, beside(project, source))) {
                    Ok(file) => files[index] = file,
                    Err(notice) => notices.push(notice),
                }
            }
        }
        files.extend(analyse(project, &callers, &mut caller_regions, &known, notices));
        files.sort_by_key(|file| file.id);
        place(project, &mut files);
    }
    let loaded: Vec<Loaded> = sources.iter().chain(&callers).cloned().collect();
    then(&files, &loaded)
}

/// What only the whole tree can say, as far as the targets ask for it.
pub(crate) fn facts(project: &dyn Project, targets: &Targets, settings: &Settings, files: &[File<'_>]) -> Facts {
    // Only a row lock asks for keys, so only then is the DDL read.
    let mut mine = files.iter().filter(|file| targets.contains(file.id));
    let tables: BTreeSet<String> = mine.clone().flat_map(File::skipped_tables).map(str::to_owned).collect();
    let catalog = if tables.is_empty() { Catalog::default() } else { Catalog::read(project, settings, tables) };
    // Likewise, only a lock of the session asks how its session is come by.
    let asks = |file: &File<'_>| settings.of(file.source.path()).pooling() == Pooling::Auto && file.locks_session();
    let pooler = if mine.clone().any(asks) { Pooler::read(project) } else { Pooler::default() };
    let mut facts = Facts::of(files, project.complete(), catalog, pooler);
    facts.pools = Pools::read(project, &languages(mine.clone(), File::works_through_pool));
    facts.begun_around = begun_around(project, &languages(mine.clone(), File::locks_where_framework_calls));
    facts.constants = Constants::read(project, mine.clone());
    // Only where a caller may have begun a transaction it matters whether anybody does.
    facts.begins_nowhere =
        facts.complete && mine.any(File::may_be_called_in_transaction) && tree::begins_nowhere(project);
    facts
}

/// What is told of files as a whole.
fn left_out(message: String) -> Notice {
    Notice { path: "".into(), message, trouble: false }
}

/// A file's source.
pub(crate) type Loaded = (FileId, Arc<Source>);

/// Whether a file, by its content, may hold a lock, or a comment about one.
fn marked(file: &ProjectFile, content: &[u8]) -> Mark {
    let (may_lock, speaks_to_us) = match file.language {
        Language::Host(language) => {
            let words = prefilter::host_words(content, language);
            let is_ours = || prefilter::names_advisory(content) || !prefilter::is_for_another(content);
            (words.locks && !prefilter::is_compiled(content) && is_ours(), words.speaks_to_us)
        }
        Language::Sql | Language::Markdown | Language::Config(_) | Language::Prisma | Language::Expected => {
            (prefilter::may_lock(content), true)
        }
    };
    let locks = may_lock && prefilter::is_ours(&file.path, content);
    let is_bundle = locks && matches!(file.language, Language::Host(_)) && prefilter::is_bundle(&file.path, content);
    // No word shows in what is no text, and that it is none has to be told.
    if locks && !is_bundle || speaks_to_us && suppress::may_suppress(content) || !is_text(content) {
        Mark::Marked
    } else if is_bundle {
        Mark::Bundle
    } else {
        Mark::Plain
    }
}

/// The files that call a wrapper and are not loaded yet.
fn callers(
    project: &dyn Project,
    targets: &Targets,
    loaded: &[Loaded],
    wrappers: &Elsewhere,
    notices: &mut Vec<Notice>,
) -> Vec<Loaded> {
    let Some(calls) = Calls::of(wrappers) else { return Vec::new() };
    let mut again = Vec::new();
    let passed = |id: FileId| {
        let may_be = |file: &ProjectFile| calls.may_be_of(file.language);
        !project.files().get(id.0 as usize).is_some_and(may_be)
            || loaded.binary_search_by_key(&id, |(known, _)| *known).is_ok()
    };
    let may_call =
        |_, file: &ProjectFile, content: &[u8]| calls.may_be_in(&file.path, file.language, content) && is_text(content);
    let callers = read(project, targets, (&passed, &may_call), &mut again);
    // What cannot be read was told the first time.
    notices.extend(again.into_iter().filter(|notice| !notice.trouble));
    callers
}

/// Whether a file need not be read.
type Skip<'f> = dyn Fn(FileId) -> bool + Sync + 'f;
/// Whether a file's content is asked for.
type Wanted<'f> = dyn Fn(FileId, &ProjectFile, &[u8]) -> bool + Sync + 'f;

/// The sources that `wanted` chooses, of those that `skip` does not pass over unread; of the others, what keeps a target from
/// being read is told.
fn read(
    project: &dyn Project,
    targets: &Targets,
    (skip, wanted): (&Skip<'_>, &Wanted<'_>),
    notices: &mut Vec<Notice>,
) -> Vec<Loaded> {
    let one = |buffer: &mut Vec<u8>, index: usize, file: &ProjectFile| {
        let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        if !file.language.is_linted() || skip(id) {
            return (None, None);
        }
        let tell = |message: String, trouble| {
            targets.contains(id).then(|| Notice { path: Arc::clone(&file.path), message, trouble })
        };
        let content = match project.read_into(id, buffer) {
            Ok(content) => content,
            Err(why) => return (None, tell(why, true)),
        };
        if !wanted(id, file, content) {
            return (None, None);
        }
        match Source::new(Arc::clone(&file.path), file.language, content.to_vec()) {
            Ok(source) => {
                let replaced = source.replaced();
                let told = (replaced > 0).then(|| {
                    tell(format!("{replaced} bytes are not UTF-8 and were read as unknown characters"), false)
                });
                (Some((id, Arc::new(source))), told.flatten())
            }
            Err(why) => (None, tell(why.told().to_owned(), why == Unreadable::TooLarge)),
        }
    };
    let all: Vec<(Option<Loaded>, Option<Notice>)> = project
        .files()
        .par_iter()
        .enumerate()
        .map_init(Vec::new, |buffer, (index, file)| {
            fenced(&file.path, || one(buffer, index, file)).unwrap_or_else(|notice| (None, Some(notice)))
        })
        .filter(|(source, notice)| source.is_some() || notice.is_some())
        .collect();
    let mut sources = Vec::new();
    for (source, notice) in all {
        sources.extend(source);
        notices.extend(notice);
    }
    sources
}

/// Room for the regions of each source, which outlive what borrows from them.
fn room<'a>(sources: &[Loaded]) -> Vec<Vec<Region<'a>>> {
    sources.iter().map(|_| Vec::new()).collect()
}

fn analyse<'a>(
    project: &dyn Project,
    sources: &'a [Loaded],
    regions: &'a mut [Vec<Region<'a>>],
    wrappers: &Elsewhere,
    notices: &mut Vec<Notice>,
) -> Vec<File<'a>> {
    let all: Vec<Result<File<'a>, Notice>> = sources
        .par_iter()
        .zip(regions)
        .map(|((id, source), regions)| {
            fenced(source.path(), || File::new(*id, source, regions, wrappers, beside(project, source)))
        })
        .collect();
    all.into_iter().filter_map(|file| file.map_err(|notice| notices.push(notice)).ok()).collect()
}

/// What the file beside a script says of the script's transaction.
fn beside(project: &dyn Project, source: &Source) -> Option<Surroundings> {
    let path = script::side_file(source.path());
    let index = project.files().binary_search_by(|file| (*file.path).cmp(&*path)).ok()?;
    match project.read(FileId(u32::try_from(index).unwrap_or(u32::MAX))) {
        Ok(content) => script::read_side_file(&String::from_utf8_lossy(&content)),
        Err(_) => Some(Surroundings::Unknown),
    }
}

/// Whether a script's output is compared with what it should be, so that it is a test.
fn is_compared(project: &dyn Project, file: &File<'_>) -> bool {
    let known = |path: String| project.files().binary_search_by(|file| (*file.path).cmp(&*path)).is_ok();
    expected_output(file.source.path()).is_some_and(known)
}

/// Tells files what only the tree around them says: which are tests, and which definitions others replace.
fn place(project: &dyn Project, files: &mut [File<'_>]) {
    files.iter_mut().filter(|file| is_compared(project, file)).for_each(|file| file.mark_as_test());
    let mut replaced: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
    for (id, definition) in routines::replaced(project, files) {
        replaced.entry(id).or_default().push(definition);
    }
    for file in files {
        if let Some(definitions) = replaced.get(&file.id) {
            file.leave_out(definitions);
        }
    }
}

/// What the rules say of the targets.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// After arbitration.
    pub(crate) arbitration: Arbitration,
    /// Why rules are silent about what was asked for.
    pub(crate) silences: Vec<Silence>,
    /// Where rules failed.
    pub(crate) failed: Vec<Notice>,
}

/// Lets the rules look at the targets. Of the sites at `asked` their silences are kept, too.
pub(crate) fn check(
    files: &[File<'_>],
    facts: &Facts,
    targets: &Targets,
    settings: &Settings,
    asked: Option<Place>,
) -> Checked {
    let of_file = |file: &File<'_>| {
        let mut sink = Sink::asking(asked);
        let pooling = settings.of(file.source.path()).pooling();
        let context = Context { file, facts, pooling };
        for check in RULES.iter().flat_map(|rule| rule.checks) {
            match check {
                Check::Statement(check) => file.statements.iter().for_each(|s| check(&context, s, &mut sink)),
                Check::Unit(check) => file.units.iter().for_each(|u| check(&context, u, &mut sink)),
                Check::File(check) => check(&context, &mut sink),
                Check::Project(_) => {}
            }
        }
        (sink.take_silences(), sink.into_candidates())
    };
    let of_files: Vec<_> = files
        .par_iter()
        .filter(|file| targets.contains(file.id))
        .map(|file| fenced(file.source.path(), || of_file(file)))
        .collect();
    let of_project = || {
        let mut sink = Sink::default();
        for check in RULES.iter().flat_map(|rule| rule.checks) {
            if let Check::Project(check) = check {
                check(files, facts, &mut sink);
            }
        }
        let mut candidates = sink.into_candidates();
        candidates.retain(|candidate| targets.contains(candidate.finding.at.file));
        (Vec::new(), candidates)
    };
    let (mut checked, mut candidates) = (Checked::default(), Vec::new());
    for found in of_files.into_iter().chain([fenced(&"".into(), of_project)]) {
        match found {
            Ok((mut silences, mut found)) => {
                checked.silences.append(&mut silences);
                candidates.append(&mut found);
            }
            Err(notice) => checked.failed.push(notice),
        }
    }
    checked.arbitration = arbitrate(candidates);
    let findings = &mut checked.arbitration.findings;
    // What several functions of host code do through one that they call is found in each of them.
    findings.sort_by(|a, b| (a.at, a.rule, b.level).cmp(&(b.at, b.rule, a.level)));
    let hosts: BTreeSet<FileId> = files.iter().filter(|file| file.is_host()).map(|file| file.id).collect();
    findings.dedup_by(|late, early| (late.at, late.rule) == (early.at, early.rule) && hosts.contains(&late.at.file));
    for finding in findings {
        tell_wrapper(finding, files);
        tell_caller(finding, files);
        leave_json(finding, files);
    }
    checked
}

/// A change of a notebook is one of a string of JSON: what would have to be escaped there is left to the reader.
fn leave_json(finding: &mut Finding, files: &[File<'_>]) {
    let Ok(index) = files.binary_search_by_key(&finding.at.file, |file| file.id) else { return };
    let has_marks = |text: &str| text.contains(|c: char| matches!(c, '"' | '\\') || c.is_control());
    if files[index].source.is_notebook()
        && finding.fix.as_ref().is_some_and(|fix| fix.edits.iter().any(|edit| has_marks(&edit.text)))
    {
        finding.fix = None;
    }
}

/// A finding on a call of a wrapper says where the wrapper calls the advisory function.
fn tell_wrapper(finding: &mut Finding, files: &[File<'_>]) {
    let Ok(index) = files.binary_search_by_key(&finding.at.file, |file| file.id) else { return };
    let via = files[index]
        .statements
        .iter()
        .filter(|statement| statement.span.contains(finding.at.span))
        .flat_map(|statement| &statement.locks)
        .find_map(|lock| lock.via.filter(|_| lock.span == finding.at.span));
    if let Some(at) = via {
        finding.related.push(Related { at, message: "which calls this".to_owned() });
    }
}

/// A finding in a function that another one calls says for which call it holds.
fn tell_caller(finding: &mut Finding, files: &[File<'_>]) {
    let Ok(index) = files.binary_search_by_key(&finding.at.file, |file| file.id) else { return };
    let (file, at) = (&files[index], finding.at.span);
    if file.ran.is_empty() {
        return;
    }
    let of = |flow: &&UnitFlow| flow.unit.name == finding.unit && flow.unit.step_at(at).is_some();
    let Some(caller) = file.units.iter().find(of).filter(|flow| !flow.unit.span.contains(at)) else { return };
    let calls = |(call, site): &&(Span, Span)| *site == at && caller.unit.span.contains(*call);
    if let Some((call, _)) = file.ran.iter().find(calls) {
        let name = &caller.unit.name;
        let message = if name.is_empty() { "run here".to_owned() } else { format!("`{name}` runs it here") };
        finding.related.push(Related { at: Place::new(file.id, *call), message });
    }
}

/// Applies the files' suppression comments, and adds what there is to say about them.
pub(crate) fn suppressed(
    findings: Vec<Finding>,
    files: &[File<'_>],
    targets: &Targets,
    facts: &Facts,
    settings: &Settings,
) -> Vec<Finding> {
    let known: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let mut kept = Vec::new();
    let mut by_file: BTreeMap<FileId, Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        by_file.entry(finding.at.file).or_default().push(finding);
    }
    for file in files.iter().filter(|file| targets.contains(file.id)) {
        let mut mine = by_file.remove(&file.id).unwrap_or_default();
        let mut comments = suppress::suppressions(file.source, &file.comments, &known);
        suppress::apply(&mut mine, &mut comments, file.source);
        let of = settings.of(file.source.path());
        let ran = |rule: &str| facts.complete && of.level(rule, Level::Error).is_some();
        let mut told = suppress::complaints(file.id, &comments, file.source, ran);
        // What stands in a definition that another one replaces was not looked at.
        told.retain(|finding| !file.is_left_out(finding.at.span));
        suppress::apply(&mut told, &mut comments, file.source);
        kept.extend(mine);
        kept.extend(told);
    }
    kept.extend(by_file.into_values().flatten());
    kept
}

/// Levels by settings; what is switched off goes. The answer counts what went because it is in test code.
fn select(
    findings: &mut Vec<Finding>,
    project: &dyn Project,
    settings: &Settings,
    in_test: &dyn Fn(&Finding) -> bool,
) -> usize {
    let mut in_tests = 0;
    findings.retain_mut(|finding| {
        let path = &project.files()[finding.at.file.0 as usize].path;
        let settings = settings.of(path);
        let Some(level) = settings.level(finding.rule, finding.level) else { return false };
        finding.level = level;
        let shown = settings.include_tests() || !in_test(finding);
        in_tests += usize::from(!shown);
        shown
    });
    in_tests
}
