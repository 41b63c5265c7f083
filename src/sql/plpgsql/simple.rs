//! Statements that hold no statements.

use super::parser::Parser;
use super::{Into, RaiseLevel, StatementKind};
use crate::sql::cursor::{Cursor, Tokens};
use crate::sql::lex::TokenKind;
use crate::sql::literal;

/// Words that belong to a structure: no SQL statement begins with them.
const STRUCTURE: &[&str] = &["else", "elsif", "elseif", "end", "exception", "loop", "then", "when"];

impl Parser<'_> {
    /// The statement here up to its semicolon. None where no keyword stands.
    pub(super) fn simple(&mut self) -> Option<StatementKind> {
        let word = self.cursor.word(self.at)?.to_ascii_lowercase();
        let start = self.at;
        self.at += 1;
        Some(match word.as_str() {
            "return" => self.after_return(),
            "raise" => self.raise(),
            "perform" => StatementKind::Perform(self.some_run(&[])),
            "execute" => self.execute(),
            "assert" => StatementKind::Assert(self.some_run(&[])),
            "exit" => {
                let (label, when) = self.jump();
                StatementKind::Exit { label, when }
            }
            "continue" => {
                let (label, when) = self.jump();
                StatementKind::Continue { label, when }
            }
            "null" => StatementKind::Null,
            "call" => {
                self.run(&[]);
                StatementKind::Call(self.cursor.tokens(start, self.at))
            }
            "open" => self.open_cursor(),
            "fetch" => {
                let (direction, cursor) = self.fetch_head();
                let into = self.into();
                self.complete &= into.is_some();
                StatementKind::Fetch { cursor, direction, into }
            }
            "move" => {
                let (direction, cursor) = self.fetch_head();
                StatementKind::Move { cursor, direction }
            }
            "close" => StatementKind::Close { cursor: self.cursor_name() },
            "get" if self.is("diagnostics") || self.cursor.is_word(self.at + 1, "diagnostics") => self.diagnostics(),
            "commit" if self.ends_transaction() => StatementKind::Commit { chain: self.chain() },
            "rollback" if self.ends_transaction() => StatementKind::Rollback { chain: self.chain() },
            word => {
                self.at = start;
                if STRUCTURE.contains(&word) {
                    return None;
                }
                self.sql()
            }
        })
    }

    /// The expressions between commas up to one of `keywords` or the semicolon.
    pub(super) fn expressions(&mut self, keywords: &[&str]) -> Vec<Tokens> {
        let (start, end) = (self.at, self.cursor.until(self.at, keywords));
        self.at = end;
        let parts = self.cursor.list(start, end);
        let parts: Vec<Tokens> = parts.into_iter().map(|(from, to)| self.cursor.tokens(from, to)).collect();
        self.complete &= !parts.is_empty() && parts.iter().all(|part| !part.is_empty());
        parts
    }

    fn after_return(&mut self) -> StatementKind {
        use TokenKind::{Dot, LeftParen, QuotedIdent, Semicolon, Word};
        let next = self.cursor.kind(self.at + 1);
        // A variable may be called `next` or `query`.
        if self.is("next") && !matches!(next, Some(Dot)) {
            self.at += 1;
            let value = self.run(&[]);
            return StatementKind::ReturnNext((!value.is_empty()).then_some(value));
        }
        if self.is("query") && matches!(next, Some(Word | QuotedIdent | LeftParen | TokenKind::Hole)) {
            self.at += 1;
            if !self.eat("execute") {
                return StatementKind::ReturnQuery(self.run(&[]));
            }
            let command = self.some_run(&["using"]);
            let using = self.using();
            return StatementKind::ReturnQueryExecute { command, using };
        }
        if matches!(self.cursor.kind(self.at), None | Some(Semicolon)) {
            return StatementKind::Return(None);
        }
        StatementKind::Return(Some(self.run(&[])))
    }

    /// `USING a, b`, if it comes next.
    fn using(&mut self) -> Vec<Tokens> {
        if self.eat("using") { self.expressions(&["into"]) } else { Vec::new() }
    }

    fn raise(&mut self) -> StatementKind {
        if matches!(self.cursor.kind(self.at), None | Some(TokenKind::Semicolon)) {
            return StatementKind::Raise {
                level: RaiseLevel::Exception,
                reraise: true,
                condition: None,
                tokens: self.cursor.tokens(self.at, self.at),
            };
        }
        const LEVELS: &[(&str, RaiseLevel)] = &[
            ("exception", RaiseLevel::Exception),
            ("warning", RaiseLevel::Warning),
            ("notice", RaiseLevel::Notice),
            ("info", RaiseLevel::Info),
            ("log", RaiseLevel::Log),
            ("debug", RaiseLevel::Debug),
        ];
        let named = LEVELS.iter().find(|(word, _)| self.is(word));
        self.at += usize::from(named.is_some());
        let start = self.at;
        let tokens = self.run(&[]);
        StatementKind::Raise {
            level: named.map_or(RaiseLevel::Exception, |&(_, level)| level),
            reraise: false,
            condition: raised(&self.cursor, start, self.at),
            tokens,
        }
    }

    fn execute(&mut self) -> StatementKind {
        let command = self.some_run(&["into", "using"]);
        let (mut into, mut using) = (None, Vec::new());
        loop {
            if into.is_none() && self.is("into") {
                into = self.into();
                if into.is_none() {
                    self.complete = false;
                    self.at += 1;
                }
            } else if using.is_empty() && self.is("using") {
                using = self.using();
            } else {
                break;
            }
        }
        StatementKind::Execute { command, into, using }
    }

    /// The INTO clause, if it comes next.
    fn into(&mut self) -> Option<Into> {
        if !self.is("into") {
            return None;
        }
        let (into, end) = into_clause(&self.cursor, self.at)?;
        self.at = end;
        Some(into)
    }

    /// What follows EXIT and CONTINUE.
    fn jump(&mut self) -> (Option<String>, Option<Tokens>) {
        let mut label = None;
        if !self.is("when") && self.cursor.is_name(self.at) {
            label = Some(self.cursor.folded(self.at, self.at + 1));
            self.at += 1;
        }
        let when = self.eat("when").then(|| self.some_run(&[]));
        (label, when)
    }

    fn cursor_name(&mut self) -> String {
        let start = self.at;
        self.at = self.cursor.path_end(start);
        self.complete &= self.at > start;
        self.cursor.folded(start, self.at)
    }

    fn open_cursor(&mut self) -> StatementKind {
        let cursor = self.cursor_name();
        let (mut arguments, mut query, mut execute, mut using) = (None, None, None, Vec::new());
        if self.cursor.kind(self.at) == Some(TokenKind::LeftParen) && self.cursor.is_paired(self.at) {
            let after = self.cursor.after(self.at);
            arguments = Some(self.cursor.tokens(self.at + 1, after - 1));
            self.at = after;
        } else {
            if self.eat("no") || self.is("scroll") {
                self.expect("scroll");
            }
            if self.eat("for") {
                if self.eat("execute") {
                    execute = Some(self.some_run(&["using"]));
                    using = self.using();
                } else {
                    query = Some(self.some_run(&[]));
                }
            }
        }
        StatementKind::Open { cursor, arguments, query, execute, using }
    }

    /// Direction and cursor of FETCH and MOVE.
    fn fetch_head(&mut self) -> (Option<Tokens>, String) {
        let (start, end) = (self.at, self.cursor.until(self.at, &["into"]));
        self.at = end;
        let Some(name) = end.checked_sub(1).filter(|&name| name >= start && self.cursor.is_name(name)) else {
            self.complete = false;
            return (None, String::new());
        };
        let linked = name > start && self.cursor.is_any(name - 1, &["from", "in"]);
        let direction = self.cursor.tokens(start, name - usize::from(linked));
        let direction = (!direction.is_empty()).then_some(direction);
        (direction, self.cursor.folded(name, end))
    }

    fn diagnostics(&mut self) -> StatementKind {
        let stacked = self.is("stacked");
        if !self.eat("diagnostics") {
            self.at += 2;
        }
        let (start, end) = (self.at, self.cursor.until(self.at, &[]));
        self.at = end;
        let mut items = Vec::new();
        for (from, to) in self.cursor.list(start, end) {
            let assigns = (from..to).find(|&at| self.cursor.is_operator(at, "=") || self.cursor.is_operator(at, ":="));
            match assigns {
                Some(at) => items.push((self.cursor.folded(from, at), self.cursor.folded(at + 1, to))),
                None => self.complete = false,
            }
        }
        StatementKind::GetDiagnostics { stacked, items }
    }

    /// Whether `;` or `AND [NO] CHAIN;` follows COMMIT or ROLLBACK.
    fn ends_transaction(&self) -> bool {
        matches!(self.cursor.kind(self.at), None | Some(TokenKind::Semicolon)) || self.is("and")
    }

    fn chain(&mut self) -> bool {
        if !self.eat("and") {
            return false;
        }
        let chain = !self.eat("no");
        self.expect("chain");
        chain
    }

    /// An SQL statement up to its semicolon, which stands neither in parentheses (CREATE RULE) nor between BEGIN
    /// ATOMIC and END.
    fn sql(&mut self) -> StatementKind {
        let start = self.at;
        let cursor = &self.cursor;
        let replace = if cursor.is_word(start + 1, "or") { 2 } else { 0 };
        let routine = cursor.is_word(start, "create") && cursor.is_any(start + 1 + replace, &["function", "procedure"]);
        let (mut at, mut groups, mut blocks) = (start, 0usize, 0usize);
        let mut into = None;
        while let Some(kind) = cursor.kind(at) {
            match kind {
                TokenKind::Semicolon if groups == 0 && blocks == 0 => break,
                TokenKind::LeftParen if cursor.is_paired(at) => groups += 1,
                TokenKind::RightParen if cursor.is_paired(at) => groups = groups.saturating_sub(1),
                TokenKind::Word if routine && groups == 0 && cursor.is_any(at, &["begin", "case"]) => {
                    blocks += 1;
                }
                TokenKind::Word if routine && groups == 0 && cursor.is_word(at, "end") => {
                    blocks = blocks.saturating_sub(1);
                }
                TokenKind::Word if cursor.is_word(at, "into") && at > start => {
                    let table = cursor.is_any(at - 1, &["insert", "merge"]) || cursor.is_word(start, "import");
                    if !table {
                        let found = if into.is_none() { into_clause(cursor, at) } else { None };
                        if let Some((clause, end)) = found {
                            into = Some(clause);
                            at = end;
                            continue;
                        }
                        self.complete = false;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.at = at;
        StatementKind::Sql { tokens: self.cursor.tokens(start, at), into }
    }
}

/// The INTO clause at `at` and the position after it.
fn into_clause(cursor: &Cursor<'_>, at: usize) -> Option<(Into, usize)> {
    let strict = cursor.is_word(at + 1, "strict");
    let mut start = at + 1 + usize::from(strict);
    let mut end = cursor.path_end(start);
    let mut targets = Vec::new();
    while end > start {
        targets.push(cursor.folded(start, end));
        if cursor.kind(end) != Some(TokenKind::Comma) {
            break;
        }
        start = end + 1;
        end = cursor.path_end(start);
    }
    if targets.is_empty() {
        return None;
    }
    let tokens = cursor.tokens(at, end);
    Some((Into { targets, strict, tokens }, end))
}

/// The condition that RAISE names in `from..to`: as a word, after SQLSTATE, or as a constant ERRCODE.
fn raised(cursor: &Cursor<'_>, from: usize, to: usize) -> Option<String> {
    if let Some(word) = cursor.word(from) {
        if word.eq_ignore_ascii_case("sqlstate") {
            return Some(cursor.folded(from, from + 2));
        }
        if !word.eq_ignore_ascii_case("using") {
            return Some(word.to_ascii_lowercase());
        }
    }
    let using = cursor.until(from, &["using"]);
    let option = cursor.list(using + 1, to).into_iter().find(|&(from, _)| cursor.is_word(from, "errcode"))?;
    let value = option.0 + 2;
    let constant = value + 1 == option.1 && cursor.kind(value).is_some_and(TokenKind::is_string);
    let text = literal::string_text(cursor.text(value)).filter(|_| constant)?;
    let state = text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    Some(if state { format!("sqlstate '{text}'") } else { text.to_ascii_lowercase() })
}
