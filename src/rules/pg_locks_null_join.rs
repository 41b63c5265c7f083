//! A query for advisory waits that compares columns which are NULL for them.

use crate::finding::{Edit, Fix, Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{Conjunct, FromItem, Tree};
use crate::sql::compare::{Comparison, Operand, Relation, comparisons};
use crate::sql::value::Value;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "pg-locks-null-join",
    level: Level::Error,
    rank: Rank::NeverTaken,
    page: include_str!("../../rules/pg-locks-null-join.md"),
    checks: &[Check::Statement(check)],
};

/// Columns of pg_locks that are NULL for advisory locks.
const NULL_COLUMNS: &[&str] = &["page", "relation", "transactionid", "tuple", "virtualxid"];

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    for (_, query) in tree.queries() {
        let Some(select) = query.select() else { continue };
        let joined: Vec<&FromItem> =
            select.from.iter().filter(|item| item.name == "pg_locks" && item.is_table()).collect();
        if joined.len() < 2 {
            continue;
        }
        let conditions = || select.conjuncts.iter().chain(select.from.iter().flat_map(|item| &item.on));
        if !conditions().any(|condition| is_for_advisory(tree, condition)) {
            continue;
        }
        let read: Vec<Comparison> = conditions().flat_map(|condition| comparisons(tree, condition).list).collect();
        let mut faults = read.iter().filter(|comparison| is_null_join(comparison, &joined));
        let Some(first) = faults.next() else { continue };
        let at = |comparison: &Comparison| Place::new(context.file.id, statement.source(&comparison.tokens));
        let mut story = sink
            .report(
                &RULE,
                Level::Error,
                at(first),
                "for an advisory lock this column is NULL on both sides, and NULL = NULL is not true: no row ever matches",
            )
            .statement(statement.span)
            .unit(&statement.unit)
            .help("compare locktype, database, classid, objid and objsubid, or use IS NOT DISTINCT FROM");
        let mut edits = vec![not_distinct(statement, first)];
        for other in faults {
            story = story.related(at(other), "this one too");
            edits.push(not_distinct(statement, other));
        }
        edits.sort_by_key(|edit| edit.span);
        story.fix(Fix { title: "Use IS NOT DISTINCT FROM".to_owned(), safe: true, edits });
    }
}

/// `locktype = 'advisory'`
fn is_for_advisory(tree: &Tree<'_>, condition: &Conjunct) -> bool {
    comparisons(tree, condition).equalities().any(|comparison| {
        let sides = [&comparison.left.operand, &comparison.right.operand];
        sides.iter().any(|side| matches!(side, Operand::Column { name, .. } if name == "locktype"))
            && sides.iter().any(|side| matches!(side, Operand::Value(value) if *value.uncast() == Value::Text("advisory".to_owned())))
    })
}

/// The same column of two pg_locks, compared by `=`.
fn is_null_join(comparison: &Comparison, joined: &[&FromItem]) -> bool {
    let (Operand::Column { qualifier: Some(a), name: left }, Operand::Column { qualifier: Some(b), name: right }) =
        (&comparison.left.operand, &comparison.right.operand)
    else {
        return false;
    };
    let is_locks = |name: &String| joined.iter().any(|item| item.reference() == name);
    comparison.relation == Relation::Equal
        && left == right
        && NULL_COLUMNS.contains(&left.as_str())
        && a != b
        && is_locks(a)
        && is_locks(b)
}

/// `=` replaced by IS NOT DISTINCT FROM.
fn not_distinct(statement: &Statement<'_>, comparison: &Comparison) -> Edit {
    let left = statement.source(&comparison.left.tokens);
    let right = statement.source(&comparison.right.tokens);
    Edit { span: Span::new(left.end, right.start), text: " IS NOT DISTINCT FROM ".to_owned() }
}
