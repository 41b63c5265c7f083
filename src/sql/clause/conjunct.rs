//! Conditions, cut at AND.

use super::build::Builder;
use super::node::Conjunct;
use super::{MAX_DEPTH, Tokens, Tree};
use crate::sql::lex::TokenKind;

/// Words after which an operand has yet to come.
const OPEN: &[&str] = &[
    "all",
    "and",
    "any",
    "between",
    "by",
    "case",
    "collate",
    "date",
    "distinct",
    "else",
    "escape",
    "from",
    "having",
    "ilike",
    "in",
    "interval",
    "is",
    "isnull",
    "like",
    "limit",
    "not",
    "offset",
    "on",
    "or",
    "similar",
    "some",
    "symmetric",
    "then",
    "time",
    "timestamp",
    "timestamptz",
    "to",
    "using",
    "when",
    "where",
    "zone",
];

/// Words that go on with an expression after an operand.
const CONTINUES: &[&str] = &[
    "and", "as", "asc", "at", "between", "collate", "desc", "else", "end", "escape", "filter", "ilike", "in", "is",
    "isnull", "like", "not", "notnull", "nulls", "operator", "or", "over", "overlaps", "similar", "then", "when",
    "within",
];

impl Tree<'_> {
    /// Whether token `index` ends an operand.
    fn ends_operand(&self, index: usize) -> bool {
        use TokenKind::*;
        match self.tokens[index].kind {
            QuotedIdent | String | EscapeString | DollarString | Number | Param | Hole | RightParen | RightBracket => {
                true
            }
            Word => !OPEN.contains(&self.keyword(index)) || self.keyword(index).is_empty(),
            _ => false,
        }
    }

    /// Whether token `index` begins an operand, and cannot go on with one.
    fn begins_operand(&self, index: usize) -> bool {
        use TokenKind::*;
        match self.tokens[index].kind {
            QuotedIdent | String | EscapeString | DollarString | Number | Param | Hole => true,
            Word => !CONTINUES.contains(&self.word(index)),
            _ => false,
        }
    }
}

impl Builder<'_> {
    /// Whether the token at `index` is a hole that stands where no operand may: text that the host language adds.
    pub(super) fn is_fragment(&self, index: usize) -> bool {
        self.tree.kind(index) == Some(TokenKind::Hole) && index > 0 && self.tree.ends_operand(index - 1)
    }

    /// A condition cut at AND. Parentheses are opened, AND belongs to BETWEEN and CASE, an OR keeps the whole
    /// together; holes in place of conditions are conjuncts that nothing is known of.
    pub(super) fn conjuncts(&mut self, range: Tokens) -> Vec<Conjunct> {
        let mut conjuncts = Vec::new();
        self.conjuncts_at(range, 0, &mut conjuncts);
        if conjuncts.iter().any(|conjunct| !conjunct.known) {
            self.odd();
        }
        conjuncts
    }

    fn conjuncts_at(&mut self, range: Tokens, depth: usize, out: &mut Vec<Conjunct>) {
        if range.is_empty() {
            return self.odd();
        }
        let tree = &self.tree;
        let (mut start, mut between, mut case, mut or) = (range.start, 0usize, 0usize, false);
        let mut parts: Vec<Tokens> = Vec::new();
        let mut gap = false;
        for index in tree.top(range.clone()) {
            match tree.keyword(index) {
                "case" => case += 1,
                "end" => case = case.saturating_sub(1),
                _ if case > 0 => {}
                "between" => between += 1,
                "and" if between > 0 => between -= 1,
                "and" => {
                    gap |= start == index;
                    parts.push(start..index);
                    start = index + 1;
                }
                "or" => or = true,
                _ if index == start || between > 0 => {}
                // `a = 1 {more}`, `{more} a = 1`
                _ if self.is_fragment(index)
                    || index == start + 1
                        && tree.kind(start) == Some(TokenKind::Hole)
                        && tree.begins_operand(index) =>
                {
                    parts.push(start..index);
                    start = index;
                }
                _ => {}
            }
        }
        gap |= start == range.end && !parts.is_empty();
        parts.push(start..range.end);
        if gap {
            self.odd();
        }
        if or {
            out.push(Conjunct { tokens: range, known: true });
            return;
        }
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            match self.tree.group(&part).filter(|group| {
                depth < MAX_DEPTH
                    && !group.is_empty()
                    && !self.tree.opens_query(part.start)
                    && self.tree.top(group.clone()).all(|index| self.tree.kind(index) != Some(TokenKind::Comma))
            }) {
                Some(group) => self.conjuncts_at(group, depth + 1, out),
                None => {
                    let known = part.len() > 1 || self.tree.kind(part.start) != Some(TokenKind::Hole);
                    out.push(Conjunct { tokens: part, known });
                }
            }
        }
    }
}
