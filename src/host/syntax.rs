//! The one walk over a syntax tree. It goes down and up with a cursor and a stack of its own, so that depth costs memory
//! and no stack.
//!
//! Texts are put together on the way up. `pieces` is a stack: a node that is part of a text leaves its pieces there for
//! its parent; where the parent is no part of a text, they become a [`Draft`].

mod enter;
mod frame;
mod leave;
mod names;

use super::constants::Constants;
use super::join::{self, Draft, Lit, Piece, Statement};
use super::spec::{Grammar, Spec};
use super::{CallSite, Function, Host, Syntax};
use crate::language::HostLanguage;
use crate::span::Span;
use frame::Frame;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Point, Tree};

/// Work that any text may take, in the parser's own units of a hundred steps.
const LEAST_WORK: usize = 500;

/// How long the types between a tag and its template may be, in bytes.
const LONGEST_TYPES: usize = 512;

/// For how many bytes it may take one more. Programs take one for thirty bytes and more.
const BYTES_PER_WORK: usize = 6;

/// Reads the text of a file.
pub(super) fn read(text: &str, language: HostLanguage) -> Host<'_> {
    let spec = language.spec();
    let grammar = spec.grammar(language);
    let Some(tree) = tree(text, language) else {
        return Host { broken: true, unread: true, ..Host::default() };
    };
    let mut walk = Walk::new(text, spec, grammar);
    walk.run(tree.root_node());
    let broken = tree.root_node().has_error();
    let host = walk.finish(broken);
    Host { syntax: Syntax { tree: Some(tree), ..host.syntax }, ..host }
}

/// The tree of a text; `None` where that takes too long. The parser is not linear on some texts that are no programs.
/// Its work is counted and not timed, so that the answer is always the same.
pub(super) fn tree(text: &str, language: HostLanguage) -> Option<Tree> {
    let grammar = language.spec().grammar(language);
    let text = &*match language {
        HostLanguage::TypeScript | HostLanguage::Tsx => without_template_types(text),
        _ => Cow::Borrowed(text),
    };
    let mut left = LEAST_WORK + text.len() / BYTES_PER_WORK;
    let mut progress = |_: &ParseState| match left.checked_sub(1) {
        Some(less) => {
            left = less;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut rest = |at: usize, _: Point| text.as_bytes().get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut rest, None, Some(options))
}

/// TypeScript with blanks for the types in ``sql<Row[]>`…` ``, which its grammar takes for comparisons.
fn without_template_types(text: &str) -> Cow<'_, str> {
    let mut found: Vec<Span> = Vec::new();
    for (at, _) in text.match_indices(">`") {
        let mut depth = 0_usize;
        for (open, byte) in text.as_bytes()[..=at].iter().enumerate().rev().take(LONGEST_TYPES) {
            match byte {
                b'>' => depth += 1,
                b'<' if depth > 1 => depth -= 1,
                b'<' => {
                    let named = text.as_bytes()[..open].last();
                    if named.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')) {
                        found.push(Span::new(open, at + 1));
                    }
                    break;
                }
                b'`' => break,
                _ => {}
            }
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut plain = text.to_owned();
    for span in found {
        let blank: String = text[span.range()]
            .chars()
            .map(|c| if c == '\n' { "\n".into() } else { " ".repeat(c.len_utf8()) })
            .collect();
        plain.replace_range(span.range(), &blank);
    }
    Cow::Owned(plain)
}

struct Walk<'s, 't> {
    text: &'s str,
    spec: &'static Spec,
    grammar: &'static Grammar,
    frames: Vec<Frame<'t>>,
    pieces: Vec<Piece>,
    lits: Vec<Lit<'s>>,
    drafts: Vec<Draft<'s>>,
    statements: Vec<Statement>,
    calls: Vec<CallSite<'s>>,
    functions: Vec<Function<'s>>,
    comments: Vec<Span>,
    constants: Constants<'s>,
    /// Heredocs whose text has not come yet.
    heredocs: VecDeque<usize>,
}

impl<'s, 't> Walk<'s, 't> {
    fn new(text: &'s str, spec: &'static Spec, grammar: &'static Grammar) -> Self {
        Self {
            text,
            spec,
            grammar,
            frames: Vec::new(),
            pieces: Vec::new(),
            lits: Vec::new(),
            drafts: Vec::new(),
            statements: Vec::new(),
            calls: Vec::new(),
            functions: Vec::new(),
            comments: Vec::new(),
            constants: Constants::default(),
            heredocs: VecDeque::new(),
        }
    }

    fn run(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        loop {
            self.enter(cursor.node());
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                self.leave();
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn finish(self, broken: bool) -> Host<'s> {
        let texts = self.drafts.iter().map(|draft| (draft.span, draft.whole(&self.lits))).collect();
        let syntax = Syntax { tree: None, texts };
        let literals = join::literals(self.text, self.spec, self.drafts, self.lits, &self.statements, &self.constants);
        Host {
            literals,
            calls: self.calls,
            comments: self.comments,
            functions: self.functions,
            broken,
            unread: false,
            syntax,
        }
    }

    fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// What follows an offset.
    fn after(&self, offset: usize) -> &'s str {
        self.text.get(offset..).unwrap_or_default()
    }
}

fn span_of(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}
