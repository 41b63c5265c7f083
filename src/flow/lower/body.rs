//! PL/pgSQL bodies: their blocks become the tree, the SQL in them statements.

mod claim;
mod condition;
mod variables;

use super::script::kind;
use super::{Builder, Lowered};
use crate::document::{Content, Document, Origin, inside};
use crate::flow::{Action, Catches, Change, Exit, Node};
use crate::span::{Span, SqlSpan};
use crate::sql::Tokens;
use crate::sql::clause::Entry;
use crate::sql::plpgsql::{Block, Body, LoopKind, RaiseLevel, Statement as Pl, StatementKind};
use crate::sql::routine::Routine;
use crate::sql::script::{Expects, Surroundings};
use crate::statement::{self, Missing, Statement, Use, Variable, Wrappers};
use std::collections::HashMap;
use std::sync::Arc;
use variables::Variables;

pub(super) fn plpgsql<'d>(
    documents: &[Document<'d>],
    index: usize,
    body: &Body,
    routine: &Routine,
    wrappers: &Wrappers,
) -> Lowered<'d> {
    let document = &documents[index];
    let variables = Variables::of(document, body, routine);
    let names = variables.known(document);
    let name: Arc<str> = routine.name.as_deref().unwrap_or_default().into();
    let mut walk = Walk {
        commands: inside(documents, index).iter().filter_map(command).collect(),
        document,
        wrappers,
        builder: Builder::new(),
        statements: Vec::new(),
        hidden: Arc::new(names.keys().map(|name| (name.clone(), Variable::default())).collect()),
        names: Arc::new(names),
        variables,
        unit: Arc::clone(&name),
        cursors: HashMap::new(),
        picks: HashMap::new(),
        found: None,
        unread: 0,
    };
    let root = walk.block(&body.block);
    let text = document.region.text();
    let span = document.region.to_source(SqlSpan::new(0, text.len()));
    let unit = walk.builder.finish(kind(routine), &name, span, Surroundings::Unknown, root);
    Lowered { statements: walk.statements, units: vec![unit], unread: walk.unread, incomplete: !body.complete }
}

fn command<'w, 'd>(document: &'w Document<'d>) -> Option<(Tokens, &'w Document<'d>)> {
    match document.origin {
        Origin::Dynamic { command, .. } => Some((command, document)),
        _ => None,
    }
}

/// How many arms of a branch stand each in the other case of the one before; of more, each may run or not. The tree is
/// walked by recursion.
const MAX_ARMS: usize = 100;

struct Walk<'w, 'd> {
    /// What EXECUTE runs, by the expression that gives it.
    commands: HashMap<Tokens, &'w Document<'d>>,
    document: &'w Document<'d>,
    wrappers: &'w Wrappers,
    builder: Builder,
    statements: Vec<Statement<'d>>,
    /// Names of advisory functions in what could not be read as statements.
    unread: usize,
    variables: Variables,
    names: Arc<statement::Variables>,
    /// The same names for what EXECUTE runs, which sees none of them.
    hidden: Arc<statement::Variables>,
    unit: Arc<str>,
    /// The queries of bound cursors that nothing has opened yet, by the cursors' names.
    cursors: HashMap<String, Tokens>,
    /// The rows that were picked without a lock, by the variables that hold their keys.
    picks: HashMap<String, claim::Pick>,
    /// The try-lock that FOUND tells of: `PERFORM 1 WHERE pg_try_…`.
    found: Option<usize>,
}

/// An empty sequence.
const fn nothing() -> Node {
    Node::Sequence(Vec::new())
}

impl Walk<'_, '_> {
    fn source(&self, span: SqlSpan) -> Span {
        self.document.region.to_source(span)
    }

