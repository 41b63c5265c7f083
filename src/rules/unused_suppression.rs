//! A suppression that silences nothing: what it was for is gone, or it stands in the wrong place.

use crate::finding::Level;
use crate::rule::{Rank, Rule};
use crate::suppress;

pub(super) static RULE: Rule = Rule {
    name: suppress::UNUSED,
    level: Level::Note,
    rank: Rank::Comment,
    page: include_str!("../../rules/unused-suppression.md"),
    checks: &[],
};
