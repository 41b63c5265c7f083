//! The shape of a rule. A rule is one file in `rules/` beside this one, one page in the top-level `rules/`, one line
//! in `rules.rs`.

use crate::analysis::File;
use crate::facts::Facts;
use crate::finding::{Edit, FileId, Finding, Fix, Level, Place, Related};
use crate::flow::{Session, SiteId, UnitFlow};
use crate::language::Language;
use crate::settings::Pooling;
use crate::source::Source;
use crate::span::Span;
use crate::sql::advisory::Function;
use crate::sql::clause::Tokens;
use crate::statement::Statement;

/// Which of two findings about one lock site stands: the earlier kind. This is the order of cause: what the server
/// refuses or never runs makes every later question idle, a lock on the wrong session makes its unlock idle, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// The server refuses the statement.
    Refused,
    /// The lock is never taken.
    NeverTaken,
    /// The lock is taken for rows that are not returned.
    OverRows,
    /// Lock and unlock, or lock and work, are on different sessions.
    WrongSession,
    /// The lock lives longer or shorter than meant.
    WrongScope,
    /// The unlock is for another lock, or nobody reads the answer.
    Mismatched,
    /// Those who wait and the one who holds wait for each other.
    Deadlock,
    /// There is no unlock.
    Missing,
    /// An exit skips the unlock.
    ErrorPath,
    /// The unlock comes before the change is visible.
    CommitOrder,
    /// What was read is older than the lock.
    StaleRead,
    /// The rows are not the ones meant.
    Claim,
    /// Works, but could be better.
    Hygiene,
    /// About comments, not locks.
    Comment,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Each statement by itself, with the facts of the tree.
    Statement(fn(&Context<'_>, &Statement<'_>, &mut Sink)),
    /// Each unit's flow.
    Unit(fn(&Context<'_>, &UnitFlow, &mut Sink)),
    /// Each file by itself, with the facts of the tree.
    File(fn(&Context<'_>, &mut Sink)),
    /// All files at once.
    Project(fn(&[File<'_>], &Facts, &mut Sink)),
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name: kebab case, what is wrong.
    pub name: &'static str,
    /// The highest level it reports.
    pub level: Level,
    /// Its place in arbitration.
    pub rank: Rank,
    /// Its page, Markdown.
    pub page: &'static str,
    /// What it looks at.
    pub checks: &'static [Check],
}

/// What a rule may ask about the file it is in.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The file.
    pub file: &'a File<'a>,
    /// What only the whole tree can say.
    pub facts: &'a Facts,
    /// What settings say stands between the program and the server.
    pub pooling: Pooling,
}

impl Context<'_> {
    /// Whether a caller may have begun a transaction on a unit's session: somebody in the tree has to.
    pub fn caller_may_begin(&self, flow: &UnitFlow) -> bool {
        self.facts.caller_may_begin(flow, self.file) && !self.nobody_begins(flow)
    }

    /// Whether a unit's session is in autocommit for certain: the code says so, or nobody would ever commit on what the tree
    /// makes.
    pub fn autocommit_is_evident(&self, flow: &UnitFlow) -> bool {
        let is_made = |session: &Session| session.is_made || session.is_imported;
        flow.unit.autocommit_is_evident() || self.nobody_begins(flow) && flow.unit.session.as_ref().is_some_and(is_made)
    }

    fn nobody_begins(&self, flow: &UnitFlow) -> bool {
        self.facts.begins_nowhere && flow.unit.session.as_ref().is_some_and(Session::is_plain)
    }
}

/// A finding with the lock sites that it is about, before arbitration.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The finding.
    pub finding: Finding,
    /// The rule's rank.
    pub rank: Rank,
    /// The lock sites it is about; its own primary span is always one.
    pub sites: Vec<Place>,
}

/// Why a rule says nothing of a site that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Silence {
    /// The site.
    pub at: Span,
    /// The rule's name.
    pub rule: &'static str,
    /// The reason: half a sentence, lower case, without a full stop.
    pub why: &'static str,
}

/// Where rules put what they find.
#[derive(Debug, Default)]
pub struct Sink {
    candidates: Vec<Candidate>,
    asked: Option<Place>,
    silences: Vec<Silence>,
}

impl Sink {
    /// One that also keeps why rules are silent about the sites of a place.
    pub fn asking(place: Option<Place>) -> Self {
        Self { asked: place, ..Self::default() }
    }

    /// Says why `rule` has nothing to say of a site that it is about. Nobody hears it but who has asked.
    pub fn silent(&mut self, rule: &Rule, context: &Context<'_>, at: Span, why: &'static str) {
        if self.asked.is_some_and(|place| place.file == context.file.id && place.span.touches(at)) {
            self.silences.push(Silence { at, rule: rule.name, why });
        }
    }

    /// What was said by `silent`, each reason once.
    pub fn take_silences(&mut self) -> Vec<Silence> {
        let mut found = std::mem::take(&mut self.silences);
        found.sort();
        found.dedup();
        found
    }

    /// Adds a finding of `rule`; the builder that comes back tells the rest of the story.
    pub fn report(&mut self, rule: &Rule, level: Level, at: Place, message: impl Into<String>) -> Story<'_> {
        let index = self.candidates.len();
        self.candidates.push(Candidate {
            finding: Finding {
                rule: rule.name,
                level,
                message: message.into(),
                at,
                related: Vec::new(),
                help: None,
                fix: None,
                statement: at.span,
                unit: String::new(),
                fingerprint: String::new(),
                identity: String::new(),
            },
            rank: rule.rank,
            sites: vec![at],
        });
        Story { candidate: &mut self.candidates[index] }
    }

    /// The same at a lock site of a unit.
    pub fn at_site(
        &mut self,
        rule: &Rule,
        level: Level,
        context: &Context<'_>,
        (flow, site): (&UnitFlow, SiteId),
        message: impl Into<String>,
    ) -> Story<'_> {
        let at = &flow.unit.sites[site];
        self.report(rule, level, Place::new(context.file.id, at.span), message)
            .statement(at.statement)
            .unit(&flow.unit.name)
    }

    /// The same at some tokens of a statement.
    pub fn at_tokens(
        &mut self,
        rule: &Rule,
        level: Level,
        context: &Context<'_>,
        (statement, tokens): (&Statement<'_>, &Tokens),
        message: impl Into<String>,
    ) -> Story<'_> {
        self.report(rule, level, Place::new(context.file.id, statement.source(tokens)), message)
            .statement(statement.anchor)
            .unit(&statement.unit)
    }

    /// Everything that was put in.
    pub fn into_candidates(self) -> Vec<Candidate> {
        self.candidates
    }
}

