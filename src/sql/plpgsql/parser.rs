//! Blocks and branches.

use super::{Block, Body, Handler, Statement, StatementKind};
use crate::span::SqlSpan;
use crate::sql::cursor::{Cursor, Tokens};
use crate::sql::lex::{Token, TokenKind};
use crate::sql::literal;

/// How deep blocks, branches and loops may nest; what is deeper stays unknown.
const MAX_DEPTH: usize = 100;

/// Words that no variable is called.
const RESERVED: &[&str] = &[
    "begin", "case", "declare", "else", "end", "execute", "for", "foreach", "if", "loop", "null", "then", "when",
    "while",
];

/// What is open, and so which words end a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Block,
    /// The part of a block after EXCEPTION.
    Handlers,
    If,
    Case,
    Loop,
}

impl Open {
    /// Whether `keyword` ends or divides it; `end` is what the word after END closes.
    fn takes(self, keyword: &str, end: Self) -> bool {
        match keyword {
            "end" => self.closing() == end,
            "else" => matches!(self, Self::If | Self::Case),
            "elsif" | "elseif" => self == Self::If,
            "when" => matches!(self, Self::Case | Self::Handlers),
            "exception" => self == Self::Block,
            _ => false,
        }
    }

    /// What its END says: that of the handlers is the block's.
    fn closing(self) -> Self {
        if self == Self::Handlers { Self::Block } else { self }
    }
}

pub(super) struct Parser<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(super) at: usize,
    pub(super) complete: bool,
    open: Vec<Open>,
}

pub(super) fn parse(text: &str, tokens: &[Token]) -> Body {
    let cursor = Cursor::new(text, tokens);
    let mut parser = Parser { complete: cursor.is_balanced(), cursor, at: 0, open: Vec::new() };
    let mut options = Vec::new();
    while parser.cursor.is_operator(parser.at, "#") {
        options.push(parser.cursor.folded(parser.at + 1, parser.at + 3));
        parser.at += 3;
    }
    let start = parser.at;
    let label = parser.label();
    let found = parser.is_any(&["begin", "declare"]);
    let block = if found {
        parser.block(start, label)
    } else {
        Block {
            label,
            declarations: Vec::new(),
            body: parser.statements(),
            handlers: Vec::new(),
            span: parser.span_from(start),
        }
    };
    parser.eat_semicolon();
    let rest = parser.statements();
    Body { options, complete: parser.complete && found && rest.is_empty(), block, rest }
}

