//! A claim through IN or FROM over a sub-select that may run more than once.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Clause, DmlKind, Wait, Wrap};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-subquery-overclaims",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/skip-locked-subquery-overclaims.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    for (id, lock) in statement.row_locks() {
        let query = tree.query(id);
        if lock.wait != Wait::SkipLocked || query.limit.is_none() && query.fetch.is_none() {
            continue;
        }
        let Some(dml) = query.parent.and_then(|parent| tree.query(parent).dml()) else { continue };
        let shape = match (query.wrap, query.clause) {
            (Wrap::In, Clause::Where) => "IN",
            (Wrap::Any, Clause::Where) => "ANY",
            (Wrap::From, Clause::From) => "FROM",
            _ => continue,
        };
        if !matches!(dml.kind, DmlKind::Update | DmlKind::Delete) {
            continue;
        }
        // The condition that holds the sub-select, or joins it, is one of them.
        let proved = dml.conjuncts.len() > 1;
        let at = Place::new(context.file.id, statement.source(&lock.tokens));
        let (level, message) = if proved {
            (
                Level::Warning,
                format!("with the further condition outside, a plan may run the sub-select under {shape} once for each row and claim more rows than its LIMIT"),
            )
        } else {
            (Level::Note, format!("a plan may run the sub-select under {shape} more than once and claim more rows than its LIMIT"))
        };
        sink.report(&RULE, level, at, message)
            .statement(statement.span)
            .unit(&statement.unit)
            .help("use `= (SELECT … LIMIT 1 …)` for one row, `= ANY (ARRAY(SELECT …))` or a WITH query for several");
    }
}
