//! What one function of host code does, on all its sessions at once; then, for each session, the unit of that one.

use super::Builder;
use crate::finding::Place;
use crate::flow::{Action, Answer, Inside, Lock, Node, Session, Site, SiteId, StepId, Unit, UnitKind};
use crate::span::Span;
use crate::sql::advisory::{Action as Call, Function, Key};
use crate::sql::clause::Verb;
use crate::sql::script::Surroundings;
use crate::statement::{LockCall, Statement};

/// Index of a session in a function.
pub type SessionId = usize;

/// Builds the units of one function.
#[derive(Debug)]
pub struct HostBuilder {
    builder: Builder,
    /// The session of each step; none where the step is on no session.
    on: Vec<Option<SessionId>>,
}

impl Default for HostBuilder {
    fn default() -> Self {
        Self { builder: Builder::new(), on: Vec::new() }
    }
}

impl HostBuilder {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.builder.steps.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.builder.steps.is_empty()
    }

    /// A step of its own statement.
    pub fn step(&mut self, session: Option<SessionId>, action: Action, span: Span) -> Node {
        self.builder.statement += 1;
        let node = self.builder.step(action, span);
        self.on.resize(self.builder.steps.len(), session);
        node
    }

    /// The steps of an SQL statement with the keys that `key` gives.
    pub fn statement(
        &mut self,
        session: SessionId,
        (statement, joined): (&Statement<'_>, bool),
        key: &dyn Fn(&LockCall) -> Key,
    ) -> Vec<Node> {
        // What one string sends without values to bind is one implicit transaction, as if one statement
        // (<https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-MULTI-STATEMENT>).
        if joined {
            self.builder.statement = self.builder.statement.saturating_sub(1);
        }
        let nodes = self.builder.statement_keyed(statement, key);
        if let Verb::SetTransaction { session: false, characteristics } = statement.tree.verb()
            && let Some(one) = super::one_snapshot(characteristics)
        {
            // Of the transaction that is open on this session.
            let mine = self.builder.steps.iter_mut().zip(&self.on).rev().filter(|(_, on)| **on == Some(session));
            let begun = mine.into_iter().find_map(|(step, _)| match &mut step.action {
                Action::Begin { one_snapshot } => Some(one_snapshot),
                _ => None,
            });
            if let Some(one_snapshot) = begun {
                *one_snapshot = one;
            }
        }
        self.on.resize(self.builder.steps.len(), Some(session));
        nodes
    }

    /// An advisory function that a query builder calls.
    pub fn call(&mut self, session: SessionId, function: &'static Function, key: Key, span: Span, whole: Span) -> Node {
        self.builder.statement += 1;
        let site = self.builder.site(Site {
            lock: Lock::Advisory { function, key },
            span,
            statement: whole,
            via: None,
            inside: Inside::default(),
            answer: if function.action == Call::TryLock { Answer::Read } else { Answer::None },
            guards_own_statement: false,
        });
        let action = match function.action {
            Call::Lock | Call::TryLock => Action::Acquire(site),
            Call::Unlock => Action::Release(site),
            Call::UnlockAll => Action::ReleaseAll(Some(site)),
        };
        let node = self.builder.step(action, span);
        self.on.resize(self.builder.steps.len(), Some(session));
        node
    }

    /// The rows that a query builder's last statement read, locked.
    pub fn row_lock(&mut self, session: SessionId, tables: Vec<String>, span: Span, whole: Span) -> Node {
        let site = self.builder.site(Site {
            lock: Lock::Rows { tables },
            span,
            statement: whole,
            via: None,
            inside: Inside::default(),
            answer: Answer::None,
            guards_own_statement: false,
        });
        let node = self.builder.step(Action::Acquire(site), span);
        self.on.resize(self.builder.steps.len(), Some(session));
        node
    }

    /// Whether something begins a transaction on a session.
    pub fn begins(&self, session: SessionId) -> bool {
        let steps = self.builder.steps.iter().zip(&self.on);
        steps.into_iter().any(|(step, on)| *on == Some(session) && matches!(step.action, Action::Begin { .. }))
    }

    /// Whether SQL runs in one of the steps from `first` on.
    pub fn runs_since(&self, first: StepId) -> bool {
        self.builder.steps[first..].iter().any(|step| step.action != Action::Call)
    }

    /// The site that a step takes or releases.
    pub fn site(&self, step: StepId) -> Option<SiteId> {
        match self.builder.steps.get(step)?.action {
            Action::Acquire(site) | Action::Release(site) => Some(site),
            _ => None,
        }
    }

    /// The steps since there were `first` that release something, or end a transaction.
    pub fn releases_since(&self, first: StepId) -> Vec<StepId> {
        let ends = |action: &Action| {
            matches!(
                action,
                Action::Release(_)
                    | Action::ReleaseAll(_)
                    | Action::End { .. }
                    | Action::RollbackTo(_)
                    | Action::EndSession
            )
        };
        let steps = self.builder.steps.iter().enumerate().skip(first);
        steps.filter(|(_, step)| ends(&step.action)).map(|(id, _)| id).collect()
    }

    /// How many sites there are.
    pub fn sites(&self) -> usize {
        self.builder.sites.len()
    }

    /// The sites since there were `first` are those of a wrapper that is called at `at` in `statement`: that is where the key
    /// comes from.
    pub fn called_at(&mut self, first: SiteId, at: Place, statement: Span, inside: Inside) {
        for site in self.builder.sites.iter_mut().skip(first) {
            let answer = inside.answer || site.answer == Answer::Dropped;
            site.inside = Inside { answer, statement: Some(site.statement), ..inside };
            site.via = Some(Place::new(at.file, site.span));
            site.span = at.span;
            site.statement = statement;
        }
    }

    /// The sites since there were `first` are calls of a function that calls the advisory function at `via`.
    pub fn reached_through(&mut self, first: SiteId, via: Place) {
        self.builder.sites.iter_mut().skip(first).for_each(|site| site.via = Some(via));
    }

    /// Where a site is.
    pub fn span(&self, site: SiteId) -> Option<Span> {
        self.builder.sites.get(site).map(|site| site.span)
    }

    /// The site of the lock that the last step took, calls of other code left out.
    pub fn just_acquired(&self) -> Option<SiteId> {
        match self.builder.steps.iter().rfind(|step| step.action != Action::Call)?.action {
            Action::Acquire(site) => Some(site),
            _ => None,
        }
    }

    /// Says who reads the answer of a try-lock.
    pub fn answered(&mut self, site: SiteId, answer: Answer) {
        if let Some(site) = self.builder.sites.get_mut(site) {
            site.answer = answer;
        }
    }

    /// Says that more is sent in one string with the statement of a site: the server runs it in one transaction.
    pub fn shares_its_text(&mut self, site: SiteId) {
        if let Some(site) = self.builder.sites.get_mut(site) {
            site.guards_own_statement = true;
        }
    }

    /// The advisory function of a site.
    pub fn function(&self, site: SiteId) -> Option<&'static Function> {
        match &self.builder.sites.get(site)?.lock {
            Lock::Advisory { function, .. } => Some(function),
            Lock::Rows { .. } | Lock::Table => None,
        }
    }

    /// The unit of each session on which something is locked, unlocked, or begun. `outside` says whether a step of another
    /// session goes through the pool that this one came from.
    pub fn units(
        &self,
        (name, span): (&str, Span),
        root: &Node,
        sessions: &[Session],
        outside: &dyn Fn(SessionId, SessionId) -> bool,
    ) -> Vec<Unit> {
        let mut units = Vec::new();
        for (id, session) in sessions.iter().enumerate() {
            let mine = |step: StepId| self.on[step] == Some(id);
            let matters = self.builder.steps.iter().enumerate().any(|(step, s)| {
                mine(step)
                    && matches!(
                        s.action,
                        Action::Acquire(_) | Action::Release(_) | Action::ReleaseAll(_) | Action::Begin { .. }
                    )
            });
            if !matters {
                continue;
            }
            let steps = self.builder.steps.iter().enumerate().map(|(step, original)| {
                let mut step_here = original.clone();
                if !mine(step) {
                    // What only reads leaves nothing behind.
                    let works = match &original.action {
                        Action::Work { reads, writes } => !writes.is_empty() || reads.is_empty(),
                        action => matches!(action, Action::ConcurrentIndex),
                    };
                    let other = self.on[step];
                    step_here.action = match other {
                        Some(other) if works && outside(id, other) => Action::Outside,
                        _ => Action::Call,
                    };
                }
                step_here
            });
            units.push(Unit {
                kind: UnitKind::Host,
                name: name.to_owned(),
                span,
                surroundings: Surroundings::Unknown,
                ends_outer: false,
                reads_one_snapshot: self.builder.reads_one_snapshot,
                runner: None,
                work_follows: false,
                sites: self.builder.sites.clone(),
                steps: steps.collect(),
                changes: self.builder.changes.clone(),
                root: root.clone(),
                session: Some(session.clone()),
            });
        }
        units
    }
}
