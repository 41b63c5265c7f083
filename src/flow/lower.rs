//! From statements to steps: a script, a named query, an SQL or a PL/pgSQL body, each as a unit.

mod body;
mod flat;
mod host;
mod script;
mod tables;

use super::{Action, Change, Inside, Lock, Node, Site, SiteId, Step, StepId, Unit, UnitKind};
use crate::document::{Content, Document, Origin};
use crate::program::Query;
use crate::span::Span;
use crate::sql::advisory::{self, Action as Call, Key};
use crate::sql::clause::{Characteristics, Evaluation, Isolation, Verb};
use crate::sql::lex::Token;
use crate::sql::script::{Section, Surroundings};
use crate::statement::{LockCall, Statement, Wrappers};
use flat::Flat;
pub use host::{HostBuilder, SessionId};
#[cfg(test)]
pub(crate) use script::MAX_STATEMENTS;
use std::collections::{BTreeMap, HashMap};

/// The units of one document, with its statements.
#[derive(Debug, Default)]
pub struct Lowered<'d> {
    /// Statements, in the order of the text.
    pub statements: Vec<Statement<'d>>,
    /// Units, in the order of the text.
    pub units: Vec<Unit>,
    /// Words of locks in what was not read as statements.
    pub unread: usize,
    /// Some of it could not be read, so that what is known of the rest may be wrong.
    pub incomplete: bool,
}

/// Lowers document `index` of a source: a script, cut into sections, one of a host's `queries`, or a body. What EXECUTE
/// runs is lowered where it runs.
pub fn lower<'d>(
    documents: &[Document<'d>],
    index: usize,
    sections: &[Section],
    queries: &[Query<'_>],
    wrappers: &Wrappers,
) -> Lowered<'d> {
    let document = &documents[index];
    match (&document.content, &document.origin) {
        (Content::Statements(pieces), Origin::Script) => script::sections(document, pieces, sections, wrappers),
        (Content::Statements(pieces), Origin::Query(at)) => match queries.get(*at) {
            Some(query) => script::query(document, pieces, (*at, query), wrappers),
            None => Lowered::default(),
        },
        (Content::Statements(pieces), Origin::Body(owner)) => {
            script::sql_body(document, pieces, &owner.routine, wrappers)
        }
        (Content::Plpgsql(body), Origin::Body(owner)) => {
            body::plpgsql(documents, index, body, &owner.routine, wrappers)
        }
        (_, Origin::Dynamic { .. }) | (Content::Plpgsql(_), Origin::Script | Origin::Query(_)) => Lowered::default(),
    }
}

/// How many words among tokens that are not read as statements are of a lock: names of advisory functions, SKIP LOCKED.
fn lock_words(document: &Document<'_>, tokens: &[Token]) -> usize {
    let text = document.region.text();
    let words = tokens.iter().filter_map(|token| text.get(token.span().range()));
    let is_lock =
        |word: &&str| word.eq_ignore_ascii_case("skip") || advisory::function(&word.to_ascii_lowercase()).is_some();
    words.filter(is_lock).count()
}

/// Builds one unit.
#[derive(Debug)]
pub struct Builder {
    sites: Vec<Site>,
    steps: Vec<Step>,
    changes: BTreeMap<StepId, Change>,
    statement: usize,
    /// A site by the offset of its call, for guards.
    by_call: HashMap<usize, SiteId>,
    /// Whether COMMIT or ROLLBACK comes first, of all that begin and end transactions.
    ends_outer: Option<bool>,
    /// Whether a transaction reads one snapshot.
    reads_one_snapshot: bool,
    /// The BEGIN of the transaction that is open.
    begun: Option<StepId>,
    /// Whether transactions of the session read one snapshot unless they say otherwise.
    by_default: bool,
    /// Of a script.
    flat: Option<Flat>,
}

impl Builder {
    fn new() -> Self {
        Self {
            sites: Vec::new(),
            steps: Vec::new(),
            changes: BTreeMap::new(),
            statement: 0,
            by_call: HashMap::new(),
            ends_outer: None,
            reads_one_snapshot: false,
            begun: None,
            by_default: false,
            flat: None,
        }
    }

    /// For statements that run one after the other: the tree is [`Builder::sequence`].
    fn flat() -> Self {
        Self { flat: Some(Flat::default()), ..Self::new() }
    }

    fn step(&mut self, action: Action, span: Span) -> Node {
        match action {
            Action::Begin { one_snapshot } => {
                self.ends_outer = self.ends_outer.or(Some(false));
                self.reads_one_snapshot |= one_snapshot;
            }
            Action::End { .. } => {
                self.ends_outer = self.ends_outer.or(Some(true));
                self.begun = None;
            }
            _ => {}
        }
        if !self.is_new(&action) {
            return Node::Sequence(Vec::new());
        }
        let id: StepId = self.steps.len();
        if matches!(action, Action::Begin { .. }) {
            self.begun = Some(id);
        }
        self.steps.push(Step { action, span, statement: self.statement });
        Node::Step(id)
    }

    fn site(&mut self, site: Site) -> SiteId {
        let id = self.sites.len();
        self.by_call.insert(site.span.start, id);
        self.sites.push(site);
        id
    }

    /// What a statement does, in order: it takes locks, works, locks the rows it found, unlocks.
    fn statement(&mut self, statement: &Statement<'_>) -> Vec<Node> {
        self.statement_keyed(statement, &|lock| lock.key.clone())
    }

