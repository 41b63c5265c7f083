//! A claim through IN or FROM over a sub-select that may run more than once.

use crate::finding::Level;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Clause, Dml, DmlKind, Query, QueryId, Tokens, Tree, Wait, Wrap};
use crate::sql::lex::TokenKind;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-subquery-overclaims",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/skip-locked-subquery-overclaims.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    for (id, lock) in statement.row_locks() {
        let query = tree.query(id);
        if lock.wait != Wait::SkipLocked || !query.is_limited() {
            continue;
        }
        let Some((outermost, dml)) = claim(tree, id) else {
            let why = "no UPDATE, DELETE or MERGE changes what it picks in the same statement";
            sink.silent(&RULE, context, statement.source(&lock.tokens), why);
            continue;
        };
        let shape = match (outermost.wrap, outermost.clause) {
            (Wrap::In, Clause::Where) => "IN",
            (Wrap::Any, Clause::Where) => "ANY",
            (Wrap::From, Clause::From) => "FROM",
            _ => {
                let why = "where it stands the sub-select runs once";
                sink.silent(&RULE, context, statement.source(&lock.tokens), why);
                continue;
            }
        };
        // What a batch deletes or changes beyond its LIMIT it would do next, and nobody is told which rows it got.
        let is_cleanup = dml.returning.is_none()
            && match dml.kind {
                DmlKind::Delete => true,
                DmlKind::Update => !names_somebody(tree, dml),
                _ => false,
            };
        let (level, message) = if narrows(tree, dml, outermost) && !is_cleanup {
            (
                Level::Warning,
                format!(
                    "with the further condition outside, a plan may run the sub-select under {shape} \
                         once for each row and claim more rows than its LIMIT"
                ),
            )
        } else {
            (
                Level::Note,
                format!(
                    "a plan may run the sub-select under {shape} more than once and claim more rows than its LIMIT"
                ),
            )
        };
        sink.at_tokens(&RULE, level, context, (statement, &lock.tokens), message)
            .help("use `= (SELECT … LIMIT 1 …)` for one row, `= ANY (ARRAY(SELECT …))` or a WITH query for several");
    }
}

/// The statement that changes what a sub-select picks, and the sub-select as it stands there: FROM may wrap it again.
fn claim<'a>(tree: &'a Tree<'_>, id: QueryId) -> Option<(&'a Query, &'a Dml)> {
    let mut query = tree.query(id);
    loop {
        let parent = tree.query(query.parent?);
        if let Some(dml) = parent.dml() {
            let changes = matches!(dml.kind, DmlKind::Update | DmlKind::Delete | DmlKind::Merge);
            return changes.then_some((query, dml));
        }
        let passed_on = query.wrap == Wrap::From
            && parent.select().is_some_and(|select| select.conjuncts.is_empty())
            && parent.offset.is_none();
        if !passed_on {
            return None;
        }
        query = parent;
    }
}

/// Whether an UPDATE writes into the rows who has them, or that they are taken: a value that is given, and not one that is
/// made of what the tables hold.
fn names_somebody(tree: &Tree<'_>, dml: &Dml) -> bool {
    let is_given = |at: usize| match tree.kind(at) {
        Some(TokenKind::Param | TokenKind::Hole) => true,
        _ => tree.word(at) == "pg_backend_pid",
    };
    let parts = dml.set.iter().flat_map(|set| tree.commas(set.clone()));
    parts.into_iter().any(|part| {
        let value = tree.top(part.clone()).find(|&at| tree.raw(at) == "=").map_or(part.end, |at| at + 1)..part.end;
        value.clone().any(is_given) || value.len() == 1 && tree.ident(value.start).is_none()
    })
}

/// Whether a condition beside the one that holds the sub-select, or joins it, narrows the rows to change.
fn narrows(tree: &Tree<'_>, dml: &Dml, pick: &Query) -> bool {
    let item = dml.from.iter().find(|item| item.tokens.contains(&pick.tokens.start));
    let joins = |tokens: &Tokens| {
        item.is_some_and(|item| {
            tokens.clone().any(|index| tree.ident(index).is_some_and(|name| name == item.reference()))
        })
    };
    let conditions = dml.conjuncts.iter().chain(dml.from.iter().flat_map(|item| &item.on));
    conditions.filter(|condition| !condition.tokens.contains(&pick.tokens.start) && !joins(&condition.tokens)).any(
        |condition| condition.tokens.clone().any(|index| tree.ident(index).is_some() && condition.tokens.len() > 1),
    )
}
