//! The clause tree of one statement, built from its tokens alone: queries by parenthesis group, their clauses, tables,
//! conditions and locking clauses, each as a range of tokens. Building never fails; what is not understood makes the
//! tree incomplete and leaves the rest as it is.

mod build;
mod call;
mod conjunct;
mod dead;
mod dml;
mod from;
mod node;
mod open;
mod reach;
mod scope;
mod tail;
mod verb;

pub use call::Call;
pub use node::{
    Clause, Conjunct, Cte, Dml, DmlKind, Fetch, FromItem, Join, LockTarget, Query, QueryId, RowLock, Select, Strength,
    Term, Wait, Wrap,
};
pub use reach::Reach;
pub use scope::Evaluation;
pub use verb::{Characteristics, Isolation, Object, SetScope, Verb};

use crate::span::SqlSpan;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::literal::identifier;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// A range of a tree's tokens, which are those of the statement that are no trivia.
pub type Tokens = Range<usize>;

/// How deep parentheses may nest before their content is left unread: readers of a tree recurse.
const MAX_DEPTH: usize = 200;

/// How a statement begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// With its verb.
    Statement,
    /// As if `SELECT` stood before it: PL/pgSQL's expressions, and what follows its `PERFORM` (the word itself may be
    /// there).
    SelectList,
}

/// The clause tree of one statement.
#[derive(Debug)]
pub struct Tree<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The statement in lower case, and where it begins in the text.
    lower: Cow<'t, str>,
    base: usize,
    /// For every bracket its partner, for every other token itself. In 32 bits: one INSERT may be a whole dump.
    partners: Vec<u32>,
    /// For every `(` whether a query begins after it.
    opens_query: Vec<bool>,
    queries: Vec<Query>,
    roots: Vec<QueryId>,
    /// The query that each `(` opens.
    opened: HashMap<usize, QueryId>,
    /// For every token of an expression the query and clause it stands in.
    places: Vec<Place>,
    evaluations: Vec<Evaluation>,
    /// Read when first asked for: most statements of a dump are never asked.
    calls: OnceLock<Vec<Call>>,
    verb: Verb,
    complete: bool,
}

impl<'t> Tree<'t> {
    /// The tree of the statement `tokens` of `text`.
    pub fn build(text: &'t str, tokens: &[Token], entry: Entry) -> Self {
        build::build(text, tokens, entry)
    }

