//! Comparisons that hold of every row that passes a condition.

use crate::sql::clause::{Conjunct, QueryId, Tokens, Tree};
use crate::sql::lex::TokenKind;
use crate::sql::value::{Value, value};

/// How two sides are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`, IN, `= ANY`
    Equal,
    /// IS NOT DISTINCT FROM
    NotDistinct,
    /// `<>`
    NotEqual,
    /// IS DISTINCT FROM
    Distinct,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Relation {
    /// Whether both sides are the same where it holds.
    pub const fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotDistinct)
    }

    fn from_operator(operator: &str) -> Option<Self> {
        Some(match operator {
            "=" => Self::Equal,
            "<>" | "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }
}

/// What stands on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A column or variable, also under a cast.
    Column {
        /// What stands before the last dot.
        qualifier: Option<String>,
        /// Its name.
        name: String,
    },
    /// Any other expression; names may be parts of it.
    Value(Value),
    /// A query; how it is used tells how many rows it gives.
    Query(QueryId),
    /// Any of several values: a list of IN, an array of ANY.
    Many,
    /// What was not understood.
    Unknown,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What.
    pub operand: Operand,
    /// Where.
    pub tokens: Tokens,
}

/// A comparison; of rows, one for each pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How.
    pub relation: Relation,
    /// The left side.
    pub left: Side,
    /// The right side.
    pub right: Side,
    /// All of the comparison; of rows, all of them.
    pub tokens: Tokens,
    /// `IN (:ids)`: some drivers put a list in place of the one hole.
    pub may_be_many: bool,
}

/// The comparisons of a conjunct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Whether the conjunct was read to its end; if not, it may narrow in ways unknown.
    pub understood: bool,
    /// All that hold where the conjunct holds. None under OR and NOT.
    pub list: Vec<Comparison>,
}

impl Comparisons {
    /// Those by which both sides are the same.
    pub fn equalities(&self) -> impl Iterator<Item = &Comparison> {
        self.list.iter().filter(|comparison| comparison.relation.is_equality())
    }
}

/// The comparisons of a conjunct.
pub fn comparisons(tree: &Tree<'_>, conjunct: &Conjunct) -> Comparisons {
    if !conjunct.known || conjunct.tokens.is_empty() {
        return Comparisons::default();
    }
    let tokens = &conjunct.tokens;
    let mut reader = Reader { tree, tokens: tokens.clone(), out: Comparisons { understood: true, list: Vec::new() } };
    match Form::of(tree, tokens) {
        Form::Compared { relation, left, right } => reader.compared(relation, left, right),
        Form::In { left, right } => reader.within(left, right),
        Form::Any { relation, left, right } => reader.any(relation, left, right),
        Form::Quantified { left, right } => {
            reader.read(left);
            reader.read(right);
        }
        Form::Other(tokens) => reader.read(tokens),
    }
    reader.out
}

/// The form of a condition, by the one operator that binds it loosest.
enum Form {
    Compared {
        relation: Relation,
        left: Tokens,
        right: Tokens,
    },
    In {
        left: Tokens,
        right: Tokens,
    },
    /// `left = ANY (right)`
    Any {
        relation: Relation,
        left: Tokens,
        right: Tokens,
    },
    /// Any other operator with ANY or ALL, which sqlparser knows with comparisons only; NOT IN.
    Quantified {
        left: Tokens,
        right: Tokens,
    },
    Other(Tokens),
}

