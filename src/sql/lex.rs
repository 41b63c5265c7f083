//! A total lexer: tokens tile the text, whatever the text. It knows PostgreSQL's lexical structure
//! (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html>), psql's lines and variables, `COPY` data,
//! and the placeholder styles of drivers and templates, all at once and without configuration.

mod copy;
mod hole;
mod token;

pub use token::{Token, TokenKind};

use crate::source::MAX_LEN;
use crate::span::SqlSpan;
use memchr::memmem;
use std::cell::Cell;
use token::OPENERS;

/// How often a stray quote is cut out and the rest read again: each time costs the rest once more.
const MAX_RESTARTS: usize = 64;

/// The same for texts over [`LARGE`].
const MAX_RESTARTS_OF_LARGE: usize = 4;

/// A text of which a second reading takes a noticeable time, in bytes.
const LARGE: usize = 1 << 20;

/// How many bytes searches for an end that is not there may read, as a multiple of the text's length. Every search may
/// run to the end of the text, and hostile text opens something at every byte.
const MAX_VAIN: usize = 8;

/// The tokens of `text`, in order and without a gap.
pub fn lex(text: &str) -> Vec<Token> {
    lex_with_holes(text, &[])
}

/// The tokens of `text`, where `holes` are the sorted spans that the host language fills in at run time. What lies
/// beyond [`MAX_LEN`] has none.
pub fn lex_with_holes(text: &str, holes: &[SqlSpan]) -> Vec<Token> {
    let text = beginning(text, MAX_LEN);
    let mut lexer = Lexer::new(text, holes);
    lexer.run(0);
    // A stray quote turns every later string inside out. Its mark is a string that runs over a line end and holds what
    // begins a statement; cut the first of those at its line, go on from there, and see whether the end is whole.
    let mut floor = 0;
    let mut restarts = if text.len() > LARGE { MAX_RESTARTS_OF_LARGE } else { MAX_RESTARTS };
    while lexer.open && floor < text.len() && restarts > 0 {
        restarts -= 1;
        let Some(index) = lexer.first_suspect(floor) else {
            break;
        };
        let cut = lexer.tokens[index].span().start;
        lexer.tokens.truncate(index);
        lexer.open = false;
        lexer.token(TokenKind::Unterminated, cut, line_end(lexer.bytes, cut));
        floor = line_end(lexer.bytes, cut).max(cut + 1);
        lexer.run(floor);
    }
    lexer.tokens
}

