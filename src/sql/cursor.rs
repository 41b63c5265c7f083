//! Walking over the tokens that are no trivia, with every parenthesis group known beforehand.

use super::lex::{Token, TokenKind};
use super::literal;
use crate::span::SqlSpan;

/// Tokens `start..end` of the slice that was parsed, by index, without trivia at either end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Index of the first token.
    pub start: usize,
    /// One past the index of the last token.
    pub end: usize,
}

impl Tokens {
    /// The tokens themselves, trivia between them included.
    pub fn of(self, tokens: &[Token]) -> &[Token] {
        tokens.get(self.start..self.end).unwrap_or_default()
    }

    /// The bytes they cover; an empty run stands after the token before it.
    pub fn span(self, tokens: &[Token]) -> SqlSpan {
        match self.of(tokens) {
            [first, .., last] => first.span().join(last.span()),
            [only] => only.span(),
            [] => {
                let before = self.start.checked_sub(1).and_then(|before| tokens.get(before));
                let at = before.map_or(0, |token| token.span().end);
                SqlSpan::new(at, at)
            }
        }
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// A view of the significant tokens. Positions count these alone; [`Tokens`] leads back to the whole slice.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    tokens: &'t [Token],
    significant: Vec<usize>,
    /// Of a parenthesis or bracket, the position of its partner; of everything else its own.
    partner: Vec<usize>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        let significant: Vec<usize> = (0..tokens.len()).filter(|&i| !tokens[i].kind.is_trivia()).collect();
        let mut partner: Vec<usize> = (0..significant.len()).collect();
        let (mut parens, mut brackets) = (Vec::new(), Vec::new());
        for (at, &index) in significant.iter().enumerate() {
            let opened = match tokens[index].kind {
                TokenKind::LeftParen => {
                    parens.push(at);
                    continue;
                }
                TokenKind::LeftBracket => {
                    brackets.push(at);
                    continue;
                }
                TokenKind::RightParen => parens.pop(),
                TokenKind::RightBracket => brackets.pop(),
                _ => continue,
            };
            if let Some(open) = opened {
                partner[open] = at;
                partner[at] = open;
            }
        }
        Self { text, tokens, significant, partner }
    }

    /// Number of significant tokens.
    pub(super) fn len(&self) -> usize {
        self.significant.len()
    }

    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.significant.get(at).map(|&index| self.tokens[index].kind)
    }

    /// Whether every parenthesis and bracket has its partner.
    pub(super) fn is_balanced(&self) -> bool {
        (0..self.len()).all(|at| {
            use TokenKind::{LeftBracket, LeftParen, RightBracket, RightParen};
            let opens = matches!(self.kind(at), Some(LeftParen | RightParen | LeftBracket | RightBracket));
            !opens || self.is_paired(at)
        })
    }

    /// The token's text; empty past the end.
    pub(super) fn text(&self, at: usize) -> &'t str {
        self.significant.get(at).and_then(|&index| self.text.get(self.tokens[index].span().range())).unwrap_or_default()
    }

    /// An unquoted word that follows no dot, so that it may be a keyword.
    pub(super) fn word(&self, at: usize) -> Option<&'t str> {
        let qualified = at > 0 && self.kind(at - 1) == Some(TokenKind::Dot);
        (self.kind(at) == Some(TokenKind::Word) && !qualified).then(|| self.text(at))
    }

    pub(super) fn is_word(&self, at: usize, keyword: &str) -> bool {
        self.word(at).is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }

    pub(super) fn is_any(&self, at: usize, keywords: &[&str]) -> bool {
        self.word(at).is_some_and(|word| keywords.iter().any(|k| word.eq_ignore_ascii_case(k)))
    }

    pub(super) fn is_operator(&self, at: usize, operator: &str) -> bool {
        self.kind(at) == Some(TokenKind::Operator) && self.text(at) == operator
    }

    /// What may name a variable: an identifier, `$1`, or a hole.
    pub(super) fn is_name(&self, at: usize) -> bool {
        use TokenKind::{Hole, Param, QuotedIdent, Word};
        matches!(self.kind(at), Some(Word | QuotedIdent | Param | Hole))
    }

    /// Whether `at` opens or closes a group whose other end exists.
    pub(super) fn is_paired(&self, at: usize) -> bool {
        self.partner.get(at).is_some_and(|&other| other != at)
    }

    /// The position after `at`, or after the whole group that opens there.
    pub(super) fn after(&self, at: usize) -> usize {
        self.partner.get(at).map_or(at, |&other| other.max(at)) + 1
    }

    /// The first position from `from`, outside every group, that is `;` or one of `keywords`; else the end.
    pub(super) fn until(&self, from: usize, keywords: &[&str]) -> usize {
        let mut at = from;
        while let Some(kind) = self.kind(at) {
            if kind == TokenKind::Semicolon || self.is_any(at, keywords) {
                return at;
            }
            at = self.after(at);
        }
        self.len()
    }

    /// `from..to` cut at the commas outside every group. Nothing gives nothing.
    pub(super) fn list(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let (mut parts, mut start, mut at) = (Vec::new(), from, from);
        while at < to {
            if self.kind(at) == Some(TokenKind::Comma) {
                parts.push((start, at));
                start = at + 1;
            }
            at = self.after(at);
        }
        if start < to || !parts.is_empty() {
            parts.push((start, to.max(start)));
        }
        parts
    }

    /// The end of `a`, `a.b`, `a.b[1].c` from `from`; `from` itself where no name begins.
    pub(super) fn path_end(&self, from: usize) -> usize {
        if !self.is_name(from) {
            return from;
        }
        let mut at = from + 1;
        loop {
            match self.kind(at) {
                Some(TokenKind::Dot) if self.is_name(at + 1) => at += 2,
                Some(TokenKind::LeftBracket) if self.is_paired(at) => at = self.after(at),
                _ => return at,
            }
        }
    }

    /// One past the string constant at `at` and the pieces that continue it on later lines.
    pub(super) fn constant_end(&self, at: usize) -> usize {
        let Some(&index) = self.significant.get(at) else {
            return at;
        };
        let end = literal::constant_end(self.text, self.tokens, index);
        at + self.significant[at..].iter().take_while(|&&i| i < end).count()
    }

    pub(super) fn tokens(&self, from: usize, to: usize) -> Tokens {
        let after = |at: usize| {
            let last = at.min(self.len()).checked_sub(1);
            last.map_or(0, |last| self.significant[last] + 1)
        };
        match self.significant.get(from) {
            Some(&start) if from < to => Tokens { start, end: after(to) },
            _ => Tokens { start: after(from), end: after(from) },
        }
    }

    pub(super) fn span(&self, from: usize, to: usize) -> SqlSpan {
        self.tokens(from, to).span(self.tokens)
    }

    /// The text of `from..to` with identifiers as the server folds them, and one space where trivia stood.
    pub(super) fn folded(&self, from: usize, to: usize) -> String {
        let mut out = String::new();
        for at in from..to.min(self.len()) {
            if at > from && self.significant[at] > self.significant[at - 1] + 1 {
                out.push(' ');
            }
            match self.kind(at) {
                Some(TokenKind::Word | TokenKind::QuotedIdent) => {
                    out.push_str(&literal::identifier(self.text(at)));
                }
                _ => out.push_str(self.text(at)),
            }
        }
        out
    }
}
