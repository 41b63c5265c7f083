//! A locking clause that locks nothing, silently.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Evaluation, QueryId, Term, Tree};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "row-lock-never-taken",
    level: Level::Error,
    rank: Rank::NeverTaken,
    page: include_str!("../../rules/row-lock-never-taken.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    if !statement.tree.complete() || !statement.runs() {
        return;
    }
    for (query, lock) in statement.row_locks() {
        let message = if statement.tree.query_evaluated(query) != Evaluation::Yes {
            "no row is locked: nothing reads the WITH query that holds this clause, so it never runs"
        } else if lock.of.is_empty() && reads_only_ctes(&statement.tree, query) {
            "no row is locked: a locking clause does not reach into a WITH query"
        } else {
            continue;
        };
        sink.report(&RULE, Level::Error, Place::new(context.file.id, statement.source(&lock.tokens)), message)
            .statement(statement.span)
            .unit(&statement.unit)
            .help("put the clause inside the WITH query, on the table itself");
    }
}

/// Whether FROM names WITH queries, and no table anywhere that the clause would lock.
fn reads_only_ctes(tree: &Tree<'_>, query: QueryId) -> bool {
    let mut ctes = false;
    let mut pending = vec![query];
    while let Some(id) = pending.pop() {
        for term in &tree.query(id).terms {
            let items = match term {
                Term::Select(select) => select.from.as_slice(),
                Term::Table(item) => std::slice::from_ref(&**item),
                Term::Query(inner) => {
                    pending.push(*inner);
                    continue;
                }
                Term::Values(_) | Term::Dml(_) => continue,
            };
            for item in items {
                ctes |= item.cte.is_some();
                pending.extend(item.subquery);
                if item.is_table() {
                    return false;
                }
            }
        }
    }
    ctes
}
