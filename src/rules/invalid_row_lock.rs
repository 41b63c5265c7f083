//! A locking clause where the server refuses one.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{
    Clause, FromItem, Object, QueryId, RowLock, Select, Strength, Term, Tokens, Tree, Verb, Wait,
};
use crate::sql::lex::TokenKind;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "invalid-row-lock",
    level: Level::Error,
    rank: Rank::Refused,
    page: include_str!("../../rules/invalid-row-lock.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    for (id, lock) in statement.row_locks() {
        let Some((fault, related)) = fault(tree, id, lock) else { continue };
        let mut story = sink
            .report(
                &RULE,
                Level::Error,
                Place::new(context.file.id, statement.source(&lock.tokens)),
                format!("the server refuses this: {}", fault),
            )
            .statement(statement.span)
            .unit(&statement.unit);
        if let Some(tokens) = related {
            story = story.related(Place::new(context.file.id, statement.source(&tokens)), "because of this");
        }
        story.help("lock the rows in a sub-select of their own, and do the rest outside");
    }
}

/// What is wrong, in the server's words where it has some, and which tokens make it so.
fn fault(tree: &Tree<'_>, id: QueryId, lock: &RowLock) -> Option<(String, Option<Tokens>)> {
    let query = tree.query(id);
    let clause = strength(lock.strength);
    let refused = |what: &str, tokens: Option<Tokens>| Some((format!("{clause} is not allowed with {what} (SQLSTATE 0A000)"), tokens));
    if let Some(fetch) = query.fetch.as_ref().filter(|fetch| fetch.with_ties && lock.wait == Wait::SkipLocked) {
        return Some((
            "SKIP LOCKED and WITH TIES options cannot be used together (SQLSTATE 42601)".to_owned(),
            Some(fetch.tokens.clone()),
        ));
    }
    if query.terms.len() > 1 {
        return refused("UNION/INTERSECT/EXCEPT", None);
    }
    let select = match query.terms.first()? {
        Term::Select(select) => select,
        Term::Values(tokens) => {
            return Some((format!("{clause} cannot be applied to VALUES (SQLSTATE 0A000)"), Some(tokens.clone())));
        }
        Term::Table(_) | Term::Query(_) | Term::Dml(_) => return None,
    };
    if let Some(tokens) = &select.distinct {
        return refused("DISTINCT clause", Some(tokens.clone()));
    }
    if let Some(tokens) = &select.group_by {
        return refused("GROUP BY clause", Some(tokens.clone()));
    }
    if let Some(tokens) = &select.having {
        return refused("HAVING clause", Some(tokens.clone()));
    }
    let calls = tree.calls();
    let listed = calls.iter().filter(|call| call.query == Some(id) && call.clause == Clause::List && call.schema.is_none());
    for call in listed {
        let windowed = tree.word(call.tokens.end) == "over"
            || tree.word(call.tokens.end) == "filter" && tree.partner(call.tokens.end + 1).is_some_and(|end| tree.word(end + 1) == "over");
        if windowed {
            return refused("window functions", Some(call.tokens.clone()));
        }
        if AGGREGATES.contains(&call.name.as_str()) {
            return refused("aggregate functions", Some(call.tokens.clone()));
        }
        if SETS.contains(&call.name.as_str()) {
            return refused("set-returning functions in the target list", Some(call.tokens.clone()));
        }
    }
    target(tree, select, lock, clause).or_else(|| nullable(tree, select, lock, clause))
}

const AGGREGATES: &[&str] =
    &["array_agg", "avg", "bool_and", "bool_or", "count", "every", "json_agg", "jsonb_agg", "max", "min", "string_agg", "sum"];
const SETS: &[&str] = &["generate_series", "generate_subscripts", "json_array_elements", "jsonb_array_elements", "regexp_split_to_table", "unnest"];

const fn strength(strength: Strength) -> &'static str {
    match strength {
        Strength::Update => "FOR UPDATE",
        Strength::NoKeyUpdate => "FOR NO KEY UPDATE",
        Strength::Share => "FOR SHARE",
        Strength::KeyShare => "FOR KEY SHARE",
    }
}

/// A name after OF that FROM does not have: often the table's name where the table has an alias.
fn target(tree: &Tree<'_>, select: &Select, lock: &RowLock, clause: &str) -> Option<(String, Option<Tokens>)> {
    // OLD and NEW of a rule are tables that FROM does not name.
    if *tree.verb() == Verb::Create(Object::Rule) {
        return None;
    }
    for target in &lock.of {
        if target.tokens.clone().any(|index| tree.kind(index) == Some(TokenKind::Hole)) {
            continue;
        }
        if target.schema.is_some() {
            return Some((format!("{clause} must specify unqualified relation names (SQLSTATE 42601)"), Some(target.tokens.clone())));
        }
        let Some(item) = select.from.iter().find(|item| item.reference() == target.name) else {
            // A hole in FROM may bring the table.
            let known = select.from.iter().all(|item| item.subquery.is_some() || !item.name.is_empty())
                && !select.from.iter().any(|item| item.tokens.clone().any(|index| tree.kind(index) == Some(TokenKind::Hole)));
            return known.then(|| {
                (format!("relation \"{}\" in {clause} clause not found in FROM clause (SQLSTATE 42P01)", target.name), Some(target.tokens.clone()))
            });
        };
        if item.cte.is_some() {
            return Some((format!("{clause} cannot be applied to a WITH query (SQLSTATE 0A000)"), Some(target.tokens.clone())));
        }
        if item.call {
            return Some((format!("{clause} cannot be applied to a function (SQLSTATE 0A000)"), Some(target.tokens.clone())));
        }
    }
    None
}

/// A locked table on the nullable side of an outer join, unless WHERE makes an inner join of it.
fn nullable(tree: &Tree<'_>, select: &Select, lock: &RowLock, clause: &str) -> Option<(String, Option<Tokens>)> {
    let item = select.from.iter().find(|item| {
        item.nullable
            && (item.is_table() || item.subquery.is_some())
            && (lock.of.is_empty() || lock.of.iter().any(|target| target.name == item.reference()))
    })?;
    // Any condition that may name the nullable side may be one that rules its NULLs out.
    let others: Vec<&FromItem> = select.from.iter().filter(|other| !other.nullable).collect();
    let harmless = select.conjuncts.iter().all(|conjunct| {
        let is_null = conjunct.tokens.len() > 2 && tree.is(conjunct.tokens.end - 2, &["is", "null"]);
        is_null || conjunct.known && names_only(tree, &conjunct.tokens, &others)
    });
    harmless.then(|| {
        (format!("{clause} cannot be applied to the nullable side of an outer join (SQLSTATE 0A000)"), Some(item.tokens.clone()))
    })
}

/// Whether every column in a condition is qualified by one of `items`.
fn names_only(tree: &Tree<'_>, tokens: &Tokens, items: &[&FromItem]) -> bool {
    const WORDS: &[&str] = &["and", "or", "not", "is", "in", "null", "true", "false", "like", "between", "any", "now", "interval"];
    tokens.clone().all(|index| {
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
