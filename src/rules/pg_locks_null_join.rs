//! A query for advisory locks that compares columns which are NULL for them.

use crate::finding::{Edit, Fix, Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Conjunct, FromItem, Join, QueryId, Select, Tokens, Tree};
use crate::sql::compare::{Comparison, Operand, Relation, Side, comparisons};
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
        let Some(view) = View::of(tree, select) else { continue };
        let faults = view.faults();
        let Some(first) = faults.first() else { continue };
        let at = |fault: &Fault| Place::new(context.file.id, statement.source(&fault.tokens));
        let mut story = sink
            .report(
                &RULE,
                Level::Error,
                at(first),
                "for an advisory lock this column is NULL, and NULL equals nothing: no row ever matches",
            )
            .statement(statement.anchor)
            .unit(&statement.unit)
            .help("compare locktype, database, classid, objid and objsubid, or use IS NOT DISTINCT FROM");
        for other in &faults[1..] {
            story = story.related(at(other), "this one too");
        }
        let edits: Option<Vec<Edit>> = faults.iter().map(|fault| fault.mended(statement)).collect();
        if let Some(mut edits) = edits {
            edits.sort_by_key(|edit| edit.span);
            story.fix(Fix { title: "Use IS NOT DISTINCT FROM".to_owned(), safe: true, edits });
        }
    }
}

/// A comparison that holds of no advisory lock.
struct Fault {
    tokens: Tokens,
    /// The two sides, where both are columns of pg_locks and stand by themselves.
    sides: Option<(Tokens, Tokens)>,
}

impl Fault {
    /// `=` replaced by IS NOT DISTINCT FROM.
    fn mended(&self, statement: &Statement<'_>) -> Option<Edit> {
        let (left, right) = self.sides.as_ref()?;
        let tree = &statement.tree;
        let equals = (left.end..right.start).find(|&index| tree.raw(index) == "=")?;
        let span = statement.source(&(equals..equals + 1));
        let before = if statement.source(left).end == span.start { " " } else { "" };
        let after = if statement.source(right).start == span.end { " " } else { "" };
        Some(Edit { span, text: format!("{before}IS NOT DISTINCT FROM{after}") })
    }
}

/// The pg_locks in a FROM.
struct View<'a, 't> {
    tree: &'a Tree<'t>,
    select: &'a Select,
    locks: Vec<&'a FromItem>,
    /// Those of `locks` that give advisory locks alone.
    advisory: Vec<&'a str>,
}

impl<'a, 't> View<'a, 't> {
    fn of(tree: &'a Tree<'t>, select: &'a Select) -> Option<Self> {
        let locks: Vec<&FromItem> = select.from.iter().filter(|item| is_locks(tree, item)).collect();
        if locks.is_empty() {
            return None;
        }
        let mut view = Self { tree, select, locks, advisory: Vec::new() };
        let read: Vec<Comparison> = view.conditions().flat_map(|condition| comparisons(tree, condition).list).collect();
        for item in &view.locks {
            let inside = item.subquery.or(item.cte).is_some_and(|id| selects_advisory(tree, id));
            if inside
                || read.iter().any(|comparison| is_advisory(comparison, Some(item.reference()), view.locks.len() == 1))
            {
                view.advisory.push(item.reference());
            }
        }
        // `USING (locktype, …)` makes one column of two, and a join by locktype carries it over.
        let any = !view.advisory.is_empty() || read.iter().any(|comparison| is_advisory(comparison, None, true));
        let tied = view.locks.iter().any(|item| item.natural || item.using.iter().any(|column| column == "locktype"))
            || read.iter().any(|comparison| view.is_pair(comparison, "locktype"));
        if any && tied {
            view.advisory = view.locks.iter().map(|item| item.reference()).collect();
        }
        (!view.advisory.is_empty()).then_some(view)
    }

