//! A queue claim whose sub-select takes no row lock: two workers take the same job.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Dml, DmlKind, QueryId, Tokens, Tree};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "claim-without-row-lock",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/claim-without-row-lock.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() || context.file.runs_once(statement) || context.file.is_locked_otherwise(statement) {
        return;
    }
    for (_, query) in tree.queries() {
        // A deleted row is gone for the second worker; only an UPDATE finds it again. Without RETURNING nobody gets
        // the rows to work on: a backfill, which may well do one twice.
        let claims = |dml: &&Dml| dml.kind == DmlKind::Update && dml.returning.is_some();
        let Some(dml) = query.dml().filter(claims) else { continue };
        let Some(pick) = pick(tree, dml) else { continue };
        let inner = tree.query(pick);
        sink.report(
            &RULE,
            Level::Warning,
            Place::new(context.file.id, statement.source(&inner.tokens)),
            "nothing locks the row that this picks: two workers pick the same one, the second waits and then takes it again",
        )
        .statement(statement.span)
        .unit(&statement.unit)
        .related(Place::new(context.file.id, statement.source(&dml.target.tokens)), "both update it here")
        .help("end the sub-select with FOR UPDATE SKIP LOCKED, or repeat its condition in the outer WHERE");
    }
}

/// The sub-select that picks the rows to claim, if it is the only condition and locks nothing.
fn pick(tree: &Tree<'_>, dml: &Dml) -> Option<QueryId> {
    let [condition] = dml.conjuncts.as_slice() else { return None };
    let id = if let [source] = dml.from.as_slice() {
        source.subquery.or(source.cte)?
    } else {
        condition.tokens.clone().find_map(|index| tree.opened(index))?
    };
    let query = tree.query(id);
    let select = query.select()?;
    let [table] = select.from.as_slice() else { return None };
    let limited = query.limit.is_some() || query.fetch.is_some();
    let claims = limited
        && query.locks.is_empty()
        && select.distinct.is_none()
        && select.group_by.is_none()
        && table.is_table()
        && table.name == dml.target.name
        && !has_negation(tree, condition.tokens.clone())
        && changes_what_it_picks_by(tree, dml, &select.condition.clone()?);
    claims.then_some(id)
}

fn has_negation(tree: &Tree<'_>, mut tokens: Tokens) -> bool {
    tokens.any(|index| tree.word(index) == "not")
}

/// Whether SET gives a new value to a column that the sub-select's condition reads: the claim itself.
fn changes_what_it_picks_by(tree: &Tree<'_>, dml: &Dml, condition: &Tokens) -> bool {
    let Some(set) = &dml.set else { return false };
    let mut changed = tree.commas(set.clone()).into_iter().flat_map(|part| {
        let end = tree.top(part.clone()).find(|&index| tree.raw(index) == "=").unwrap_or(part.end);
        (part.start..end).filter_map(|index| tree.ident(index))
    });
    changed.any(|column| condition.clone().any(|index| tree.ident(index).is_some_and(|name| name == column)))
}
