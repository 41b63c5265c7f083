//! From the pieces of a text to its region.

use super::code::integer;
use super::constants::{Constant, Constants};
use super::decode::{RAW, decode};
use super::spec::{Cut, Raw, Spec};
use super::{Argument, Callee, Literal};
use crate::region::{Builder, Region, SegmentKind};
use crate::span::Span;
use siphasher::sip::SipHasher13;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hasher;
use std::rc::Rc;

/// How the stand-in of a hole begins.
pub(super) const STAND_IN: &str = "h__";

/// The longest expression that is its own stand-in.
const LONGEST: usize = 40;

/// The longest expression that is compared with others: calls in calls would be read again and again.
const LONGEST_COMPARED: usize = 1024;

/// The longest constant that is put into other texts.
const LONGEST_CONSTANT: usize = 4096;

/// How many times the bytes of a file its constants may be where they are put in.
const GROWTH: usize = 4;

/// A literal as the walk found it.
#[derive(Debug)]
pub(super) struct Lit<'s> {
    /// All of it; of a heredoc its body.
    pub(super) span: Span,
    /// The kind of its node.
    pub(super) kind: &'static str,
    /// The mark of a heredoc.
    pub(super) mark: &'s str,
    /// What is interpolated.
    pub(super) holes: Vec<Span>,
    /// Escapes stand for themselves, says a tag.
    pub(super) raw: bool,
    /// The first `|` of each line goes.
    pub(super) margin: bool,
    /// The tag before it.
    pub(super) tag: Option<Callee<'s>>,
}

impl Lit<'_> {
    pub(super) fn new(span: Span, kind: &'static str) -> Self {
        Self { span, kind, mark: "", holes: Vec::new(), raw: false, margin: false, tag: None }
    }
}

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// A literal, by its index.
    Literal(usize),
    /// An expression that is none.
    Hole(Span),
    /// What stands between two elements that are joined.
    Gap {
        /// Between them, in the list.
        source: Span,
        /// The separator as written, without quotes.
        separator: Span,
    },
}

/// A text that is whole.
#[derive(Debug)]
pub(super) struct Draft<'s> {
    pub(super) pieces: Vec<Piece>,
    pub(super) span: Span,
    pub(super) statement: usize,
    pub(super) function: Option<usize>,
    pub(super) class: Option<Span>,
    pub(super) argument: Option<Argument<'s>>,
    pub(super) binding: Option<&'s str>,
    pub(super) documentation: bool,
    pub(super) annotation: Option<&'s str>,
}

impl Draft<'_> {
    /// All of it, bodies of heredocs included.
    pub(super) fn whole(&self, lits: &[Lit<'_>]) -> Span {
        self.pieces.iter().fold(self.span, |span, piece| match piece {
            Piece::Literal(literal) if !lits[*literal].mark.is_empty() => span.join(lits[*literal].span),
            _ => span,
        })
    }
}

/// A statement, and where its body begins.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) span: Span,
    pub(super) head: Option<usize>,
}

/// The literals of a file, in the order of the text.
pub(super) fn literals<'s>(
    text: &'s str,
    spec: &'static Spec,
    drafts: Vec<Draft<'s>>,
    lits: Vec<Lit<'s>>,
    statements: &[Statement],
    constants: &Constants<'s>,
) -> Vec<Literal<'s>> {
    let (texts, room) = (RefCell::default(), Cell::new(text.len() * GROWTH + LONGEST_CONSTANT));
    let joiner = Joiner { text, spec, drafts: &drafts, lits: &lits, constants, texts, room };
    let mut literals: Vec<Literal<'s>> = drafts
        .iter()
        .map(|draft| {
            let span = draft.whole(&lits);
            Literal {
                region: joiner.region(draft),
                span,
                statement: statement(text, &statements[draft.statement], span),
                function: draft.function,
                argument: draft.argument,
                binding: draft.binding,
                tag: joiner.tag(draft),
                documentation: draft.documentation,
                annotation: draft.annotation,
            }
        })
        .collect();
    literals.sort_by_key(|literal| (literal.span.start, std::cmp::Reverse(literal.span.end)));
    literals
}

/// The part of a statement that a literal belongs to. The text of a heredoc may come after the statement.
fn statement(text: &str, statement: &Statement, literal: Span) -> Span {
    match statement.head {
        Some(head) if literal.end <= head => {
            let span = Span::new(statement.span.start, head);
            let length = text.get(span.range()).map_or(span.len(), |head| head.trim_end().len());
            Span::new(span.start, span.start + length)
        }
        _ => statement.span.join(literal),
    }
}

struct Joiner<'a, 's> {
    text: &'s str,
    spec: &'static Spec,
    drafts: &'a [Draft<'s>],
    lits: &'a [Lit<'s>],
    constants: &'a Constants<'s>,
    /// What constants of text decode to, by draft.
    texts: RefCell<HashMap<usize, Option<Rc<str>>>>,
    /// How many bytes of constants may still be put into other texts.
    room: Cell<usize>,
}