impl Form {
    fn of(tree: &Tree<'_>, tokens: &Tokens) -> Self {
        let whole = || Self::Other(tokens.clone());
        let (mut compared, mut within, mut is, mut quantified) = (Vec::new(), None, None, None);
        let mut case = 0usize;
        for index in tree.top(tokens.clone()) {
            match tree.keyword(index) {
                "case" => case += 1,
                "end" => case = case.saturating_sub(1),
                _ if case > 0 => {}
                "or" | "and" | "between" | "like" | "ilike" | "similar" | "overlaps" => return whole(),
                "not" if index == tokens.start => return whole(),
                // Postfix, and unknown to sqlparser.
                "isnull" | "notnull" if index + 1 == tokens.end => return Self::Other(tokens.start..index),
                "is" if is.is_none() => is = Some(index),
                "in" if within.is_none() => within = Some(index),
                _ if tree.kind(index) == Some(TokenKind::Operator) => {
                    if matches!(tree.word(index + 1), "any" | "some" | "all") && index + 1 < tokens.end {
                        quantified = Some(index);
                    } else if Relation::from_operator(tree.raw(index)).is_some() {
                        compared.push(index);
                    }
                }
                _ => {}
            }
        }
        match (is, within, quantified, compared.as_slice()) {
            (Some(is), ..) => {
                let not = usize::from(tree.word(is + 1) == "not");
                if !tree.is(is + 1 + not, &["distinct", "from"]) || is + 3 + not >= tokens.end {
                    return whole();
                }
                let relation = if not == 1 { Relation::NotDistinct } else { Relation::Distinct };
                Self::Compared { relation, left: tokens.start..is, right: is + 3 + not..tokens.end }
            }
            (None, Some(at), None, []) => {
                let right = at + 1..tokens.end;
                if tree.word(at - 1) == "not" {
                    return Self::Quantified { left: tokens.start..at - 1, right };
                }
                Self::In { left: tokens.start..at, right }
            }
            (None, None, Some(at), []) => {
                let (left, right) = (tokens.start..at, at + 2..tokens.end);
                match Relation::from_operator(tree.raw(at)) {
                    Some(relation) if tree.word(at + 1) != "all" => Self::Any { relation, left, right },
                    _ => Self::Quantified { left, right },
                }
            }
            (None, None, None, &[at]) => match Relation::from_operator(tree.raw(at)) {
                Some(relation) => Self::Compared { relation, left: tokens.start..at, right: at + 1..tokens.end },
                None => whole(),
            },
            _ => whole(),
        }
    }
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    tokens: Tokens,
    out: Comparisons,
}

impl Reader<'_, '_> {
    /// Reads what gives no comparison.
    fn read(&mut self, tokens: Tokens) {
        let list = self.tree.group(&tokens).filter(|_| !self.tree.opens_query(tokens.start));
        match list.map(|list| self.tree.commas(list)) {
            Some(parts) if parts.len() > 1 => {
                // Of a list of constants nothing can be learnt, however long it is.
                for part in parts.into_iter().filter(|part| part.len() > 1) {
                    self.read(part);
                }
            }
            _ => self.out.understood &= !matches!(value(self.tree, &tokens), Value::Unknown(_)),
        }
    }

    fn side(&mut self, tokens: Tokens) -> Side {
        let operand = operand(value(self.tree, &tokens));
        self.out.understood &= operand != Operand::Unknown;
        Side { operand, tokens }
    }

    fn push(&mut self, relation: Relation, left: Side, right: Side, may_be_many: bool) {
        let tokens = self.tokens.clone();
        self.out.list.push(Comparison { relation, left, right, tokens, may_be_many });
    }

    /// `(a, b) = (1, 2)` is two comparisons; of any other relation rows are no pairs.
    fn compared(&mut self, relation: Relation, left: Tokens, right: Tokens) {
        let (row, values) = (self.row(&left), self.row(&right));
        match (row, values) {
            (Some(left), Some(right)) if relation.is_equality() && left.len() == right.len() => {
                for (left, right) in left.into_iter().zip(right) {
                    let (left, right) = (self.side(left), self.side(right));
                    self.push(relation, left, right, false);
                }
            }
            (Some(left), None) if relation.is_equality() => {
                let right = self.side(right);
                for left in left {
                    let left = self.side(left);
                    self.push(relation, left, right.clone(), false);
                }
            }
            (None, None) => {
                let (left, right) = (self.side(left), self.side(right));
                self.push(relation, left, right, false);
            }
            _ => {
                self.read(left);
                self.read(right);
            }
        }
    }