    /// The same with the keys that `key` gives.
    fn statement_keyed(&mut self, statement: &Statement<'_>, key: &dyn Fn(&LockCall) -> Key) -> Vec<Node> {
        self.statement += 1;
        let mut nodes = Vec::new();
        if let Verb::SetTransaction { session, characteristics } = statement.tree.verb() {
            self.set_isolation(*session, characteristics);
        }
        if let Some(action) = self.transaction_control(statement.tree.verb()) {
            nodes.push(self.step(action, statement.span));
            return nodes;
        }
        if !statement.runs() {
            return nodes;
        }
        let (reads, writes, works) = tables::touched(statement);
        let works_at_all = works || !reads.is_empty() || !writes.is_empty();
        let mut unlocks = Vec::new();
        for lock in &statement.locks {
            let key = key(lock);
            if lock.evaluation != Evaluation::Yes || key.has_null() {
                continue;
            }
            let action = lock.function.action;
            let site = self.site(Site {
                lock: Lock::Advisory { function: lock.function, key },
                span: lock.span,
                statement: statement.anchor,
                via: lock.via,
                inside: Inside::default(),
                answer: statement.answer(lock),
                guards_own_statement: works_at_all,
            });
            match action {
                Call::Lock | Call::TryLock => nodes.push(self.step(Action::Acquire(site), lock.span)),
                Call::Unlock => unlocks.push((Action::Release(site), lock.span)),
                Call::UnlockAll => unlocks.push((Action::ReleaseAll(Some(site)), lock.span)),
            }
        }
        if is_concurrent_index(statement.tree.verb()) {
            nodes.push(self.step(Action::ConcurrentIndex, statement.span));
        } else if works_at_all {
            let writing = !writes.is_empty();
            let step = self.steps.len();
            nodes.push(self.step(Action::Work { reads, writes }, statement.span));
            if !self.sites.is_empty() && self.steps.len() > step {
                self.changes.extend(tables::change(statement).map(|change| (step, change)));
            }
            self.row_locks(statement, writing, &mut nodes);
            // MySQL has LOCK TABLES.
            if *statement.tree.verb() == Verb::Lock && statement.tree.word(statement.tree.all().start + 1) == "table" {
                nodes.push(self.clause(Lock::Table, statement, statement.span, false));
            }
        }
        for (action, span) in unlocks {
            nodes.push(self.step(action, span));
        }
        nodes
    }

    /// SET TRANSACTION speaks of the transaction that is open, SET SESSION CHARACTERISTICS of those that come.
    fn set_isolation(&mut self, session: bool, with: &Characteristics) {
        let Some(one_snapshot) = one_snapshot(with) else { return };
        self.reads_one_snapshot |= one_snapshot;
        if session {
            self.by_default = one_snapshot;
        } else if let Some(begin) = self.begun.and_then(|begin| self.steps.get_mut(begin))
            && let Action::Begin { one_snapshot: set } = &mut begin.action
        {
            *set = one_snapshot;
        }
    }

    fn transaction_control(&self, verb: &Verb) -> Option<Action> {
        Some(match verb {
            Verb::Begin(with) => Action::Begin { one_snapshot: one_snapshot(with).unwrap_or(self.by_default) },
            Verb::Commit { chain } => Action::End { chain: *chain, commits: true },
            Verb::Rollback { chain } => Action::End { chain: *chain, commits: false },
            Verb::PrepareTransaction => Action::End { chain: false, commits: false },
            Verb::Savepoint(name) => Action::Savepoint(name.clone()),
            Verb::RollbackTo(name) => Action::RollbackTo(name.clone()),
            Verb::Discard { all: true } => Action::ReleaseAll(None),
            _ => return None,
        })
    }

    fn row_locks(&mut self, statement: &Statement<'_>, writing: bool, nodes: &mut Vec<Node>) {
        for (query, lock) in statement.row_locks() {
            if statement.tree.query_evaluated(query) != Evaluation::Yes {
                continue;
            }
            let tables = tables::locked(&statement.tree, query, lock);
            let span = statement.source(&lock.tokens);
            nodes.push(self.clause(Lock::Rows { tables }, statement, span, writing));
        }
    }

    /// The step of a lock that no function takes.
    fn clause(&mut self, lock: Lock, statement: &Statement<'_>, span: Span, guards_own_statement: bool) -> Node {
        let site = self.site(Site {
            lock,
            span,
            statement: statement.anchor,
            via: None,
            inside: Inside::default(),
            answer: super::Answer::None,
            guards_own_statement,
        });
        self.step(Action::Acquire(site), span)
    }

    fn finish(self, kind: UnitKind, name: &str, span: Span, surroundings: Surroundings, root: Node) -> Unit {
        Unit {
            kind,
            name: name.to_owned(),
            span,
            surroundings,
            ends_outer: self.ends_outer.unwrap_or(false),
            reads_one_snapshot: self.reads_one_snapshot,
            runner: None,
            work_follows: false,
            sites: self.sites,
            steps: self.steps,
            changes: self.changes,
            root,
            session: None,
        }
    }
}

/// Whether all statements read the snapshot of the first; `None` where nothing is said.
fn one_snapshot(with: &Characteristics) -> Option<bool> {
    Some(matches!(with.isolation?, Isolation::RepeatableRead | Isolation::Serializable))
}

/// Whether a statement builds an index CONCURRENTLY. DROP INDEX CONCURRENTLY does not: it waits for those who use the table,
/// which nobody who waits for a lock does.
pub fn is_concurrent_index(verb: &Verb) -> bool {
    matches!(verb, Verb::CreateIndex { concurrently: true, .. } | Verb::Reindex { concurrently: true })
}
