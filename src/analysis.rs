//! One file, read: its documents' statements and units, its comments, its lock sites.

pub mod constants;
mod guarded;
mod nesting;
mod otherwise;
#[cfg(test)]
mod tests;

use crate::builders;
use crate::document::{Content, Document, Origin, Owner, documents};
use crate::finding::FileId;
use crate::flow::lower::{Lowered, lower};
use crate::flow::sites::MAX_SITES;
use crate::flow::{Action, Owner as Whose, Session, Site, Size, Step, StepId, UnitFlow, UnitKind};
use crate::fragment;
use crate::host::{Syntax, is_stand_in};
use crate::language::{HostLanguage, Language, is_test};
use crate::prefilter;
use crate::program::{self, Program};
use crate::region::Region;
use crate::sessions::{self, Functions, HostWrapper, HostWrappers, Imported, Wanted};
use crate::source::Source;
use crate::span::Span;
use crate::sql::advisory::{self, Key, Scope};
use crate::sql::clause::{Verb, Wait};
use crate::sql::lex::TokenKind;
use crate::sql::routine::{Identity, Routine, identity};
use crate::sql::script::{Section, Surroundings, sections};
use crate::statement::{Statement, Wrappers};
use nesting::Nesting;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How many comments after a statement on its last line are its own: a file may be one line.
const MAX_COMMENTS: usize = 8;

/// Modules that only tests use.
const TEST_LIBRARIES: &[&str] = &[
    "org.junit",
    "org.testng",
    "org.scalatest",
    "munit",
    "kotlin.test",
    "io.kotest",
    "Xunit",
    "NUnit.Framework",
    "Microsoft.VisualStudio.TestTools",
    "PHPUnit",
    "ExUnit",
    "pytest",
    "unittest",
    "vitest",
    "jest",
    "@jest",
    "node.test",
    "mocha",
    "testing",
    "github.com.stretchr.testify",
];

/// What is known of other files before one is read: their functions that do nothing but call an advisory function, and
/// their handles that it imports.
#[derive(Debug, Default)]
pub struct Elsewhere {
    /// Routines.
    pub sql: Wrappers,
    /// Functions of host code.
    pub host: HostWrappers,
    /// The handles that each file imports.
    pub handles: BTreeMap<FileId, Imported>,
}

/// A file as rules see it.
#[derive(Debug)]
pub struct File<'a> {
    /// Its identity in the project.
    pub id: FileId,
    /// Its text.
    pub source: &'a Source,
    /// The statements that a rule can say something about: of the script first, then of each body.
    pub statements: Vec<Statement<'a>>,
    /// Its units with their traces.
    pub units: Vec<UnitFlow>,
    /// What a host source runs; its statements and units come from these queries.
    pub program: Program<'a>,
    /// The row locks that its query builders ask for.
    pub builder_locks: Vec<builders::Lock>,
    /// The advisory functions that they call, by whatever name.
    pub builder_calls: Vec<builders::Call<'a>>,
    /// Whether it is test code, by its path or a test library that it uses.
    is_test: bool,
    /// Modules of tests in it.
    tests: Vec<Span>,
    /// Its comments, sorted.
    pub comments: Vec<Span>,
    /// The handles that only other files explain.
    pub wanted: BTreeSet<Wanted>,
    /// Its functions of host code that do nothing but call an advisory function.
    pub wrappers: Vec<HostWrapper>,
    /// The routines that it defines.
    pub definitions: Vec<Definition>,
    /// The same, by their bodies.
    routines: HashMap<Span, Routine>,
    /// Advisory calls and locking clauses in its SQL.
    pub lock_sites: usize,
    /// Those whose statement and key were read in full.
    pub understood: usize,
    /// Definitions that others replace: what stands in them is context for nothing.
    pub left_out: Vec<Span>,
    /// The functions that it defines under the name of an advisory function, lower case.
    pub own_functions: Vec<String>,
    /// Calls of host code that run what stands elsewhere in the file, each with a site there: a constant's SQL, a function.
    pub ran: Vec<(Span, Span)>,
    /// Which units are around a place.
    nesting: Nesting,
    /// Whether a migration runner runs some of it.
    migrates: bool,
    /// The names of the units that lock tables.
    lock_tables: HashSet<Arc<str>>,
    /// Whether it is host code, and something in it takes an advisory lock.
    locks_in_host: bool,
    /// Whether it is host code, and names an isolation level that reads one snapshot.
    one_snapshot: bool,
    /// Of host code, what runs while it holds a lock of some other kind.
    guarded: Vec<Span>,
}

