//! SKIP LOCKED over a join locks, and skips by, every joined table.

use crate::facts::bound::{Bound, bound};
use crate::finding::{Edit, Fix, Level, Place};
use crate::pattern::ascii;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{DmlKind, FromItem, QueryId, RowLock, Select, Strength, Tree, Wait};
use crate::sql::compare::{Operand, Side, comparisons};
use crate::sql::lex::TokenKind;
use crate::statement::Statement;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-join-without-of",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/skip-locked-join-without-of.md"),
    checks: &[Check::Statement(check), Check::File(of_builders)],
};

/// Whether a file creates a table for its own session: nobody else has its rows.
fn is_temporary(text: &str, table: &str) -> bool {
    static CREATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r#"(?i)\bcreate\s+(?:local\s+|global\s+)?temp(?:orary)?\s+table\s+(?:if\s+not\s+exists\s+)?(?:pg_temp\.)?"?(\w+)"#).ok()
    });
    let mut created = CREATES.iter().flat_map(|creates| creates.captures_iter(text));
    created.any(|found| found.get(1).is_some_and(|name| name.as_str().eq_ignore_ascii_case(table)))
}

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    for (query, lock) in statement.row_locks() {
        if lock.wait != Wait::SkipLocked {
            continue;
        }
        if !lock.of.is_empty() {
            sink.silent(&RULE, context, statement.source(&lock.tokens), "OF says whose rows are locked");
            continue;
        }
        let Some(select) = tree.query(query).select() else { continue };
        // A sub-select in FROM is locked through to its tables.
        let mut locked = select.from.iter().filter_map(|item| Some((item, *tree.reach_of(item).tables.first()?)));
        let queue = locked.next();
        let joined: Vec<(&FromItem, &FromItem)> =
            locked.filter(|(_, table)| !is_temporary(context.file.source.text(), &table.name)).collect();
        let (Some((queue, _)), [(first, _), ..]) = (queue, joined.as_slice()) else {
            sink.silent(&RULE, context, statement.source(&lock.tokens), "it locks the rows of one table");
            continue;
        };
        if joined.iter().all(|(item, _)| is_sorted_by(tree, query, item) && gives_its_id(tree, select, item)) {
            let why =
                "the rows are taken in the order of the joined table, and its keys are given out: both are claimed";
            sink.silent(&RULE, context, statement.source(&lock.tokens), why);
            continue;
        }
        if matches!(lock.strength, Strength::Share | Strength::KeyShare) {
            sink.silent(&RULE, context, statement.source(&lock.tokens), "a share lock keeps no other share lock out");
            continue;
        }
        if all_change(tree, queue, &joined) || go_with(tree, query, select, &joined) {
            let why = "the rows of the joined table are changed, or deleted with those that they refer to";
            sink.silent(&RULE, context, statement.source(&lock.tokens), why);
            continue;
        }
        let is_hole =
            |item: &FromItem| written(statement, item).is_some_and(|at| tree.kind(at) == Some(TokenKind::Hole));
        let message = if joined.iter().any(|(item, _)| is_hole(item)) {
            "this also locks the rows of the joined table, and skips every row whose joined row is locked".to_owned()
        } else {
            let name = |(item, table): &(&FromItem, &FromItem)| {
                format!("`{}`", if item.reference().is_empty() { &table.name } else { item.reference() })
            };
            let names: Vec<String> = joined.iter().map(name).collect();
            format!(
                "this also locks the rows of {}, and skips every row whose {} row is locked",
                names.join(" and "),
                names.join(" or ")
            )
        };
        let place = |item: &FromItem| Place::new(context.file.id, statement.source(&item.tokens));
        // Who takes all that is free leaves the others nothing to miss.
        let takes_all =
            !tree.query(query).is_limited() && bound(statement, select, &context.facts.catalog) == Bound::Open;
        let level = if takes_all { Level::Note } else { Level::Warning };
        let mut story = sink
            .at_tokens(&RULE, level, context, (statement, &lock.tokens), message)
            .related(place(first), "the joined table");
        for (other, _) in &joined[1..] {
            story = story.related(place(other), "another one");
        }
        match written(statement, queue) {
            Some(name) if says_which(tree.raw(name)) => {
                let table = tree.raw(name);
                let story =
                    story.help(format!("add `OF {table}` after the strength, if its rows are the ones to claim"));
                if let Some(spelled) = statement.spelled(name, lock.tokens.start, context.file.source) {
                    story.fix(Fix {
                        title: format!("Lock the rows of {table} only"),
                        safe: false,
                        edits: add_of(statement, lock, spelled),
                    });
                }
            }
            Some(_) => {
                story.help(
                    "add OF with the name of the first table after the strength, if its rows are the ones to claim",
                );
            }
            None => {}
        }
    }
}

