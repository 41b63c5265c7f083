//! The rules, by name. A new one is a file beside these, a page in the top-level `rules/`, and a line here.

use crate::rule::Rule;

macro_rules! rules {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// Every rule, sorted by name.
        pub static RULES: &[&Rule] = &[$(&$module::RULE),*];
    };
}
rules! {
    unknown_suppression,
    unused_suppression,
}

/// The rule of that name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES
        .binary_search_by(|rule| rule.name.cmp(name))
        .ok()
        .map(|index| RULES[index])
}
