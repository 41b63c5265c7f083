//! What was recognised at one line, by what evidence, and why each rule spoke or stayed silent: the answer to "why does it
//! say nothing here?".

mod line;
mod words;

use crate::analysis::File;
use crate::builders::Lock;
use crate::facts::Facts;
use crate::finding::{FileId, Finding, Level, Notice, Place};
use crate::flow::interpret::{Leaving, Way};
use crate::flow::{Lock as Taken, SiteId, StepId, UnitFlow, UnitKind};
use crate::language::Language;
use crate::lint::{Checked, check, facts, suppressed, with_files};
use crate::prefilter;
use crate::project::{Project, Targets};
use crate::rule::Silence;
use crate::rules::RULES;
use crate::settings::Settings;
use crate::source::Source;
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
    notices.retain(|notice| notice.trouble || !notice.path.is_empty() && !why.remarks.contains(&notice.message));
    why.notices.append(&mut notices);
    why
}

/// Why a file was left out before anything was parsed.
fn unread(project: &dyn Project, file: FileId) -> Option<String> {
    let entry = project.files().get(file.0 as usize)?;
    let content = project.read(file).ok()?;
    let is_host = matches!(entry.language, Language::Host(_));
    if entry.language.is_linted()
        && let Err(why) = Source::new(Arc::clone(&entry.path), entry.language, content.to_vec())
    {
        return Some(why.told().to_owned());
    }
    let why = if !entry.language.is_linted() {
        "the file is configuration or a schema, which is read as context alone"
    } else if is_host && prefilter::is_bundle(&entry.path, &content) {
        "the file is minified or larger than 1 MB, so it is no source and is not read"
    } else if is_host && prefilter::is_compiled(&content) {
        "the file was made from another by a compiler, so it is not read"
    } else if !prefilter::is_ours(&entry.path, &content) || is_host && prefilter::is_for_another(&content) {
        "the file is for another database, by its path or what it uses, and calls no advisory function"
    } else {
        "no word stands in the file from which a rule starts: no advisory function, no SKIP LOCKED, no locking clause"
    };
    Some(why.to_owned())
}

impl Why {
    fn ask(&mut self, files: &[File<'_>], index: usize, line: usize, facts: &Facts, settings: &Settings) {
        let file = &files[index];
        let asked = match line::span(file, line) {
            Ok(asked) => asked,
            Err(why) => {
                self.remarks.push(why);
                return;
            }
        };
        let chosen = line::sites_at(file, asked);
        let whole = chosen.iter().map(|chosen| chosen.at).fold(asked, Span::join);
        let targets = Targets(vec![file.id]);
        let mut checked = check(files, facts, &targets, settings, Some(Place::new(file.id, whole)));
        self.notices.append(&mut checked.failed);
        // A rule may be about something else than a lock: a BEGIN, a comment.
        let found = checked.arbitration.findings.iter().map(|finding| finding.at);
        let found = found.filter(|at| at.file == file.id && line::overlap(at.span, asked)).map(|at| at.span);
        let mut all: BTreeMap<Span, Option<Span>> = found.map(|at| (at, None)).collect();
        all.extend(chosen.iter().map(|chosen| (chosen.at, chosen.run_at)));
        self.sites.extend(all.into_iter().map(|(at, run_at)| recognised(file, at, run_at)));
        if self.sites.is_empty() {
            self.remarks.push(line::unrecognised(file, asked));
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

/// What is known of a site; `run_at` is the call on the line that was asked for, where that is elsewhere.
fn recognised(file: &File<'_>, at: Span, run_at: Option<Span>) -> Recognised {
    let place = Place::new(file.id, at);
    let mut found = Recognised { at: place, what: String::new(), evidence: Vec::new(), said: Vec::new() };
    if let Some(run_at) = run_at {
        found.tell_at("it stands here, and is run where you asked", Some(Place::new(file.id, run_at)));
    }
    for statement in &file.statements {
        if let Some(lock) = statement.locks.iter().find(|lock| lock.span == at) {
            found.of_call(file, lock);
            found.of_statement(statement);
        }
        if let Some((_, lock)) = statement.row_locks().find(|(_, lock)| statement.source(&lock.tokens) == at) {
            found.what = words::row_lock(lock);
            found.of_statement(statement);
        }
    }
    let units: Vec<_> = file.units.iter().filter_map(|flow| Some((flow, flow.unit.step_at(at)?))).collect();
    // Of what several functions run, that of the function which was asked about.
    let mine = |flow: &UnitFlow| run_at.is_some_and(|run_at| flow.unit.span.contains(run_at));
    let is_one = units.iter().any(|(flow, _)| mine(flow));
    for (flow, (step, site)) in units.into_iter().filter(|(flow, _)| !is_one || mine(flow)) {
        found.of_unit(file, flow, step, site);
    }
    let builder = file.builder_locks.iter().find(|lock| lock.at == at);
    if let Some(lock) = builder {
        found.of_builder(file, lock);
    }
    if found.what.is_empty() {
        found.what = match builder {
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

    fn of_call(&mut self, file: &File<'_>, lock: &LockCall) {
        self.what = words::call(lock.function, &lock.key, file.source.slice(lock.span));
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

    /// What a query builder's row lock is about, and, where no unit has it, on which session it may be.
    fn of_builder(&mut self, file: &File<'_>, lock: &Lock) {
        if let Some(row) = &lock.row {
            self.tell_at("the query names one row", Some(Place::new(file.id, row.key)));
        }
        if !file.is_followed(lock) {
            for (flow, step) in file.steps_of(lock) {
                self.on_session(file, flow, step);
            }
        }
    }

    fn of_unit(&mut self, file: &File<'_>, flow: &UnitFlow, step: usize, site: SiteId) {
        let unit = &flow.unit;
        match &unit.sites[site].lock {
            Taken::Advisory { function, key } => {
                self.what = words::call(function, key, file.source.slice(unit.sites[site].span))
            }
            Taken::Table => "a table lock".clone_into(&mut self.what),
            Taken::Rows { tables } if self.what.is_empty() => {
                self.what = format!("a row lock on {}", tables.join(", "))
            }
            Taken::Rows { .. } => {}
        }
        if let Some(via) = unit.sites[site].via {
            self.tell_at("through a function of the tree that calls it", Some(via));
        }
        self.on_session(file, flow, step);
        let is_host_query = unit.kind == UnitKind::Query && file.is_host();
        if unit.advisory(site).is_some_and(|(function, _)| function.acquires()) && !is_host_query {
            self.of_holding(file, flow, site);
        }
    }

    /// Whose session a step is on, and which transaction is open there.
    fn on_session(&mut self, file: &File<'_>, flow: &UnitFlow, step: StepId) {
        let unit = &flow.unit;
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
