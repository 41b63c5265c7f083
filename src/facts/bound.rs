//! Which rows a query can return: the one that a key names, some that a list names, or any.

use super::catalog::{Catalog, Table};
use crate::sql::clause::{FromItem, Join, Select, Tokens};
use crate::sql::compare::{Comparison, Operand, comparisons};
use crate::sql::value::Value;
use crate::statement::Statement;
use std::collections::BTreeSet;

/// A join of more is nobody's claim, and its conditions would be compared with each other for long.
const MAX_TABLES: usize = 100;

/// What a query's conditions leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// One row of a table: a whole key is fixed.
    Row(Row),
    /// As many as a list, an array or a row of an outer query names.
    Listed,
    /// Any number.
    Open,
}

/// One row by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The columns of the key.
    pub columns: Vec<String>,
    /// The comparison that fixes the key, or a part of it.
    pub comparison: Tokens,
    /// How the columns are known to be a key.
    pub evidence: Evidence,
    /// A further condition on the row's state: whoever fails it expects no row.
    pub state: bool,
    /// `IN (?)`, which some drivers fill with a list.
    pub may_be_many: bool,
}

/// How columns are known to be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The tree's DDL, or a setting.
    Catalog,
    /// A name by which keys go: `id`, `uuid`, `order_id` of `order`.
    Name,
    /// A name by which keys often go: `code`, `other_id`, `…_key`. Only where the caller wants one row.
    Guess,
    /// The column is a hole, compared with one value. Likewise.
    Hole,
}

/// Which rows the SELECT of a query can return.
pub fn bound(statement: &Statement<'_>, select: &Select, catalog: &Catalog) -> Bound {
    if select.from.len() > MAX_TABLES {
        return Bound::Open;
    }
    let reader = Reader { statement, select, catalog };
    reader.bound()
}

struct Reader<'a> {
    statement: &'a Statement<'a>,
    select: &'a Select,
    catalog: &'a Catalog,
}

/// A column: index of the FROM item, name.
type Column = (usize, String);

/// One side of an equality.
enum Side {
    Column(Column),
    Fixed,
    Listed,
    /// A column of a query further out: another value for each of its rows.
    Outer,
    Other,
}

