//! One file, read: its documents' statements and units, its comments, its lock sites.

use crate::document::{Content, Document, Origin, Owner};
use crate::finding::FileId;
use crate::flow::interpret::interpret;
use crate::flow::lower::lower;
use crate::flow::{UnitFlow, UnitKind};
use crate::source::Source;
use crate::span::Span;
use crate::sql::advisory::{self, Key, Scope};
use crate::sql::clause::{Verb, Wait};
use crate::sql::lex::TokenKind;
use crate::sql::routine::Routine;
use crate::sql::script::{Section, Surroundings, sections};
use crate::statement::{Statement, Wrappers};

/// A file as rules see it.
#[derive(Debug)]
pub struct File<'a> {
    /// Its identity in the project.
    pub id: FileId,
    /// Its text.
    pub source: &'a Source,
    /// Its SQL texts.
    documents: &'a [Document<'a>],
    /// Its statements: of the script first, then of each body.
    pub statements: Vec<Statement<'a>>,
    /// Its units with their traces.
    pub units: Vec<UnitFlow>,
    /// Its comments, sorted.
    pub comments: Vec<Span>,
    /// The routines that it defines.
    pub definitions: Vec<Definition>,
    /// Advisory calls and locking clauses in its SQL.
    pub lock_sites: usize,
    /// Those whose statement and key were read in full.
    pub understood: usize,
    /// Definitions that others replace: what stands in them is context for nothing.
    pub left_out: Vec<Span>,
    /// The functions that it defines under the name of an advisory function, lower case.
    pub own_functions: Vec<String>,
}

impl<'a> File<'a> {
    /// Reads the documents of a source. `beside` is what the file beside it says of its transaction.
    pub fn new(
        id: FileId,
        source: &'a Source,
        documents: &'a [Document<'a>],
        wrappers: &Wrappers,
        beside: Option<Surroundings>,
    ) -> Self {
        let mut file = Self {
            id,
            source,
            documents,
            statements: Vec::new(),
            units: Vec::new(),
            comments: Vec::new(),
            own_functions: Vec::new(),
            definitions: Vec::new(),
            left_out: Vec::new(),
            lock_sites: 0,
            understood: 0,
        };
        for (index, document) in documents.iter().enumerate() {
            let lowered = lower(documents, index, &sections_of(source, document, beside), wrappers);
            file.statements.extend(lowered.statements);
            file.units.extend(lowered.units.into_iter().map(|unit| UnitFlow { trace: interpret(&unit), unit }));
            let comments = document.tokens.iter().filter(|token| token.kind == TokenKind::Comment);
            file.comments.extend(comments.map(|token| document.region.to_source(token.span)));
            if let Origin::Body(owner) = &document.origin {
                file.define(owner);
            }
        }
        file.comments.sort();
        file.comments.dedup();
        file.count_lock_sites();
        file
    }

    /// Whether the unit around a statement takes an advisory or a table lock, which may guard what the statement does.
    pub fn is_locked_otherwise(&self, statement: &Statement<'_>) -> bool {
        let inside = |span: Span| span.contains(statement.span);
        self.units.iter().any(|flow| inside(flow.unit.span) && flow.acquired().next().is_some())
            || self.statements.iter().any(|other| other.unit == statement.unit && *other.tree.verb() == Verb::Lock)
    }

    /// Whether a statement is run by a migration runner itself, once, and not in a body that others call.
    pub fn runs_once(&self, statement: &Statement<'_>) -> bool {
        let migrates = self.units.iter().any(|flow| flow.unit.runner.is_some());
        let called = |kind| !matches!(kind, UnitKind::Script | UnitKind::Procedure { inline: true });
        migrates && !self.units.iter().any(|flow| flow.unit.span.contains(statement.span) && called(flow.unit.kind))
    }

    /// The comments inside a statement, on its last line, and directly before it.
    pub fn comments_at(&self, statement: Span) -> impl Iterator<Item = &'a str> {
        let text = self.source.text();
        let line_end = text[statement.end..].find('\n').map_or(text.len(), |n| statement.end + n);
        let after = self.comments.partition_point(|comment| comment.start < line_end);
        let mut start = statement.start;
        let source = self.source;
        self.comments[..after].iter().rev().map_while(move |comment| {
            let between = text.get(comment.end..start).map(str::trim);
            let adjacent = comment.start >= statement.start || between == Some("");
            start = comment.start.min(statement.start);
            adjacent.then(|| source.slice(*comment))
        })
    }

    /// Whether a statement has SKIP LOCKED, for which the tables' keys matter.
    pub fn skips_locked(&self) -> bool {
        self.statements.iter().flat_map(Statement::row_locks).any(|(_, lock)| lock.wait == Wait::SkipLocked)
    }

    /// The units that are bodies of routines, each with its routine.
    pub fn routines(&self) -> impl Iterator<Item = (&UnitFlow, &'a Routine)> {
        self.units.iter().filter_map(|flow| {
            self.documents.iter().find_map(|document| match &document.origin {
                Origin::Body(owner) if document.region.span() == flow.unit.span => Some((flow, &owner.routine)),
                _ => None,
            })
        })
    }

    /// Whether something takes a lock of the session, for which it matters whose session that is.
    pub fn locks_session(&self) -> bool {
        self.units.iter().any(|flow| flow.acquired().any(|(_, function, _)| function.scope == Scope::Session))
    }

    /// Takes out what stands in a definition that another one replaces.
    pub fn leave_out(&mut self, definition: Span) {
        self.left_out.push(definition);
        self.units.retain(|flow| !definition.contains(flow.unit.span));
        self.statements.retain(|statement| !definition.contains(statement.span) || definition == statement.span);
    }

    fn define(&mut self, owner: &Owner) {
        let routine = &owner.routine;
        let Some(name) = routine.name.as_deref() else { return };
        if name.contains("advisory") {
            self.own_functions.push(name.to_owned());
        }
        let types: Vec<&str> = routine.arguments.iter().map(|argument| argument.ty.as_str()).collect();
        let schema = routine.schema.as_deref().unwrap_or_default();
        let identity = format!("{schema}.{name}({})", types.join(","));
        self.definitions.push(Definition { identity, statement: owner.statement });
    }

    fn count_lock_sites(&mut self) {
        for statement in &self.statements {
            let complete = statement.tree.complete();
            let rows = statement.row_locks().count();
            let keyed = statement
                .direct_locks()
                .filter(|lock| lock.key != Key::Unknown || lock.function.action == advisory::Action::UnlockAll);
            self.understood += if complete { rows + keyed.count() } else { 0 };
            self.lock_sites += rows + statement.direct_locks().count();
        }
    }
}

/// A routine's definition: where, and what it is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Schema, name and argument types.
    pub identity: String,
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
