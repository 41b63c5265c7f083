//! Holes that may be more than a value: what stands there when the statement runs may read a WITH query.

use super::Tree;
use super::node::QueryId;
use crate::sql::lex::TokenKind;

/// Of each query whether such a hole stands in it, and in no query inside it.
pub(super) fn holes(tree: &Tree<'_>) -> Vec<bool> {
    let mut open = vec![false; tree.queries.len()];
    for index in tree.all().filter(|&index| is_open(tree, index)) {
        // An inner query comes after those around it.
        let around = tree.queries.iter().rposition(|query| query.tokens.contains(&index));
        around.into_iter().for_each(|query| open[query] = true);
    }
    open
}

/// The queries of the WITH clauses that a query sees.
pub(super) fn visible(tree: &Tree<'_>, from: QueryId) -> Vec<QueryId> {
    let (mut found, mut below, mut at) = (Vec::new(), None, Some(from));
    while let Some(id) = at {
        let query = &tree.queries[id.0];
        found.extend(query.ctes.iter().map(|cte| cte.query).take_while(|cte| Some(*cte) != below));
        below = Some(id);
        at = query.parent;
    }
    found
}

/// Whether the token is a hole in place of a table, a condition or a list. A driver's placeholder is a value, and so is
/// what is compared, counted, passed or inserted; what is written to is no WITH query.
fn is_open(tree: &Tree<'_>, index: usize) -> bool {
    const BEFORE_VALUES: &[&str] =
        &["between", "ilike", "in", "interval", "into", "like", "limit", "nowait", "offset", "table", "then", "update"];
    if tree.kind(index) != Some(TokenKind::Hole)
        || tree.raw(index).starts_with(['?', ':', '@'])
        || tree.raw(index).starts_with("%(")
        || tree.kind(index + 1) == Some(TokenKind::Dot)
    {
        return false;
    }
    let Some(before) = index.checked_sub(1) else { return true };
    match tree.kind(before) {
        Some(TokenKind::Operator | TokenKind::Dot | TokenKind::Colon) => false,
        Some(TokenKind::LeftParen) => match before.checked_sub(1) {
            Some(owner) => {
                let is_name = tree.kind(owner) == Some(TokenKind::QuotedIdent);
                !is_name && matches!(tree.word(owner), "" | "and" | "as" | "exists" | "from" | "join" | "or" | "where")
            }
            None => true,
        },
        Some(TokenKind::Comma) => {
            let list = (0..before).rev().find(|&at| tree.partner(at).is_some_and(|close| close > index));
            list.is_none_or(|at| tree.opens_query(at))
        }
        _ if tree.word(before) == "from" => before == 0 || tree.word(before - 1) != "delete",
        _ => !BEFORE_VALUES.contains(&tree.word(before)),
    }
}
