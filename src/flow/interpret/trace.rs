//! What the interpreter records.

use crate::flow::StepId;
use crate::flow::sites::Sites;
use crate::span::Span;

/// Whether a transaction is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transaction {
    /// None: each statement is its own.
    None,
    /// Not known.
    Unknown,
    /// One that the runner, the caller or the driver opened.
    Given,
    /// One that a BEGIN of this unit opened.
    Begun(StepId),
}

/// The transactions that may be open at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Transactions {
    none: bool,
    unknown: bool,
    given: bool,
    begun: Begun,
}

/// The BEGINs that may have opened it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Begun {
    #[default]
    No,
    By(StepId),
    BySeveral,
}

impl Transactions {
    fn insert(&mut self, transaction: Transaction) {
        match transaction {
            Transaction::None => self.none = true,
            Transaction::Unknown => self.unknown = true,
            Transaction::Given => self.given = true,
            Transaction::Begun(step) => {
                self.begun = match self.begun {
                    Begun::No => Begun::By(step),
                    Begun::By(known) if known == step => Begun::By(step),
                    _ => Begun::BySeveral,
                };
            }
        }
    }
}

/// What was true when a step was reached, on some path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// How often it was reached; 0: never.
    pub reached: usize,
    /// Held.
    pub held_any: Sites,
    /// Gone at the end of its statement, in autocommit.
    pub evaporated: Sites,
    /// Ended with the transaction.
    pub ended: Sites,
    /// Uncommitted work was done under it.
    pub wrote: Sites,
    /// Ended by COMMIT on every path, and nothing was changed under it.
    pub idle: Sites,
    /// Held on a path on which a statement of the open transaction has failed.
    pub held_aborted: Sites,
    transactions: Transactions,
}

impl Before {
    pub(super) fn enter(&mut self, transaction: Transaction) {
        self.reached += 1;
        self.transactions.insert(transaction);
    }

    /// Whether a transaction is open on every path.
    pub fn in_transaction(&self) -> bool {
        let Transactions { none, unknown, given, begun } = self.transactions;
        !none && !unknown && (given || begun != Begun::No)
    }

    /// The BEGIN that opened the transaction, if a visible one did on every path.
    pub fn begin(&self) -> Option<StepId> {
        match self.transactions {
            Transactions { none: false, unknown: false, given: false, begun: Begun::By(step) } => Some(step),
            _ => None,
        }
    }

    /// Whether no transaction is open on any path.
    pub fn autocommit(&self) -> bool {
        self.transactions == Transactions { none: true, ..Transactions::default() }
    }
}

/// How a unit is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Its end.
    End,
    /// RETURN.
    Return,
    /// RAISE and its like.
    Raise,
    /// A statement that may fail.
    Failure,
}

/// A way out, with what is still held there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// How.
    pub way: Way,
    /// Where; the unit's end for `Way::End`.
    pub span: Span,
    /// Held on some path to here.
    pub held: Sites,
}

/// What the interpreter saw.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Per step.
    pub before: Vec<Before>,
    /// Every way out; the end, if it is reached, comes first.
    pub leaving: Vec<Leaving>,
    /// Too many sites, states or rounds: what is here may miss paths.
    pub truncated: bool,
}

impl Trace {
    /// What is held at the unit's end.
    pub fn held_at_end(&self) -> Option<&Sites> {
        self.leaving.first().filter(|leaving| leaving.way == Way::End).map(|leaving| &leaving.held)
    }
}
