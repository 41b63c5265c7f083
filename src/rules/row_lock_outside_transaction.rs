//! A row lock in autocommit: gone before the next statement.

use crate::finding::{Level, Place};
use crate::flow::{Lock, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};

pub(super) const RULE: Rule = Rule {
    name: "row-lock-outside-transaction",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/row-lock-outside-transaction.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let taken = &flow.unit.sites[site];
        let Lock::Rows { tables } = &taken.lock else { continue };
        if !flow.trace.before[step].autocommit() || taken.guards_own_statement {
            continue;
        }
        let Some(write) = flow.first_write_without(site, tables) else { continue };
        let level = if flow.unit.autocommit_is_evident() { Level::Error } else { Level::Warning };
        sink.at_site(
            &RULE,
            level,
            context,
            (flow, site),
            "outside a transaction the row lock is gone before the next statement runs",
        )
        .related(Place::new(context.file.id, flow.unit.steps[write].span), "this writes the rows without the lock")
        .help("put BEGIN before the SELECT and COMMIT after the write, or do both in one UPDATE");
    }
}
