//! Locks of some other kind that may guard what a statement does.

use super::File;
use crate::flow::{Lock, Site};
use crate::statement::{Statement, stands_for_locks};

impl File<'_> {
    /// Whether the unit around a statement takes an advisory or a table lock, which may guard what the statement does.
    pub fn is_locked_otherwise(&self, statement: &Statement<'_>) -> bool {
        // What a host function holds around its queries is not followed here.
        statement.query.is_some()
            && (self.locks_in_host || self.guarded.iter().any(|closure| closure.contains(statement.span)))
            || self.units_around(statement).any(|flow| flow.acquired().next().is_some())
            || self.lock_tables.contains(&statement.unit)
    }

    /// Whether its code takes locks that may guard what it has other files' queries do: advisory ones, and rows of a table
    /// that is one of locks.
    pub fn has_locks_of_its_own(&self) -> bool {
        let is_lock = |site: &Site| match &site.lock {
            Lock::Rows { tables } => tables.iter().any(|table| stands_for_locks(table)),
            Lock::Advisory { .. } | Lock::Table => false,
        };
        self.is_host() && (self.locks_in_host || self.units.iter().any(|flow| flow.unit.sites.iter().any(is_lock)))
    }
}
