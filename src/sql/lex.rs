//! A total lexer: tokens tile the text, whatever the text. It knows PostgreSQL's lexical structure
//! (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html>), psql's lines and variables, `COPY` data,
//! and the placeholder styles of drivers and templates, all at once and without configuration.

mod hole;

use crate::span::SqlSpan;
use memchr::memmem;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// White space, with U+FEFF and U+00A0.
    Whitespace,
    /// `-- …`, `/* … */` nested, and template code that leaves no text (`{% … %}`, `{# … #}`, `<% … %>`).
    Comment,
    /// A keyword or an unquoted identifier; holes glued to it belong to it.
    Word,
    /// `"…"`, `U&"…"`.
    QuotedIdent,
    /// `'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`.
    String,
    /// `E'…'`.
    EscapeString,
    /// `$tag$ … $tag$`.
    DollarString,
    /// A numeric constant.
    Number,
    /// `$1`.
    Param,
    /// Text known only at run time: `?`, `%s`, `%(x)s`, `:x`, `:'x'`, `@x`, `#{x}`, `${x}`, `{x}`, `{{ x }}`, `<%= x %>`,
    /// and what the host language interpolates.
    Hole,
    /// An operator, `::` and `:=` included.
    Operator,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `:` that begins no variable.
    Colon,
    /// `;`
    Semicolon,
    /// `\command …` to the end of its line.
    PsqlCommand,
    /// `\;`: psql sends what stands on both sides as one string.
    PsqlSeparator,
    /// The lines after `COPY … FROM stdin;` up to and with `\.`.
    CopyData,
    /// A quote that is never closed, up to the end of its line.
    Unterminated,
    /// Any other character, such as a backtick.
    Other,
}

impl TokenKind {
    /// White space or comment: nothing to the parser.
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Whitespace | Self::Comment)
    }

    /// A string constant of any spelling.
    pub const fn is_string(self) -> bool {
        matches!(self, Self::String | Self::EscapeString | Self::DollarString)
    }
}

/// A token: kind and bytes of the region's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: SqlSpan,
}

/// Words after which an operand may start, so that `?`, `%s`, `@x` and `:x` are placeholders and not operators.
const OPENERS: &[&str] = &[
    "all",
    "and",
    "any",
    "array",
    "as",
    "between",
    "both",
    "by",
    "case",
    "collate",
    "date",
    "distinct",
    "else",
    "elsif",
    "escape",
    "execute",
    "exists",
    "fetch",
    "first",
    "for",
    "from",
    "having",
    "if",
    "ilike",
    "in",
    "interval",
    "into",
    "is",
    "join",
    "leading",
    "like",
    "limit",
    "next",
    "not",
    "offset",
    "on",
    "only",
    "or",
    "perform",
    "placing",
    "return",
    "returning",
    "select",
    "set",
    "similar",
    "some",
    "symmetric",
    "table",
    "then",
    "timestamp",
    "timestamptz",
    "to",
    "trailing",
    "update",
    "using",
    "values",
    "variadic",
    "when",
    "where",
    "while",
    "zone",
];

/// The tokens of `text`, in order and without a gap.
pub fn lex(text: &str) -> Vec<Token> {
    lex_with_holes(text, &[])
}

