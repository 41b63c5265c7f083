//! The clauses that belong to a whole query: ORDER BY, LIMIT, OFFSET, FETCH, locking clauses.

use super::Tokens;
use super::build::Builder;
use super::node::{Clause, Fetch, LockTarget, QueryId, RowLock, Strength, Term, Wait};
use crate::sql::lex::TokenKind;

impl Builder<'_> {
    pub(super) fn is_tail(&self, index: usize) -> bool {
        match self.tree.keyword(index) {
            "order" => self.tree.word(index + 1) == "by",
            "limit" | "offset" => self.tree.kind(index + 1) != Some(TokenKind::Dot),
            "fetch" => matches!(self.tree.word(index + 1), "first" | "next"),
            "for" => self.lock_words(index).is_some(),
            _ => false,
        }
    }

    pub(super) fn tail(&mut self, tail: Tokens, id: QueryId) {
        let word = self.tree.word(tail.start).to_owned();
        let rest = tail.start + 1..tail.end;
        if rest.is_empty() {
            return self.odd();
        }
        match word.as_str() {
            "order" => {
                let rest = rest.start + 1..rest.end;
                if rest.is_empty() {
                    self.odd();
                }
                self.at(id).order_by = Some(rest.clone());
                self.mark(rest, Some(id), Clause::OrderBy);
            }
            "limit" => {
                if !matches!(self.tree.word(rest.start), "all" | "null") || rest.len() > 1 {
                    self.at(id).limit = Some(rest.clone());
                }
                self.bound(rest, id);
            }
            "offset" => {
                self.at(id).offset = Some(rest.clone());
                self.bound(rest, id);
            }
            "fetch" => {
                let with_ties = self.tree.is(rest.end.saturating_sub(2), &["with", "ties"]);
                self.at(id).fetch = Some(Fetch { tokens: rest.clone(), with_ties });
                self.bound(rest, id);
            }
            "into" => {
                if let Some(Term::Select(select)) = self.at(id).terms.last_mut() {
                    select.into = Some(rest);
                }
            }
            _ => self.lock(tail, id),
        }
    }

    fn bound(&mut self, tokens: Tokens, id: QueryId) {
        // `LIMIT 1 {lock}`
        if tokens.clone().skip(1).any(|index| self.is_fragment(index)) {
            self.odd();
        }
        self.mark(tokens, Some(id), Clause::Limit);
    }

    /// The number of words of a locking clause's head, and its strength unless it locks nothing.
    pub(super) fn lock_words(&self, at: usize) -> Option<(usize, Option<Strength>)> {
        match (self.tree.word(at + 1), self.tree.word(at + 2), self.tree.word(at + 3)) {
            ("update", ..) => Some((2, Some(Strength::Update))),
            ("share", ..) => Some((2, Some(Strength::Share))),
            ("no", "key", "update") => Some((4, Some(Strength::NoKeyUpdate))),
            ("key", "share", _) => Some((3, Some(Strength::KeyShare))),
            ("read", "only", _) => Some((3, None)),
            _ => None,
        }
    }

    /// Reads the locking clause that begins at `tail.start`.
    pub(super) fn lock(&mut self, tail: Tokens, id: QueryId) {
        let Some((words, strength)) = self.lock_words(tail.start) else {
            return self.odd();
        };
        let mut at = tail.start + words;
        let mut of = Vec::new();
        if self.tree.word(at) == "of" && at < tail.end {
            at += 1;
            loop {
                let start = at;
                let mut schema = None;
                let Some(mut name) = self.lock_target(at, tail.end) else {
                    self.odd();
                    break;
                };
                at += 1;
                while at < tail.end
                    && self.tree.kind(at) == Some(TokenKind::Dot)
                    && let Some(next) = self.lock_target(at + 1, tail.end)
                {
                    schema = Some(std::mem::replace(&mut name, next));
                    at += 2;
                }
                of.push(LockTarget { schema, name, tokens: start..at });
                if at < tail.end && self.tree.kind(at) == Some(TokenKind::Comma) {
                    at += 1;
                } else {
                    break;
                }
            }
        }
        let wait = if self.tree.word(at) == "nowait" && at < tail.end {
            at += 1;
            Wait::NoWait
        } else if self.tree.is(at, &["skip", "locked"]) && at + 1 < tail.end {
            at += 2;
            Wait::SkipLocked
        } else {
            Wait::Block
        };
        if at < tail.end {
            self.odd();
        }
        if let Some(strength) = strength {
            let tokens = tail.start..at.min(tail.end);
            self.at(id).locks.push(RowLock { tokens, strength, of, wait });
        }
    }

    fn lock_target(&self, at: usize, end: usize) -> Option<String> {
        (at < end).then(|| self.tree.ident(at)).flatten().map(|name| name.into_owned())
    }

    /// Whether INTO stands at `index`.
    pub(super) fn is_into(&self, index: usize) -> bool {
        self.tree.keyword(index) == "into"
    }
}
