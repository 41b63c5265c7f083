//! Which tables a statement reads, writes and locks.

use crate::sql::advisory;
use crate::sql::clause::{FromItem, QueryId, RowLock, Term, Tree, Verb};
use crate::statement::Statement;

/// Functions that do no work worth guarding: what is computed from arguments, settings and clocks.
const IDLE: &[&str] = &[
    "abs",
    "clock_timestamp",
    "coalesce",
    "concat",
    "current_setting",
    "format",
    "greatest",
    "hashtext",
    "hashtextextended",
    "least",
    "length",
    "lower",
    "md5",
    "mod",
    "now",
    "nullif",
    "pg_backend_pid",
    "pg_sleep",
    "random",
    "set_config",
    "statement_timestamp",
    "to_timestamp",
    "txid_current",
    "upper",
    "version",
];

/// Tables read, tables written, and whether there is other work. A name is lower case and without schema; a write
/// whose table is not known has an empty name.
pub(super) fn touched(statement: &Statement<'_>) -> (Vec<String>, Vec<String>, bool) {
    let tree = &statement.tree;
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (_, query) in tree.queries() {
        for term in &query.terms {
            match term {
                Term::Select(select) => reads.extend(select.from.iter().filter_map(table)),
                Term::Table(item) => reads.extend(table(item)),
                Term::Dml(dml) => {
                    writes.push(dml.target.name.clone());
                    reads.extend(dml.from.iter().filter_map(table));
                }
                Term::Values(_) | Term::Query(_) => {}
            }
        }
    }
    let works = match tree.verb() {
        Verb::Set { .. } | Verb::SetTransaction { .. } | Verb::Reset(_) | Verb::Release(_) => false,
        Verb::Create(_) | Verb::Alter(_) | Verb::Drop(_) | Verb::CreateIndex { .. } | Verb::DropIndex => {
            writes.push(String::new());
            true
        }
        Verb::Select | Verb::Values | Verb::Table => calls_other(tree),
        _ => true,
    };
    (reads, writes, works)
}

fn table(item: &FromItem) -> Option<String> {
    (item.is_table() && !item.name.is_empty()).then(|| item.name.clone())
}

/// Whether a function is called that may do anything at all.
fn calls_other(tree: &Tree<'_>) -> bool {
    tree.calls().iter().any(|call| {
        !call.is_built_in() || advisory::function(&call.name).is_none() && !IDLE.contains(&call.name.as_str())
    })
}

/// The tables whose rows a locking clause locks.
pub(super) fn locked(tree: &Tree<'_>, query: QueryId, lock: &RowLock) -> Vec<String> {
    tree.reach(query, &lock.of).tables.into_iter().filter_map(table).collect()
}