/// The tokens of `text`, where `holes` are the sorted spans that the host language fills in at run time.
pub fn lex_with_holes(text: &str, holes: &[SqlSpan]) -> Vec<Token> {
    let mut lexer = Lexer::new(text, holes);
    lexer.run(0);
    // A stray quote turns every later string inside out. Its mark is a string that runs over a line end and holds what
    // begins a statement; cut the first of those at its line, go on from there, and see whether the end is whole.
    let mut floor = 0;
    while lexer.open && floor < text.len() {
        let Some(index) = lexer.first_suspect(floor) else {
            break;
        };
        let cut = lexer.tokens[index].span.start;
        lexer.tokens.truncate(index);
        lexer.open = false;
        lexer.token(TokenKind::Unterminated, cut, line_end(lexer.bytes, cut));
        floor = line_end(lexer.bytes, cut).max(cut + 1);
        lexer.run(floor);
    }
    lexer.tokens
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
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, holes: &'t [SqlSpan]) -> Self {
        let tokens = Vec::with_capacity(text.len() / 5);
        Self { text, bytes: text.as_bytes(), holes, tokens, last: None, statement: 0, brackets: 0, open: false }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn token(&mut self, kind: TokenKind, start: usize, end: usize) {
        if !kind.is_trivia() {
            self.last = Some(self.tokens.len());
        }
        self.tokens.push(Token { kind, span: SqlSpan::new(start, end) });
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
            b'<' if second == b'%' => match memmem::find(&self.bytes[at..], b"%>") {
                Some(n) if self.byte(at + 2) == b'=' => self.glued(at + n + 2),
                Some(n) => (Comment, at + n + 2),
                None => self.operator(at),
            },
            b'$' if second == b'{' => self.braced(at),
            b'{' => self.braced(at),
            b'#' if second == b'{' && hole::braces(self.bytes, at + 1).is_some() => self.braced(at),
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

    fn block_comment(&mut self, start: usize) -> (TokenKind, usize) {
        let (mut at, mut depth) = (start + 2, 1usize);
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
        memmem::find(self.bytes.get(at + 2..)?, close).map(|n| at + 2 + n + 2)
    }

    fn braced(&mut self, at: usize) -> (TokenKind, usize) {
        match hole::braces(self.bytes, if self.byte(at) == b'{' { at } else { at + 1 }) {
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
            (b'{', _) => hole::braces(self.bytes, at),
            (b'$' | b'#', b'{') => hole::braces(self.bytes, at + 1),
            _ => None,
        }
    }

    fn word_rest(&self, mut at: usize) -> usize {
        loop {
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
        let tag_end = self.while_at(at + 1, |b| hole::is_ident(b) && b != b'$');
        if self.byte(tag_end) != b'$' {
            return if tag_end > at + 1 { (TokenKind::Hole, tag_end) } else { (TokenKind::Other, at + 1) };
        }
        let tag = &self.bytes[at..=tag_end];
        match memmem::find(&self.bytes[tag_end + 1..], tag) {
            Some(n) => (TokenKind::DollarString, tag_end + 1 + n + tag.len()),
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
        // `%(name)s` and `%NAME%` are no operators anywhere.
        if self.byte(start) == b'%'
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
                let word = &self.text[last.span.range()];
                !OPENERS.iter().any(|opener| word.eq_ignore_ascii_case(opener))
            }
            QuotedIdent | String | EscapeString | DollarString | Number | Param | Hole | RightParen | RightBracket => {
                true
            }
            _ => false,
        }
    }

    /// If the statement just ended is `COPY … FROM stdin`, its data become one token.
    fn copy_data(&mut self, at: usize, end: usize) -> usize {
        if !self.is_copy_from_stdin() {
            return at;
        }
        let Some(data_end) = copy_data_end(self.bytes, end) else {
            return at;
        };
        let line = line_end(self.bytes, end);
        if line > end {
            self.token(TokenKind::Comment, end, line);
        }
        self.token(TokenKind::CopyData, line, data_end);
        data_end
    }

    fn is_copy_from_stdin(&self) -> bool {
        let last = self.tokens.last().map(|t| &self.text[t.span.range()]);
        if let Some(line) = last.filter(|line| line.starts_with('\\')) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            return words[0].eq_ignore_ascii_case("\\copy")
                && words.windows(2).any(|w| w[0].eq_ignore_ascii_case("from") && w[1].eq_ignore_ascii_case("stdin"));
        }
        let mut words = self.tokens[self.statement..]
            .iter()
            .filter(|t| t.kind == TokenKind::Word)
            .map(|t| &self.text[t.span.range()]);
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("copy")) {
            return false;
        }
        let mut from = false;
        for word in words {
            if from && word.eq_ignore_ascii_case("stdin") {
                return true;
            }
            from = word.eq_ignore_ascii_case("from");
        }
        false
    }

    /// The first string at or after byte `floor` that runs over a line end and holds the beginning of a statement.
    fn first_suspect(&self, floor: usize) -> Option<usize> {
        let from = self.tokens.partition_point(|t| t.span.start < floor);
        (from..self.tokens.len()).find(|&index| {
            let token = self.tokens[index];
            matches!(token.kind, TokenKind::String | TokenKind::QuotedIdent)
                && holds_statement(&self.text[token.span.range()])
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

/// The end of the `COPY` data that begins on the line after `at`: after `\.`. None where the next line is blank, a
/// comment or another command, or where no `\.` comes.
fn copy_data_end(bytes: &[u8], at: usize) -> Option<usize> {
    let line = line_end(bytes, at);
    let rest = bytes[at..line].trim_ascii();
    if !rest.is_empty() && !rest.starts_with(b"--") {
        return None;
    }
    let mut first = true;
    let mut start = line + 1;
    if bytes.get(line) == Some(&b'\r') && bytes.get(start) == Some(&b'\n') {
        start += 1;
    }
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n);
        let text = bytes[start..end].trim_ascii_end();
        if text == b"\\." {
            return Some(start + 2);
        }
        if first && (text.is_empty() || text.starts_with(b"--")) {
            return None;
        }
        first = false;
        start = end + 1;
    }
    None
}

#[cfg(test)]
mod tests;
