//! Cuts a text into statements: at `;`, and where psql would send what it has.

use crate::sql::lex::{Token, TokenKind};
use std::ops::Range;

/// What ends a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// `;`
    Semicolon,
    /// `\;`: the next piece goes to the server in the same message.
    PsqlSeparator,
    /// A psql command, which is the next piece; a psql command ends itself, too.
    PsqlCommand,
    /// Nothing follows.
    EndOfText,
}

/// A statement, or a psql command such as `\connect` or `\gset` (then of one token).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Indices into the text's tokens, from the first to the last that is no trivia.
    pub tokens: Range<usize>,
    /// What ends it.
    pub end: Terminator,
}

/// Words that begin a statement on a line of their own, after a `;` inside parentheses that were never closed.
const VERBS: &[&str] = &[
    "alter",
    "begin",
    "call",
    "comment",
    "commit",
    "copy",
    "create",
    "delete",
    "do",
    "drop",
    "end",
    "explain",
    "grant",
    "insert",
    "lock",
    "merge",
    "reset",
    "revoke",
    "rollback",
    "savepoint",
    "select",
    "set",
    "start",
    "truncate",
    "update",
    "values",
    "with",
];

/// Those of [`VERBS`] that may begin a statement of a `BEGIN ATOMIC` body; `end` closes it.
const ATOMIC_VERBS: &[&str] = &["delete", "end", "insert", "merge", "select", "update", "values", "with"];

/// The pieces of `text`, in order. They cover every token that is no trivia but terminators and `COPY` data.
pub fn split(text: &str, tokens: &[Token]) -> Vec<Piece> {
    let mut splitter = Splitter { text, tokens, closed: closed(tokens), pieces: Vec::new(), piece: Open::default() };
    for (index, token) in tokens.iter().enumerate() {
        splitter.token(index, token.kind);
    }
    splitter.end(Terminator::EndOfText);
    splitter.pieces
}

/// For every `(` whether a `)` closes it.
fn closed(tokens: &[Token]) -> Vec<bool> {
    let mut closed = vec![false; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParen => open.push(index),
            TokenKind::RightParen => {
                if let Some(index) = open.pop() {
                    closed[index] = true;
                }
            }
            _ => {}
        }
    }
    closed
}

/// The piece that is being read.
#[derive(Default)]
struct Open {
    first: Option<usize>,
    last: usize,
    /// Index of the outermost open `(`, and how many are open.
    group: usize,
    depth: usize,
    create: bool,
    rule: bool,
    /// How many `BEGIN ATOMIC`, `CASE` and `BEGIN` wait for their `END`.
    blocks: usize,
}

struct Splitter<'t> {
    text: &'t str,
    tokens: &'t [Token],
    closed: Vec<bool>,
    pieces: Vec<Piece>,
    piece: Open,
}

impl Splitter<'_> {
    fn token(&mut self, index: usize, kind: TokenKind) {
        match kind {
            TokenKind::Whitespace | TokenKind::Comment => return,
            TokenKind::Semicolon if self.ends(index) => return self.end(Terminator::Semicolon),
            TokenKind::PsqlSeparator => return self.end(Terminator::PsqlSeparator),
            TokenKind::CopyData => return self.end(Terminator::Semicolon),
            TokenKind::PsqlCommand => {
                self.end(Terminator::PsqlCommand);
                self.pieces.push(Piece { tokens: index..index + 1, end: Terminator::PsqlCommand });
                return;
            }
            TokenKind::LeftParen => {
                if self.piece.depth == 0 {
                    self.piece.group = index;
                }
                self.piece.depth += 1;
            }
            TokenKind::RightParen => self.piece.depth = self.piece.depth.saturating_sub(1),
            TokenKind::Word => self.word(index),
            _ => {}
        }
        self.piece.first.get_or_insert(index);
        self.piece.last = index;
    }

    fn word(&mut self, index: usize) {
        let Some(first) = self.piece.first else {
            self.piece.create = self.is(index, "create");
            return;
        };
        if !self.piece.create {
            return;
        }
        let previous = self.piece.last;
        // CREATE RULE, CREATE OR REPLACE RULE
        if self.is(index, "rule") && (previous == first || self.is(previous, "replace")) {
            self.piece.rule = true;
        } else if self.piece.blocks == 0 {
            if self.is(index, "atomic") && self.is(previous, "begin") && self.piece.depth == 0 {
                self.piece.blocks = 1;
            }
        } else if self.tokens[previous].kind != TokenKind::Dot {
            if self.is(index, "case") || self.is(index, "begin") {
                self.piece.blocks += 1;
            } else if self.is(index, "end") {
                self.piece.blocks -= 1;
            }
        }
    }

    /// Whether the `;` at `index` ends the piece.
    fn ends(&self, index: usize) -> bool {
        let piece = &self.piece;
        if piece.blocks > 0 {
            return self.begins_line(index, |word| VERBS.contains(&word) && !ATOMIC_VERBS.contains(&word));
        }
        // CREATE RULE .. DO (a; b) is the one statement that may hold a `;` in parentheses.
        if piece.depth == 0 || piece.rule && self.closed[piece.group] {
            return piece.depth == 0;
        }
        self.begins_line(index, |word| VERBS.contains(&word))
    }

    /// Whether what follows the `;` at `index` stands on a new line and passes `test`, or is nothing or a psql command.
    fn begins_line(&self, index: usize, test: impl Fn(&str) -> bool) -> bool {
        let mut line = false;
        for token in &self.tokens[index + 1..] {
            let text = &self.text[token.span().range()];
            match token.kind {
                TokenKind::Whitespace | TokenKind::Comment => line |= text.contains('\n'),
                TokenKind::Word => return line && test(text.to_ascii_lowercase().as_str()),
                TokenKind::PsqlCommand | TokenKind::CopyData => return true,
                _ => return false,
            }
        }
        true
    }

    fn is(&self, index: usize, word: &str) -> bool {
        self.text[self.tokens[index].span().range()].eq_ignore_ascii_case(word)
    }

    fn end(&mut self, end: Terminator) {
        let piece = std::mem::take(&mut self.piece);
        if let Some(first) = piece.first {
            self.pieces.push(Piece { tokens: first..piece.last + 1, end });
        }
    }
}

#[cfg(test)]
mod tests;
