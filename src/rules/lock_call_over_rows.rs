//! A lock function that runs for rows which the query does not return.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Clause, Evaluation, FromItem, QueryId, Term, Tree};
use crate::sql::lex::TokenKind;
use crate::statement::{LockCall, Statement};

pub(super) const RULE: Rule = Rule {
    name: "lock-call-over-rows",
    level: Level::Error,
    rank: Rank::OverRows,
    page: include_str!("../../rules/lock-call-over-rows.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !statement.runs() || !tree.complete() {
        return;
    }
    for lock in statement.direct_locks() {
        let over = lock.function.acquires()
            && lock.evaluation == Evaluation::Yes
            && !lock.call.conditional
            && depends_on_rows(statement, lock);
        let Some(query) = lock.call.query.filter(|_| over) else { continue };
        let Some((level, message)) = verdict(tree, query, lock) else { continue };
        sink.report(&RULE, level, Place::new(context.file.id, lock.span), message)
            .statement(statement.span)
            .unit(&statement.unit)
            .help("pick the rows first, in a sub-select with LIMIT or a WITH query AS MATERIALIZED, and lock in the outer select list");
    }
}

/// Whether the key is another for each row: it names a column of the query around it.
fn depends_on_rows(statement: &Statement<'_>, lock: &LockCall) -> bool {
    let tree = &statement.tree;
    lock.call.args.iter().flat_map(Clone::clone).any(|index| {
        let is_name = matches!(tree.kind(index), Some(TokenKind::Word | TokenKind::QuotedIdent));
        let name = tree.ident(index).unwrap_or_default();
        is_name
            && tree.kind(index + 1) != Some(TokenKind::LeftParen)
            && !(index > 0 && tree.raw(index - 1) == "::")
            && !NO_COLUMNS.contains(&&*name)
            && !statement.variables.iter().any(|variable| *variable == *name)
    })
}

/// Words in an expression that are no columns.
const NO_COLUMNS: &[&str] = &["as", "and", "or", "not", "null", "true", "false", "integer", "bigint", "int", "text", "int4", "int8"];

fn verdict(tree: &Tree<'_>, id: QueryId, lock: &LockCall) -> Option<(Level, String)> {
    let query = tree.query(id);
    let (from, conditions, distinct, writes): (&[FromItem], usize, bool, bool) = match query.terms.as_slice() {
        [Term::Select(select)] => (&select.from, select.conjuncts.len(), select.distinct.is_some(), false),
        [Term::Dml(dml)] => (&dml.from, dml.conjuncts.len(), false, true),
        _ => return None,
    };
    if from.is_empty() && !writes {
        return None;
    }
    let limited = query.limit.is_some() || query.fetch.is_some();
    match lock.call.clause {
        Clause::Where | Clause::On if query.order_by.is_some() && limited => Some((
            Level::Error,
            "the sort must see every row first, so this locks every row that matches, and LIMIT returns a few".to_owned(),
        )),
        Clause::Where | Clause::On if conditions > 1 || joined(from) => Some((
            Level::Warning,
            "the planner may test this before the other conditions, and lock rows that they rule out".to_owned(),
        )),
        Clause::OrderBy | Clause::Distinct => {
            Some((Level::Error, "this runs for every row before the sort, and locks them all".to_owned()))
        }
        Clause::List if distinct || sorts_by_result(tree, id, lock) => Some((
            Level::Error,
            "the rows are sorted or made distinct by the lock's answer, so every one of them is locked first".to_owned(),
        )),
        Clause::List if limited && !from.iter().all(|item| fenced(tree, item)) => Some((
            Level::Note,
            "PostgreSQL does not promise that LIMIT is applied before the lock function runs".to_owned(),
        )),
        _ => None,
    }
}

fn joined(from: &[FromItem]) -> bool {
    from.len() > 1 && !from.iter().any(|item| item.call || item.subquery.is_some() || item.cte.is_some())
}

/// Whether the rows of an item are fixed before anything outside runs.
fn fenced(tree: &Tree<'_>, item: &FromItem) -> bool {
    item.call
        || item.subquery.or(item.cte).is_some_and(|id| {
            let query = tree.query(id);
            query.limit.is_some() || query.fetch.is_some() || query.offset.is_some() || query.dml().is_some()
        })
        || item.cte.is_some_and(|id| {
            tree.queries().any(|(_, query)| query.ctes.iter().any(|cte| cte.query == id && cte.materialized == Some(true)))
        })
}

/// Whether ORDER BY names the alias under which the call stands in the select list.
fn sorts_by_result(tree: &Tree<'_>, id: QueryId, lock: &LockCall) -> bool {
    let query = tree.query(id);
    let (Some(order), Some(select)) = (&query.order_by, query.select()) else { return false };
    let Some(item) = select.list.iter().find(|item| item.contains(&lock.call.name_token)) else { return false };
    if item.end <= lock.call.tokens.end {
        return false;
    }
    let alias = tree.ident(item.end - 1);
    alias.is_some() && tree.commas(order.clone()).iter().any(|key| tree.ident(key.start) == alias)
}
