//! What happens in which order: the tree of steps of one unit. An SQL script, a PL/pgSQL body and a host function all
//! become one of these; the rules about locks over time see nothing else.

pub mod interpret;
pub mod lower;
mod session;
pub mod sites;
mod unit;

pub use crate::statement::Answer;
pub use session::{Begins, Evidence, Owner, Session, Size};
pub use unit::UnitFlow;

use self::sites::MAX_SITES;
use crate::finding::{FileId, Level, Place};
use crate::span::Span;
use crate::sql::advisory::{Function, Key, Sameness, Scope};
use crate::sql::script::Surroundings;
use std::collections::BTreeMap;

/// Index of a step in its unit.
pub type StepId = usize;
/// Index of a lock site in its unit.
pub type SiteId = usize;

/// What has one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// A script by psql or a runner.
    Script,
    /// A query that host code calls by name.
    Query,
    /// A function's body: the caller's transaction, which it cannot end.
    Function {
        /// Run by a trigger.
        trigger: bool,
    },
    /// A procedure's or DO block's body: it may end the transaction, and then has a new one.
    Procedure {
        /// A DO block, which runs where it stands.
        inline: bool,
    },
    /// What a function of host code does on one session; [`Unit::session`] says on which.
    Host,
}

/// What a site takes or releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lock {
    /// A call of an advisory lock function.
    Advisory {
        /// The function.
        function: &'static Function,
        /// The key.
        key: Key,
    },
    /// LOCK TABLE.
    Table,
    /// A locking clause: FOR UPDATE and its kin.
    Rows {
        /// The tables read, lower case, without schema.
        tables: Vec<String>,
    },
}

/// A place that takes or releases a lock.
#[derive(Clone, Debug)]
pub struct Site {
    /// What.
    pub lock: Lock,
    /// The call, or the clause.
    pub span: Span,
    /// The statement that holds it.
    pub statement: Span,
    /// Where a wrapper that is called here calls the advisory function.
    pub via: Option<Place>,
    /// What that wrapper decides by itself, in the file of its caller.
    pub inside: Inside,
    /// Who reads the answer.
    pub answer: Answer,
    /// The statement does other work too: the lock guards at least that.
    pub guards_own_statement: bool,
}

/// What a wrapper decides by itself, whoever calls it: a fault of that is told where it calls the advisory function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// The session.
    pub session: bool,
    /// What becomes of the answer.
    pub answer: bool,
    /// The statement that calls the advisory function.
    pub statement: Option<Span>,
}

impl Site {
    /// The place and the statement of a fault, which lies in the wrapper that is called at the site or not.
    pub fn place(&self, file: FileId, is_inside: bool) -> (Place, Span) {
        let inside = self.via.zip(self.inside.statement).filter(|_| is_inside);
        inside.unwrap_or((Place::new(file, self.span), self.statement))
    }
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Takes the lock of a site. A try-lock may get it or not.
    Acquire(SiteId),
    /// Releases the lock of a site.
    Release(SiteId),
    /// Releases every session lock; the site, if a call does it.
    ReleaseAll(Option<SiteId>),
    /// BEGIN.
    Begin {
        /// REPEATABLE READ or SERIALIZABLE: every statement reads the snapshot of the first.
        one_snapshot: bool,
    },
    /// COMMIT, or ROLLBACK of the whole: ends transaction-scoped locks.
    End {
        /// AND CHAIN: the next transaction begins at once.
        chain: bool,
        /// COMMIT for certain, unless an exception is on its way.
        commits: bool,
    },
    /// SAVEPOINT.
    Savepoint(String),
    /// ROLLBACK TO SAVEPOINT.
    RollbackTo(String),
    /// Anything else that reads or writes.
    Work {
        /// The tables read, lower case, without schema.
        reads: Vec<String>,
        /// The tables written; an empty name where something unnamed is.
        writes: Vec<String>,
    },
    /// CREATE INDEX or REINDEX CONCURRENTLY: waits for every snapshot.
    ConcurrentIndex,
    /// The session ends: `\connect`, `\q`, a connection is closed, or given back to a pool that resets it.
    EndSession,
    /// Host code calls something that is not known to run SQL on this session; it may throw.
    Call,
    /// Work of the same function through another session of the pool that this one came from.
    Outside,
}

