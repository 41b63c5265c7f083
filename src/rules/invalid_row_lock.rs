//! A locking clause where the server refuses one.

mod nullable;

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{
    Clause, FromItem, LockTarget, Object, QueryId, RowLock, Select, Strength, Term, Tokens, Tree, Verb, Wait, Wrap,
};
use crate::sql::functions;
use crate::sql::lex::TokenKind;
use crate::statement::Statement;
use std::collections::HashSet;

pub(super) const RULE: Rule = Rule {
    name: "invalid-row-lock",
    level: Level::Error,
    rank: Rank::Refused,
    page: include_str!("../../rules/invalid-row-lock.md"),
    checks: &[Check::Statement(check), Check::File(of_builders)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    let place = |tokens: &Tokens| Place::new(context.file.id, statement.source(tokens));
    for tokens in misplaced(statement) {
        let help = if *tree.verb() == Verb::Lock {
            "LOCK TABLE waits, or fails at once with NOWAIT; it cannot skip"
        } else {
            "the words belong to a locking clause of a SELECT: FOR UPDATE SKIP LOCKED"
        };
        sink.report(&RULE, Level::Error, place(&tokens), "the server refuses this: a syntax error (SQLSTATE 42601)")
            .statement(statement.anchor)
            .unit(&statement.unit)
            .about(context.file.id, statement.span)
            .help(help);
    }
    if !tree.complete() {
        return;
    }
    for (id, lock) in statement.row_locks() {
        let Some((fault, related)) = fault(tree, id, lock) else { continue };
        let mut story = sink
            .report(&RULE, Level::Error, place(&lock.tokens), format!("the server refuses this: {fault}"))
            .statement(statement.anchor)
            .unit(&statement.unit);
        if let Some(tokens) = related {
            story = story.related(place(&tokens), "because of this");
        }
        story.help(
            "name the tables to lock with OF, or lock the rows in a sub-select of their own and \
             do the rest outside",
        );
    }
}

/// The same where a query builder says it.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    for lock in &file.builder_locks {
        let Some(refused) = lock.refused else {
            sink.silent(&RULE, context, lock.at, "nothing stands in the query with which the server refuses a lock");
            continue;
        };
        let what = format!("a row lock is not allowed with {} (SQLSTATE 0A000)", refused.what);
        sink.report(&RULE, Level::Error, Place::new(file.id, lock.at), format!("the server refuses this: {what}"))
            .statement(lock.chain)
            .unit(file.builder_unit(lock))
            .related(Place::new(file.id, refused.at), "because of this")
            .help("lock the rows in a query of their own, and do the rest with what it gives");
    }
}

/// SKIP LOCKED in no locking clause, or together with NOWAIT.
fn misplaced<'s>(statement: &'s Statement<'_>) -> impl Iterator<Item = Tokens> + 's {
    let tree = &statement.tree;
    let has_rows =
        matches!(tree.verb(), Verb::Select | Verb::Insert | Verb::Update | Verb::Delete | Verb::Table | Verb::Lock);
    let locked: HashSet<usize> = statement.row_locks().flat_map(|(_, lock)| lock.tokens.clone()).collect();
    let at = move |index: &usize| has_rows && *index > 0 && tree.is(*index, &["skip", "locked"]);
    tree.all()
        .filter(at)
        .filter(move |&index| {
            let twice = tree.word(index - 1) == "nowait" || tree.word(index + 2) == "nowait";
            let inside = locked.contains(&(index + 1));
            // After a word that wants an operand it is a column with an alias; after a hole anything.
            let named = matches!(
                tree.kind(index - 1),
                Some(TokenKind::Dot | TokenKind::Comma | TokenKind::Operator | TokenKind::Hole | TokenKind::LeftParen)
            ) || matches!(
                tree.word(index - 1),
                "select"
                    | "distinct"
                    | "all"
                    | "as"
                    | "from"
                    | "join"
                    | "update"
                    | "set"
                    | "by"
                    | "where"
                    | "and"
                    | "or"
                    | "not"
                    | "returning"
                    | "on"
            );
            twice || !inside && !named
        })
        .map(|index| index..index + 2)
}

/// What is wrong, in the server's words where it has some, and which tokens make it so.
type Fault = (String, Option<Tokens>);

fn fault(tree: &Tree<'_>, id: QueryId, lock: &RowLock) -> Option<Fault> {
    let query = tree.query(id);
    let clause = strength(lock.strength);
    if let Some(fetch) = query.fetch.as_ref().filter(|fetch| fetch.with_ties && lock.wait == Wait::SkipLocked) {
        return Some((
            "SKIP LOCKED and WITH TIES options cannot be used together (SQLSTATE 42601)".to_owned(),
            Some(fetch.tokens.clone()),
        ));
    }
    if query.terms.len() > 1 || is_arm(tree, id) {
        return refused(clause, "UNION/INTERSECT/EXCEPT", None);
    }
    if let Some(refusal) = cursor(tree, id, clause) {
        return Some(refusal);
    }
    match query.terms.first()? {
        Term::Select(select) => of_select(tree, id, select, &lock.of, clause),
        Term::Values(tokens) => {
            Some((format!("{clause} cannot be applied to VALUES (SQLSTATE 0A000)"), Some(tokens.clone())))
        }
        Term::Table(_) | Term::Query(_) | Term::Dml(_) => None,
    }
}