impl<'a> File<'a> {
    /// Reads a source. Its regions are left in `regions`; its tokens are dropped. `beside` is what the file beside it
    /// says of its transaction.
    pub fn new(
        id: FileId,
        source: &'a Source,
        regions: &'a mut Vec<Region<'a>>,
        known: &Elsewhere,
        beside: Option<Surroundings>,
    ) -> Self {
        let mut file = Self {
            id,
            source,
            statements: Vec::new(),
            units: Vec::new(),
            program: Program::default(),
            builder_locks: Vec::new(),
            builder_calls: Vec::new(),
            is_test: is_test(source.path()),
            tests: Vec::new(),
            comments: Vec::new(),
            own_functions: Vec::new(),
            ran: Vec::new(),
            wanted: BTreeSet::new(),
            wrappers: Vec::new(),
            definitions: Vec::new(),
            routines: HashMap::new(),
            left_out: Vec::new(),
            lock_sites: 0,
            understood: 0,
            nesting: Nesting::default(),
            migrates: false,
            lock_tables: HashSet::new(),
            locks_in_host: false,
            one_snapshot: false,
            guarded: Vec::new(),
        };
        let mut syntax = Syntax::default();
        let texts: Vec<(Region<'_>, Origin)> = match source.language() {
            Language::Host(language) => {
                let (program, texts, parsed) = program::read(source);
                syntax = parsed;
                file.comments.extend_from_slice(&program.comments);
                file.lock_sites = program.unread;
                file.builder_locks = builders::locks(source.text(), language, &program);
                file.builder_calls = builders::calls(source.text(), language, &program);
                file.program = program;
                texts.into_iter().enumerate().map(|(at, text)| (text, Origin::Query(at))).collect()
            }
            Language::Sql | Language::Markdown | Language::Config(_) | Language::Prisma | Language::Expected => {
                fragment::texts(source).into_iter().map(|text| (text, Origin::Script)).collect()
            }
        };
        let documents = documents(texts, regions);
        for (index, document) in documents.iter().enumerate() {
            let lowered =
                lower(&documents, index, &sections_of(source, document, beside), &file.program.queries, &known.sql);
            file.count_lock_sites(&lowered);
            file.statements.extend(lowered.statements);
            file.units.extend(lowered.units.into_iter().map(UnitFlow::new));
            let comments = document.tokens.iter().filter(|token| token.kind == TokenKind::Comment);
            file.comments.extend(comments.map(|token| document.region.to_source(token.span())));
        }
        if let Language::Host(language) = source.language()
            && (file.may_run(source) || !known.host.is_empty())
        {
            file.follow_host(language, syntax, known);
        }
        file.statements.retain(|statement| statement.query.is_none() || statement.is_relevant());
        for document in documents {
            if let Origin::Body(owner) = document.origin {
                file.define(&owner);
                file.routines.insert(document.region.span(), owner.routine);
            }
        }
        file.comments.sort();
        file.comments.dedup();
        // A unit's flow follows so many sites and no more.
        let beyond = file.units.iter().map(|flow| flow.unit.sites.len().saturating_sub(MAX_SITES));
        file.understood = file.understood.saturating_sub(beyond.sum());
        let locks = file.statements.iter().filter(|statement| *statement.tree.verb() == Verb::Lock);
        file.lock_tables = locks.map(|statement| Arc::clone(&statement.unit)).collect();
        file.migrates = file.units.iter().any(|flow| flow.unit.runner.is_some());
        if file.is_host() {
            file.locks_in_host = file.units.iter().any(|flow| flow.acquired().next().is_some());
            file.one_snapshot = prefilter::names_one_snapshot(source.text().as_bytes());
        }
        file.nest();
        file
    }

