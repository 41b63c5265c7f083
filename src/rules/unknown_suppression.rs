//! A suppression that means nothing: no such rule, or no well-formed comment.

use crate::finding::Level;
use crate::rule::{Rank, Rule};
use crate::suppress;

pub(super) static RULE: Rule = Rule {
    name: suppress::UNKNOWN,
    level: Level::Warning,
    rank: Rank::Comment,
    page: include_str!("../../rules/unknown-suppression.md"),
    checks: &[],
};