impl Reader<'_> {
    fn bound(&self) -> Bound {
        let equalities = self.equalities();
        let mut fixed: BTreeSet<Column> = BTreeSet::new();
        let mut listed = false;
        // Fixed columns spread over joins until nothing more is fixed.
        loop {
            let before = fixed.len();
            for (left, right, _) in &equalities {
                match (left, right) {
                    (Side::Column(column), Side::Fixed) | (Side::Fixed, Side::Column(column)) => {
                        fixed.insert(column.clone());
                    }
                    (Side::Column(column), Side::Listed) => listed |= self.is_likely_key(column),
                    (Side::Column(_), Side::Outer) | (Side::Outer, Side::Column(_)) => listed = true,
                    (Side::Column(a), Side::Column(b)) => {
                        if self.is_fixed(&fixed, a) {
                            fixed.insert(b.clone());
                        }
                        if self.is_fixed(&fixed, b) {
                            fixed.insert(a.clone());
                        }
                    }
                    _ => {}
                }
            }
            if fixed.len() == before {
                break;
            }
        }
        let all_fixed = (0..self.select.from.len()).all(|item| self.key_of(item, &fixed).is_some());
        let row = (0..self.select.from.len()).find_map(|item| Some((item, self.key_of(item, &fixed)?)));
        match row {
            Some((item, (columns, evidence))) if all_fixed => {
                let of_key = equalities.iter().find(|(left, right, _)| {
                    [left, right]
                        .into_iter()
                        .any(|side| matches!(side, Side::Column((on, name)) if *on == item && columns.contains(name)))
                });
                let Some((_, _, comparison)) = of_key else { return Bound::Open };
                Bound::Row(Row {
                    state: self.has_state_condition(&columns),
                    columns,
                    comparison: comparison.tokens.clone(),
                    evidence,
                    may_be_many: equalities.iter().any(|(.., comparison)| comparison.may_be_many),
                })
            }
            _ if listed => Bound::Listed,
            _ => self.by_hole(&equalities).map_or(Bound::Open, Bound::Row),
        }
    }

    /// The one row of a query whose only condition compares a hole with one value.
    fn by_hole(&self, equalities: &[(Side, Side, Comparison)]) -> Option<Row> {
        let ([_], [_], [(.., comparison)]) =
            (self.select.from.as_slice(), self.select.conjuncts.as_slice(), equalities)
        else {
            return None;
        };
        let Operand::Value(column) = &comparison.left.operand else { return None };
        let Value::Parameter(hole) = column.uncast() else { return None };
        let is_value = hole.starts_with(['?', ':', '@']) || hole.strip_prefix('$').is_some_and(|n| !n.starts_with('{'));
        let fixed = matches!(self.side(&comparison.right.operand), Side::Fixed);
        (!is_value && fixed && !comparison.may_be_many).then(|| Row {
            columns: vec![hole.clone()],
            comparison: comparison.tokens.clone(),
            evidence: Evidence::Hole,
            state: false,
            may_be_many: false,
        })
    }

    /// A column of a one-row item is fixed, whichever it is.
    fn is_fixed(&self, fixed: &BTreeSet<Column>, column: &Column) -> bool {
        fixed.contains(column) || self.key_of(column.0, fixed).is_some()
    }

    fn equalities(&self) -> Vec<(Side, Side, Comparison)> {
        let tree = &self.statement.tree;
        let joins = self.select.from.iter().filter(|item| {
            // The condition of an outer join fixes nothing of the side that it keeps.
            matches!(item.join, Join::None | Join::Inner | Join::Cross) && !item.nullable
        });
        let conjuncts = self.select.conjuncts.iter().chain(joins.flat_map(|item| &item.on));
        let mut found = Vec::new();
        for conjunct in conjuncts.filter(|conjunct| conjunct.known) {
            for comparison in comparisons(tree, conjunct).equalities() {
                let left = self.side(&comparison.left.operand);
                let right = self.side(&comparison.right.operand);
                found.push((left, right, comparison.clone()));
            }
        }
        found
    }

    fn side(&self, operand: &Operand) -> Side {
        match operand {
            Operand::Column { qualifier, name } => self.column(qualifier.as_deref(), name),
            Operand::Value(value) => {
                let local = value.any(&mut |part| match part {
                    Value::Name { qualifier, name } => !matches!(self.column(qualifier.as_deref(), name), Side::Fixed),
                    Value::Query(_) | Value::Unknown(_) => true,
                    _ => false,
                });
                if local { Side::Other } else { Side::Fixed }
            }
            // A query picks some row: which one is not in the text.
            Operand::Query(_) | Operand::Unknown => Side::Other,
            Operand::Many => Side::Listed,
        }
    }

    /// Whose column a name is; a variable of the routine around it is a fixed value.
    fn column(&self, qualifier: Option<&str>, name: &str) -> Side {
        let items = &self.select.from;
        if let Some(qualifier) = qualifier {
            return match items.iter().position(|item| item.reference() == qualifier) {
                Some(item) => Side::Column((item, name.to_owned())),
                // A record variable, or the unit itself: `NEW.id`, `my_function.id`.
                None if self.statement.is_variable(qualifier) || qualifier == &*self.statement.unit => Side::Fixed,
                None => Side::Outer,
            };
        }
        let known: Vec<Option<bool>> =
            items.iter().map(|item| self.catalog.table(&item.name).and_then(|table| table.has(name))).collect();
        if self.statement.is_variable(name) && !known.contains(&Some(true)) {
            return Side::Fixed;
        }
        match (items.len(), known.iter().position(|known| *known == Some(true))) {
            (_, Some(item)) => Side::Column((item, name.to_owned())),
            (1, None) => Side::Column((0, name.to_owned())),
            _ => Side::Other,
        }
    }

    /// The whole key of an item whose columns are all fixed.
    fn key_of(&self, item: usize, fixed: &BTreeSet<Column>) -> Option<(Vec<String>, Evidence)> {
        let source = self.select.from.get(item).filter(|source| source.is_table())?;
        let is_fixed = |column: &str| fixed.contains(&(item, column.to_owned()));
        let table = self.catalog.table(&source.name);
        match table.and_then(|table| table.key(is_fixed)) {
            Some(columns) => Some((columns.to_vec(), Evidence::Catalog)),
            None if table.is_some_and(Table::has_keys) => None,
            None => fixed
                .iter()
                .filter(|(of, _)| *of == item)
                .filter_map(|(_, column)| Some((column, name_evidence(source, column)?)))
                .min_by_key(|(_, evidence)| *evidence)
                .map(|(column, evidence)| (vec![column.clone()], evidence)),
        }
    }

    fn is_likely_key(&self, column: &Column) -> bool {
        let Some(source) = self.select.from.get(column.0) else { return false };
        let table = self.catalog.table(&source.name);
        table.is_some_and(|table| table.key(|known| known == column.1).is_some())
            || !table.is_some_and(Table::has_keys) && name_evidence(source, &column.1).is_some()
    }

    /// `id = $1 AND state = 'free'`: whoever asks for a state expects to find it gone.
    fn has_state_condition(&self, key: &[String]) -> bool {
        const STATES: &[&str] = &[
            "state", "status", "phase", "stage", "lock", "claim", "process", "pick", "start", "finish", "done", "run",
            "avail", "free", "taken", "attempt", "worker", "retr", "lease", "reserv",
        ];
        let tree = &self.statement.tree;
        self.select.conjuncts.iter().any(|conjunct| {
            // What is due.
            let is_past = |index: usize| {
                matches!(tree.raw(index), "<" | "<=") && matches!(tree.word(index + 1), "now" | "current_timestamp")
            };
            conjunct.tokens.clone().any(is_past)
                || conjunct.tokens.clone().any(|index| {
                    let Some(name) = tree.ident(index) else { return false };
                    let is_value = index > conjunct.tokens.start && tree.raw(index - 1) == "::";
                    // A table before its column, and what refers to another row, say nothing of the state of this one.
                    let is_table = tree.raw(index + 1) == ".";
                    !is_value
                        && !is_table
                        && !name.ends_with("_id")
                        && !key.iter().any(|column| *column == *name)
                        && !self.statement.is_variable(&name)
                        && STATES.iter().any(|state| name.to_ascii_lowercase().contains(state))
                })
        })
    }
}

/// What a column's name says of its being a key.
fn name_evidence(table: &FromItem, column: &str) -> Option<Evidence> {
    let column = snake(column);
    let column = column.strip_suffix("_fk").unwrap_or(&column);
    if matches!(column, "id" | "uuid" | "guid" | "ulid") {
        return Some(Evidence::Name);
    }
    let table = &snake(table.name.rsplit('.').next().unwrap_or_default());
    let singular = table.strip_suffix('s').unwrap_or(table);
    for ending in ["_id", "_uuid", "_guid"] {
        if column.strip_suffix(ending).is_some_and(|stem| stem == table || stem == singular) {
            return Some(Evidence::Name);
        }
    }
    const NAMES: &[&str] = &["code", "email", "key", "reference", "sku", "slug", "token", "username"];
    let last = column.rsplit('_').next().unwrap_or(column);
    (matches!(last, "id" | "uuid") || NAMES.contains(&last)).then_some(Evidence::Guess)
}

/// A name in the spelling of those without quotes: `OrderId` and `orderID` are `order_id`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = c;
    }
    snake
}