    fn block(&mut self, block: &Block) -> Node {
        let mut nodes = Vec::new();
        for declaration in &block.declarations {
            if let Some(query) = declaration.cursor_query {
                self.cursors.insert(declaration.name.clone(), query);
            }
            if let Some(default) = declaration.default {
                nodes.extend(self.value(default, Some(&declaration.name)));
            }
        }
        nodes.extend(self.all(&block.body));
        let mut node = Node::Sequence(nodes);
        if !block.handlers.is_empty() {
            let handlers = block.handlers.iter().map(|handler| Node::Sequence(self.all(&handler.body))).collect();
            let all = block.handlers.iter().any(|handler| handler.conditions.iter().any(|c| c == "others"));
            let catches = if all { Catches::All } else { Catches::Some };
            node = Node::Try { body: Box::new(node), handlers, catches };
        }
        match &block.label {
            Some(label) => Node::Block { label: label.clone(), body: Box::new(node) },
            None => node,
        }
    }

    fn all(&mut self, statements: &[Pl]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (index, statement) in statements.iter().enumerate() {
            nodes.extend(self.one(statement, statements.get(index + 1)));
        }
        nodes
    }

    fn one(&mut self, statement: &Pl, next: Option<&Pl>) -> Vec<Node> {
        let span = self.source(statement.span);
        match &statement.kind {
            StatementKind::Block(block) => vec![self.block(block)],
            StatementKind::If { arms, otherwise } => self.branches(None, arms, otherwise.as_deref()),
            StatementKind::Case { subject, arms, otherwise } => self.branches(*subject, arms, otherwise.as_deref()),
            StatementKind::Loop { label, kind, body } => self.repeat(label.as_deref(), kind, body),
            StatementKind::Exit { label, when } => self.leave(Exit::Break(label.clone()), *when, span),
            StatementKind::Continue { label, when } => self.leave(Exit::Continue(label.clone()), *when, span),
            StatementKind::Return(value) => {
                let mut nodes = value.map(|value| self.value(value, None)).unwrap_or_default();
                nodes.push(Node::Exit(Exit::Return, span));
                nodes
            }
            StatementKind::ReturnNext(value) => value.map(|value| self.value(value, None)).unwrap_or_default(),
            StatementKind::ReturnQuery(query) => self.sql(*query, Use::Returned(Expects::Many), next),
            StatementKind::Raise { level: RaiseLevel::Exception, .. } => vec![Node::Exit(Exit::Raise, span)],
            StatementKind::Assert(condition) => self.value(*condition, None),
            StatementKind::Perform(tokens) => self.perform(*tokens, next),
            StatementKind::Assign { target, value } => self.value(*value, Some(target)),
            StatementKind::Commit { chain } | StatementKind::Rollback { chain } => {
                self.builder.statement += 1;
                let commits = matches!(statement.kind, StatementKind::Commit { .. });
                vec![self.builder.step(Action::End { chain: *chain, commits }, span)]
            }
            StatementKind::Sql { tokens, into } => {
                let targets = into.as_ref().map(|into| into.targets.as_slice());
                let result = match targets {
                    Some(targets) => Use::Stored { read: self.variables.any_read(targets) },
                    None => Use::Returned(Expects::Unknown),
                };
                let before = self.statements.len();
                let nodes = self.sql(*tokens, result, next);
                if let Some(targets) = targets {
                    self.picked(targets, before);
                }
                if let Some([target]) = targets {
                    self.bind(target);
                }
                nodes
            }
            StatementKind::Execute { command, into, .. } => {
                let result = match into {
                    Some(into) => Use::Stored { read: self.variables.any_read(&into.targets) },
                    None => Use::Dropped,
                };
                let nodes = self.dynamic(*command, &result, span);
                if let Some([target]) = into.as_ref().map(|into| into.targets.as_slice()) {
                    self.bind(target);
                }
                nodes
            }
            StatementKind::ReturnQueryExecute { command, .. } => {
                self.dynamic(*command, &Use::Returned(Expects::Many), span)
            }
            StatementKind::Open { execute: Some(command), .. } => {
                self.dynamic(*command, &Use::Returned(Expects::Many), span)
            }
            StatementKind::Call(tokens) => self.sql(*tokens, Use::Dropped, next),
            StatementKind::Unknown(tokens) => {
                self.unread += super::lock_words(self.document, tokens.of(&self.document.tokens));
                self.work(span)
            }
            StatementKind::Open { query: Some(query), .. } => self.sql(*query, Use::Returned(Expects::Many), next),
            StatementKind::Open { cursor, .. } => self.open(cursor).unwrap_or_else(|| self.work(span)),
            StatementKind::Fetch { .. } | StatementKind::Move { .. } => self.work(span),
            StatementKind::Raise { .. }
            | StatementKind::GetDiagnostics { .. }
            | StatementKind::Close { .. }
            | StatementKind::Null => Vec::new(),
        }
    }

