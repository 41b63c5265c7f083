//! What tokens are.

use crate::span::SqlSpan;

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

/// A token: kind and bytes of the region's text. Twelve bytes, for a dump has one for every few of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    start: u32,
    end: u32,
    /// What it is.
    pub kind: TokenKind,
}

impl Token {
    /// A token at `start..end`; both are at most [`MAX_LEN`](crate::source::MAX_LEN).
    pub(super) fn new(kind: TokenKind, start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end), kind }
    }

    /// Where it stands.
    pub const fn span(self) -> SqlSpan {
        SqlSpan::new(self.start as usize, self.end as usize)
    }
}

/// Words after which an operand may start, so that `?`, `%s`, `@x` and `:x` are placeholders and not operators.
pub(super) const OPENERS: &[&str] = &[
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
