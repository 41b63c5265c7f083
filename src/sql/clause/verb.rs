//! What a statement does.

mod read;

pub(super) use read::read;

use super::Tokens;

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Nothing stands there.
    Empty,
    /// A psql command: its name without the backslash.
    Psql(String),
    /// SELECT, and what stands for an expression.
    Select,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// MERGE
    Merge,
    /// VALUES
    Values,
    /// TABLE
    Table,
    /// BEGIN, START TRANSACTION
    Begin(Characteristics),
    /// COMMIT, END
    Commit {
        /// AND CHAIN
        chain: bool,
    },
    /// ROLLBACK, ABORT
    Rollback {
        /// AND CHAIN
        chain: bool,
    },
    /// SAVEPOINT
    Savepoint(String),
    /// ROLLBACK TO
    RollbackTo(String),
    /// RELEASE
    Release(String),
    /// PREPARE TRANSACTION
    PrepareTransaction,
    /// COMMIT PREPARED
    CommitPrepared,
    /// ROLLBACK PREPARED
    RollbackPrepared,
    /// SET TRANSACTION, SET SESSION CHARACTERISTICS
    SetTransaction {
        /// For later transactions, not for this one.
        session: bool,
        /// What it sets.
        characteristics: Characteristics,
    },
    /// SET of a parameter
    Set {
        /// For how long.
        scope: SetScope,
        /// Which.
        name: String,
        /// To what.
        value: Tokens,
    },
    /// RESET; no name for RESET ALL
    Reset(Option<String>),
    /// DISCARD
    Discard {
        /// DISCARD ALL, which frees the session's advisory locks.
        all: bool,
    },
    /// LOCK TABLE
    Lock,
    /// CREATE, but of indexes
    Create(Object),
    /// ALTER
    Alter(Object),
    /// DROP, but of indexes
    Drop(Object),
    /// CREATE INDEX
    CreateIndex {
        /// CONCURRENTLY
        concurrently: bool,
        /// UNIQUE
        unique: bool,
    },
    /// DROP INDEX
    DropIndex,
    /// REINDEX
    Reindex {
        /// CONCURRENTLY
        concurrently: bool,
    },
    /// DO
    Do,
    /// CALL
    Call,
    /// COPY
    Copy,
    /// EXECUTE
    Execute,
    /// PREPARE
    Prepare,
    /// DECLARE
    Declare,
    /// EXPLAIN
    Explain {
        /// ANALYZE, which runs the statement.
        analyze: bool,
    },
    /// VACUUM
    Vacuum,
    /// Any other first word.
    Other(String),
}

/// The transaction modes that BEGIN and SET TRANSACTION write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Characteristics {
    /// ISOLATION LEVEL
    pub isolation: Option<Isolation>,
    /// READ ONLY (true), READ WRITE (false)
    pub read_only: Option<bool>,
}

/// An isolation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// READ UNCOMMITTED, which is READ COMMITTED
    ReadUncommitted,
    /// READ COMMITTED
    ReadCommitted,
    /// REPEATABLE READ
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

/// How long SET holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetScope {
    /// SET without a word.
    Default,
    /// SET SESSION
    Session,
    /// SET LOCAL
    Local,
}

/// What CREATE, ALTER or DROP is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// DATABASE
    Database,
    /// EXTENSION
    Extension,
    /// FUNCTION
    Function,
    /// INDEX
    Index,
    /// MATERIALIZED VIEW
    MaterializedView,
    /// POLICY
    Policy,
    /// PROCEDURE
    Procedure,
    /// ROLE, USER, GROUP
    Role,
    /// RULE
    Rule,
    /// SCHEMA
    Schema,
    /// SEQUENCE
    Sequence,
    /// SUBSCRIPTION
    Subscription,
    /// SYSTEM
    System,
    /// TABLE, FOREIGN TABLE
    Table,
    /// TABLESPACE
    Tablespace,
    /// TRIGGER, EVENT TRIGGER
    Trigger,
    /// TYPE, DOMAIN
    Type,
    /// VIEW
    View,
    /// Any other.
    Other,
}