    /// Whether host code names an isolation level in which a transaction reads one snapshot.
    pub fn asks_for_one_snapshot(&self) -> bool {
        self.one_snapshot
    }

    /// Whether something in host code may lock or begin a transaction, or a comment speaks to locklint: only then does it
    /// matter what its functions do.
    fn may_run(&self, source: &Source) -> bool {
        self.statements.iter().any(|one| one.is_relevant() || matches!(one.tree.verb(), Verb::Begin { .. }))
            || !self.builder_locks.is_empty()
            || !self.builder_calls.is_empty()
            || prefilter::names_advisory(source.text().as_bytes())
            || self.comments.iter().any(|comment| source.slice(*comment).contains("locklint"))
    }

    /// Runs the functions of a host source on their sessions. Their units replace those of the queries that they run.
    fn follow_host(&mut self, language: HostLanguage, syntax: Syntax, known: &Elsewhere) {
        if let Some(code) = syntax.code(self.source) {
            let tests = |path: &str| {
                TEST_LIBRARIES.iter().any(|known| path == *known || path.starts_with(&format!("{known}.")))
            };
            self.is_test |= code.imports.iter().any(|import| tests(&import.path.replace(['/', ':', '\\'], ".")));
            if language == HostLanguage::Rust {
                self.tests = self.program.test_modules(self.source.text());
            }
            self.guarded = guarded::guarded(&code);
            let mut queries: HashMap<Span, Vec<&Statement<'_>>> = HashMap::new();
            for statement in &self.statements {
                let query = statement.query.and_then(|query| self.program.queries.get(query));
                if let Some(query) = query {
                    queries.entry(query.literal).or_default().push(statement);
                }
            }
            let locks = self.builder_locks.iter().map(|lock| lock.at);
            let built: Vec<Span> = locks.chain(self.builder_calls.iter().map(|call| call.at)).collect();
            let bound = |query: &program::Query<'a>| Some((query.literal, query.binding?));
            let constants: Vec<(Span, &str)> = self.program.queries.iter().filter_map(bound).collect();
            let found = sessions::units(Functions {
                code: &code,
                text: self.source.text(),
                file: self.id,
                language,
                queries: &queries,
                path: self.source.path(),
                wrappers: &known.host,
                imported: known.handles.get(&self.id).unwrap_or(&Imported::new()),
                locks_rows: !self.builder_locks.is_empty(),
                builders: &built,
                constants: &constants,
            });
            let mut units = found.units;
            self.wrappers = found.wrappers;
            self.wanted = found.wanted;
            self.ran = found.ran;
            let covered: HashSet<Span> =
                units.iter().flat_map(|unit| unit.site_steps().map(|(_, site)| unit.sites[site].span)).collect();
            let followed = self.units.iter().filter(|flow| flow.unit.work_follows);
            let follows: HashSet<Span> =
                followed.flat_map(|flow| flow.unit.sites.iter().map(|site| site.span)).collect();
            self.units.retain(|flow| {
                flow.unit.kind != UnitKind::Query
                    || flow.unit.sites.is_empty()
                    || !flow.unit.sites.iter().all(|site| covered.contains(&site.span))
            });
            for unit in &mut units {
                let follows = |site: &Site| follows.contains(&site.span);
                unit.work_follows = unit.sites.iter().any(follows);
            }
            self.units.extend(units.into_iter().map(UnitFlow::new));
        }
    }

    /// Whether it is test code, by its path or the libraries that it uses: odd locking is there on purpose.
    pub fn is_test(&self) -> bool {
        self.is_test
    }

    /// Says that the tree around it makes it test code.
    pub fn mark_as_test(&mut self) {
        self.is_test = true;
    }

    /// Whether a place in it is test code: Rust has both in one file.
    pub fn is_test_at(&self, at: Span) -> bool {
        self.is_test || self.tests.iter().any(|module| module.contains(at))
    }

    /// Whether a unit takes the row lock that a query builder asks for.
    pub fn is_followed(&self, lock: &builders::Lock) -> bool {
        self.units.iter().any(|flow| flow.unit.step_at(lock.at).is_some())
    }