    /// Something that runs, and may fail, of which no more is known.
    fn work(&mut self, span: Span) -> Vec<Node> {
        self.builder.statement += 1;
        vec![self.builder.step(Action::Work { reads: Vec::new(), writes: Vec::new() }, span)]
    }

    /// The query of a bound cursor, where it is opened first.
    fn open(&mut self, cursor: &str) -> Option<Vec<Node>> {
        let query = self.cursors.remove(cursor)?;
        Some(self.sql(query, Use::Returned(Expects::Many), None))
    }

    /// What EXECUTE runs, as far as it stands in the text.
    fn dynamic(&mut self, command: Tokens, result: &Use, span: Span) -> Vec<Node> {
        let run = self.commands.get(&command).copied();
        let Some((run, Content::Statements(pieces))) = run.map(|run| (run, &run.content)) else {
            let step = self.builder.steps.len();
            let nodes = self.work(span);
            self.builder.changes.insert(step, Change::Anything { is_work: true });
            return nodes;
        };
        let mut nodes = Vec::new();
        for piece in pieces {
            let tokens = &run.tokens[piece.tokens.clone()];
            let names = Arc::clone(&self.hidden);
            let unit = Arc::clone(&self.unit);
            let statement = Statement::new(run, tokens, Entry::Statement, result.clone(), names, unit, self.wrappers);
            nodes.extend(self.builder.statement(&statement));
            self.statements.push(statement);
        }
        nodes
    }

    fn sql(&mut self, tokens: Tokens, result: Use, next: Option<&Pl>) -> Vec<Node> {
        let missing = next.and_then(|next| self.when_missing(next));
        self.push(tokens, Entry::Statement, result, missing)
    }

    fn perform(&mut self, tokens: Tokens, next: Option<&Pl>) -> Vec<Node> {
        let missing = next.and_then(|next| self.when_missing(next));
        let first = self.builder.sites.len();
        let nodes = self.push(tokens, Entry::SelectList, Use::Dropped, missing);
        self.found = self.only_try(first);
        nodes
    }

    /// An expression; what it gives goes to `target`, or is used where it stands.
    fn value(&mut self, tokens: Tokens, target: Option<&str>) -> Vec<Node> {
        let result = match target {
            Some(target) => Use::Stored { read: self.variables.is_read(target) },
            None => Use::Value,
        };
        let nodes = self.push(tokens, Entry::SelectList, result, None);
        if let Some(target) = target {
            self.forget(target);
            self.bind(target);
        }
        nodes
    }

    fn push(&mut self, tokens: Tokens, entry: Entry, result: Use, missing: Option<Missing>) -> Vec<Node> {
        let document = self.document;
        let mut statement = Statement::new(
            document,
            tokens.of(&document.tokens),
            entry,
            result,
            Arc::clone(&self.names),
            Arc::clone(&self.unit),
            self.wrappers,
        );
        statement.when_missing = missing;
        let nodes = self.builder.statement(&statement);
        self.claims(&statement);
        if statement.is_relevant() {
            self.statements.push(statement);
        }
        nodes
    }

    /// The try-lock among the sites from `first` on, if there is exactly one.
    fn only_try(&self, first: usize) -> Option<usize> {
        match self.builder.sites.get(first..) {
            Some([_]) => Some(first),
            _ => None,
        }
    }