    fn conditions(&self) -> impl Iterator<Item = &'a Conjunct> + use<'a, 't> {
        self.select.conjuncts.iter().chain(self.select.from.iter().flat_map(|item| &item.on))
    }

    /// `a.column = b.column` of two pg_locks.
    fn is_pair(&self, comparison: &Comparison, column: &str) -> bool {
        let is_locks = |side: &Side| self.column(side).is_some_and(|(_, name)| name == column);
        comparison.relation == Relation::Equal && is_locks(&comparison.left) && is_locks(&comparison.right)
    }

    /// The pg_locks and the column that a side is.
    fn column<'s>(&self, side: &'s Side) -> Option<(&'a str, &'s str)> {
        let Operand::Column { qualifier, name } = &side.operand else { return None };
        let item = match qualifier {
            Some(qualifier) => self.locks.iter().find(|item| item.reference() == qualifier)?,
            None if self.locks.len() == 1 && self.select.from.len() == 1 => self.locks.first()?,
            None => return None,
        };
        Some((item.reference(), name))
    }

    /// Whether a side is NULL for every row that passes.
    fn is_null(&self, side: &Side) -> bool {
        self.column(side).is_some_and(|(item, column)| NULL_COLUMNS.contains(&column) && self.advisory.contains(&item))
    }

    fn faults(&self) -> Vec<Fault> {
        let mut found = Vec::new();
        for condition in &self.select.conjuncts {
            self.add(condition, true, &mut found);
        }
        for item in &self.select.from {
            // Where an outer join finds no partner, what it keeps is returned all the same.
            let inner = matches!(item.join, Join::Inner | Join::None);
            for condition in &item.on {
                self.add(condition, inner, &mut found);
            }
            if self.locks.iter().any(|locks| std::ptr::eq(*locks, item)) && self.locks.len() > 1 {
                if item.natural {
                    found.push(Fault { tokens: item.tokens.clone(), sides: None });
                } else if item.using.iter().any(|column| NULL_COLUMNS.contains(&column.as_str())) {
                    found.push(Fault { tokens: self.using(item), sides: None });
                }
            }
        }
        found
    }

    fn add(&self, condition: &Conjunct, inner: bool, found: &mut Vec<Fault>) {
        for comparison in comparisons(self.tree, condition).list {
            let nulls = (self.is_null(&comparison.left), self.is_null(&comparison.right));
            let both = self.column(&comparison.left).is_some() && self.column(&comparison.right).is_some();
            // Between two pg_locks an outer join is there to find the holder, and finds none.
            if comparison.relation != Relation::Equal || nulls == (false, false) || !inner && !both {
                continue;
            }
            let alone = comparison.left.tokens.start == comparison.tokens.start
                && comparison.right.tokens.end == comparison.tokens.end;
            found.push(Fault {
                sides: (both && alone).then(|| (comparison.left.tokens.clone(), comparison.right.tokens.clone())),
                tokens: comparison.tokens,
            });
        }
    }

    /// The columns after USING.
    fn using(&self, item: &FromItem) -> Tokens {
        let open = (item.tokens.end..self.tree.all().end).find(|&index| self.tree.word(index) == "using");
        let Some(open) = open else { return item.tokens.clone() };
        open..self.tree.partner(open + 1).map_or(open, |close| close.max(open)) + 1
    }
}

/// Whether an item is pg_locks, or all columns of it.
fn is_locks(tree: &Tree<'_>, item: &FromItem) -> bool {
    if item.is_table() {
        return item.name == "pg_locks" && item.schema.as_deref().is_none_or(|schema| schema == "pg_catalog");
    }
    item.subquery.or(item.cte).and_then(|id| only_locks(tree, id)).is_some()
}

/// The SELECT of a query that reads nothing but pg_locks.
fn only_locks<'a>(tree: &'a Tree<'_>, id: QueryId) -> Option<&'a Select> {
    let select = tree.query(id).select()?;
    match select.from.as_slice() {
        [only] if only.is_table() && only.name == "pg_locks" => Some(select),
        _ => None,
    }
}

fn selects_advisory(tree: &Tree<'_>, id: QueryId) -> bool {
    only_locks(tree, id).is_some_and(|select| {
        select
            .conjuncts
            .iter()
            .flat_map(|condition| comparisons(tree, condition).list)
            .any(|comparison| is_advisory(&comparison, None, true))
    })
}

/// `locktype = 'advisory'` of the item called so, or of one that need not be named.
fn is_advisory(comparison: &Comparison, item: Option<&str>, unqualified: bool) -> bool {
    let sides = [&comparison.left.operand, &comparison.right.operand];
    let is_type = |side: &&Operand| match side {
        Operand::Column { qualifier, name } => {
            name == "locktype"
                && match (qualifier.as_deref(), item) {
                    (Some(qualifier), Some(item)) => qualifier == item,
                    (Some(_), None) => true,
                    (None, _) => unqualified,
                }
        }
        _ => false,
    };
    let is_word = |side: &&Operand| matches!(side, Operand::Value(value) if *value.uncast() == Value::Text("advisory".to_owned()));
    comparison.relation.is_equality() && sides.iter().any(is_type) && sides.iter().any(is_word)
}
