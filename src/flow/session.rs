//! The server session that host code works on, as far as the code says.

use crate::span::Span;

/// Whose a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A pool's: each call may run on another one.
    PerCall,
    /// Borrowed from a pool, which keeps its session state when it comes back.
    Borrowed,
    /// Borrowed from a pool that resets it when it comes back: no lock survives.
    Reset,
    /// The program's own: it ends with its connection.
    Own,
    /// One connection, of which the code does not say where it comes from.
    Given,
    /// Borrowed by the first statement after each COMMIT, and given back with it.
    UntilCommit,
    /// One connection that a framework keeps for the thread, request or process.
    Ambient,
    /// Nothing is known but how the code names it.
    Unknown,
}

/// How many connections the pool of a session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// One, which is no pool.
    One,
    /// More, as the code says that makes it.
    Many,
    /// The code that makes it leaves that to the library, or to the address it connects to.
    Default,
    /// Code elsewhere says it.
    Unknown,
}

/// When a transaction begins on it without a BEGIN in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Begins {
    /// Never: each statement is its own, and the code says so.
    Never,
    /// Never by the client's default, which code elsewhere may change.
    NeverByDefault,
    /// The first statement begins one: Python's DB-API, SQLAlchemy.
    ByItself,
    /// The handle stands for an open transaction.
    Already,
    /// Not known.
    Unknown,
}

/// What shows which library a handle belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// A name, or nothing.
    Name,
    /// The import, with a call that nothing else has.
    Shape,
    /// A type or a constructor.
    Declared,
}

/// A session in one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Whose.
    pub owner: Owner,
    /// Its transactions.
    pub begins: Begins,
    /// What shows that.
    pub evidence: Evidence,
    /// The client library; empty where none is known.
    pub driver: &'static str,
    /// How the code names it: `pool`, `self.conn`.
    pub handle: String,
    /// Where it is declared or borrowed, in the source.
    pub declared: Option<Span>,
    /// How the library holds one connection: completes "take one connection with …".
    pub pin: &'static str,
    /// It is given to code that is not followed, kept or returned: what is held may be released there.
    pub escapes: bool,
    /// It goes back to its pool before the function ends.
    pub returned: bool,
    /// The steps by which the code gives it back; none where the language does that by itself.
    pub gives_back: Vec<super::StepId>,
    /// Any call may throw.
    pub throws: bool,
    /// An annotation in sight says that a framework has begun its transaction.
    pub annotated: bool,
    /// It is a parameter of the function.
    pub is_parameter: bool,
    /// It is a framework's, which code elsewhere may have put in a transaction or on one connection.
    pub is_global: bool,
    /// A framework calls the function itself: a route, a job, a command.
    pub is_entry: bool,
    /// A framework gives it to a function that nothing else calls.
    pub is_injected: bool,
    /// It is a field, which other methods of the class share.
    pub is_field: bool,
    /// It is a variable of another file.
    pub is_imported: bool,
    /// The call that makes it is in sight.
    pub is_made: bool,
    /// How many steps there were when it was first given to code that is not followed, which may work on it.
    pub handed: Option<super::StepId>,
    /// How many connections its pool has.
    pub size: Size,
    /// The steps by which code ends its transactions by hand.
    pub ends: Vec<super::StepId>,
    /// The unlocks that are sent with a context which is cancelled when they are needed.
    pub cancelled: Vec<super::SiteId>,
    /// The name of the setting or variable that its connection string comes from.
    pub setting: Option<String>,
}

impl Session {
    /// Whether other code may have begun a transaction on it: a framework's session, a connection that is handed in or out,
    /// and one whose transactions nothing shows.
    pub const fn is_shared(&self) -> bool {
        self.is_global
            || matches!(self.owner, Owner::Ambient)
            || (self.is_parameter || self.is_field && !self.is_made) && !matches!(self.owner, Owner::PerCall)
            || self.escapes
            || !matches!(self.begins, Begins::Never) && !self.is_local()
    }

    /// Whether it is a client's own, on which nothing but the program begins a transaction: no framework does.
    pub fn is_plain(&self) -> bool {
        matches!(self.owner, Owner::PerCall | Owner::Borrowed | Owner::Own)
            && matches!(self.begins, Begins::Never | Begins::NeverByDefault)
            && self.evidence > Evidence::Name
            && !self.escapes
    }

    /// Whether the function itself has come by it.
    pub const fn is_local(&self) -> bool {
        matches!(self.owner, Owner::Borrowed | Owner::Own | Owner::Reset) && !self.is_parameter && !self.is_field
    }
}
