//! SQL that sqlparser reads: the same bytes with what it cannot read masked out, in one line of ASCII, so that column
//! minus one is the offset. It is asked for structure alone; names and constants are read from the tokens at its
//! offsets.

use crate::sql::clause::{Tokens, Tree};
use crate::sql::lex::{Token, TokenKind};
use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Tokenizer};

/// How many operators may follow one another: sqlparser's trees recurse to the left without a bound, also when they
/// are dropped.
const MAX_OPERATORS: usize = 400;

/// How deep parentheses may nest: sqlparser gives up a little earlier.
const MAX_DEPTH: usize = 60;

/// What sqlparser makes of a range of tokens, and where the range begins.
pub(super) struct Parsed<T> {
    pub(super) node: T,
    /// Offset in the text of the masked text's first byte.
    base: usize,
}

impl<T> Parsed<T> {
    /// The token at, or else before, the beginning of `span`.
    pub(super) fn token(&self, tree: &Tree<'_>, span: Span) -> Option<usize> {
        let offset = self.base + usize::try_from(span.start.column).ok()?.checked_sub(1)?;
        if span.start.line != 1 {
            return None;
        }
        tree.tokens().partition_point(|token| token.span().start <= offset).checked_sub(1)
    }
}

/// The expression that a range of tokens is; none where sqlparser does not accept it.
pub(super) fn expression(tree: &Tree<'_>, tokens: &Tokens) -> Option<Parsed<Expr>> {
    parse(tree, tokens, |parser| {
        let node = parser.parse_expr().ok()?;
        (parser.peek_token().token == sqlparser::tokenizer::Token::EOF).then_some(node)
    })
}

/// The statement that a range of tokens is; none where sqlparser does not accept it.
pub(super) fn statement(tree: &Tree<'_>, tokens: &Tokens) -> Option<Parsed<Statement>> {
    parse(tree, tokens, |parser| {
        let node = parser.parse_statement().ok()?;
        (parser.peek_token().token == sqlparser::tokenizer::Token::EOF).then_some(node)
    })
}

fn parse<T>(tree: &Tree<'_>, tokens: &Tokens, read: impl Fn(&mut Parser<'_>) -> Option<T>) -> Option<Parsed<T>> {
    let text = mask(tree, tokens)?;
    let dialect = PostgreSqlDialect {};
    let tokens_of_text = Tokenizer::new(&dialect, &text).with_unescape(false).tokenize_with_location().ok()?;
    let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens_of_text);
    Some(Parsed { node: read(&mut parser)?, base: tree.span(tokens).start })
}

/// The masked text of a range: holes become names, constants lose their content, nested queries become `(____)`.
/// None where a token is foreign to SQL or operators are too many.
fn mask(tree: &Tree<'_>, tokens: &Tokens) -> Option<String> {
    let span = tree.span(tokens);
    if span.is_empty() || nests_too_deep(tree, tokens) {
        return None;
    }
    let mut mask = Mask { base: span.start, bytes: vec![b' '; span.len()] };
    let mut operators = 0;
    let mut at = tokens.start;
    while at < tokens.end {
        let token = *tree.tokens().get(at)?;
        match token.kind {
            TokenKind::Other | TokenKind::Unterminated | TokenKind::PsqlCommand | TokenKind::CopyData => {
                return None;
            }
            TokenKind::LeftParen if tree.opens_query(at) => {
                let close = tree.partner(at).filter(|close| *close < tokens.end)?;
                mask.query(tree, at, close);
                at = close + 1;
                continue;
            }
            TokenKind::String | TokenKind::EscapeString | TokenKind::DollarString => {
                let last = continued(tree, at, tokens.end);
                mask.string(token, tree.tokens()[last]);
                at = last + 1;
                continue;
            }
            TokenKind::Hole => mask.fill(token.span().start, token.span().end, b'_'),
            TokenKind::QuotedIdent => mask.quoted(token, tree.raw(at)),
            TokenKind::Word if matches!(tree.word(at), "variadic" | "symmetric") => {}
            kind => {
                operators += usize::from(kind == TokenKind::Operator || matches!(tree.word(at), "and" | "or"));
                mask.copy(token, tree.raw(at));
            }
        }
        at += 1;
    }
    if operators > MAX_OPERATORS {
        return None;
    }
    String::from_utf8(mask.bytes).ok()
}

fn nests_too_deep(tree: &Tree<'_>, tokens: &Tokens) -> bool {
    let mut depth = 0usize;
    tokens.clone().any(|index| {
        match tree.kind(index) {
            Some(TokenKind::LeftParen | TokenKind::LeftBracket) => depth += 1,
            Some(TokenKind::RightParen | TokenKind::RightBracket) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// The last token of a string constant: `'a'`, a line end, and `'b'` are one.
pub(super) fn continued(tree: &Tree<'_>, first: usize, end: usize) -> usize {
    let mut last = first;
    while last + 1 < end
        && matches!(tree.kind(first), Some(TokenKind::String | TokenKind::EscapeString))
        && tree.kind(last + 1) == Some(TokenKind::String)
        && tree.raw(last + 1).starts_with('\'')
    {
        let gap = tree.tokens()[last].span().end..tree.tokens()[last + 1].span().start;
        if !tree.text().get(gap).is_some_and(|gap| gap.contains('\n')) {
            break;
        }
        last += 1;
    }
    last
}

struct Mask {
    base: usize,
    bytes: Vec<u8>,
}

impl Mask {
    fn fill(&mut self, start: usize, end: usize, byte: u8) {
        if let Some(bytes) = self.bytes.get_mut(start - self.base..end - self.base) {
            bytes.fill(byte);
        }
    }

    fn set(&mut self, at: usize, byte: u8) {
        self.fill(at, at + 1, byte);
    }

    /// A word keeps its letters, and every other token its ASCII characters.
    fn copy(&mut self, token: Token, text: &str) {
        let word = token.kind == TokenKind::Word;
        for (index, byte) in text.bytes().enumerate() {
            let keep = if word {
                byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' && index > 0
            } else {
                byte.is_ascii_graphic()
            };
            self.set(token.span().start + index, if keep { byte } else { b'_' });
        }
    }

    fn quoted(&mut self, token: Token, text: &str) {
        // `U&"…"` becomes `"…"`.
        let open = token.span().start + text.find('"').unwrap_or(0);
        self.fill(open, token.span().end, b'x');
        self.set(open, b'"');
        self.set(token.span().end - 1, b'"');
    }

    fn string(&mut self, first: Token, last: Token) {
        let (start, end) = (first.span().start, last.span().end);
        self.fill(start, end, b'x');
        self.set(start, b'\'');
        self.set(end - 1, b'\'');
    }

    fn query(&mut self, tree: &Tree<'_>, open: usize, close: usize) {
        let (start, end) = (tree.tokens()[open].span().start, tree.tokens()[close].span().end);
        self.fill(start, end, b'_');
        self.set(start, b'(');
        self.set(end - 1, b')');
        if let Some(before) = open.checked_sub(1)
            && matches!(tree.word(before), "exists" | "array")
        {
            let word = tree.tokens()[before].span();
            if word.start >= self.base {
                self.fill(word.start, word.end, b'_');
            }
        }
    }
}
