//! A locking clause that locks nothing, silently.

use crate::finding::Level;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{DmlKind, Evaluation, QueryId, RowLock, Tokens, Tree};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "row-lock-never-taken",
    level: Level::Error,
    rank: Rank::NeverTaken,
    page: include_str!("../../rules/row-lock-never-taken.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    if !statement.tree.complete() || !statement.runs_sometime() {
        return;
    }
    for (query, lock) in statement.row_locks() {
        let Some((level, message, help)) = verdict(&statement.tree, query, lock) else {
            sink.silent(&RULE, context, statement.source(&lock.tokens), "it reaches a table, and is run");
            continue;
        };
        sink.at_tokens(&RULE, level, context, (statement, &lock.tokens), message).help(help);
    }
}

fn verdict(tree: &Tree<'_>, query: QueryId, lock: &RowLock) -> Option<(Level, &'static str, &'static str)> {
    match tree.query_evaluated(query) {
        // That is told of an expression, and of no query.
        Evaluation::Yes | Evaluation::DeadBranch => {}
        Evaluation::UnreadCte(_) => {
            return Some((
                if is_locked_anyway(tree, query) { Level::Note } else { Level::Error },
                "this clause locks no row: nothing reads the WITH query that holds this clause, so it never runs",
                "read the WITH query in FROM, or lock the rows in a statement of their own",
            ));
        }
        Evaluation::ExistsList => {
            return Some((
                Level::Error,
                "this clause locks no row: EXISTS drops the select list of its query",
                "lock the rows in the FROM of that query, or in a statement of their own",
            ));
        }
    }
    // A query that is no SELECT, or names something that FROM does not have, is refused: another rule's business.
    let select = tree.query(query).select()?;
    if select.from.is_empty() {
        return is_over_subqueries(tree, query).then_some((
            Level::Error,
            "this clause locks no row: a locking clause does not reach into a sub-select of the select list",
            "put the clause inside the sub-select, on the table itself",
        ));
    }
    let reach = tree.reach(query, &[]);
    if !lock.of.is_empty() || !reach.tables.is_empty() {
        return None;
    }
    if reach.ctes.iter().any(|item| item.cte.is_some_and(|cte| !locks_itself(tree, cte))) {
        return Some((
            Level::Error,
            "this clause locks no row: a locking clause does not reach into a WITH query",
            "put the clause inside the WITH query, on the table itself",
        ));
    }
    (reach.ctes.is_empty() && !reach.calls.is_empty()).then_some((
        Level::Warning,
        "this clause locks no row: it does not reach into a function",
        "lock the rows inside the function, or in a query on the table itself",
    ))
}

/// Whether all that a query without FROM reads is in sub-selects, none of which locks anything: `SELECT EXISTS (SELECT …)`.
fn is_over_subqueries(tree: &Tree<'_>, query: QueryId) -> bool {
    let mut inner = tree.queries().filter(|(_, inner)| inner.parent == Some(query)).map(|(_, inner)| inner).peekable();
    inner.peek().is_some() && inner.all(|inner| inner.locks.is_empty() && inner.select().is_some())
}

/// Whether the statement itself changes the rows that a query asks for, by the same condition or in another WITH query: that locks
/// them, if in no order.
fn is_locked_anyway(tree: &Tree<'_>, query: QueryId) -> bool {
    let words =
        |tokens: &Tokens| -> Vec<String> { tokens.clone().map(|index| tree.raw(index).to_lowercase()).collect() };
    let Some(select) = tree.query(query).select().filter(|_| tree.query(query).order_by.is_none()) else {
        return false;
    };
    let ([item], Some(asked)) = (select.from.as_slice(), &select.condition) else { return false };
    let root = tree.roots().first().copied();
    tree.queries().any(|(id, query)| {
        query.dml().is_some_and(|dml| {
            let same = || {
                let conjuncts: Vec<Vec<String>> = dml.conjuncts.iter().map(|one| words(&one.tokens)).collect();
                conjuncts == [words(asked)]
            };
            let locks = matches!(dml.kind, DmlKind::Update | DmlKind::Delete);
            locks && dml.target.name == item.name && (Some(id) != root || same())
        })
    })
}

/// Whether the rows of a WITH query are locked by what it does: the clause outside says it once more.
fn locks_itself(tree: &Tree<'_>, cte: QueryId) -> bool {
    let query = tree.query(cte);
    query.dml().is_some() || !query.locks.is_empty() || {
        let reach = tree.reach(cte, &[]);
        reach.tables.is_empty()
            && !reach.ctes.is_empty()
            && reach.ctes.iter().all(|item| item.cte.is_some_and(|inner| inner != cte && locks_itself(tree, inner)))
    }
}
