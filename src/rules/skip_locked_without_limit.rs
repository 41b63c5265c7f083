//! SKIP LOCKED with nothing that bounds how many rows one worker takes.

use crate::facts::bound::{Bound, bound};
use crate::finding::Level;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Clause, DmlKind, QueryId, Tree, Wait, Wrap};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-without-limit",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/skip-locked-without-limit.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    for (id, lock) in statement.row_locks() {
        let query = tree.query(id);
        let Some(select) = query.select() else { continue };
        if lock.wait != Wait::SkipLocked || query.is_limited() || select.from.is_empty() {
            continue;
        }
        // Rows that a sub-select with LIMIT or a WITH query picked are bounded by it.
        let picked = select.from.iter().any(|item| item.subquery.is_some() || item.cte.is_some() || item.call);
        if picked || has_subquery(tree, id) || bound(statement, select, &context.facts.catalog) != Bound::Open {
            continue;
        }
        // DELETE … WHERE id IN (SELECT … SKIP LOCKED) drains on purpose.
        if query.parent.is_some_and(|parent| tree.query(parent).dml().is_some_and(|dml| dml.kind == DmlKind::Delete)) {
            continue;
        }
        sink.at_tokens(
            &RULE,
            Level::Note,
            context,
            (statement, &lock.tokens),
            "one worker takes every free row, and the others see an empty queue",
        )
        .help("add ORDER BY and LIMIT");
    }
}

/// Whether a condition compares with a query, which may be what bounds it.
fn has_subquery(tree: &Tree<'_>, id: QueryId) -> bool {
    tree.queries()
        .any(|(_, query)| query.parent == Some(id) && query.clause == Clause::Where && query.wrap != Wrap::Exists)
}
