//! What was recognised at one line, by what evidence, and why each rule spoke or stayed silent: the answer to "why does it
//! say nothing here?".

mod words;

use crate::analysis::File;
use crate::facts::Facts;
use crate::finding::{FileId, Finding, Level, Notice, Place};
use crate::flow::interpret::{Leaving, Way};
use crate::flow::{Lock, SiteId, UnitFlow, UnitKind};
use crate::language::{Language, is_other_database};
use crate::lint::{Checked, check, facts, suppressed, with_files};
use crate::prefilter;
use crate::project::{Project, Targets};
use crate::rule::Silence;
use crate::rules::RULES;
use crate::settings::Settings;
use crate::source::{Source, is_text};
use crate::span::Span;
use crate::sql::advisory::Scope;
use crate::statement::{LockCall, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known of one line.
#[derive(Debug, Default)]
pub struct Why {
    /// The lock sites on it; where there is none, those of a statement that goes over it. In the order of the text.
    pub sites: Vec<Recognised>,
    /// Why nothing is recognised: sentences, lower case, without a full stop. Empty where something is.
    pub remarks: Vec<String>,
    /// The sources of all places.
    pub sources: BTreeMap<FileId, Arc<Source>>,
    /// What could not be read.
    pub notices: Vec<Notice>,
}

/// A lock site.
#[derive(Debug)]
pub struct Recognised {
    /// The call, or the clause.
    pub at: Place,
    /// What it is.
    pub what: String,
    /// What the code says of it, each with the place that shows it.
    pub evidence: Vec<(String, Option<Place>)>,
    /// What the rules that are about it say; those that spoke come first.
    pub said: Vec<(&'static str, Said)>,
}

/// What a rule says of a site.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    /// It reports a finding.
    Reported(Level, String),
    /// It names the site in a finding that stands elsewhere.
    Elsewhere(Level, Place),
    /// Its finding gives way to that of another rule.
    GivesWay(&'static str),
    /// A comment suppresses its finding.
    Suppressed,
    /// Settings or flags leave its finding out.
    Off,
    /// Its finding is in test code.
    InTest,
    /// Nothing, and why.
    Silent(&'static str),
}

/// What is known of a line, 0-based, of a file of the project. Pure, like [`crate::lint::lint`].
pub fn why(project: &dyn Project, (file, line): (FileId, usize), settings: &Settings) -> Why {
    let targets = Targets(vec![file]);
    let mut why = Why::default();
    let mut notices = Vec::new();
    with_files(project, &targets, &mut notices, |files, loaded| {
        match files.binary_search_by_key(&file, |file| file.id) {
            Ok(index) => why.ask(files, index, line, &facts(project, &targets, settings, files), settings),
            Err(_) => why.remarks.extend(unread(project, file)),
        }
        let named: BTreeSet<FileId> = why.places().map(|at| at.file).collect();
        why.sources = loaded.iter().filter(|(id, _)| named.contains(id)).cloned().collect();
    });
    // What is told of files as a whole is no answer.
    notices.retain(|notice| notice.trouble || !notice.path.is_empty());
    why.notices.append(&mut notices);
    why
}

/// Why a file was left out before anything was parsed.
fn unread(project: &dyn Project, file: FileId) -> Option<String> {
    let entry = project.files().get(file.0 as usize)?;
    let content = project.read(file).ok()?;
    let is_host = matches!(entry.language, Language::Host(_));
    let why = if !entry.language.is_linted() {
        "the file is configuration or a schema, which is read as context alone"
    } else if !is_text(&content) {
        "the file is no text in UTF-8 or an encoding like it"
    } else if is_host && prefilter::is_bundle(&entry.path, &content) {
        "the file is minified or larger than 1 MB, so it is no source and is not read"
    } else if is_host && prefilter::is_compiled(&content) {
        "the file was made from another by a compiler, so it is not read"
    } else if is_other_database(&entry.path) || is_host && prefilter::is_for_another(&content) {
        "the file is for another database, by its path or what it uses, and calls no advisory function"
    } else {
        "no word stands in the file from which a rule starts: no advisory function, no SKIP LOCKED, no locking clause"
    };
    Some(why.to_owned())
}

impl Why {
    fn ask(&mut self, files: &[File<'_>], index: usize, line: usize, facts: &Facts, settings: &Settings) {
        let file = &files[index];
        let lines = file.source.lines();
        let Some(start) = lines.start(line) else {
            self.remarks.push(format!("the file has {} lines", lines.count()));
            return;
        };
        let asked = Span::new(start, lines.start(line + 1).unwrap_or(file.source.text().len()));
        let chosen = sites_at(file, asked);
        let whole = chosen.keys().copied().fold(asked, Span::join);
        let targets = Targets(vec![file.id]);
        let mut checked = check(files, facts, &targets, settings, Some(Place::new(file.id, whole)));
        self.notices.append(&mut checked.failed);
        // A rule may be about something else than a lock: a BEGIN, a comment.
        let found = checked.arbitration.findings.iter().map(|finding| finding.at);
        let found = found.filter(|at| at.file == file.id && overlap(at.span, asked)).map(|at| at.span);
        let all: BTreeSet<Span> = found.chain(chosen.keys().copied()).collect();
        self.sites.extend(all.into_iter().map(|at| recognised(file, at)));
        if self.sites.is_empty() {
            self.remarks.push(unrecognised(file, asked));
            return;
        }
        let of = settings.of(file.source.path());
        let kept = suppressed(checked.arbitration.findings.clone(), files, &targets, facts, settings);
        let stands = |finding: &Finding| {
            if !kept
                .iter()
                .any(|kept| (kept.at, kept.rule, &kept.message) == (finding.at, finding.rule, &finding.message))
            {
                return Said::Suppressed;
            }
            match of.level(finding.rule, finding.level) {
                None => Said::Off,
                Some(_) if file.is_test_at(finding.at.span) && !of.include_tests() => Said::InTest,
                Some(level) => Said::Reported(level, finding.message.clone()),
            }
        };
        for site in &mut self.sites {
            site.said = said(site.at, &checked, &stands);
        }
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        self.sites.iter().flat_map(|site| {
            let elsewhere = site.said.iter().filter_map(|(_, said)| match said {
                Said::Elsewhere(_, at) => Some(*at),
                _ => None,
            });
            std::iter::once(site.at).chain(site.evidence.iter().filter_map(|(_, at)| *at)).chain(elsewhere)
        })
    }

    /// The rules that are about none of the sites.
    pub fn others(&self) -> usize {
        let about: BTreeSet<&str> =
            self.sites.iter().flat_map(|site| site.said.iter().map(|(rule, _)| *rule)).collect();
        RULES.len() - about.len()
    }
}

/// What the rules say of a site: each once, by the loudest.
fn said(at: Place, checked: &Checked, stands: &dyn Fn(&Finding) -> Said) -> Vec<(&'static str, Said)> {
    let names = |finding: &Finding| finding.related.iter().any(|related| related.at == at);
    let mut all: Vec<(&'static str, Said)> = Vec::new();
    for finding in &checked.arbitration.findings {
        if finding.at == at {
            all.push((finding.rule, stands(finding)));
        } else if names(finding) {
            all.push((finding.rule, Said::Elsewhere(finding.level, finding.at)));
        }
    }
    let beaten = checked.arbitration.beaten.iter().filter(|beaten| beaten.finding.at == at || names(&beaten.finding));
    all.extend(beaten.map(|beaten| (beaten.finding.rule, Said::GivesWay(beaten.by))));
    let silent = checked.silences.iter().filter(|Silence { at: silent, .. }| *silent == at.span);
    all.extend(silent.map(|silence| (silence.rule, Said::Silent(silence.why))));
    all.sort_by_key(|(rule, said)| (said.volume(), *rule));
    let mut seen = BTreeSet::new();
    all.retain(|(rule, _)| seen.insert(*rule));
    all
}

impl Said {
    /// What is to be told first has the least.
    const fn volume(&self) -> u8 {
        match self {
            Self::Reported(Level::Error, _) => 0,
            Self::Reported(Level::Warning, _) => 1,
            Self::Reported(Level::Note, _) => 2,
            Self::Elsewhere(..) => 3,
            Self::GivesWay(_) => 4,
            Self::Suppressed => 5,
            Self::Off => 6,
            Self::InTest => 7,
            Self::Silent(_) => 8,
        }
    }
}

/// The sites of a file, each with the statement that holds it.
fn sites(file: &File<'_>) -> BTreeMap<Span, Span> {
    let mut found = BTreeMap::new();
    for statement in &file.statements {
        found.extend(statement.locks.iter().map(|lock| (lock.span, statement.anchor)));
        found.extend(statement.row_locks().map(|(_, lock)| (statement.source(&lock.tokens), statement.anchor)));
    }
    let of_units = file.units.iter().flat_map(|flow| &flow.unit.sites);
    found.extend(of_units.map(|site| (site.span, site.statement)));
    found.extend(file.builder_locks.iter().map(|lock| (lock.at, lock.chain)));
    found.extend(file.builder_calls.iter().map(|call| (call.at, call.at)));
    found
}

/// The sites on a line; where there is none, those whose statement goes over it.
fn sites_at(file: &File<'_>, line: Span) -> BTreeMap<Span, Span> {
    let all = sites(file);
    let on_line: BTreeMap<_, _> = all.iter().filter(|(at, _)| overlap(**at, line)).map(|(at, of)| (*at, *of)).collect();
    if on_line.is_empty() { all.into_iter().filter(|(_, of)| overlap(*of, line)).collect() } else { on_line }
}

const fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

/// Why nothing is recognised on a line of a file that was read.
fn unrecognised(file: &File<'_>, line: Span) -> String {
    if file.is_left_out(Span::new(line.start, line.start)) {
        return "a later definition replaces this routine, so what stands in it is not looked at".to_owned();
    }
    let text = file.source.slice(line);
    let word = prefilter::may_lock(text.as_bytes());
    let inside = |spans: &[Span]| spans.iter().any(|span| overlap(*span, line));
    let why = if word && inside(&file.comments) {
        "a comment stands here, which is not looked at"
    } else if word && inside(&file.program.literals) {
        "the text here is not taken for a query: it does not begin like one, or it is shown, compared or documentation"
    } else if word {
        "a word stands here from which a rule starts, but no lock call or locking clause was read"
    } else {
        "no lock call and no locking clause stands on this line, or in a statement that goes over it"
    };
    let lines = file.source.lines();
    let known: BTreeSet<usize> = sites(file).keys().map(|at| lines.line(at.start) + 1).collect();
    let shown: Vec<String> = known.iter().take(MAX_LINES).map(usize::to_string).collect();
    match shown.len() {
        0 => format!("{why}; the file has none that was read"),
        all if all < known.len() => format!("{why}; the file has some on lines {} and more", shown.join(", ")),
        _ => format!("{why}; the file has some on lines {}", shown.join(", ")),
    }
}

/// How many lines with sites are told where a line has none.
const MAX_LINES: usize = 12;

fn recognised(file: &File<'_>, at: Span) -> Recognised {
    let place = Place::new(file.id, at);
    let mut found = Recognised { at: place, what: String::new(), evidence: Vec::new(), said: Vec::new() };
    for statement in &file.statements {
        if let Some(lock) = statement.locks.iter().find(|lock| lock.span == at) {
            found.of_call(lock);
            found.of_statement(statement);
        }
        if let Some((_, lock)) = statement.row_locks().find(|(_, lock)| statement.source(&lock.tokens) == at) {
            found.what = words::row_lock(lock);
            found.of_statement(statement);
        }
    }
    for flow in &file.units {
        let mut steps = flow.unit.site_steps();
        if let Some((step, site)) = steps.find(|(_, site)| flow.unit.sites[*site].span == at) {
            found.of_unit(file, flow, step, site);
        }
    }
    if found.what.is_empty() {
        found.what = match file.builder_locks.iter().find(|lock| lock.at == at) {
            Some(lock) if lock.skips => "a row lock with SKIP LOCKED, asked for through a query builder".to_owned(),
            Some(_) => "a row lock, asked for through a query builder".to_owned(),
            None if file.builder_calls.iter().any(|call| call.at == at) => {
                "an advisory function, called through a query builder".to_owned()
            }
            None => format!("`{}`", file.source.slice(at).split(['\n', '\r']).next().unwrap_or_default()),
        };
    }
    found
}

impl Recognised {
    fn tell(&mut self, what: impl Into<String>) {
        self.tell_at(what, None);
    }

    fn tell_at(&mut self, what: impl Into<String>, at: Option<Place>) {
        let told = (what.into(), at);
        if !self.evidence.contains(&told) {
            self.evidence.push(told);
        }
    }

    fn of_call(&mut self, lock: &LockCall) {
        self.what = words::call(lock.function, &lock.key);
        if let Some(via) = lock.via {
            self.tell_at("a function of the tree that calls it", Some(via));
        }
    }

    fn of_statement(&mut self, statement: &Statement<'_>) {
        if !statement.tree.complete() {
            self.tell("parts of its statement were not understood, so rules about the whole statement are silent");
        }
        self.tell(words::result(&statement.result));
        if let Some(missing) = statement.when_missing {
            self.tell(words::missing(missing));
        }
    }

    fn of_unit(&mut self, file: &File<'_>, flow: &UnitFlow, step: usize, site: SiteId) {
        let unit = &flow.unit;
        match &unit.sites[site].lock {
            Lock::Advisory { function, key } => self.what = words::call(function, key),
            Lock::Table => "a table lock".clone_into(&mut self.what),
            Lock::Rows { tables } if self.what.is_empty() => self.what = format!("a row lock on {}", tables.join(", ")),
            Lock::Rows { .. } => {}
        }
        if let Some(via) = unit.sites[site].via {
            self.tell_at("through a function of the tree that calls it", Some(via));
        }
        match &unit.session {
            Some(session) => {
                let declared = session.declared.map(|span| Place::new(file.id, span));
                self.tell_at(words::session(&unit.name, session), declared);
                words::handling(session).into_iter().for_each(|told| self.tell(told));
            }
            None => self.tell(words::unit(unit)),
        }
        let before = &flow.trace.before[step];
        let begin = before.begin().map(|step| Place::new(file.id, unit.steps[step].span));
        self.tell_at(words::transaction(before), begin);
        let is_host_query = unit.kind == UnitKind::Query && file.is_host();
        if unit.advisory(site).is_some_and(|(function, _)| function.acquires()) && !is_host_query {
            self.of_holding(file, flow, site);
        }
    }

    /// Where a lock is released, and which ways out leave it held.
    fn of_holding(&mut self, file: &File<'_>, flow: &UnitFlow, site: SiteId) {
        let Some((function, key)) = flow.unit.advisory(site) else { return };
        let place = |span: Span| Some(Place::new(file.id, span));
        if function.scope == Scope::Session {
            match flow.last_release(function.mode, key) {
                Some(release) => self.tell_at("an unlock is for it, or may be", place(flow.unit.sites[release].span)),
                None => self.tell("no unlock of the same unit is for it"),
            }
        }
        if flow.trace.truncated {
            self.tell("the unit has too many ways to follow all of them");
        }
        let left = |leaving: &&Leaving| leaving.held.contains(site);
        let mut ways: Vec<&Leaving> = flow.trace.leaving.iter().filter(left).collect();
        ways.sort_by_key(|leaving| (leaving.way == Way::Failure, leaving.span));
        for leaving in ways.iter().take(MAX_WAYS) {
            self.tell_at(words::way(leaving.way), place(leaving.span));
        }
        if ways.is_empty() {
            self.tell("on no way out is it still held");
        }
    }
}

/// How many ways out are told.
const MAX_WAYS: usize = 4;
