//! Constants of a file, as far as a name says at once which one is meant: declared once where it can be seen, with a
//! literal as its value, and assigned to nowhere.

use crate::span::Span;
use std::collections::{HashMap, HashSet};

/// Where a name is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// In a function: its index.
    Function(usize),
    /// In a class: where its name stands.
    Class(usize),
    /// In the file.
    File,
}

/// What a constant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// The text of a draft.
    Text(usize),
    /// A number in the source.
    Number(Span),
}

#[derive(Debug, Default)]
struct Entry {
    declarations: usize,
    value: Option<Constant>,
}

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Constants<'s> {
    entries: HashMap<(Scope, &'s str), Entry>,
    reassigned: HashSet<&'s str>,
    /// The function around each function.
    parents: Vec<Option<usize>>,
    classes: HashMap<&'s str, usize>,
}

impl<'s> Constants<'s> {
    /// One more function.
    pub(super) fn function(&mut self, parent: Option<usize>) {
        self.parents.push(parent);
    }

    /// One more class.
    pub(super) fn class(&mut self, name: &'s str, start: usize) {
        self.classes.insert(name, start);
    }

    /// A name is declared.
    pub(super) fn bind(&mut self, scope: Scope, name: &'s str) {
        self.entries.entry((scope, name)).or_default().declarations += 1;
    }

    /// A name gets another value.
    pub(super) fn reassign(&mut self, name: &'s str) {
        self.reassigned.insert(name);
    }

    /// The value of a name is a text.
    pub(super) fn text(&mut self, scope: Scope, name: &'s str, draft: usize) {
        self.entries.entry((scope, name)).or_default().value = Some(Constant::Text(draft));
    }

    /// The value of a name is a number.
    pub(super) fn number(&mut self, scope: Scope, name: &'s str, span: Span) {
        self.entries.entry((scope, name)).or_default().value = Some(Constant::Number(span));
    }

    /// What an expression stands for in a function and a class.
    pub(super) fn find(&self, expression: &str, function: Option<usize>, class: Option<usize>) -> Option<Constant> {
        let (owner, name) = split(expression)?;
        if self.reassigned.contains(name) {
            return None;
        }
        let of_class = |class: Option<usize>| class.and_then(|class| self.entries.get(&(Scope::Class(class), name)));
        if let Some(owner) = owner {
            let class = match owner {
                "self" | "this" | "static" | "cls" | "Self" | "@" => class,
                _ => self.classes.get(owner).copied(),
            };
            return constant(of_class(class)?);
        }
        let mut at = function;
        while let Some(function) = at {
            if let Some(entry) = self.entries.get(&(Scope::Function(function), name)) {
                return constant(entry);
            }
            at = self.parents.get(function).copied().flatten();
        }
        constant(of_class(class).or_else(|| self.entries.get(&(Scope::File, name)))?)
    }
}

fn constant(entry: &Entry) -> Option<Constant> {
    entry.value.filter(|_| entry.declarations == 1)
}

/// A name and what it is of: `(None, "x")` of `x`, `(Some("self"), "x")` of `self.x`, `self::x`, `$this->x` and `@x`.
fn split(expression: &str) -> Option<(Option<&str>, &str)> {
    let text = expression.trim();
    let text = text.strip_prefix('&').unwrap_or(text);
    if let Some(attribute) = text.strip_prefix('@') {
        return is_name(attribute).then_some((Some("@"), attribute));
    }
    let text = text.trim_start_matches('$');
    for separator in ["::", "->", "."] {
        if let Some((owner, name)) = text.split_once(separator) {
            let name = name.trim_start_matches('$');
            return (is_name(owner) && is_name(name)).then_some((Some(owner), name));
        }
    }
    is_name(text).then_some((None, text))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
