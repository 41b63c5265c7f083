//! Nothing is changed in the transaction of the lock, and what it was taken for comes after its COMMIT.

use super::Told;
use crate::finding::Level;
use crate::flow::{Action, Change, Evidence, Lock, Owner, SiteId, StepId, UnitFlow, UnitKind};
use crate::rule::Context;
use crate::sql::clause::{Query, RowLock, Strength, Tree};
use crate::sql::compare::{Operand, comparisons};

pub(super) fn change(context: &Context<'_>, flow: &UnitFlow, site: SiteId) -> Option<Told> {
    let commits = |step: &StepId| matches!(flow.unit.steps[*step].action, Action::End { commits: true, .. });
    let end = flow.endings_under(site).find(commits)?;
    let (work, message, help) = match &flow.unit.sites[site].lock {
        Lock::Rows { tables } => {
            let locked = Locked::of(context, flow, site)?;
            let fits = |change: &Change| match change {
                Change::Told { table, row: Some(row) } => tables.contains(table) && locked.names(flow, row),
                _ => false,
            };
            (
                flow.change_after(site, fits)?,
                "COMMIT frees the rows that this locked before they are changed".to_owned(),
                "change the rows before COMMIT, or do both in one UPDATE",
            )
        }
        Lock::Advisory { function, .. } => {
            let read = flow.read_under(site);
            let alone = is_alone(flow, site);
            let fits = |change: &Change| match change {
                Change::Told { table, .. } => alone || read.contains(table.as_str()),
                Change::Anything { .. } => false,
            };
            let what = if alone { "in which nothing is done" } else { "before what was read under it is changed" };
            (
                flow.change_after(site, fits)?,
                format!("`{}` ends with its transaction, {what}", function.name),
                "commit after the change, or use the session form with an unlock on every way out",
            )
        }
        Lock::Table => return None,
    };
    // Another session of the function may hold what guards this.
    let is_held = |other: &UnitFlow| {
        other.unit.span == flow.unit.span
            && other.unit.steps.len() == flow.unit.steps.len()
            && !other.trace.before[work].held_any.is_empty()
    };
    if !is_seen(flow, work) || flow.was_for_another(site, end, work) || context.file.units.iter().any(is_held) {
        return None;
    }
    Some(Told { level: Level::Warning, message, help, end: Some(end), work })
}

/// Whether nothing at all is done under a lock; where calls that do something else are not seen, that is not known.
fn is_alone(flow: &UnitFlow, site: SiteId) -> bool {
    let under = |step: StepId| flow.trace.before[step].held_any.contains(site);
    let works = |action: &Action| {
        matches!(action, Action::Work { .. } | Action::ConcurrentIndex | Action::Call | Action::Outside)
    };
    let mut steps = flow.unit.steps.iter().enumerate();
    !flow.unit.sites[site].guards_own_statement
        && flow.unit.session.as_ref().is_none_or(|session| session.throws)
        && !steps.any(|(step, one)| works(&one.action) && under(step))
}

/// Whether all that is done on the session up to a step is in sight.
fn is_seen(flow: &UnitFlow, step: StepId) -> bool {
    if flow.trace.truncated {
        return false;
    }
    let Some(session) = &flow.unit.session else { return true };
    session.evidence > Evidence::Name
        && matches!(session.owner, Owner::Own | Owner::Borrowed | Owner::Given | Owner::Reset | Owner::UntilCommit)
        && !session.escapes
        && !session.is_field
        && !session.is_global
        && session.handed.is_none_or(|handed| handed > step)
}

/// The query that locks rows.
struct Locked<'s> {
    tree: &'s Tree<'s>,
    query: &'s Query,
}

impl<'s> Locked<'s> {
    fn of(context: &'s Context<'_>, flow: &UnitFlow, site: SiteId) -> Option<Self> {
        let at = flow.unit.sites[site].span;
        context.file.statements.iter().find_map(|statement| {
            // A weaker lock is for what is read.
            let changes = |lock: &RowLock| matches!(lock.strength, Strength::Update | Strength::NoKeyUpdate);
            let mut locks = statement.row_locks();
            let (id, _) = locks.find(|(_, lock)| changes(lock) && statement.source(&lock.tokens) == at)?;
            Some(Self { tree: &statement.tree, query: statement.tree.query(id) })
        })
    }

    /// Whether a later change names the rows by what this asked for or gave: in a script, which people also write to show
    /// something, by the same value.
    fn names(&self, flow: &UnitFlow, (column, value): &(String, String)) -> bool {
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
