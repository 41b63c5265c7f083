//! Locks of some other kind that may guard what a statement does.

use super::File;
use crate::flow::{Action, Lock, Site, Step, UnitFlow, UnitKind};
use crate::span::Span;
use crate::sql::clause::{QueryId, RowLock, Strength, Wait};
use crate::statement::{Statement, stands_for_locks};
use std::borrow::Cow;
use std::collections::HashSet;

impl File<'_> {
    /// Whether the unit around a statement takes an advisory or a table lock, which may guard what the statement does.
    pub fn is_locked_otherwise(&self, statement: &Statement<'_>) -> bool {
        // What a host function holds around its queries is not followed here.
        statement.query.is_some()
            && (self.locks_in_host || self.guarded.iter().any(|closure| closure.contains(statement.span)))
            || self.units_around(statement).any(|flow| takes_for(flow, statement))
            || self.lock_tables.contains(&statement.unit)
    }

    /// Whether a row is locked before a statement of a routine, for which a parameter or variable is asked that the statement asks
    /// for as well: whoever comes second for the same waits there.
    pub fn is_behind_a_row(&self, statement: &Statement<'_>) -> bool {
        let asked = |of: &Statement<'_>| -> HashSet<String> {
            let conditions = of.tree.queries().filter_map(|(_, query)| query.select()?.condition.clone());
            let names = conditions.flatten().filter_map(|index| of.tree.ident(index));
            names.filter(|name| of.is_variable(name)).map(Cow::into_owned).collect()
        };
        let waits = |of: &Statement<'_>| {
            let is_for_change = |lock: &RowLock| matches!(lock.strength, Strength::Update | Strength::NoKeyUpdate);
            of.row_locks().any(|(_, lock)| lock.wait != Wait::SkipLocked && is_for_change(lock))
        };
        let wanted = asked(statement);
        let before = self.statements.iter().filter(|other| other.unit == statement.unit && other.span < statement.span);
        !wanted.is_empty() && before.into_iter().any(|other| waits(other) && !asked(other).is_disjoint(&wanted))
    }

    /// The query whose locking clause stands at a place, and the clause.
    pub fn locking_query(&self, at: Span) -> Option<(&Statement<'_>, QueryId, &RowLock)> {
        self.statements.iter().filter(|statement| statement.span.contains(at)).find_map(|statement| {
            let (id, lock) = statement.row_locks().find(|(_, lock)| statement.source(&lock.tokens) == at)?;
            Some((statement, id, lock))
        })
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

/// Whether a unit takes an advisory lock that a statement may be under: in a script one that is not gone by then.
fn takes_for(flow: &UnitFlow, statement: &Statement<'_>) -> bool {
    let mut acquired = flow.acquired().peekable();
    if acquired.peek().is_none() {
        return false;
    }
    let is_it = |step: &Step| step.span == statement.span && matches!(step.action, Action::Work { .. });
    let at = flow.unit.steps.iter().position(is_it).filter(|_| flow.unit.kind == UnitKind::Script);
    acquired.any(|(site, ..)| at.is_none_or(|step| !flow.trace.before[step].evaporated.contains(site)))
}