impl<'s> Joiner<'_, 's> {
    fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn tag(&self, draft: &Draft<'s>) -> Option<Callee<'s>> {
        draft.pieces.iter().find_map(|piece| {
            let Piece::Literal(literal) = piece else { return None };
            let literal = &self.lits[*literal];
            let own = || {
                let text = if literal.mark.is_empty() { self.slice(literal.span) } else { literal.mark };
                let name = self.spec.tag.and_then(|tag| tag(literal.kind, text))?;
                Some(Callee { name, receiver: None })
            };
            literal.tag.or_else(own)
        })
    }

    fn cut(&self, literal: &Lit<'s>) -> (Cut, Vec<Span>) {
        let mut raw = Raw {
            source: self.text,
            span: literal.span,
            kind: literal.kind,
            mark: literal.mark,
            holes: literal.holes.clone(),
            raw: literal.raw,
        };
        let cut = (self.spec.cut)(&mut raw);
        let mut cut = cut.unwrap_or(Cut { body: literal.span, dialect: RAW, delimiter: 0 });
        cut.dialect.margin |= literal.margin;
        (cut, raw.holes)
    }

    fn region(&self, draft: &Draft<'s>) -> Region<'s> {
        if let [Piece::Literal(literal)] = draft.pieces.as_slice() {
            let (cut, holes) = self.cut(&self.lits[*literal]);
            let body = self.slice(cut.body);
            if holes.is_empty() && cut.dialect.is_verbatim(body.as_bytes()) && body.len() == cut.body.len() {
                return Region::verbatim(self.text, cut.body);
            }
        }
        let mut builder = Builder::new();
        let mut span: Option<Span> = None;
        for piece in &draft.pieces {
            let covered = match *piece {
                Piece::Literal(literal) => {
                    let (cut, holes) = self.cut(&self.lits[literal]);
                    let mut hole = |place: Span, builder: &mut Builder| {
                        self.hole(draft, place, inside(self.slice(place)), builder);
                    };
                    decode(self.text, cut.body, &cut.dialect, cut.delimiter, &holes, &mut builder, &mut hole);
                    cut.body
                }
                Piece::Hole(place) => {
                    self.hole(draft, place, self.slice(place), &mut builder);
                    place
                }
                Piece::Gap { source, separator } => {
                    let text = self.slice(separator).replace("\\n", "\n").replace("\\t", "\t");
                    builder.push(SegmentKind::Escape, &text, source);
                    source
                }
            };
            span = Some(span.map_or(covered, |span| span.join(covered)));
        }
        builder.finish(span.unwrap_or(draft.span))
    }

    /// What stands for an expression: the text of a constant, else a word that is the same for the same expression.
    fn hole(&self, draft: &Draft<'s>, place: Span, expression: &str, builder: &mut Builder) {
        match self.constant(draft, expression) {
            Some(text) => builder.push(SegmentKind::Escape, &text, place),
            None => builder.push(SegmentKind::Hole, &stand_in(expression, place), place),
        }
    }

    fn constant(&self, draft: &Draft<'s>, expression: &str) -> Option<String> {
        if expression.len() > LONGEST_COMPARED {
            return None;
        }
        if let Some(number) = number(expression) {
            return Some(number);
        }
        let class = draft.class.map(|class| class.start);
        match self.constants.find(expression, draft.function, class)? {
            Constant::Number(span) => number(self.slice(span)),
            Constant::Text(constant) => {
                let text =
                    self.texts.borrow_mut().entry(constant).or_insert_with(|| self.constant_text(constant)).clone()?;
                self.room.set(self.room.get().checked_sub(text.len())?);
                Some(text.as_ref().to_owned())
            }
        }
    }

    /// What a draft is, if it is one short literal without holes.
    fn constant_text(&self, draft: usize) -> Option<Rc<str>> {
        let [Piece::Literal(literal)] = self.drafts.get(draft)?.pieces.as_slice() else {
            return None;
        };
        let (cut, holes) = self.cut(&self.lits[*literal]);
        if !holes.is_empty() {
            return None;
        }
        let mut builder = Builder::new();
        let mut none = |_: Span, _: &mut Builder| {};
        decode(self.text, cut.body, &cut.dialect, cut.delimiter, &[], &mut builder, &mut none);
        let region = builder.finish(cut.body);
        (region.text().len() <= LONGEST_CONSTANT).then(|| Rc::from(region.text()))
    }
}

/// An integer as SQL has it.
fn number(text: &str) -> Option<String> {
    integer(text).map(|value| value.to_string())
}

/// The expression of an interpolation: `x` of `${x}`, `#{x}`, `{x}`, `$x`.
fn inside(hole: &str) -> &str {
    let hole = hole.trim_start_matches(['#', '$', '\\']);
    let braced = hole.strip_prefix('{').and_then(|hole| hole.strip_suffix('}'));
    braced.map_or(hole, |hole| hole.trim_start_matches('{').trim_end_matches('}')).trim().trim_start_matches('$')
}

/// A word for an expression. Keys are compared by their text, so equal expressions have equal words and others do not.
pub(super) fn stand_in(expression: &str, place: Span) -> String {
    let plain =
        expression.len() <= LONGEST && expression.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        return format!("{STAND_IN}{expression}");
    }
    let mut hasher = SipHasher13::new_with_keys(0, 0);
    if expression.len() <= LONGEST_COMPARED {
        expression.split_whitespace().for_each(|word| hasher.write(word.as_bytes()));
    } else {
        hasher.write_usize(place.start);
    }
    format!("{STAND_IN}{:016x}", hasher.finish())
}