/// What a statement after a lock changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Perhaps anything: it calls a function.
    Anything {
        /// One that is not PostgreSQL's own, and does what somebody wrote it for.
        is_work: bool,
    },
    /// What it was told: it looks at nothing that somebody else may have changed meanwhile.
    Told {
        /// The table, lower case, without schema.
        table: String,
        /// The column that names the rows, and its value in the text of the statement; none of an INSERT.
        row: Option<(String, String)>,
    },
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct Step {
    /// What.
    pub action: Action,
    /// Where.
    pub span: Span,
    /// Number of the statement in the unit; steps of one statement share it.
    pub statement: usize,
}

/// A condition that says whether a try-lock was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The try-lock.
    pub site: SiteId,
    /// Whether it is held where the condition is true; `None` where that may be either.
    pub then: Option<bool>,
    /// Whether it is held where the condition is not true.
    pub otherwise: Option<bool>,
}

/// Leaving a place early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// RETURN.
    Return,
    /// RAISE EXCEPTION and its like.
    Raise,
    /// EXIT of the loop with this label, or of the innermost.
    Break(Option<String>),
    /// CONTINUE, likewise.
    Continue(Option<String>),
}

/// What the handlers of a block take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Catches {
    /// Some exceptions.
    Some,
    /// All that a statement can fail with; what other code throws goes by.
    Statements,
    /// Every exception.
    All,
}

/// The tree of steps.
#[derive(Clone, Debug)]
pub enum Node {
    /// A step.
    Step(StepId),
    /// One after the other.
    Sequence(Vec<Node>),
    /// Two ways, by a condition whose own steps come before.
    Branch {
        /// What the condition says of a try-lock.
        guard: Option<Guard>,
        /// When it holds.
        then: Box<Node>,
        /// When it does not.
        otherwise: Box<Node>,
    },
    /// Zero or more rounds.
    Loop {
        /// Its label.
        label: Option<String>,
        /// One round.
        body: Box<Node>,
        /// Left by an exit alone.
        endless: bool,
    },
    /// A named block, which EXIT may leave.
    Block {
        /// Its label.
        label: String,
        /// What it holds.
        body: Box<Node>,
    },
    /// A block with exception handlers. In PL/pgSQL it is a savepoint: what it took for the transaction goes when an
    /// exception is caught, what it wrote as well.
    Try {
        /// What may fail.
        body: Box<Node>,
        /// The handlers; one of them runs.
        handlers: Vec<Node>,
        /// Which exceptions they take.
        catches: Catches,
    },
    /// Two ways, by whether a step failed: errors as values, `err != nil`.
    Failed {
        /// The step.
        step: StepId,
        /// Where it failed.
        then: Box<Node>,
        /// Where it did not.
        otherwise: Box<Node>,
    },
    /// Host code's `finally`, `defer`, `with`: the cleanup runs however the body is left.
    Ensured {
        /// What runs first.
        body: Box<Node>,
        /// What runs in any case.
        cleanup: Box<Node>,
    },
    /// Leaves.
    Exit(Exit, Span),
}