/// Whether what is put in at run time can be written once more: `${table}`, but not `%s`, which is the next argument.
fn says_which(name: &str) -> bool {
    let verb = name.strip_prefix('%').is_some_and(|verb| !verb.contains(['(', '$']));
    !verb && !matches!(name, "{}" | "?")
}

/// Whether a query is sorted first of all by a column of an item of its FROM.
fn is_sorted_by(tree: &Tree<'_>, query: QueryId, item: &FromItem) -> bool {
    let Some(order) = &tree.query(query).order_by else { return false };
    let first = order.clone().find(|&index| tree.ident(index).is_some());
    first.is_some_and(|first| tree.ident(first).as_deref() == Some(item.reference()) && tree.raw(first + 1) == ".")
}

/// Whether the select list gives the `id` of an item of FROM by its name.
fn gives_its_id(tree: &Tree<'_>, select: &Select, item: &FromItem) -> bool {
    let is_named = |at: usize, name: &str| tree.ident(at).as_deref() == Some(name);
    select.list.iter().any(|part| is_named(part.start, item.reference()) && is_named(part.start + 2, "id"))
}

/// Whether the statement changes the rows of all tables whose rows are locked.
fn all_change(tree: &Tree<'_>, queue: &FromItem, joined: &[(&FromItem, &FromItem)]) -> bool {
    let changes = |table: &FromItem| {
        tree.queries().any(|(_, query)| query.dml().is_some_and(|dml| dml.target.name == table.name))
    };
    changes(queue) && joined.iter().all(|(_, table)| changes(table))
}

/// Whether the query picks rows to delete by the very column to which the rows of each joined table refer: they are deleted
/// with them, or keep them.
fn go_with(tree: &Tree<'_>, query: QueryId, select: &Select, joined: &[(&FromItem, &FromItem)]) -> bool {
    let deletes = |query: QueryId| tree.query(query).dml().filter(|dml| dml.kind == DmlKind::Delete);
    let (Some(dml), [picked]) = (tree.query(query).parent.and_then(deletes), select.list.as_slice()) else {
        return false;
    };
    let target = |index: usize| tree.kind(index) == Some(TokenKind::Hole);
    // Which of two tables whose names come at run time is which cannot be said.
    if dml.target.tokens.clone().any(target) && joined.iter().all(|(item, _)| item.tokens.clone().any(target)) {
        return true;
    }
    let key = |side: &Side| match &side.operand {
        Operand::Column { qualifier: Some(qualifier), name } => {
            let item = select.from.iter().find(|item| item.reference() == qualifier);
            item.is_some_and(|item| item.name == dml.target.name)
                && tree.ident(picked.start) == Some(qualifier.as_str().into())
                && picked.clone().filter_map(|index| tree.ident(index)).nth(1).as_deref() == Some(name)
        }
        _ => false,
    };
    let of = |side: &Side, item: &FromItem| match &side.operand {
        Operand::Column { qualifier: Some(qualifier), .. } => qualifier == item.reference(),
        _ => false,
    };
    let conjuncts = || select.conjuncts.iter().chain(select.from.iter().flat_map(|item| &item.on));
    joined.iter().all(|(item, _)| {
        conjuncts().flat_map(|conjunct| comparisons(tree, conjunct).list).any(|comparison| {
            let (left, right) = (&comparison.left, &comparison.right);
            comparison.relation.is_equality() && (key(left) && of(right, item) || key(right) && of(left, item))
        })
    })
}

/// The same where a query builder says it.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    for lock in file.builder_locks.iter().filter(|lock| lock.skips) {
        let Some(joined) = lock.joined else { continue };
        sink.report(
            &RULE,
            Level::Warning,
            Place::new(file.id, lock.at),
            "this also locks the rows of the joined table, and skips every row whose joined row is locked",
        )
        .statement(lock.chain)
        .unit(file.builder_unit(lock))
        .related(Place::new(file.id, joined), "the joined table")
        .help("name the table whose rows are the ones to claim: FOR UPDATE OF it");
    }
}

/// The token that is the name by which OF knows an item.
fn written(statement: &Statement<'_>, item: &FromItem) -> Option<usize> {
    let tree = &statement.tree;
    let name = item.reference();
    let spelled = |index: &usize| {
        tree.ident(*index).is_some_and(|ident| ident == name) && tree.kind(index + 1) != Some(TokenKind::Dot)
    };
    item.tokens.clone().rev().find(spelled)
}

/// ` OF table` after the strength.
fn add_of(statement: &Statement<'_>, lock: &RowLock, table: &str) -> Vec<Edit> {
    let words = match lock.strength {
        Strength::Update | Strength::Share => 2,
        Strength::KeyShare => 3,
        Strength::NoKeyUpdate => 4,
    };
    let strength = statement.source(&(lock.tokens.start..lock.tokens.start + words));
    vec![Edit { span: Span::new(strength.end, strength.end), text: format!(" OF {table}") }]
}
