//! What expressions of host code stand for, as far as sessions and locks are concerned.

use super::answer::Part;
use crate::driver::{Driver, Kind};
use crate::flow::{Evidence, SiteId, StepId};
use crate::host::code::{ExprId, FunctionId};
use crate::span::Span;
use crate::sql::advisory::Function;
use crate::sql::value::Value as Sql;

/// What an expression stands for.
#[derive(Clone, Debug, Default)]
pub(super) enum Val {
    /// Nothing that is followed.
    #[default]
    Nothing,
    /// `nil`, `null`, `None`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A handle that runs SQL.
    Handle(Handle),
    /// SQL that runs later: a text, a prepared statement.
    Query(Query),
    /// An advisory function that a query builder calls later.
    Lock(LockExpr),
    /// What the server answered, or a part of it.
    Answer(Answer),
    /// Something where this try-lock was granted, and nothing where it was not.
    Held(SiteId),
    /// An error, or none: whether this step failed.
    Failure(StepId),
    /// Several at once.
    Tuple(Vec<Val>),
    /// A function.
    Function(FunctionId),
    /// The object itself.
    This,
}

/// A value that runs SQL on some session.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub(super) driver: &'static Driver,
    pub(super) kind: &'static Kind,
    /// The kind that its session was come by as: of a cursor that of its connection.
    pub(super) root: &'static Kind,
    /// Which session.
    pub(super) origin: Origin,
    pub(super) evidence: Evidence,
    /// The call that makes it, with the function that it stands in.
    pub(super) made: Option<(ExprId, FunctionId)>,
}

/// Where a session comes from: handles of one origin work on one session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A place in the source: a call that borrows or opens it, a parameter.
    At(Span),
    /// A field of a class, which its methods share.
    Field(String, String),
    /// A variable of the file.
    Module(String),
    /// A variable of another file.
    Imported(String),
    /// The one of a framework.
    Global(&'static str),
    /// Nothing is known but the text of the receiver.
    Text(String),
}

/// SQL that runs later.
#[derive(Clone, Debug)]
pub(super) struct Query {
    /// The literal.
    pub(super) text: Span,
    /// The arguments bound so far, by place or by name.
    pub(super) bound: Vec<(Option<String>, Sql)>,
    /// The handle that it was prepared on.
    pub(super) on: Option<Box<Handle>>,
    /// What it answered when it last ran.
    pub(super) answer: Option<Answer>,
}

/// An advisory function called by a query builder.
#[derive(Clone, Debug)]
pub(super) struct LockExpr {
    pub(super) function: &'static Function,
    pub(super) arguments: Vec<Sql>,
    pub(super) span: Span,
}

/// What the server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The try-lock that was asked for.
    pub(super) site: Option<SiteId>,
    /// The first step of the call.
    pub(super) step: Option<StepId>,
    /// Whether it is true where the lock was granted.
    pub(super) granted: bool,
    /// Which part of it this is.
    pub(super) part: Part,
}

impl Val {
    /// Of `a ?? b`, what says more.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing | Self::Null | Self::Bool(_), other) => other,
            (this, _) => this,
        }
    }

    /// The SQL in it, which may be the first of several things.
    pub(super) fn query(&self) -> Option<&Query> {
        match self {
            Self::Query(query) => Some(query),
            Self::Tuple(vals) => match vals.first() {
                Some(Self::Query(query)) => Some(query),
                _ => None,
            },
            _ => None,
        }
    }

    /// The handle in it.
    pub(super) fn handle(&self) -> Option<&Handle> {
        match self {
            Self::Handle(handle) => Some(handle),
            _ => None,
        }
    }
}
