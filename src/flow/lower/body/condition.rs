//! What a condition says of a try-lock, and what the code does when there is no row.

use super::Walk;
use crate::flow::{Action, Guard, SiteId};
use crate::sql::Tokens;
use crate::sql::advisory;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::plpgsql::{RaiseLevel, Statement as Pl, StatementKind};
use crate::statement::Missing;

/// How deep NOT, AND, OR and parentheses may nest; what is deeper says nothing.
const MAX_DEPTH: usize = 60;

/// What is known where a condition is true, and where it is not.
#[derive(Clone, Copy)]
struct Verdict {
    site: SiteId,
    then: Option<bool>,
    otherwise: Option<bool>,
}

impl Walk<'_, '_> {
    /// What the condition just lowered says of a try-lock.
    pub(super) fn guard(&self, condition: Tokens) -> Option<Guard> {
        let tokens: Vec<Token> =
            condition.of(&self.document.tokens).iter().copied().filter(|t| !t.kind.is_trivia()).collect();
        let verdict = self.verdict(&tokens, 0)?;
        Some(Guard { site: verdict.site, then: verdict.then, otherwise: verdict.otherwise })
    }

    fn verdict(&self, tokens: &[Token], depth: usize) -> Option<Verdict> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let tokens = self.unwrapped(tokens);
        if let Some(at) = self.top_word(tokens, "or") {
            // Not true: neither side is.
            let parts = [self.verdict(&tokens[..at], depth), self.verdict(&tokens[at + 1..], depth)];
            return parts.into_iter().flatten().next().map(|v| Verdict { then: None, ..v });
        }
        if let Some(at) = self.top_word(tokens, "and") {
            let parts = [self.verdict(&tokens[..at], depth), self.verdict(&tokens[at + 1..], depth)];
            return parts.into_iter().flatten().next().map(|v| Verdict { otherwise: None, ..v });
        }
        if self.word(tokens, 0) == "not" {
            let inner = self.verdict(&tokens[1..], depth)?;
            return Some(Verdict { site: inner.site, then: inner.otherwise, otherwise: inner.then });
        }
        let (subject, positive) = self.truth_test(tokens);
        let site = self.subject(self.unwrapped(subject))?;
        Some(Verdict { site, then: Some(positive), otherwise: Some(!positive) })
    }

    /// `x IS [NOT] TRUE`, `x IS NOT FALSE`, `x = false`, `x`: the subject, and whether the condition is true when it is.
    fn truth_test<'t>(&self, tokens: &'t [Token]) -> (&'t [Token], bool) {
        let count = tokens.len();
        for (words, positive) in [
            (&["is", "not", "true"][..], false),
            (&["is", "not", "false"], true),
            (&["is", "true"], true),
            (&["is", "false"], false),
        ] {
            if count > words.len()
                && words.iter().enumerate().all(|(n, word)| self.word(tokens, count - words.len() + n) == *word)
            {
                return (&tokens[..count - words.len()], positive);
            }
        }
        if count > 2 && self.text(tokens, count - 2) == "=" {
            // A constant in quotes is a boolean here as well.
            match self.word(tokens, count - 1).trim_matches('\'') {
                "true" => return (&tokens[..count - 2], true),
                "false" => return (&tokens[..count - 2], false),
                _ => {}
            }
        }
        (tokens, true)
    }

    /// The try-lock that a variable, FOUND, or a call by itself stands for.
    fn subject(&self, tokens: &[Token]) -> Option<SiteId> {
        let first = tokens.first()?;
        if let [_] = tokens {
            let name = self.word(tokens, 0);
            return if name == "found" { self.found } else { self.variables.answer(&name) };
        }
        let call = tokens.iter().enumerate().find(|(index, token)| {
            token.kind == TokenKind::Word && advisory::function(&self.word(tokens, *index)).is_some()
        })?;
        // `pg_catalog.name(…)` and `name(…)`, nothing before and nothing after.
        let whole = matches!(call.0, 0 | 2) && tokens.last()?.kind == TokenKind::RightParen;
        let start = self.document.region.to_source(first.span()).start;
        whole
            .then(|| self.builder.by_call.get(&start).copied())
            .flatten()
            .filter(|&site| self.builder.steps.iter().any(|step| step.action == Action::Acquire(site)))
    }

    fn unwrapped<'t>(&self, mut tokens: &'t [Token]) -> &'t [Token] {
        for _ in 0..MAX_DEPTH {
            let [first, inner @ .., last] = tokens else { break };
            if first.kind != TokenKind::LeftParen || last.kind != TokenKind::RightParen || closes_early(inner) {
                break;
            }
            tokens = inner;
        }
        tokens
    }

    /// The first of a word outside parentheses.
    fn top_word(&self, tokens: &[Token], word: &str) -> Option<usize> {
        let mut depth = 0usize;
        for (index, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth = depth.saturating_sub(1),
                TokenKind::Word if depth == 0 && self.word(tokens, index) == word => return Some(index),
                _ => {}
            }
        }
        None
    }

    fn text(&self, tokens: &[Token], index: usize) -> &str {
        tokens.get(index).and_then(|token| self.document.region.text().get(token.span().range())).unwrap_or_default()
    }

    fn word(&self, tokens: &[Token], index: usize) -> String {
        self.text(tokens, index).to_ascii_lowercase()
    }

    /// What the statement after a SELECT does when that gave no row: `IF NOT FOUND THEN …`, `IF v IS NULL THEN …`.
    pub(super) fn when_missing(&self, next: &Pl) -> Option<Missing> {
        let StatementKind::If { arms, .. } = &next.kind else {
            return None;
        };
        let (condition, body) = arms.first()?;
        let tokens: Vec<Token> =
            condition.of(&self.document.tokens).iter().copied().filter(|t| !t.kind.is_trivia()).collect();
        let count = tokens.len();
        let not_found = count == 2 && self.word(&tokens, 0) == "not" && self.word(&tokens, 1) == "found";
        let is_null = count > 2 && self.word(&tokens, count - 2) == "is" && self.word(&tokens, count - 1) == "null";
        if !not_found && !is_null {
            return None;
        }
        let fails = body.iter().any(|statement| {
            matches!(&statement.kind, StatementKind::Raise { level: RaiseLevel::Exception, .. })
                || matches!(&statement.kind, StatementKind::Sql { tokens, .. }
                    if self.word(tokens.of(&self.document.tokens), 0) == "insert")
        });
        Some(if fails { Missing::Fails } else { Missing::GoesOn })
    }
}

/// Whether the first parenthesis of a group closes before its end.
fn closes_early(inner: &[Token]) -> bool {
    let mut depth = 1usize;
    for token in inner {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => {
                depth -= 1;
                if depth == 0 {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
