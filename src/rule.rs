//! The shape of a rule. A rule is one file in `rules/` beside this one, one page in the top-level `rules/`, one line
//! in `rules.rs`.

use crate::finding::Level;

/// Which of two findings about one lock site stands: the earlier kind. This is the order of harm and of cause: what
/// the server refuses or never runs makes every later question idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// The server refuses the statement, or never evaluates the lock.
    Invalid,
    /// The lock is taken for the wrong rows, or too many.
    OverRows,
    /// Lock and unlock, or lock and work, are on different sessions.
    WrongSession,
    /// The lock lives longer or shorter than meant.
    WrongScope,
    /// The unlock is for another lock, or nobody reads the answer.
    Mismatched,
    /// An exit skips the unlock.
    ErrorPath,
    /// The unlock comes before the change is visible.
    CommitOrder,
    /// What was read is older than the lock.
    StaleRead,
    /// Works, but could be better.
    Hygiene,
    /// About comments, not locks; competes with nothing.
    Comment,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name: kebab case, what is wrong.
    pub name: &'static str,
    /// The highest level it reports.
    pub level: Level,
    /// Its place in arbitration.
    pub rank: Rank,
    /// Its page, Markdown.
    pub page: &'static str,
}

impl Rule {
    /// The first sentence of its page.
    pub fn summary(&self) -> &'static str {
        self.page.split("\n\n").nth(1).unwrap_or_default().trim()
    }
}