    /// The steps of host code that a query builder's lock is part of: on a session of their own, or on that of a framework.
    pub fn steps_of(&self, lock: &builders::Lock) -> impl Iterator<Item = (&UnitFlow, StepId)> {
        let builders::Lock { at, chain, .. } = *lock;
        self.units.iter().filter_map(move |flow| {
            let session = flow.unit.session.as_ref().filter(|_| flow.unit.span.contains(at))?;
            let mine = |step: &Step| step.action != Action::Call || session.owner == Whose::Ambient;
            let part = |step: &Step| step.span.contains(at) || chain.contains(step.span);
            let step = flow.unit.steps.iter().position(|step| part(step) && mine(step))?;
            Some((flow, step))
        })
    }

    /// The name of the unit of what a query builder locks: that of its function.
    pub fn builder_unit(&self, lock: &builders::Lock) -> &'a str {
        lock.function.and_then(|index| self.program.functions.get(index)).map_or("", |function| function.name)
    }

    /// Whether it is host code.
    pub fn is_host(&self) -> bool {
        matches!(self.source.language(), Language::Host(_))
    }

    /// The units around a statement, the innermost first.
    pub fn units_around(&self, statement: &Statement<'_>) -> impl Iterator<Item = &UnitFlow> {
        self.nesting.around(statement.span).filter_map(|index| self.units.get(index))
    }

    fn nest(&mut self) {
        self.nesting = Nesting::new(self.units.iter().map(|flow| flow.unit.span));
    }

    /// Whether a statement is run by a migration runner itself, once, and not in a body that others call.
    pub fn runs_once(&self, statement: &Statement<'_>) -> bool {
        let called = |kind| !matches!(kind, UnitKind::Script | UnitKind::Procedure { inline: true });
        if statement.query.is_some() {
            return is_migration(self.source.path());
        }
        self.migrates && !self.units_around(statement).any(|flow| called(flow.unit.kind))
    }

    /// The comments inside a statement, on its last line, and directly before it.
    pub fn comments_at(&self, statement: Span) -> impl Iterator<Item = &'a str> {
        let text = self.source.text();
        let lines = self.source.lines();
        let line_end = lines.start(lines.line(statement.end) + 1).unwrap_or(text.len());
        let inside = self.comments.partition_point(|comment| comment.start < statement.end);
        let trailing = self.comments[inside..].iter().take(MAX_COMMENTS);
        let after = inside + trailing.take_while(|comment| comment.start < line_end).count();
        let mut start = statement.start;
        let source = self.source;
        self.comments[..after].iter().rev().map_while(move |comment| {
            let between = text.get(comment.end..start).map(str::trim);
            let adjacent = comment.start >= statement.start || between == Some("");
            start = comment.start.min(statement.start);
            adjacent.then(|| source.slice(*comment))
        })
    }

    /// The words of those comments, which may go over several lines, in lower case and one blank apart.
    pub fn comment_at(&self, statement: Span) -> String {
        let mut comments: Vec<&str> = self.comments_at(statement).collect();
        comments.reverse();
        let words = comments.iter().flat_map(|comment| comment.split_whitespace());
        let words = words.filter(|word| !matches!(*word, "#" | "//" | "///" | "--" | "*"));
        words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
    }

    /// The tables that statements read with SKIP LOCKED, for which their keys matter.
    pub fn skipped_tables(&self) -> impl Iterator<Item = &str> {
        self.statements.iter().flat_map(|statement| {
            let skipping = statement.row_locks().filter(|(_, lock)| lock.wait == Wait::SkipLocked);
            let selects = skipping.filter_map(|(query, _)| statement.tree.query(query).select());
            selects
                .flat_map(|select| &select.from)
                .filter(|item| item.is_table() && !is_stand_in(&item.name))
                .map(|item| item.name.as_str())
        })
    }

    /// The units that are bodies of routines, each with its routine.
    pub fn routines(&self) -> impl Iterator<Item = (&UnitFlow, &Routine)> {
        self.units.iter().filter_map(|flow| Some((flow, self.routine_of(flow)?)))
    }

    /// The routine whose body a unit is.
    pub fn routine_of(&self, flow: &UnitFlow) -> Option<&Routine> {
        self.routines.get(&flow.unit.span)
    }

    /// Whether something takes a lock of the session, for which it matters whose session that is.
    pub fn locks_session(&self) -> bool {
        self.units.iter().any(|flow| flow.acquired().any(|(_, function, _)| function.scope == Scope::Session))
    }

    /// Whether something is done through a pool, or on a connection of one, for which its size matters.
    pub fn works_through_pool(&self) -> bool {
        let sized = |session: &Session| !matches!(session.size, Size::One | Size::Many);
        let pooled = |session: &Session| matches!(session.owner, Whose::PerCall | Whose::Borrowed) && sized(session);
        self.units.iter().any(|flow| {
            flow.unit.session.as_ref().is_some_and(pooled)
                && (flow.acquired().chain(flow.released()).any(|(_, function, _)| function.scope == Scope::Session)
                    || flow.unit.steps.iter().any(|step| matches!(step.action, Action::Begin { .. })))
        })
    }

    /// Whether a lock that lasts as long as its transaction is taken on a session on which a caller may have begun one.
    pub fn may_be_called_in_transaction(&self) -> bool {
        self.units.iter().any(|flow| {
            let passes = |site: &Site| match site.lock {
                crate::flow::Lock::Advisory { function, .. } => function.scope == Scope::Transaction,
                crate::flow::Lock::Rows { .. } | crate::flow::Lock::Table => true,
            };
            flow.unit.sites.iter().any(passes) && flow.unit.session.as_ref().is_some_and(Session::is_plain)
        })
    }

    /// Whether something that a framework calls takes a lock on its session.
    pub fn locks_where_framework_calls(&self) -> bool {
        self.units.iter().any(|flow| flow.is_called_by_framework() && !flow.unit.sites.is_empty())
    }

    /// Takes out what stands in definitions that others replace.
    pub fn leave_out(&mut self, definitions: &[Span]) {
        self.left_out.extend_from_slice(definitions);
        let replaced = Nesting::new(definitions.iter().copied());
        self.units.retain(|flow| replaced.around(flow.unit.span).next().is_none());
        self.statements
            .retain(|statement| replaced.around(statement.span).all(|index| definitions[index] == statement.span));
        self.nest();
    }

    /// Whether a span lies in a definition that another one replaces.
    pub fn is_left_out(&self, span: Span) -> bool {
        self.left_out.iter().any(|definition| definition.contains(span))
    }

    fn define(&mut self, owner: &Owner) {
        let routine = &owner.routine;
        let Some(name) = routine.name.as_deref() else { return };
        if name.contains("advisory") {
            self.own_functions.push(name.to_owned());
        }
        self.definitions.extend(identity(routine).map(|identity| Definition { identity, statement: owner.statement }));
    }

    fn count_lock_sites(&mut self, lowered: &Lowered<'_>) {
        self.lock_sites += lowered.unread;
        for statement in &lowered.statements {
            let rows = statement.row_locks().count();
            let keyed = statement
                .direct_locks()
                .filter(|lock| lock.key != Key::Unknown || lock.function.action == advisory::Action::UnlockAll);
            let complete = statement.tree.complete() && !lowered.incomplete;
            self.understood += if complete { rows + keyed.count() } else { 0 };
            self.lock_sites += rows + statement.direct_locks().count() + statement.unfollowed;
        }
    }
}

/// Whether the path of host code is that of a migration, which a framework runs once.
fn is_migration(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|directory| {
        matches!(
            directory.to_ascii_lowercase().as_str(),
            "migrate" | "migration" | "migrations" | "versions" | "alembic"
        )
    })
}

/// A routine's definition: where, and what it is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// What the server knows it by.
    pub identity: Identity,
    /// The statement that defines it.
    pub statement: Span,
}

fn sections_of(source: &Source, document: &Document<'_>, beside: Option<Surroundings>) -> Vec<Section> {
    match (&document.content, &document.origin) {
        (Content::Statements(_), Origin::Script) => {
            sections(source.path(), document.region.text(), &document.tokens, beside)
        }
        _ => Vec::new(),
    }
}
