//! What is known of a client library: which types and calls give which handle, on which session a handle works, and what
//! its methods do there. The tables are in `drivers`, one file a library.

pub mod size;

use crate::flow::{Begins, Owner};
use crate::language::HostLanguage;

/// A client library.
#[derive(Debug)]
pub struct Driver {
    /// Its name.
    pub name: &'static str,
    /// The languages it is for.
    pub languages: &'static [HostLanguage],
    /// How the paths begin by whose import a file shows that it uses it; empty where no import is needed.
    pub imports: &'static [&'static str],
    /// Calls that nothing else has, by which a file shows it without an import.
    pub shows: &'static [&'static str],
    /// Its handles.
    pub kinds: &'static [Kind],
    /// Functions that give one: qualified name, and the kind's name.
    pub makers: &'static [(&'static str, &'static str)],
    /// Names that stand for one without a declaration: facades, framework globals, and modules, whose functions are its
    /// methods however they are imported; and the kind's name.
    pub globals: &'static [(&'static str, &'static str)],
    /// What its classes give those that extend them: the class, the member, the kind's name.
    pub gives_heirs: &'static [(&'static str, &'static str, &'static str)],
    /// Kinds that a construction means by a word in it: the kind, the words, and the kind that is meant where one of them
    /// stands there.
    pub variants: &'static [(&'static str, &'static [&'static str], &'static str)],
    /// Functions and methods that are given the handle, as an argument or as an entry of one: `query.execute(&pool)`,
    /// `Postgrex.query!(conn, …)`, `{transaction: t}`. Methods by their name, functions and types that are constructed by
    /// their qualified name; and what they do on the session of the argument.
    pub takes: &'static [(&'static [&'static str], Does)],
    /// Methods of which a call whose context was cancelled before leaves no session lock behind: the connection is closed,
    /// or the call is sent all the same.
    pub closes_cancelled: &'static [&'static str],
    /// Its migrations, where they can opt out of their transaction.
    pub migration: Option<Migration>,
    /// Whether the thread, process or context knows the transaction: what runs inside is in it on any handle of this
    /// library, whether the handle of the block is used or not.
    pub ambient: bool,
}

/// Migrations that run in a transaction unless they opt out of it.
#[derive(Debug)]
pub struct Migration {
    /// What shows that a file is one.
    pub mark: &'static str,
    /// All that stands in one that wants no transaction.
    pub opts_out: &'static [&'static str],
    /// The kind that its own methods work on then.
    pub kind: &'static str,
}

/// A kind of handle.
#[derive(Debug)]
pub struct Kind {
    /// Its name in the table.
    pub name: &'static str,
    /// The types and constructors by which code declares it, qualified as the language does, with dots; `*Context` stands
    /// for any name that ends so.
    pub types: &'static [&'static str],
    /// Whose session it works on.
    pub owner: Owner,
    /// The transactions of that session.
    pub begins: Begins,
    /// How to hold one connection: completes "take one connection with …".
    pub pin: &'static str,
    /// What its methods and properties do; `()` is calling the handle itself, or tagging a template with it.
    pub methods: &'static [(&'static [&'static str], Does)],
    /// What any other method does.
    pub otherwise: Does,
    /// What the end of a `with`, `using` or `use` block does.
    pub at_end: AtEnd,
    /// Which argument of a call, from 0, is the transaction in which it runs where it has so many: not in the handle's own session.
    pub joins: Option<usize>,
}

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Runs the SQL among its arguments.
    Run,
    /// Makes a statement of the SQL among its arguments, which runs later; the kind of the statement.
    Prepare(&'static str),
    /// Runs what was prepared, or the SQL among its arguments.
    Execute,
    /// Gives rows of what ran last.
    Fetch,
    /// Gives another handle on the same session.
    Gives(&'static str),
    /// Borrows a connection from the pool.
    Borrows(&'static str),
    /// Opens a connection of the program's own.
    Opens(&'static str),
    /// Begins a transaction and gives its handle; on a pool, on a session of its own.
    Begins(&'static str),
    /// Runs its function argument, or the `with` block that it opens, with a handle, or with the ambient one.
    Within {
        /// The kind that the function or block gets.
        gives: &'static str,
        /// In a transaction, which ends with it.
        transaction: bool,
        /// On one connection of a pool.
        session: bool,
    },
    /// COMMIT or ROLLBACK.
    Ends,
    /// ROLLBACK TO SAVEPOINT and its like: no lock of the outer transaction is lost.
    Inner,
    /// Gives the connection back.
    Returns,
    /// Closes the connection for good.
    Closes,
    /// Turns autocommit on or off, by its argument; gives the handle itself.
    Autocommit,
    /// The handle itself holds one connection from here on, until it is given back or closed.
    Holds,
    /// Makes the pool one connection, where its argument is 1.
    Limit,
    /// Reads or writes through an API without SQL text.
    Works,
    /// The same, and it writes for certain.
    Writes,
    /// Nothing on the server.
    Nothing,
}

/// What the end of a block that opened a handle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Nothing.
    Nothing,
    /// COMMIT or ROLLBACK.
    Ends,
    /// Gives the connection back, a transaction rolled back or committed before.
    Returns,
    /// Closes it.
    Closes,
}

/// The defaults of a row: a handle of which nothing is said.
pub const HANDLE: Kind = Kind {
    name: "",
    types: &[],
    owner: Owner::Given,
    begins: Begins::Unknown,
    pin: "",
    methods: &[],
    otherwise: Does::Works,
    at_end: AtEnd::Nothing,
    joins: None,
};

/// The same for libraries.
pub const LIBRARY: Driver = Driver {
    name: "",
    languages: &[],
    imports: &[],
    shows: &[],
    kinds: &[],
    makers: &[],
    globals: &[],
    gives_heirs: &[],
    variants: &[],
    takes: &[],
    closes_cancelled: &[],
    migration: None,
    ambient: false,
};

pub use crate::language::SCRIPT;

/// Languages of the JVM.
pub const JVM: &[HostLanguage] = &[HostLanguage::Java, HostLanguage::Kotlin, HostLanguage::Scala];

/// One language for those whose code is one program.
pub fn family(language: HostLanguage) -> HostLanguage {
    [SCRIPT, JVM].iter().find(|family| family.contains(&language)).map_or(language, |family| family[0])
}

/// Whether code in one language uses what code in the other one declares.
pub fn share(one: HostLanguage, other: HostLanguage) -> bool {
    family(one) == family(other)
}

impl Driver {
    /// The kind of that name.
    pub fn kind(&self, name: &str) -> Option<&'static Kind>
    where
        Self: 'static,
    {
        let kinds: &'static [Kind] = self.kinds;
        kinds.iter().find(|kind| kind.name == name)
    }
}

impl Kind {
    /// What a method or property does; `None` for one that is not in the table.
    pub fn method(&self, name: &str) -> Option<Does> {
        // PHP's `$` and that of JavaScript's names say nothing.
        let is_one = |known: &&str| known.trim_start_matches('$') == name.trim_start_matches('$');
        self.methods.iter().find(|(names, _)| names.iter().any(is_one)).map(|(_, does)| *does)
    }
}