impl Node {
    /// The node and all that are in it, in no order. Trees may be deep: this does not recurse.
    pub fn nodes(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            match node {
                Self::Step(_) | Self::Exit(..) => {}
                Self::Sequence(nodes) => open.extend(nodes),
                Self::Branch { then, otherwise, .. } | Self::Failed { then, otherwise, .. } => {
                    open.extend([&**then, &**otherwise]);
                }
                Self::Loop { body, .. } | Self::Block { body, .. } => open.push(body),
                Self::Ensured { body, cleanup } => open.extend([&**body, &**cleanup]),
                Self::Try { body, handlers, .. } => {
                    open.push(body);
                    open.extend(handlers);
                }
            }
            Some(node)
        })
    }

    /// The steps in it, in no order.
    pub fn steps(&self) -> impl Iterator<Item = StepId> {
        self.nodes().filter_map(|node| if let Self::Step(step) = node { Some(*step) } else { None })
    }
}

/// One flow: a script, a body, later a host function.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What it is.
    pub kind: UnitKind,
    /// Its name; empty for a script.
    pub name: String,
    /// All of it.
    pub span: Span,
    /// The transaction around it.
    pub surroundings: Surroundings,
    /// COMMIT or ROLLBACK comes before any BEGIN: the unit starts inside a transaction that it ends.
    pub ends_outer: bool,
    /// REPEATABLE READ or SERIALIZABLE is asked for somewhere in it.
    pub reads_one_snapshot: bool,
    /// The runner of a script, where known.
    pub runner: Option<&'static str>,
    /// Host code goes on after it, with work that is not in the unit.
    pub work_follows: bool,
    /// Lock sites, in the order of the text.
    pub sites: Vec<Site>,
    /// Steps.
    pub steps: Vec<Step>,
    /// What some of the steps change, where that is known in more than names of tables.
    pub changes: BTreeMap<StepId, Change>,
    /// The tree over the steps.
    pub root: Node,
    /// Of host code: whose session it is.
    pub session: Option<Session>,
}

impl UnitKind {
    /// Whether others call it: a function or procedure, but a trigger's function, which runs with its table.
    pub const fn is_called(self) -> bool {
        matches!(self, Self::Function { trigger: false } | Self::Procedure { inline: false })
    }
}

impl Unit {
    /// Whether somebody runs it by hand, on a session of their own: a script for psql, a DO block.
    pub const fn is_run_by_hand(&self) -> bool {
        matches!((self.kind, self.runner), (UnitKind::Script, None) | (UnitKind::Procedure { inline: true }, _))
    }

    /// Whether an unlock is for a lock, if the session holds it: of its mode, and of its key.
    pub fn releases(&self, release: SiteId, taken: SiteId) -> Sameness {
        match (self.advisory(release), self.advisory(taken)) {
            (Some((unlock, released)), Some((function, key)))
                if function.scope == Scope::Session && function.mode == unlock.mode =>
            {
                released.compare(key)
            }
            _ => Sameness::Different,
        }
    }

    /// The advisory function and key of a site.
    pub fn advisory(&self, site: SiteId) -> Option<(&'static Function, &Key)> {
        match &self.sites.get(site)?.lock {
            Lock::Advisory { function, key } => Some((function, key)),
            Lock::Rows { .. } | Lock::Table => None,
        }
    }

    /// The sites that steps of this unit take or release, each with its step: those that are followed.
    pub fn site_steps(&self) -> impl Iterator<Item = (StepId, SiteId)> + '_ {
        let steps = self.steps.iter().enumerate().filter_map(|(step, s)| match s.action {
            Action::Acquire(site) | Action::Release(site) | Action::ReleaseAll(Some(site)) => Some((step, site)),
            _ => None,
        });
        steps.take(MAX_SITES)
    }

    /// The step that takes or releases the lock of the site at a place, and the site.
    pub fn step_at(&self, at: Span) -> Option<(StepId, SiteId)> {
        self.site_steps().find(|(_, site)| self.sites[*site].span == at)
    }

    /// The highest level for a claim that a transaction is around the unit's start.
    pub fn given_transaction_level(&self) -> Level {
        match self.kind {
            UnitKind::Function { trigger: true } => Level::Error,
            _ if self.ends_outer => Level::Error,
            _ => Level::Warning,
        }
    }
}
