//! A locked table on the nullable side of an outer join, unless a condition makes an inner join of it.

use super::{Fault, is_target};
use crate::sql::clause::{Conjunct, FromItem, Join, LockTarget, Select, Tokens, Tree};
use crate::sql::lex::TokenKind;

pub(super) fn fault(tree: &Tree<'_>, select: &Select, of: &[LockTarget], clause: &str) -> Option<Fault> {
    let item = select
        .from
        .iter()
        .find(|item| item.nullable && is_target(item, of) && !tree.reach_of(item).tables.is_empty())?;
    // Any condition that may name the nullable side may be one that rules its NULLs out.
    let kept: Vec<&FromItem> = select.from.iter().filter(|other| !other.nullable).collect();
    let harmless = select.conjuncts.iter().all(|condition| is_harmless(tree, condition, &kept));
    // The condition of an inner join after the outer one is as good as WHERE.
    let inner = select.from.iter().filter(|other| !other.nullable && other.join == Join::Inner);
    let joins_harmless = inner.into_iter().all(|other| {
        !other.natural && other.using.is_empty() && other.on.iter().all(|condition| is_harmless(tree, condition, &kept))
    });
    (harmless && joins_harmless).then(|| {
        (
            format!("{clause} cannot be applied to the nullable side of an outer join (SQLSTATE 0A000)"),
            Some(item.tokens.clone()),
        )
    })
}

fn is_harmless(tree: &Tree<'_>, condition: &Conjunct, kept: &[&FromItem]) -> bool {
    let tokens = &condition.tokens;
    let is_null = tokens.len() > 2 && tree.is(tokens.end - 2, &["is", "null"]) && tree.word(tokens.start) != "not";
    is_null || condition.known && names_only(tree, tokens, kept)
}

/// Words of conditions that are no columns.
const WORDS: &[&str] = &[
    "and", "or", "not", "is", "in", "null", "true", "false", "like", "ilike", "between", "any", "all", "now",
    "interval",
];

/// Whether every column in a condition is qualified by one of `items`.
fn names_only(tree: &Tree<'_>, tokens: &Tokens, items: &[&FromItem]) -> bool {
    // What sqlc binds: `sqlc.arg(name)`.
    let bound = |index: usize| tree.word(index) == "sqlc" && tree.kind(index + 1) == Some(TokenKind::Dot);
    let is_bound = |index: usize| (index.saturating_sub(4)..=index).any(|at| at >= tokens.start && bound(at));
    tokens.clone().all(|index| {
        if is_bound(index) {
            return true;
        }
        if !matches!(tree.kind(index), Some(TokenKind::Word | TokenKind::QuotedIdent)) {
            return true;
        }
        let after_dot = index > 0 && tree.kind(index - 1) == Some(TokenKind::Dot);
        let name = tree.ident(index).unwrap_or_default();
        after_dot
            || WORDS.contains(&&*name)
            || tree.kind(index + 1) == Some(TokenKind::LeftParen)
            || tree.kind(index + 1) == Some(TokenKind::Dot) && items.iter().any(|item| item.reference() == name)
    })
}
