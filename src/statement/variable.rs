//! The variables of the routine around a statement, as far as the text says what they are.

use super::Statement;
use crate::sql::clause::{QueryId, Term};
use crate::sql::functions;
use crate::sql::value::{SqlType, Value};
use std::collections::HashMap;

/// Variables by their names, folded; arguments also as `$1`.
pub type Variables = HashMap<String, Variable>;

/// A variable or an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// Its type; `None` where two of that name have two.
    pub ty: Option<SqlType>,
    /// The only value that it ever gets.
    pub value: Option<Value>,
}

impl Statement<'_> {
    /// The variable that a part of an expression is.
    fn variable(&self, part: &Value) -> Option<&Variable> {
        match part {
            Value::Name { qualifier: None, name } | Value::Parameter(name) => self.variables.get(name),
            _ => None,
        }
    }

    /// An expression with the values of constant variables in their places.
    pub fn with_constants(&self, value: Value) -> Value {
        self.with_values(value, is_constant)
    }

    /// The same for the only values of variables, whatever they are.
    pub fn with_only_values(&self, value: Value) -> Value {
        self.with_values(value, |_| true)
    }

    fn with_values(&self, value: Value, wanted: fn(&Value) -> bool) -> Value {
        if self.variables.is_empty() {
            return value;
        }
        value.substitute(&|part| self.variable(part)?.value.clone().filter(wanted))
    }

    /// An expression with the types of variables, where no column can have the name: a query without tables around it.
    pub fn with_types(&self, value: Value, query: Option<QueryId>) -> Value {
        if self.variables.is_empty() || self.sees_columns(query) {
            return value;
        }
        value.substitute(&|part| {
            let ty = self.variable(part)?.ty.clone()?;
            Some(Value::Cast { value: Box::new(part.clone()), ty })
        })
    }

    fn sees_columns(&self, mut query: Option<QueryId>) -> bool {
        while let Some(id) = query {
            let around = self.tree.query(id);
            let plain = |term: &Term| matches!(term, Term::Select(select) if select.from.is_empty());
            if !around.terms.iter().all(plain) {
                return true;
            }
            query = around.parent;
        }
        false
    }
}

/// Whether a value is the same each time.
fn is_constant(value: &Value) -> bool {
    !value.any(&mut |part| match part {
        Value::Parameter(_) | Value::Name { .. } | Value::Query(_) | Value::Unknown(_) => true,
        Value::Call { name, .. } => functions::moves(name).is_some(),
        _ => false,
    })
}
