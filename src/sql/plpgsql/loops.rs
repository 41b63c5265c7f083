//! The heads of loops.

use super::LoopKind;
use super::parser::Parser;
use crate::sql::cursor::Cursor;
use crate::sql::lex::TokenKind;

impl Parser<'_> {
    /// The head of a loop, LOOP included. None where none begins here.
    pub(super) fn loop_head(&mut self) -> Option<LoopKind> {
        if self.eat("loop") {
            return Some(LoopKind::Forever);
        }
        let kind = if self.eat("while") {
            LoopKind::While(self.some_run(&["loop"]))
        } else if self.eat("for") {
            self.for_head()
        } else if self.eat("foreach") {
            let target = self.targets(&["slice", "in"]);
            if self.eat("slice") {
                self.run(&["in"]);
            }
            self.expect("in");
            self.expect("array");
            let array = self.some_run(&["loop"]);
            LoopKind::Foreach { target, array }
        } else {
            return None;
        };
        self.expect("loop");
        Some(kind)
    }

    /// The names up to one of `keywords`.
    fn targets(&mut self, keywords: &[&str]) -> Vec<String> {
        let (start, end) = (self.at, self.cursor.until(self.at, keywords));
        self.at = end;
        let parts = self.cursor.list(start, end);
        self.complete &= !parts.is_empty();
        parts.into_iter().map(|(from, to)| self.cursor.folded(from, to)).collect()
    }

    /// What stands between FOR and LOOP.
    fn for_head(&mut self) -> LoopKind {
        let target = self.targets(&["in"]);
        self.expect("in");
        if self.eat("execute") {
            let command = self.some_run(&["loop", "using"]);
            let using = if self.eat("using") { self.expressions(&["loop"]) } else { Vec::new() };
            return LoopKind::ForExecute { target, command, using };
        }
        let (start, end) = (self.at, self.cursor.until(self.at, &["loop"]));
        self.at = end;
        let cursor = &self.cursor;
        if let Some(dots) = range_dots(cursor, start, end) {
            let reverse = cursor.is_word(start, "reverse");
            let from = cursor.tokens(start + usize::from(reverse), dots);
            let by = cursor.until(dots + 2, &["by", "loop"]).min(end);
            let to = cursor.tokens(dots + 2, by);
            let by = (by < end).then(|| cursor.tokens(by + 1, end));
            self.complete &= !from.is_empty() && !to.is_empty();
            return LoopKind::ForRange { target: target.join(", "), reverse, from, to, by };
        }
        // A query is more than a name; a name alone, or with arguments, is a bound cursor.
        let name_end = cursor.path_end(start);
        let named = name_end > start && cursor.kind(start) != Some(TokenKind::Hole);
        if named && (name_end == end || is_call(cursor, name_end, end)) {
            let arguments = (name_end < end).then(|| cursor.tokens(name_end + 1, end - 1));
            return LoopKind::ForCursor { target, cursor: cursor.folded(start, name_end), arguments };
        }
        let query = cursor.tokens(start, end);
        self.complete &= !query.is_empty();
        LoopKind::ForQuery { target, query }
    }
}

/// The position of the first of the two dots of `from .. to`, outside every group.
fn range_dots(cursor: &Cursor<'_>, start: usize, end: usize) -> Option<usize> {
    let mut at = start;
    while at < end {
        if cursor.kind(at) == Some(TokenKind::Dot) && cursor.kind(at + 1) == Some(TokenKind::Dot) {
            return Some(at);
        }
        at = cursor.after(at);
    }
    None
}

/// Whether `from..to` is one parenthesis group.
fn is_call(cursor: &Cursor<'_>, from: usize, to: usize) -> bool {
    cursor.kind(from) == Some(TokenKind::LeftParen) && cursor.is_paired(from) && cursor.after(from) == to
}
