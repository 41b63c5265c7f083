//! Every rule, in the order of the documentation. A new one is a line here, a file in `rules/` beside, and a page.

mod unknown_suppression;
mod unused_suppression;

use crate::rule::Rule;

/// The rules.
pub static RULES: &[&Rule] = &[&unused_suppression::RULE, &unknown_suppression::RULE];

/// Their names.
pub fn names() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.name).collect()
}
