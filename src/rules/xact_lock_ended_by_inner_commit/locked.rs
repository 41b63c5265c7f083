//! The rows that a locking clause is for.

use crate::flow::{SiteId, UnitFlow, UnitKind};
use crate::rule::Context;
use crate::sql::clause::{Query, Strength, Tree};
use crate::sql::compare::{Operand, comparisons};

/// The query that locks rows.
pub(in crate::rules) struct Locked<'s> {
    tree: &'s Tree<'s>,
    query: &'s Query,
}

impl<'s> Locked<'s> {
    /// What takes the lock of a site; none where that is no locking clause for a change.
    pub(in crate::rules) fn of(context: &'s Context<'_>, flow: &UnitFlow, site: SiteId) -> Option<Self> {
        let (statement, id, lock) = context.file.locking_query(flow.unit.sites[site].span)?;
        // A weaker lock is for what is read.
        matches!(lock.strength, Strength::Update | Strength::NoKeyUpdate)
            .then(|| Self { tree: &statement.tree, query: statement.tree.query(id) })
    }

    /// Whether a change names the rows by what this asked for or gave: in a script, which people also write to show
    /// something, by the same value.
    pub(in crate::rules) fn names(&self, flow: &UnitFlow, (column, value): &(String, String)) -> bool {
        let Some(select) = self.query.select().filter(|_| self.query.parent.is_none()) else { return false };
        let tree = self.tree;
        let asked = select.conjuncts.iter().any(|conjunct| {
            comparisons(tree, conjunct).equalities().any(|comparison| {
                let is_column = matches!(&comparison.left.operand, Operand::Column { name, .. } if name == column);
                let same = || tree.slice(&comparison.right.tokens).to_lowercase() == *value;
                is_column && (flow.unit.kind != UnitKind::Script || same())
            })
        });
        let gives = || {
            select.list.iter().any(|item| {
                let last = item.end.saturating_sub(1);
                tree.raw(last) == "*" || tree.ident(last).is_some_and(|name| name == *column)
            })
        };
        asked || flow.unit.kind != UnitKind::Script && gives()
    }
}
