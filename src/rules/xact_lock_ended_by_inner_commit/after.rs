//! Nothing is changed in the transaction of the lock, and what it was taken for comes after its COMMIT.

use super::Told;
use super::locked::Locked;
use crate::finding::Level;
use crate::flow::{Action, Change, Evidence, Lock, Owner, SiteId, StepId, UnitFlow};
use crate::rule::Context;

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