/// Adds to a finding.
#[derive(Debug)]
pub struct Story<'s> {
    candidate: &'s mut Candidate,
}

impl Story<'_> {
    /// The statement that holds the primary span.
    pub fn statement(self, statement: Span) -> Self {
        self.candidate.finding.statement = statement;
        self
    }

    /// The enclosing unit.
    pub fn unit(self, name: &str) -> Self {
        name.clone_into(&mut self.candidate.finding.unit);
        self
    }

    /// A second place.
    pub fn related(self, at: Place, message: impl Into<String>) -> Self {
        self.candidate.finding.related.push(Related { at, message: message.into() });
        self
    }

    /// What to write instead.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.candidate.finding.help = Some(help.into());
        self
    }

    /// A change that mends it.
    pub fn fix(self, fix: Fix) -> Self {
        self.candidate.finding.fix = Some(fix);
        self
    }

    /// Another lock site that the finding is about: what is found there gives way, or wins.
    pub fn about(self, file: FileId, site: Span) -> Self {
        self.candidate.sites.push(Place::new(file, site));
        self
    }
}

/// What arbitration leaves, and what it takes away.
#[derive(Debug, Default)]
pub struct Arbitration {
    /// What stands.
    pub findings: Vec<Finding>,
    /// What gives way.
    pub beaten: Vec<Beaten>,
}

/// A finding that another one makes idle.
#[derive(Debug)]
pub struct Beaten {
    /// The finding.
    pub finding: Finding,
    /// The rule whose finding about the same lock comes first.
    pub by: &'static str,
}

/// Of findings about the same lock site, those of the earliest rank; but a note, which may be nothing, silences no
/// more than notes. Runs before selection and suppression, so that switching a winner off does not raise the loser.
pub fn arbitrate(mut candidates: Vec<Candidate>) -> Arbitration {
    use std::collections::HashMap;
    type Winners = HashMap<Place, (Rank, &'static str)>;
    candidates.sort_by_key(|candidate| candidate.rank);
    // The earliest rank at a site, of any level and of those that are no notes.
    let (mut any, mut loud) = (Winners::new(), Winners::new());
    let mut done = Arbitration::default();
    for Candidate { finding, rank, sites } in candidates {
        let is_note = finding.level == Level::Note;
        let winners = if is_note { &any } else { &loud };
        let earlier = |site: &Place| winners.get(site).filter(|(winner, _)| *winner < rank).map(|(_, rule)| *rule);
        if rank != Rank::Comment
            && let Some(by) = sites.iter().find_map(earlier)
        {
            done.beaten.push(Beaten { finding, by });
            continue;
        }
        for site in sites {
            any.entry(site).or_insert((rank, finding.rule));
            if !is_note {
                loud.entry(site).or_insert((rank, finding.rule));
            }
        }
        done.findings.push(finding);
    }
    done
}

/// The name of an advisory function at the head of a call, replaced. None where the name does not stand there as it is:
/// the call goes through a wrapper, a query builder or an escape.
pub fn rename(source: &Source, call: Span, from: &Function, to: &Function) -> Option<Edit> {
    let head = source.slice(call).split('(').next()?.trim_end();
    let start = head.len().checked_sub(from.name.len())?;
    let name = head.get(start..)?;
    if !name.eq_ignore_ascii_case(from.name) {
        return None;
    }
    let start = call.start + start;
    Some(Edit { span: Span::new(start, start + name.len()), text: to.name.to_owned() })
}

/// A statement of an SQL file taken out, with its line where nothing else is there. `None` where it does more than the call,
/// or its end is not seen.
pub fn remove(source: &Source, statement: Span, call: Span) -> Option<Edit> {
    let text = source.text();
    let (head, tail) = (text.get(statement.start..call.start)?, text.get(call.end..)?);
    let verb = head.trim();
    let after = tail.trim_start().strip_prefix(';')?;
    let is_alone = verb.eq_ignore_ascii_case("select") || verb.eq_ignore_ascii_case("perform");
    if source.language() != Language::Sql || !is_alone {
        return None;
    }
    let mut span = Span::new(statement.start, text.len() - after.len());
    let line = text[..span.start].rfind(['\n', '\r']).map_or(source.bom(), |at| at + 1);
    let rest = after.len() - after.trim_start_matches([' ', '\t']).len();
    let ending = ["\r\n", "\n", "\r"].into_iter().find(|ending| after[rest..].starts_with(ending));
    if let Some(ending) = ending
        && text[line..span.start].trim().is_empty()
    {
        span = Span::new(line, span.end + rest + ending.len());
    }
    Some(Edit { span, text: String::new() })
}

impl Rule {
    /// The first sentence of its page.
    pub fn summary(&self) -> &'static str {
        self.page.split("\n\n").nth(1).unwrap_or_default().trim()
    }
}
