//! Which tables a statement reads, writes and locks.

use crate::flow::Change;
use crate::sql::advisory;
use crate::sql::clause::{Call, DmlKind, FromItem, QueryId, RowLock, Term, Tree, Verb};
use crate::sql::compare::{Comparison, Operand, Relation, comparisons};
use crate::sql::functions;
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

/// Whether a function is called that may do anything at all. What a lock's key is made by has run before the lock is taken.
fn calls_other(tree: &Tree<'_>) -> bool {
    let locks = |call: &Call| call.is_built_in() && advisory::function(&call.name).is_some();
    let in_key = |call: &Call| {
        let around = |lock: &Call| lock.tokens.start < call.tokens.start && call.tokens.end <= lock.tokens.end;
        tree.calls().iter().any(|lock| locks(lock) && around(lock))
    };
    tree.calls()
        .iter()
        .any(|call| !locks(call) && (!call.is_built_in() || !IDLE.contains(&call.name.as_str())) && !in_key(call))
}

/// Whether a statement does nothing but run a routine that somebody wrote for it: `CALL archive(1)`, `SELECT archive_year(2020)`.
fn runs_a_routine(tree: &Tree<'_>) -> bool {
    /// How names of PostgreSQL's own functions begin.
    const OWN: &[&str] = &[
        "array_", "current_", "date_", "has_", "json", "make_", "pg_", "regexp_", "set_", "string_", "to_", "ts_",
        "txid_", "uuid_",
    ];
    let is_own = |name: &str| !name.contains('_') || OWN.iter().any(|own| name.starts_with(own));
    let Some(root) = tree.roots().first() else { return *tree.verb() == Verb::Call };
    let alone = tree.query(*root).select().is_some_and(|select| select.from.is_empty() && select.list.len() == 1);
    *tree.verb() == Verb::Call || alone && tree.calls().iter().any(|call| !is_own(&call.name))
}

/// What a statement changes, where that is known in more than names of tables.
pub(super) fn change(statement: &Statement<'_>) -> Option<Change> {
    let tree = &statement.tree;
    let counts =
        |call: &Call| call.is_built_in() && (functions::is_aggregate(&call.name) || IDLE.contains(&call.name.as_str()));
    if *tree.verb() == Verb::Call
        || tree.calls().iter().any(|call| advisory::function(&call.name).is_none() && !counts(call))
    {
        return Some(Change::Anything { is_work: runs_a_routine(tree) });
    }
    let [root] = tree.roots() else { return None };
    let dml = tree.query(*root).dml().filter(|_| tree.complete())?;
    let told = |row| Some(Change::Told { table: dml.target.name.clone(), row });
    match dml.kind {
        DmlKind::Insert => {
            let is_values = |id: QueryId| matches!(tree.query(id).terms.as_slice(), [Term::Values(_)]);
            if dml.conflict.is_none() && dml.source.is_some_and(is_values) { told(None) } else { None }
        }
        DmlKind::Update | DmlKind::Delete => {
            let ([conjunct], []) = (dml.conjuncts.as_slice(), dml.from.as_slice()) else { return None };
            let found = comparisons(tree, conjunct);
            let [Comparison { relation: Relation::Equal, left, right, may_be_many: false, .. }] = found.list.as_slice()
            else {
                return None;
            };
            let (Operand::Column { name, .. }, Operand::Value(_) | Operand::Column { .. } | Operand::Unknown) =
                (&left.operand, &right.operand)
            else {
                return None;
            };
            told(Some((name.clone(), tree.slice(&right.tokens).to_lowercase())))
        }
        DmlKind::Merge => None,
    }
}

/// The tables whose rows a locking clause locks.
pub(super) fn locked(tree: &Tree<'_>, query: QueryId, lock: &RowLock) -> Vec<String> {
    tree.reach(query, &lock.of).tables.into_iter().filter_map(table).collect()
}