/// `DECLARE … WITH HOLD`, SCROLL and INSENSITIVE, whose query may lock no rows.
fn cursor(tree: &Tree<'_>, id: QueryId, clause: &str) -> Option<Fault> {
    if *tree.verb() != Verb::Declare || tree.query(id).parent.is_some() {
        return None;
    }
    let head = tree.all().start..tree.query(id).tokens.start;
    let found = |words: &[&str]| head.clone().find(|&index| tree.is(index, words));
    let not = |index: &usize| tree.word(index - 1) != "no";
    if let Some(at) = found(&["with", "hold"]) {
        let what = format!("DECLARE CURSOR WITH HOLD ... {clause} is not supported (SQLSTATE 0A000)");
        return Some((what, Some(at..at + 2)));
    }
    if let Some(at) = found(&["scroll"]).filter(not) {
        let what = format!("DECLARE SCROLL CURSOR ... {clause} is not supported (SQLSTATE 0A000)");
        return Some((what, Some(at..at + 1)));
    }
    let at = found(&["insensitive"])?;
    Some((format!("DECLARE INSENSITIVE CURSOR ... {clause} is not valid (SQLSTATE 42P11)"), Some(at..at + 1)))
}

fn refused(clause: &str, what: &str, tokens: Option<Tokens>) -> Option<Fault> {
    Some((format!("{clause} is not allowed with {what} (SQLSTATE 0A000)"), tokens))
}

/// Whether a query is one of several that a set operation joins.
fn is_arm(tree: &Tree<'_>, id: QueryId) -> bool {
    let mut at = tree.query(id);
    while at.wrap == Wrap::Paren {
        let Some(parent) = at.parent else { return false };
        at = tree.query(parent);
        if at.terms.len() > 1 {
            return true;
        }
    }
    false
}

/// A clause on a SELECT, and on what it reaches in the sub-selects of FROM.
fn of_select(tree: &Tree<'_>, id: QueryId, select: &Select, of: &[LockTarget], clause: &str) -> Option<Fault> {
    let parts = [
        ("DISTINCT clause", &select.distinct),
        ("GROUP BY clause", &select.group_by),
        ("HAVING clause", &select.having),
    ];
    if let Some((what, tokens)) = parts.into_iter().find(|(_, tokens)| tokens.is_some()) {
        return refused(clause, what, tokens.clone());
    }
    calls(tree, id, clause)
        .or_else(|| target(tree, select, of, clause))
        .or_else(|| select.from.iter().filter(|item| is_target(item, of)).find_map(|item| of_item(tree, item, clause)))
        .or_else(|| nullable::fault(tree, select, of, clause))
}

fn is_target(item: &FromItem, of: &[LockTarget]) -> bool {
    of.is_empty() || of.iter().any(|target| target.name == item.reference())
}

fn of_item(tree: &Tree<'_>, item: &FromItem, clause: &str) -> Option<Fault> {
    let id = item.subquery?;
    match tree.query(id).terms.as_slice() {
        [Term::Select(select)] => of_select(tree, id, select, &[], clause),
        [_] => None,
        _ => refused(clause, "UNION/INTERSECT/EXCEPT", Some(item.tokens.clone())),
    }
}

/// Functions in the select list or in ORDER BY that make other rows of the table's.
fn calls(tree: &Tree<'_>, id: QueryId, clause: &str) -> Option<Fault> {
    let (calls, query) = (tree.calls(), &tree.query(id).tokens);
    // They stand in the order of their names.
    let from = calls.partition_point(|call| call.name_token < query.start);
    let inside = calls[from..].iter().take_while(|call| call.name_token < query.end);
    let listed = inside.filter(|call| {
        call.query == Some(id) && matches!(call.clause, Clause::List | Clause::OrderBy) && call.is_built_in()
    });
    for call in listed {
        let after = call.tokens.end;
        let windowed = tree.word(after) == "over"
            || tree.word(after) == "filter" && tree.partner(after + 1).is_some_and(|end| tree.word(end + 1) == "over");
        let what = if windowed {
            "window functions"
        } else if functions::is_aggregate(&call.name) {
            "aggregate functions"
        } else if functions::returns_set(&call.name) {
            "set-returning functions in the target list"
        } else {
            continue;
        };
        return refused(clause, what, Some(call.tokens.clone()));
    }
    None
}

const fn strength(strength: Strength) -> &'static str {
    match strength {
        Strength::Update => "FOR UPDATE",
        Strength::NoKeyUpdate => "FOR NO KEY UPDATE",
        Strength::Share => "FOR SHARE",
        Strength::KeyShare => "FOR KEY SHARE",
    }
}

/// A name after OF that FROM does not have: often the table's name where the table has an alias.
fn target(tree: &Tree<'_>, select: &Select, of: &[LockTarget], clause: &str) -> Option<Fault> {
    // OLD and NEW of a rule are tables that FROM does not name.
    if *tree.verb() == Verb::Create(Object::Rule) {
        return None;
    }
    let is_hole = |tokens: &Tokens| tokens.clone().any(|index| tree.kind(index) == Some(TokenKind::Hole));
    for target in of.iter().filter(|target| !is_hole(&target.tokens)) {
        let tokens = Some(target.tokens.clone());
        if target.schema.is_some() {
            return Some((format!("{clause} must specify unqualified relation names (SQLSTATE 42601)"), tokens));
        }
        let Some(item) = select.from.iter().find(|item| item.reference() == target.name) else {
            // A hole in FROM may bring the table.
            if select.from.iter().any(|item| is_hole(&item.tokens)) {
                continue;
            }
            let what = format!("relation \"{}\" in {clause} clause not found in FROM clause", target.name);
            return Some((format!("{what} (SQLSTATE 42P01)"), tokens));
        };
        let what = if item.cte.is_some() {
            "a WITH query"
        } else if item.call {
            "a function"
        } else {
            continue;
        };
        return Some((format!("{clause} cannot be applied to {what} (SQLSTATE 0A000)"), tokens));
    }
    None
}