    /// `target` now holds what the last statement gave: the answer of a try-lock, or something else.
    fn bind(&mut self, target: &str) {
        let last = self.builder.statement;
        let steps = self.builder.steps.iter().rev().take_while(|step| step.statement == last);
        let mut taken = steps.filter_map(|step| match step.action {
            Action::Acquire(site) => Some(site),
            _ => None,
        });
        let site = taken.next().filter(|_| taken.next().is_none());
        self.variables.bind(target, site);
    }

    fn branches(&mut self, subject: Option<Tokens>, arms: &[(Tokens, Vec<Pl>)], otherwise: Option<&[Pl]>) -> Vec<Node> {
        let mut nodes = subject.map(|subject| self.value(subject, None)).unwrap_or_default();
        nodes.extend(self.arms(arms, otherwise));
        nodes
    }

    fn arms(&mut self, arms: &[(Tokens, Vec<Pl>)], otherwise: Option<&[Pl]>) -> Vec<Node> {
        let mut read = Vec::with_capacity(arms.len());
        for (condition, body) in arms {
            let before = self.value(*condition, None);
            let guard = self.guard(*condition);
            let found = self.found;
            let then = Node::Sequence(self.all(body));
            self.found = found;
            read.push((before, guard, then));
        }
        let otherwise = otherwise.map(|body| self.all(body)).unwrap_or_default();
        let mut rest = Vec::new();
        for (before, guard, then) in read.split_off(read.len().min(MAX_ARMS)) {
            rest.extend(before);
            rest.push(Node::Branch { guard, then: Box::new(then), otherwise: Box::new(nothing()) });
        }
        rest.extend(otherwise);
        for (mut nodes, guard, then) in read.into_iter().rev() {
            let otherwise = Box::new(Node::Sequence(std::mem::take(&mut rest)));
            nodes.push(Node::Branch { guard, then: Box::new(then), otherwise });
            rest = nodes;
        }
        rest
    }

    fn leave(&mut self, exit: Exit, when: Option<Tokens>, span: Span) -> Vec<Node> {
        let Some(condition) = when else {
            return vec![Node::Exit(exit, span)];
        };
        let mut nodes = self.value(condition, None);
        let guard = self.guard(condition);
        let then = Box::new(Node::Exit(exit, span));
        nodes.push(Node::Branch { guard, then, otherwise: Box::new(nothing()) });
        nodes
    }

    fn repeat(&mut self, label: Option<&str>, kind: &LoopKind, body: &[Pl]) -> Vec<Node> {
        let label = label.map(str::to_owned);
        let mut nodes = Vec::new();
        match kind {
            LoopKind::While(condition) => {
                let mut round = self.value(*condition, None);
                let guard = self.guard(*condition);
                let then = Box::new(Node::Sequence(self.all(body)));
                let span = self.source(condition.span(&self.document.tokens));
                let otherwise = Box::new(Node::Exit(Exit::Break(None), span));
                round.push(Node::Branch { guard, then, otherwise });
                nodes.push(Node::Loop { label, body: Box::new(Node::Sequence(round)), endless: true });
                return nodes;
            }
            LoopKind::ForQuery { query, .. } => nodes.extend(self.sql(*query, Use::Returned(Expects::Many), None)),
            LoopKind::ForRange { from, to, .. } => {
                nodes.extend(self.value(*from, None));
                nodes.extend(self.value(*to, None));
            }
            LoopKind::Foreach { array, .. } => nodes.extend(self.value(*array, None)),
            LoopKind::ForExecute { command, .. } => {
                let span = self.source(command.span(&self.document.tokens));
                nodes.extend(self.dynamic(*command, &Use::Returned(Expects::Many), span));
            }
            LoopKind::ForCursor { cursor, .. } => nodes.extend(self.open(cursor).unwrap_or_default()),
            LoopKind::Forever => {}
        }
        let body = Box::new(Node::Sequence(self.all(body)));
        nodes.push(Node::Loop { label, body, endless: *kind == LoopKind::Forever });
        nodes
    }
}