/// At most `len` bytes of `text`, cut between characters.
pub fn beginning(text: &str, mut len: usize) -> &str {
    while !text.is_char_boundary(len.min(text.len())) {
        len -= 1;
    }
    &text[..len.min(text.len())]
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    holes: &'t [SqlSpan],
    tokens: Vec<Token>,
    /// Index of the last token that is no trivia.
    last: Option<usize>,
    /// Index of the first token of the current statement.
    statement: usize,
    brackets: usize,
    /// A quote was not closed before the end.
    open: bool,
    /// Bytes that were searched for an end that is not there.
    vain: Cell<usize>,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, holes: &'t [SqlSpan]) -> Self {
        let tokens = Vec::with_capacity(text.len() / 5);
        Self {
            text,
            bytes: text.as_bytes(),
            holes,
            tokens,
            last: None,
            statement: 0,
            brackets: 0,
            open: false,
            vain: Cell::new(0),
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn token(&mut self, kind: TokenKind, start: usize, end: usize) {
        if !kind.is_trivia() {
            self.last = Some(self.tokens.len());
        }
        self.tokens.push(Token::new(kind, start, end));
    }

    fn run(&mut self, from: usize) {
        self.last = self.tokens.iter().rposition(|t| !t.kind.is_trivia());
        self.statement = self.tokens.iter().rposition(|t| t.kind == TokenKind::Semicolon).map_or(0, |at| at + 1);
        self.brackets = 0;
        let mut at = from;
        while at < self.bytes.len() {
            let (kind, end) = self.next(at);
            let mut end = end.clamp(at + 1, self.bytes.len());
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            self.token(kind, at, end);
            at = end;
            match kind {
                TokenKind::Semicolon => {
                    self.brackets = 0;
                    at = self.copy_data(at, end);
                    self.statement = self.tokens.len();
                }
                TokenKind::PsqlCommand => {
                    at = self.copy_data(at, end);
                    self.statement = self.tokens.len();
                }
                _ => {}
            }
        }
    }

    fn next(&mut self, at: usize) -> (TokenKind, usize) {
        use TokenKind::*;
        if let Some(hole) = self.host_hole(at) {
            return self.glued(hole.end);
        }
        let (byte, second) = (self.byte(at), self.byte(at + 1));
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => (Whitespace, self.blank(at)),
            0xC2 if second == 0xA0 => (Whitespace, self.blank(at)),
            0xEF if self.bytes[at..].starts_with(b"\xEF\xBB\xBF") => (Whitespace, self.blank(at)),
            b'-' if second == b'-' => (Comment, line_end(self.bytes, at)),
            b'/' if second == b'*' => self.block_comment(at),
            b'\'' => self.quoted(at, at + 1, false, String),
            b'e' | b'E' if second == b'\'' => self.quoted(at, at + 2, true, EscapeString),
            b'b' | b'B' | b'x' | b'X' | b'n' | b'N' if second == b'\'' => self.quoted(at, at + 2, false, String),
            b'u' | b'U' if second == b'&' && self.byte(at + 2) == b'\'' => self.quoted(at, at + 3, false, String),
            b'u' | b'U' if second == b'&' && self.byte(at + 2) == b'"' => self.quoted(at, at + 3, false, QuotedIdent),
            b'"' => self.quoted(at, at + 1, false, QuotedIdent),
            b'$' if second.is_ascii_digit() => (Param, self.while_at(at + 1, |b| b.is_ascii_digit())),
            b'{' if matches!(second, b'%' | b'#') => match self.template_code(at, second) {
                Some(end) => (Comment, end),
                None => self.braced(at),
            },
            b'<' if second == b'%' => match self.find(at, b"%>") {
                Some(close) if self.byte(at + 2) == b'=' => self.glued(close + 2),
                Some(close) => (Comment, close + 2),
                None => self.operator(at),
            },
            b'$' if second == b'{' => self.braced(at),
            b'{' => self.braced(at),
            b'#' if second == b'{' && self.braces(at + 1).is_some() => self.braced(at),
            b'$' => self.dollar(at),
            b';' => (Semicolon, at + 1),
            b'(' => (LeftParen, at + 1),
            b')' => (RightParen, at + 1),
            b'[' => {
                self.brackets += 1;
                (LeftBracket, at + 1)
            }
            b']' => {
                self.brackets = self.brackets.saturating_sub(1);
                (RightBracket, at + 1)
            }
            b',' => (Comma, at + 1),
            b'\\' if second == b';' => (PsqlSeparator, at + 2),
            b'\\' => (PsqlCommand, line_end(self.bytes, at)),
            b':' if matches!(second, b':' | b'=') => (Operator, at + 2),
            b':' => match hole::placeholder(self.bytes, at) {
                Some(end) if self.brackets == 0 || !self.after_operand() => (Hole, end),
                _ => (Colon, at + 1),
            },
            // The second dot of `1..10` begins no number.
            b'.' if second.is_ascii_digit() && !self.after_operand() && !self.text[..at].ends_with('.') => {
                (Number, self.number(at))
            }
            b'.' => (Dot, at + 1),
            b'0'..=b'9' => (Number, self.number(at)),
            _ if hole::is_ident_start(byte) => (Word, self.word_rest(at)),
            _ if hole::is_operator(byte) => self.operator(at),
            _ => (Other, at + 1),
        }
    }

    fn host_hole(&self, at: usize) -> Option<SqlSpan> {
        let index = self.holes.partition_point(|h| h.start < at);
        self.holes.get(index).copied().filter(|h| h.start == at && !h.is_empty())
    }

    fn while_at(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes[from.min(self.bytes.len())..].iter().position(|&b| !test(b)).map_or(self.bytes.len(), |n| from + n)
    }

    fn blank(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => at += 1,
                0xC2 if self.byte(at + 1) == 0xA0 => at += 2,
                0xEF if self.bytes[at..].starts_with(b"\xEF\xBB\xBF") => at += 3,
                _ => return at,
            }
        }
    }

    /// Whether a search that may be in vain is still worth its time.
    fn may_search(&self) -> bool {
        self.vain.get() <= MAX_VAIN * self.bytes.len() + LARGE
    }

    /// Counts the bytes of a search in vain.
    fn in_vain(&self, bytes: usize) {
        self.vain.set(self.vain.get().saturating_add(bytes));
    }

    /// Where `needle` stands next.
    fn find(&self, from: usize, needle: &[u8]) -> Option<usize> {
        let rest = self.bytes.get(from..).filter(|_| self.may_search())?;
        let found = memmem::find(rest, needle);
        if found.is_none() {
            self.in_vain(rest.len());
        }
        found.map(|n| from + n)
    }

    /// The end of the balanced braces that open at `at`.
    fn braces(&self, at: usize) -> Option<usize> {
        if !self.may_search() {
            return None;
        }
        hole::braces(self.bytes, at).inspect_err(|end| self.in_vain(end - at)).ok()
    }

    fn block_comment(&mut self, start: usize) -> (TokenKind, usize) {
        let (mut at, mut depth) = (start + 2, 1usize);
        if !self.may_search() {
            return (TokenKind::Unterminated, line_end(self.bytes, start));
        }
        while let Some(n) = memchr::memchr2(b'/', b'*', self.bytes.get(at..).unwrap_or_default()) {
            at += n;
            match (self.byte(at), self.byte(at + 1)) {
                (b'/', b'*') => {
                    depth += 1;
                    at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return (TokenKind::Comment, at);
                    }
                }
                _ => at += 1,
            }
        }
        self.in_vain(self.bytes.len() - start);
        (TokenKind::Unterminated, line_end(self.bytes, start))
    }

    /// A quoted token that opens with the byte before `from`; a doubled quote stands for one.
    fn quoted(&mut self, start: usize, from: usize, backslash: bool, kind: TokenKind) -> (TokenKind, usize) {
        let quote = self.bytes[from - 1];
        let mut at = from;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let found = if backslash { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) };
            let Some(n) = found else {
                self.open = true;
                return (TokenKind::Unterminated, line_end(self.bytes, start).max(from));
            };
            at += n + 1;
            // An escaped character, or a doubled quote.
            if self.bytes[at - 1] == b'\\' || self.byte(at) == quote {
                at += 1;
            } else {
                return (kind, at);
            }
        }
    }

    fn template_code(&self, at: usize, mark: u8) -> Option<usize> {
        let close = if mark == b'%' { &b"%}"[..] } else { b"#}" };
        self.find(at + 2, close).map(|close| close + 2)
    }

    fn braced(&mut self, at: usize) -> (TokenKind, usize) {
        match self.braces(if self.byte(at) == b'{' { at } else { at + 1 }) {
            Some(end) => self.glued(end),
            None => (TokenKind::Other, at + 1),
        }
    }

    /// A hole that ends at `end`, or the identifier that it begins: `{x}_lock`.
    fn glued(&self, end: usize) -> (TokenKind, usize) {
        if hole::is_ident(self.byte(end)) && self.byte(end) != b'$' || self.hole_at(end).is_some() {
            return (TokenKind::Word, self.word_rest(end));
        }
        (TokenKind::Hole, end)
    }

    /// The end of a hole that may stand inside an identifier, if one begins at `at`.
    fn hole_at(&self, at: usize) -> Option<usize> {
        if let Some(hole) = self.host_hole(at) {
            return Some(hole.end);
        }
        match (self.byte(at), self.byte(at + 1)) {
            (b'{', b'%' | b'#') => None,
            (b'{', _) => self.braces(at),
            (b'$' | b'#', b'{') => self.braces(at + 1),
            _ => None,
        }
    }

    fn word_rest(&self, mut at: usize) -> usize {
        loop {
            // Nothing else than more of the word begins with these.
            if self.holes.is_empty() {
                at = self.while_at(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            }
            if let Some(end) = self.hole_at(at) {
                at = end;
            } else if hole::is_ident(self.byte(at))
                && at < self.bytes.len()
                && !self.bytes[at..].starts_with(b"\xC2\xA0")
                && !self.bytes[at..].starts_with(b"\xEF\xBB\xBF")
            {
                at += 1;
            } else {
                return at;
            }
        }
    }

    fn dollar(&mut self, at: usize) -> (TokenKind, usize) {
        if let Some(end) = hole::marked(self.bytes, at) {
            return self.glued(end);
        }
        let tag_end = self.while_at(at + 1, |b| hole::is_ident(b) && b != b'$');
        if self.byte(tag_end) != b'$' {
            return if tag_end > at + 1 { (TokenKind::Hole, tag_end) } else { (TokenKind::Other, at + 1) };
        }
        let tag = &self.bytes[at..=tag_end];
        match self.find(tag_end + 1, tag) {
            Some(close) => (TokenKind::DollarString, close + tag.len()),
            // The body of a quote that is never closed is lexed as what it is.
            None => (TokenKind::Unterminated, tag_end + 1),
        }
    }

    fn number(&self, start: usize) -> usize {
        let radix = self.byte(start) == b'0' && matches!(self.byte(start + 1), b'x' | b'X' | b'o' | b'O' | b'b' | b'B');
        let mut at = start;
        loop {
            match self.byte(at) {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => at += 1,
                // `1..10` is two numbers.
                b'.' if !radix && self.byte(at + 1) != b'.' => at += 1,
                b'+' | b'-'
                    if !radix
                        && at > start
                        && matches!(self.bytes[at - 1], b'e' | b'E')
                        && self.byte(at + 1).is_ascii_digit() =>
                {
                    at += 1;
                }
                _ => return at,
            }
        }
    }

    fn operator(&self, start: usize) -> (TokenKind, usize) {
        // `%(name)s`, `%NAME%` and `@extschema@` are no operators anywhere.
        if matches!(self.byte(start), b'%' | b'@')
            && let Some(end) = hole::always(self.bytes, start)
        {
            return self.glued(end);
        }
        if !self.after_operand()
            && let Some(end) = hole::placeholder(self.bytes, start)
        {
            return (TokenKind::Hole, end);
        }
        let mut at = start;
        while hole::is_operator(self.byte(at)) {
            let rest = &self.bytes[at..];
            let comment = rest.starts_with(b"--") || rest.starts_with(b"/*");
            if comment || at > start && hole::glued_placeholder(self.bytes, start, at) {
                break;
            }
            at += 1;
        }
        // An operator of several characters ends in + or - only with one of ~!@#%^&|`? in it.
        let special = |bytes: &[u8]| bytes.iter().any(|b| b"~!@#%^&|`?".contains(b));
        while at > start + 1 && matches!(self.bytes[at - 1], b'+' | b'-') && !special(&self.bytes[start..at]) {
            at -= 1;
        }
        (TokenKind::Operator, at)
    }

    /// Whether the last token ends an operand, so that what follows is an operator.
    fn after_operand(&self) -> bool {
        use TokenKind::*;
        let Some(last) = self.last.map(|index| self.tokens[index]) else {
            return false;
        };
        match last.kind {
            Word => {
                let word = &self.text[last.span().range()];
                !OPENERS.iter().any(|opener| word.eq_ignore_ascii_case(opener))
            }
            QuotedIdent | String | EscapeString | DollarString | Number | Param | Hole | RightParen | RightBracket => {
                true
            }
            _ => false,
        }
    }

    /// The first string at or after byte `floor` that runs over a line end and holds the beginning of a statement.
    fn first_suspect(&self, floor: usize) -> Option<usize> {
        let from = self.tokens.partition_point(|t| t.span().start < floor);
        (from..self.tokens.len()).find(|&index| {
            let token = self.tokens[index];
            matches!(token.kind, TokenKind::String | TokenKind::QuotedIdent)
                && holds_statement(&self.text[token.span().range()])
        })
    }
}

/// Whether a line inside `text` begins like a statement, after one that ends like one.
fn holds_statement(text: &str) -> bool {
    const VERBS: &[&str] = &[
        "select", "insert", "update", "delete", "with", "create", "alter", "drop", "begin", "commit", "rollback",
        "set", "do", "end", "perform", "grant", "comment", "merge", "values", "truncate", "call", "--",
    ];
    let mut parts = text.split('\n');
    let mut ended = parts.next().is_some_and(|line| line.trim_end().ends_with(';'));
    for line in parts {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if ended && VERBS.iter().any(|verb| line.get(..verb.len()).is_some_and(|head| head.eq_ignore_ascii_case(verb)))
        {
            return true;
        }
        ended = line.ends_with(';');
    }
    false
}

/// The end of the line that holds `at`, its line break left out.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', bytes.get(at..).unwrap_or_default()).map_or(bytes.len(), |n| at + n)
}

#[cfg(test)]
mod tests;