    /// The tokens and their brackets; no query is read yet.
    fn skeleton(text: &'t str, tokens: &[Token]) -> Self {
        let tokens: Vec<Token> = tokens.iter().copied().filter(|t| !t.kind.is_trivia()).collect();
        let base = tokens.first().map_or(0, |token| token.span().start);
        let end = tokens.last().map_or(base, |token| token.span().end);
        let lower = lower(text.get(base..end).unwrap_or(""));
        let mut complete = !tokens.iter().any(|t| matches!(t.kind, TokenKind::Other | TokenKind::Unterminated));
        let narrow = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let mut partners: Vec<u32> = (0..tokens.len()).map(narrow).collect();
        let mut open = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let opener = match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => {
                    open.push(index);
                    complete &= open.len() <= MAX_DEPTH;
                    continue;
                }
                TokenKind::RightParen => TokenKind::LeftParen,
                TokenKind::RightBracket => TokenKind::LeftBracket,
                _ => continue,
            };
            let at = loop {
                match open.pop() {
                    Some(at) if tokens[at].kind == opener => break Some(at),
                    Some(_) => complete = false,
                    None => break None,
                }
            };
            match at {
                Some(at) => {
                    partners[index] = narrow(at);
                    partners[at] = narrow(index);
                }
                None => complete = false,
            }
        }
        complete &= open.is_empty();
        let count = tokens.len();
        let mut tree = Self {
            text,
            tokens,
            lower,
            base,
            partners,
            opens_query: vec![false; count],
            queries: Vec::new(),
            roots: Vec::new(),
            opened: HashMap::new(),
            places: vec![Place::default(); count],
            evaluations: Vec::new(),
            calls: OnceLock::new(),
            verb: Verb::Empty,
            complete,
        };
        for index in (0..count).rev() {
            tree.opens_query[index] = tree.kind(index) == Some(TokenKind::LeftParen) && tree.begins_query(index + 1);
        }
        tree
    }

    /// The text that the statement stands in.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The tokens of the statement that are no trivia.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// All tokens.
    pub fn all(&self) -> Tokens {
        0..self.tokens.len()
    }

    /// What token `index` is.
    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The word at `index` in lower case; empty where no unquoted word stands.
    pub fn word(&self, index: usize) -> &str {
        let token = self.tokens.get(index).filter(|token| token.kind == TokenKind::Word);
        token
            .and_then(|token| self.lower.get(token.span().start - self.base..token.span().end - self.base))
            .unwrap_or("")
    }

    /// The word at `index` unless it follows `.` or AS, after which every word is a name.
    pub fn keyword(&self, index: usize) -> &str {
        match index.checked_sub(1) {
            Some(before) if self.kind(before) == Some(TokenKind::Dot) || self.word(before) == "as" => "",
            _ => self.word(index),
        }
    }

    /// Whether the words from `index` on are `words`.
    pub fn is(&self, index: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(n, word)| self.word(index + n) == *word)
    }

    /// The name at `index` as PostgreSQL folds it; of a hole its text, as written.
    pub fn ident(&self, index: usize) -> Option<Cow<'_, str>> {
        let token = self.tokens.get(index)?;
        match token.kind {
            TokenKind::Word => Some(Cow::Borrowed(self.word(index))),
            TokenKind::Hole => Some(Cow::Borrowed(self.raw(index))),
            TokenKind::QuotedIdent => Some(Cow::Owned(identifier(self.raw(index)))),
            _ => None,
        }
    }

    /// The text of token `index`, as written.
    pub fn raw(&self, index: usize) -> &'t str {
        self.tokens.get(index).and_then(|token| self.text.get(token.span().range())).unwrap_or("")
    }

    /// The bytes from the first to the last token of a range; empty for an empty one.
    pub fn span(&self, tokens: &Tokens) -> SqlSpan {
        let at = |index: usize| self.tokens.get(index).map(|token| token.span());
        match (at(tokens.start), tokens.end.checked_sub(1).and_then(at)) {
            (Some(first), Some(last)) if !tokens.is_empty() => SqlSpan::new(first.start, last.end),
            (Some(first), _) => SqlSpan::new(first.start, first.start),
            (None, _) => {
                let end = self.tokens.last().map_or(0, |token| token.span().end);
                SqlSpan::new(end, end)
            }
        }
    }

    /// The text from the first to the last token of a range.
    pub fn slice(&self, tokens: &Tokens) -> &'t str {
        self.text.get(self.span(tokens).range()).unwrap_or("")
    }

    /// The partner of the bracket at `index`.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.partners.get(index).map(|&partner| partner as usize).filter(|&partner| partner != index)
    }

    /// The index of what closes the bracket at `index`, or `end` where nothing before it does.
    fn close(&self, index: usize, end: usize) -> usize {
        self.partner(index).filter(|close| *close >= index).map_or(end, |close| close.min(end))
    }

    /// The tokens of a range outside its brackets; of a bracket group only the opener.
    pub fn top(&self, tokens: Tokens) -> impl Iterator<Item = usize> + '_ {
        let mut at = tokens.start;
        let end = tokens.end.min(self.tokens.len());
        std::iter::from_fn(move || {
            let index = at;
            if index >= end {
                return None;
            }
            at = match self.tokens[index].kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => self.close(index, end),
                _ => index,
            } + 1;
            Some(index)
        })
    }

    /// What stands between the commas of a range; empty parts are left out.
    pub fn commas(&self, tokens: Tokens) -> Vec<Tokens> {
        let (mut parts, mut start) = (Vec::new(), tokens.start);
        for index in self.top(tokens.clone()) {
            if self.tokens[index].kind == TokenKind::Comma {
                parts.push(start..index);
                start = index + 1;
            }
        }
        parts.push(start..tokens.end);
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The content of the parentheses that a range consists of.
    pub fn group(&self, tokens: &Tokens) -> Option<Tokens> {
        (self.kind(tokens.start) == Some(TokenKind::LeftParen)
            && self.partner(tokens.start).is_some_and(|close| close + 1 == tokens.end))
        .then(|| tokens.start + 1..tokens.end - 1)
    }

    /// The queries, an outer one before those inside it.
    pub fn queries(&self) -> impl Iterator<Item = (QueryId, &Query)> {
        self.queries.iter().enumerate().map(|(index, query)| (QueryId(index), query))
    }

    /// A query of this tree.
    ///
    /// # Panics
    ///
    /// If `id` comes from another tree.
    pub fn query(&self, id: QueryId) -> &Query {
        &self.queries[id.0]
    }

    /// The queries that stand in no other: of most statements one, of `CREATE RULE` one for each action.
    pub fn roots(&self) -> &[QueryId] {
        &self.roots
    }

    /// The query that the `(` at `index` opens.
    pub fn opened(&self, index: usize) -> Option<QueryId> {
        self.opened.get(&index).copied()
    }

    /// Whether the `(` at `index` opens a query.
    pub fn opens_query(&self, index: usize) -> bool {
        self.opens_query.get(index).copied().unwrap_or(false)
    }

    /// The query and clause whose expression holds token `index`. None for names, keywords and column lists; no query
    /// for the arguments of CALL and the like.
    pub fn place(&self, index: usize) -> Option<(Option<QueryId>, Clause)> {
        self.places.get(index)?.get()
    }

    /// What the statement does.
    pub fn verb(&self) -> &Verb {
        &self.verb
    }

    /// Whether everything was understood: brackets match, no clause is missing or made of a hole, nothing nests too
    /// deep, no character is foreign to PostgreSQL.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Whether a query begins at `index`. `((SELECT 1) + 1)` and `((SELECT 1) a JOIN b ..)` are none.
    fn begins_query(&self, index: usize) -> bool {
        use TokenKind::{Dot, Hole, LeftParen, QuotedIdent, RightParen, Word};
        if self.kind(index) == Some(LeftParen) {
            let after = self.close(index, self.tokens.len()) + 1;
            return self.opens_query(index)
                && (self.kind(after).is_none_or(|kind| kind == RightParen)
                    || matches!(
                        self.word(after),
                        "union" | "intersect" | "except" | "order" | "limit" | "offset" | "fetch" | "for"
                    ));
        }
        let next = self.kind(index + 1);
        match self.word(index) {
            "select" | "values" | "with" => next != Some(Dot),
            "table" => matches!(next, Some(Word | QuotedIdent)),
            "insert" | "merge" => self.word(index + 1) == "into",
            "update" => matches!(next, Some(Word | QuotedIdent | Hole)),
            "delete" => self.word(index + 1) == "from",
            _ => false,
        }
    }
}

/// As PostgreSQL folds words: ASCII letters alone.
fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// The query and the clause of a token, in eight bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    /// One more than the query's index; 0 for none.
    query: u32,
    clause: Option<Clause>,
}

impl Place {
    fn new(query: Option<QueryId>, clause: Clause) -> Self {
        let query = query.and_then(|id| u32::try_from(id.0 + 1).ok()).unwrap_or(0);
        Self { query, clause: Some(clause) }
    }

    fn get(self) -> Option<(Option<QueryId>, Clause)> {
        let query = (self.query as usize).checked_sub(1).map(QueryId);
        self.clause.map(|clause| (query, clause))
    }
}

#[cfg(test)]
mod tests;