    /// `left IN right`
    fn within(&mut self, left: Tokens, right: Tokens) {
        let hole = |tokens: &Tokens| tokens.len() == 1 && self.tree.kind(tokens.start) == Some(TokenKind::Hole);
        let many = match self.tree.group(&right) {
            Some(_) if self.tree.opens_query(right.start) => {
                return self.compared(Relation::Equal, left, right);
            }
            Some(group) => match self.tree.commas(group).as_slice() {
                [one] if hole(one) => {
                    let (left, right) = (self.side(left), self.side(one.clone()));
                    return self.push(Relation::Equal, left, right, true);
                }
                // `IN (??)`, `IN (<ids>)`: what a library puts a list into.
                [one] if matches!(value(self.tree, one), Value::Unknown(_)) => false,
                [one] => return self.compared(Relation::Equal, left, one.clone()),
                _ => true,
            },
            // `IN ?` is the driver's business, and no SQL.
            None => right.len() == 1 && matches!(self.tree.kind(right.start), Some(TokenKind::Hole | TokenKind::Param)),
        };
        self.out.understood &= many;
        self.read(right.clone());
        self.several(Relation::Equal, left, right);
    }

    /// Each column of the left side against one of several values.
    fn several(&mut self, relation: Relation, left: Tokens, right: Tokens) {
        for left in self.row(&left).unwrap_or_else(|| vec![left]) {
            let left = self.side(left);
            let right = Side { operand: Operand::Many, tokens: right.clone() };
            self.push(relation, left, right, false);
        }
    }

    /// `left = ANY (right)`
    fn any(&mut self, relation: Relation, left: Tokens, right: Tokens) {
        if self.tree.opens_query(right.start) {
            return self.compared(relation, left, right);
        }
        let content = self.tree.group(&right).unwrap_or_else(|| right.clone());
        let array = value(self.tree, &content);
        self.out.understood &= !matches!(array, Value::Unknown(_));
        // Who puts values into a text puts a list into `ARRAY[:ids]`.
        let has_hole = content.clone().any(|index| self.tree.kind(index) == Some(TokenKind::Hole));
        let one = match array.uncast() {
            Value::Array(values) => match values.as_slice() {
                [one] if !has_hole => Some(operand(one.clone())),
                _ => None,
            },
            // ARRAY(SELECT …)
            Value::Call { name, args } if name == "array" => match args.as_slice() {
                [Value::Query(query)] => Some(Operand::Query(*query)),
                _ => None,
            },
            _ => None,
        };
        match one {
            Some(operand) => {
                let left = self.side(left);
                self.push(relation, left, Side { operand, tokens: content }, false);
            }
            None => self.several(relation, left, content),
        }
    }

    /// The parts of `(a, b)` or `ROW(a, b)`.
    fn row(&self, tokens: &Tokens) -> Option<Vec<Tokens>> {
        let tree = self.tree;
        let written = tree.word(tokens.start) == "row";
        if tree.opens_query(tokens.start) {
            return None;
        }
        let mut group = tree.group(&(tokens.start + usize::from(written)..tokens.end))?;
        if !written {
            while let Some(inner) = tree.group(&group) {
                group = inner;
            }
        }
        let parts = tree.commas(group);
        (written || parts.len() > 1).then_some(parts)
    }
}

fn operand(value: Value) -> Operand {
    match value.uncast() {
        Value::Name { qualifier, name } => Operand::Column { qualifier: qualifier.clone(), name: name.clone() },
        Value::Query(query) => Operand::Query(*query),
        Value::Unknown(_) => Operand::Unknown,
        _ => Operand::Value(value),
    }
}

#[cfg(test)]
mod tests;
