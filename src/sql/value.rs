//! Expressions as values: what is compared, and what a function is called with.

mod fold;
mod literal;
mod read;
mod types;

pub use read::value;
pub use types::SqlType;

use crate::sql::clause::QueryId;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// NULL
    Null,
    /// An integer constant.
    Integer(i128),
    /// Any other number, as written.
    Numeric(String),
    /// What a string constant stands for.
    Text(String),
    /// What a bit string constant stands for, in `0` and `1`.
    Bits(String),
    /// TRUE, FALSE
    Boolean(bool),
    /// A placeholder or a hole, as written.
    Parameter(String),
    /// A column or variable.
    Name {
        /// What stands before the last dot.
        qualifier: Option<String>,
        /// Its name.
        name: String,
    },
    /// A function call. EXISTS and ARRAY over a query are calls of `exists` and `array`.
    Call {
        /// The function without its schema.
        name: String,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// `value::type`, `CAST(value AS type)`, `type 'value'`
    Cast {
        /// What is cast.
        value: Box<Value>,
        /// To what.
        ty: SqlType,
    },
    /// An operator, in lower case: `+`, `and`, `is null`, `in`, `= any`, `[]` for a subscript.
    Operator {
        /// How it is written.
        symbol: String,
        /// One or more.
        args: Vec<Value>,
    },
    /// CASE
    Case {
        /// What is tested.
        conditions: Vec<Value>,
        /// What comes of it.
        results: Vec<Value>,
    },
    /// `(a, b)`, `ROW(a, b)`
    Row(Vec<Value>),
    /// `ARRAY[a, b]`
    Array(Vec<Value>),
    /// A query as a value.
    Query(QueryId),
    /// What was not understood, as written.
    Unknown(String),
}

impl Value {
    /// The parts of which it is made.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Call { args, .. } | Self::Operator { args, .. } | Self::Row(args) | Self::Array(args) => {
                args.iter().collect()
            }
            Self::Cast { value, .. } => vec![value],
            Self::Case { conditions, results } => conditions.iter().chain(results).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it, or a part of it, passes `test`.
    pub fn any(&self, test: &mut dyn FnMut(&Self) -> bool) -> bool {
        test(self) || self.parts().into_iter().any(|part| part.any(test))
    }

    /// Whether it is a constant: no parameter, name, call or query in it.
    pub fn is_constant(&self) -> bool {
        !self.any(&mut |value| {
            matches!(
                value,
                Self::Parameter(_) | Self::Name { .. } | Self::Call { .. } | Self::Query(_) | Self::Unknown(_)
            )
        })
    }

    /// The value with every part for which `lookup` knows another replaced.
    #[must_use]
    pub fn substitute(&self, lookup: &dyn Fn(&Self) -> Option<Self>) -> Self {
        if let Some(other) = lookup(self) {
            return other;
        }
        let all = |parts: &[Self]| parts.iter().map(|part| part.substitute(lookup)).collect();
        match self {
            Self::Call { name, args } => Self::Call { name: name.clone(), args: all(args) },
            Self::Cast { value, ty } => Self::Cast { value: Box::new(value.substitute(lookup)), ty: ty.clone() },
            Self::Operator { symbol, args } => Self::Operator { symbol: symbol.clone(), args: all(args) },
            Self::Case { conditions, results } => Self::Case { conditions: all(conditions), results: all(results) },
            Self::Row(parts) => Self::Row(all(parts)),
            Self::Array(parts) => Self::Array(all(parts)),
            other => other.clone(),
        }
    }

    /// The value under casts.
    pub fn uncast(&self) -> &Self {
        match self {
            Self::Cast { value, .. } => value.uncast(),
            value => value,
        }
    }
}

#[cfg(test)]
mod tests;