impl Parser<'_> {
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.cursor.is_word(self.at, keyword)
    }

    fn is_any(&self, keywords: &[&str]) -> bool {
        self.cursor.is_any(self.at, keywords)
    }

    pub(super) fn eat(&mut self, keyword: &str) -> bool {
        let found = self.is(keyword);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat_semicolon(&mut self) -> bool {
        let found = self.cursor.kind(self.at) == Some(TokenKind::Semicolon);
        self.at += usize::from(found);
        found
    }

    /// Steps over a keyword that has to come.
    pub(super) fn expect(&mut self, keyword: &str) {
        if !self.eat(keyword) {
            self.complete = false;
        }
    }

    /// From `start` to here, without a semicolon just stepped over.
    fn span_from(&self, start: usize) -> SqlSpan {
        let ended = self.at > start && self.cursor.kind(self.at - 1) == Some(TokenKind::Semicolon);
        self.cursor.span(start, self.at - usize::from(ended))
    }

    /// The tokens from here to one of `keywords` or the semicolon, which come next.
    pub(super) fn run(&mut self, keywords: &[&str]) -> Tokens {
        let (start, end) = (self.at, self.cursor.until(self.at, keywords));
        self.at = end;
        self.cursor.tokens(start, end)
    }

    /// A run that has to hold something.
    pub(super) fn some_run(&mut self, keywords: &[&str]) -> Tokens {
        let run = self.run(keywords);
        self.complete &= !run.is_empty();
        run
    }

    /// Steps over everything up to and with the next semicolon.
    fn unknown(&mut self) -> StatementKind {
        self.complete = false;
        let tokens = self.run(&[]);
        self.eat_semicolon();
        StatementKind::Unknown(tokens)
    }

    /// `<<label>>`
    fn label(&mut self) -> Option<String> {
        let here = self.at;
        if self.cursor.is_operator(here, "<<")
            && self.cursor.is_name(here + 1)
            && self.cursor.is_operator(here + 2, ">>")
        {
            self.at += 3;
            return Some(literal::identifier(self.cursor.text(here + 1)));
        }
        None
    }

    /// The statements up to a word that belongs to something open.
    fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while self.at < self.cursor.len() {
            if self.eat_semicolon() {
                continue;
            }
            if self.at_boundary() {
                break;
            }
            let start = self.at;
            let kind = self.statement();
            let span = self.span_from(start);
            statements.push(Statement { kind, span });
        }
        statements
    }

    /// Whether the word here ends or divides something that is open.
    fn at_boundary(&self) -> bool {
        let Some(word) =
            self.cursor.word(self.at).filter(|_| self.is_any(&["end", "else", "elsif", "elseif", "when", "exception"]))
        else {
            return false;
        };
        if self.assignment().is_some() {
            return false;
        }
        let (word, end) = (word.to_ascii_lowercase(), self.closes());
        self.open.iter().any(|open| open.takes(&word, end))
    }

    /// What the END here closes.
    fn closes(&self) -> Open {
        let next = self.at + 1;
        if self.cursor.is_word(next, "if") {
            Open::If
        } else if self.cursor.is_word(next, "case") {
            Open::Case
        } else if self.cursor.is_word(next, "loop") {
            Open::Loop
        } else {
            Open::Block
        }
    }

    /// Steps over the END of what was opened last and its label. An END of something further out stays.
    fn close(&mut self, open: Open) {
        self.open.pop();
        if !(self.is("end") && self.closes() == open.closing()) {
            self.complete = false;
            return;
        }
        self.at += if open.closing() == Open::Block { 1 } else { 2 };
        let ends = matches!(self.cursor.kind(self.at + 1), None | Some(TokenKind::Semicolon));
        if ends && self.cursor.is_name(self.at) {
            self.at += 1;
        }
    }

    /// The position of the `:=` or `=` of an assignment that begins here.
    fn assignment(&self) -> Option<usize> {
        if self.is_any(RESERVED) {
            return None;
        }
        let end = self.cursor.path_end(self.at);
        let assigns = self.cursor.is_operator(end, ":=") || self.cursor.is_operator(end, "=");
        (end > self.at && assigns).then_some(end)
    }

    fn statement(&mut self) -> StatementKind {
        let start = self.at;
        let label = self.label();
        let opens = self.is_any(&["begin", "declare", "if", "case", "loop", "while", "for", "foreach"]);
        if opens && self.open.len() >= MAX_DEPTH {
            return self.unknown();
        }
        let kind = if self.is_any(&["begin", "declare"]) {
            StatementKind::Block(self.block(start, label))
        } else if let Some(kind) = self.loop_head() {
            let body = self.nested(Open::Loop);
            self.close(Open::Loop);
            StatementKind::Loop { label, kind, body }
        } else if label.is_some() {
            self.at = start;
            return self.unknown();
        } else if let Some(operator) = self.assignment() {
            let target = self.cursor.folded(start, operator);
            self.at = operator + 1;
            StatementKind::Assign { target, value: self.some_run(&[]) }
        } else if self.eat("if") {
            self.branches()
        } else if self.eat("case") {
            self.case()
        } else if let Some(kind) = self.simple() {
            kind
        } else {
            return self.unknown();
        };
        self.complete &= self.eat_semicolon();
        kind
    }

    /// The statements of what opens here; the caller closes it.
    fn nested(&mut self, open: Open) -> Vec<Statement> {
        self.open.push(open);
        self.statements()
    }

    pub(super) fn block(&mut self, start: usize, label: Option<String>) -> Block {
        let mut declarations = Vec::new();
        if self.eat("declare") {
            while self.at < self.cursor.len() && (self.is("declare") || !self.is_any(RESERVED)) {
                if !self.eat("declare") {
                    declarations.extend(self.declaration());
                }
            }
        }
        self.expect("begin");
        let body = self.nested(Open::Block);
        let mut handlers = Vec::new();
        if self.eat("exception") {
            if let Some(last) = self.open.last_mut() {
                *last = Open::Handlers;
            }
            while self.is("when") {
                handlers.push(self.handler());
            }
            self.complete &= !handlers.is_empty();
        }
        self.close(Open::Block);
        Block { label, declarations, body, handlers, span: self.span_from(start) }
    }

    fn handler(&mut self) -> Handler {
        let start = self.at;
        self.at += 1;
        let (from, to) = (self.at, self.cursor.until(self.at, &["then"]));
        let mut conditions = Vec::new();
        let mut begin = from;
        for at in from..=to {
            if at == to || self.cursor.is_word(at, "or") {
                conditions.push(self.cursor.folded(begin, at));
                begin = at + 1;
            }
        }
        self.at = to;
        self.expect("then");
        let body = self.statements();
        Handler { conditions, body, span: self.span_from(start) }
    }

    /// The arms of IF, from after the word.
    fn branches(&mut self) -> StatementKind {
        self.open.push(Open::If);
        let mut arms = vec![self.arm()];
        while self.is_any(&["elsif", "elseif"]) {
            self.at += 1;
            arms.push(self.arm());
        }
        let otherwise = self.eat("else").then(|| self.statements());
        self.close(Open::If);
        StatementKind::If { arms, otherwise }
    }

    fn case(&mut self) -> StatementKind {
        let subject = self.run(&["when"]);
        let subject = (!subject.is_empty()).then_some(subject);
        self.open.push(Open::Case);
        let mut arms = Vec::new();
        while self.eat("when") {
            arms.push(self.arm());
        }
        self.complete &= !arms.is_empty();
        let otherwise = self.eat("else").then(|| self.statements());
        self.close(Open::Case);
        StatementKind::Case { subject, arms, otherwise }
    }

    /// `condition THEN statements`
    fn arm(&mut self) -> (Tokens, Vec<Statement>) {
        let condition = self.some_run(&["then"]);
        self.expect("then");
        (condition, self.statements())
    }
}
