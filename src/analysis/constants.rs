//! What a file of host code calls a number.

use super::File;
use crate::host;
use crate::host::code::{Binding, Code, Flow};
use crate::span::Span;
use std::collections::HashMap;

/// The names of integer constants of a file.
#[derive(Debug, Default)]
pub struct Constants<'s> {
    text: &'s str,
    names: HashMap<i64, Vec<&'s str>>,
}

/// How many names of one number are looked for in a unit.
const MAX_NAMES: usize = 8;

/// The constants that a file declares. Nothing in what is no host code.
pub fn of<'s>(file: &File<'s>) -> Constants<'s> {
    let mut constants = Constants { text: file.source.text(), names: HashMap::new() };
    let locks = file.units.iter().any(|flow| flow.acquired().next().is_some());
    let Some(code) = Some(file.source).filter(|_| file.is_host() && locks).and_then(host::code) else {
        return constants;
    };
    let of_classes = code.classes.iter().flat_map(|class| &class.fields);
    let bound = code.stmts.iter().filter_map(|stmt| match &stmt.flow {
        Flow::Bind(binding) => Some(binding),
        _ => None,
    });
    for binding in of_classes.chain(bound) {
        if let Some((name, value)) = constant(&code, binding) {
            constants.names.entry(value).or_default().push(name);
        }
    }
    constants
}

fn constant<'s>(code: &Code<'s>, binding: &Binding<'s>) -> Option<(&'s str, i64)> {
    let [target] = &binding.targets[..] else { return None };
    Some((target.name, code.number(binding.value?)?))
}

impl Constants<'_> {
    /// The name of a number that stands in a unit.
    pub fn name(&self, value: i64, unit: Span) -> Option<String> {
        let text = self.text.get(unit.range())?;
        let names = self.names.get(&value)?.iter().take(MAX_NAMES);
        names.copied().find(|name| has_word(text, name)).map(str::to_owned)
    }
}

/// Whether a name stands in a text as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    memchr::memmem::find_iter(text.as_bytes(), name.as_bytes()).any(|at| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
