//! The text that EXECUTE sends: constants joined with what only run time knows.

use crate::region::{Builder, Region, SegmentKind};
use crate::span::SqlSpan;
use crate::sql::cursor::Cursor;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::literal;

/// What stands for an operand that is no constant: an identifier, so that the text around it stays SQL.
pub const STAND_IN: &str = "h__";

/// How deep parentheses and calls of `format` may nest; what is deeper is a hole.
const MAX_DEPTH: usize = 32;

/// The text that an expression gives, as a region inside `region`, of whose text `tokens` are the expression. Of `||`,
/// `concat` and `format`, operands that are no constants and `%` specifiers become holes. None where no constant is
/// part of it.
pub fn dynamic_sql<'s>(region: &Region<'s>, tokens: &[Token]) -> Option<Region<'s>> {
    let cursor = Cursor::new(region.text(), tokens);
    let writer = Writer { region, cursor: &cursor, builder: Builder::new(), constant: false };
    writer.region(0, cursor.len(), 0)
}

struct Writer<'c, 's, 't> {
    region: &'c Region<'s>,
    cursor: &'c Cursor<'t>,
    builder: Builder,
    /// A constant was seen.
    constant: bool,
}

impl<'s> Writer<'_, 's, '_> {
    fn region(mut self, from: usize, to: usize, depth: usize) -> Option<Region<'s>> {
        self.expression(from, to, depth);
        let span = self.region.to_source(self.cursor.span(from, to));
        self.constant.then(|| self.builder.finish(span))
    }

    fn expression(&mut self, from: usize, to: usize, depth: usize) {
        let mut start = from;
        let (mut at, mut cases) = (from, 0usize);
        while at < to {
            if self.cursor.is_word(at, "case") {
                cases += 1;
            } else if self.cursor.is_word(at, "end") {
                cases = cases.saturating_sub(1);
            } else if cases == 0 && self.cursor.is_operator(at, "||") {
                self.operand(start, at, depth);
                start = at + 1;
            }
            at = self.cursor.after(at);
        }
        self.operand(start, to, depth);
    }

    fn operand(&mut self, from: usize, to: usize, depth: usize) {
        if from >= to {
            return;
        }
        if depth < MAX_DEPTH && self.known(from, to, depth) {
            return;
        }
        let source = self.region.to_source(self.cursor.span(from, to));
        self.builder.push(SegmentKind::Hole, STAND_IN, source);
    }

    /// Writes an operand whose text is known, at least in part.
    fn known(&mut self, from: usize, to: usize, depth: usize) -> bool {
        let cursor = self.cursor;
        let ends = |end: usize| end == to || (end < to && cursor.is_operator(end, "::"));
        match cursor.kind(from) {
            Some(kind) if kind.is_string() => {
                let end = cursor.constant_end(from);
                ends(end) && self.constant(cursor.span(from, end))
            }
            Some(TokenKind::LeftParen) if cursor.is_paired(from) && ends(cursor.after(from)) => {
                self.expression(from + 1, cursor.after(from) - 1, depth + 1);
                true
            }
            Some(TokenKind::Word) => {
                let name = if cursor.is_word(from, "pg_catalog") && cursor.kind(from + 1) == Some(TokenKind::Dot) {
                    from + 2
                } else {
                    from
                };
                let open = name + 1;
                if cursor.kind(open) != Some(TokenKind::LeftParen)
                    || !cursor.is_paired(open)
                    || !ends(cursor.after(open))
                {
                    return false;
                }
                let arguments = cursor.list(open + 1, cursor.after(open) - 1);
                let called = cursor.text(name);
                if called.eq_ignore_ascii_case("format") {
                    self.format(&arguments, depth)
                } else if called.eq_ignore_ascii_case("concat") {
                    for (from, to) in arguments {
                        self.expression(from, to, depth + 1);
                    }
                    true
                } else {
                    false
                }
            }
            _ => false,
        }
    }

    fn constant(&mut self, span: SqlSpan) -> bool {
        let Some(text) = literal::string_region(self.region, span) else {
            return false;
        };
        text.copy(SqlSpan::new(0, text.text().len()), &mut self.builder);
        self.constant = true;
        true
    }

    /// `format(template, …)`
    fn format(&mut self, arguments: &[(usize, usize)], depth: usize) -> bool {
        let Some(&(from, to)) = arguments.first() else {
            return false;
        };
        let inner = Writer { region: self.region, cursor: self.cursor, builder: Builder::new(), constant: false };
        let Some(template) = inner.region(from, to, depth + 1) else {
            return false;
        };
        self.constant = true;
        let text = template.text();
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'%', &text.as_bytes()[at..]) {
            let start = at + found;
            template.copy(SqlSpan::new(at, start), &mut self.builder);
            let (length, value) = specifier(&text.as_bytes()[start..]);
            at = start + length;
            let span = SqlSpan::new(start, at);
            match value {
                Specifier::Percent => {
                    self.builder.push(SegmentKind::Escape, "%", template.to_source(span));
                }
                Specifier::Value => {
                    self.builder.push(SegmentKind::Hole, STAND_IN, template.to_source(span));
                }
                Specifier::Invalid => template.copy(span, &mut self.builder),
            }
        }
        template.copy(SqlSpan::new(at, text.len()), &mut self.builder);
        true
    }
}

enum Specifier {
    /// `%%`
    Percent,
    /// `%s`, `%I`, `%2$L`, `%-10s`, `%*s`
    Value,
    /// A percent sign that the server refuses: it stands for itself.
    Invalid,
}

/// The format specifier that `bytes`, which begin with a percent sign, begin with, and its length.
fn specifier(bytes: &[u8]) -> (usize, Specifier) {
    if bytes.get(1) == Some(&b'%') {
        return (2, Specifier::Percent);
    }
    let at =
        bytes.iter().skip(1).position(|b| !(b.is_ascii_digit() || b"$-*".contains(b))).map_or(bytes.len(), |n| n + 1);
    match bytes.get(at) {
        Some(b's' | b'I' | b'L') => (at + 1, Specifier::Value),
        _ => (1, Specifier::Invalid),
    }
}

#[cfg(test)]
mod tests;
