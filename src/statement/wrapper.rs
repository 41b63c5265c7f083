//! SQL functions that only lock or only unlock: a call of one is a call of what it calls, with its arguments.

use crate::finding::Place;
use crate::sql::advisory::Function;
use crate::sql::value::Value;
use std::collections::HashMap;

/// A routine that does nothing but call advisory functions.
#[derive(Clone, Debug)]
pub struct Wrapper {
    /// The names of its parameters, in order; those of OUT parameters left out.
    pub parameters: Vec<Option<String>>,
    /// The calls, in order.
    pub effects: Vec<Effect>,
}

/// A call inside a wrapper.
#[derive(Clone, Debug)]
pub struct Effect {
    /// What is called.
    pub function: &'static Function,
    /// The arguments, in terms of the wrapper's parameters.
    pub args: Vec<Value>,
    /// Where.
    pub at: Place,
}

/// The wrappers of the tree, by their names without schema.
#[derive(Clone, Debug, Default)]
pub struct Wrappers {
    /// By name, number of arguments and schema.
    by_name: HashMap<String, HashMap<usize, HashMap<Option<String>, Wrapper>>>,
}

impl Wrappers {
    /// Adds one; of a routine that is defined twice, the later stands.
    pub fn insert(&mut self, schema: Option<String>, name: String, wrapper: Wrapper) {
        let of_name = self.by_name.entry(name).or_default();
        of_name.entry(wrapper.parameters.len()).or_default().insert(schema, wrapper);
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The one that a call with so many arguments means. A name that two schemas have is nobody's.
    pub fn find(&self, schema: Option<&str>, name: &str, arity: usize) -> Option<&Wrapper> {
        let fitting = self.by_name.get(name)?.get(&arity)?;
        let Some(schema) = schema else {
            return fitting.values().next().filter(|_| fitting.len() == 1);
        };
        match (fitting.get(&None), fitting.get(&Some(schema.to_owned()))) {
            (Some(wrapper), None) | (None, Some(wrapper)) => Some(wrapper),
            _ => None,
        }
    }
}

impl Effect {
    /// The arguments of the inner call when the wrapper is called with `given`.
    pub fn with(&self, wrapper: &Wrapper, given: &[Value]) -> Vec<Value> {
        let lookup = |part: &Value| -> Option<Value> {
            let position = match part {
                Value::Name { name, .. } => {
                    wrapper.parameters.iter().position(|parameter| parameter.as_ref() == Some(name))?
                }
                Value::Parameter(text) => text.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)?,
                _ => return None,
            };
            given.get(position).cloned()
        };
        self.args.iter().map(|arg| arg.substitute(&lookup).fold()).collect()
    }
}
