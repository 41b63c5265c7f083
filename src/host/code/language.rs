//! What a language says of its grammar: which shape each kind of node has, and what is peculiar to it.
//!
//! A new language is one file with a [`Syntax`] and a line in [`of`]. Kinds that are named in `shapes` need no code; kinds
//! of [`Shape::Own`] are handed to `own`. A kind that is not named is a value with its parts in order, or, where its name
//! ends like a statement's, its parts one after the other.

use super::build::{Builder, Case, Lowered};
use super::{Binding, ExprId, Handler, csharp, elixir, go, java, javascript, kotlin, php, python, ruby, rust, scala};
use crate::host::spec::Spec;
use crate::language::HostLanguage;
use std::sync::OnceLock;
use tree_sitter::Node;

/// Where in a node a part of it is: the name of a field; `""` the first named child, `"$"` the last, `"#kind"` the first of
/// a kind. No comments.
pub(super) type Place = &'static str;

/// What kinds of nodes are in all languages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Not said.
    Unknown,
    /// Nothing that runs: types, comments, `pass`.
    Skip,
    /// The language's own function knows.
    Own,
    /// A name.
    Name,
    /// A constant.
    Constant,
    /// Looked through, to a part.
    Through(Place),
    /// The same, and it is waited for.
    Await(Place),
    /// `of.name`: both places.
    Member(Place, Place),
    /// A call: what is called, and the node of the arguments.
    Call(Place, Place),
    /// A construction: its type, and the node of the arguments.
    Construct(Place, Place),
    /// `a = b`, `a: b` as an argument: name and value. Without a name, or one that is the value, it is the value alone.
    Keyword(Place, Place),
    /// An operator, in the field `operator` or between them, and two operands: `left`, `right`, or the first and the last.
    Binary,
    /// An operator and one operand.
    Unary(Place),
    /// A tuple, list, map; also a pattern of one.
    Items,
    /// A field's name that is its value or target too: `{ a }`.
    Shorthand,
    /// A pattern of a constructor with what is in it: the constructor's place. What it wraps as such is the value, not a
    /// part of it: `Some(x)`, `Ok(x)`; of another with one part that has the constructor's name: `Err(e)`.
    Variant(Place),
    /// A pattern with a default: target and default.
    Default(Place, Place),
    /// `c ? a : b`: condition, and both values.
    Choice(Place, Place, Place),
    /// An assignment: target and value.
    Assign(Place, Place),
    /// A function without a name.
    Closure(&'static Parts),
    /// A function with a name.
    Function(&'static Parts),
    /// A class: name, what it extends, body.
    Class(Place, Place, Place),
    /// An annotation: the expression in it.
    Annotation(Place),
    /// A parameter: name or pattern, type, default.
    Parameter(Place, Place, Place),
    /// Statements.
    Sequence,
    /// An expression as a statement.
    Run,
    /// `return`: what.
    Return(Place),
    /// `throw`: what.
    Throw(Place),
    /// `break`: its label.
    Break(Place),
    /// `continue`: its label.
    Continue(Place),
    /// Condition, body, and each of the ways otherwise, which may be an [`Shape::If`] or an [`Shape::Else`] again.
    If(Place, Place, Place),
    /// The other way: its body.
    Else(Place),
    /// Condition, body.
    While(Place, Place),
    /// Body, condition.
    DoWhile(Place, Place),
    /// Variable, what is gone through, body.
    Each(Place, Place, Place),
    /// What is done first, condition, between rounds, body.
    For(Place, Place, Place, Place),
    /// Label, statement.
    Labeled(Place, Place),
    /// Its body; handlers, [`Shape::Else`] and [`Shape::Finally`] are among its children.
    Try(Place),
    /// A handler; `handler` reads it.
    Catch,
    /// Its body.
    Finally(Place),
    /// A statement that may open something to be closed at the end of its block; `using` says so.
    Using,
}

/// Where the parts of a function are.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) name: Place,
    pub(super) parameters: Place,
    pub(super) returns: Place,
    pub(super) body: Place,
}

/// Reads a node of [`Shape::Own`]. Whether it stands as a statement; `None` for what is as if unknown.
pub(super) type Own = for<'s, 't> fn(&mut Builder<'s, 't>, Node<'t>, bool) -> Option<Lowered<'s>>;

/// One language.
pub(super) struct Syntax {
    /// Kinds by shape.
    pub(super) shapes: &'static [(Shape, &'static [&'static str])],
    /// Its own kinds.
    pub(super) own: Own,
    /// A handler.
    pub(super) handler: for<'s, 't> fn(&mut Builder<'s, 't>, Node<'t>) -> Handler<'s>,
    /// What a declaration opens for the rest of its block.
    pub(super) using: for<'s, 't> fn(&mut Builder<'s, 't>, Node<'t>) -> Option<Vec<Binding<'s>>>,
    /// What is assigned to, where that is not read like a value.
    pub(super) target: Option<for<'s, 't> fn(&mut Builder<'s, 't>, Node<'t>) -> ExprId>,
    /// A case of a `switch`.
    pub(super) case: for<'s, 't> fn(&mut Builder<'s, 't>, Node<'t>) -> Option<Case<'t>>,
    /// Whether any call may throw.
    pub(super) throws: bool,
    /// Whether a `break` without a label leaves the cases that it stands in.
    pub(super) breaks_cases: bool,
    /// Whether a function gives what its last expression gives.
    pub(super) gives_last: bool,
    /// Whether an `async` function runs when it is called, waited for or not.
    pub(super) starts_unawaited: bool,
    /// Calls that do not come back, as they are written, or by the last name of any receiver (`*.Fatal`), and whether nothing at all runs afterwards.
    pub(super) leaves: &'static [(&'static str, bool)],
    /// Calls, by their last name, whose work is done at another time, and whether calls in their arguments are that work.
    pub(super) starts: &'static [(&'static str, bool)],
}

/// The syntax of a language.
pub(super) fn of(language: HostLanguage) -> &'static Syntax {
    match language {
        HostLanguage::Python => &python::SYNTAX,
        HostLanguage::Go => &go::SYNTAX,
        HostLanguage::Php => &php::SYNTAX,
        HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx => &javascript::SYNTAX,
        HostLanguage::Java => &java::SYNTAX,
        HostLanguage::Kotlin => &kotlin::SYNTAX,
        HostLanguage::CSharp => &csharp::SYNTAX,
        HostLanguage::Ruby => &ruby::SYNTAX,
        HostLanguage::Rust => &rust::SYNTAX,
        HostLanguage::Scala => &scala::SYNTAX,
        HostLanguage::Elixir => &elixir::SYNTAX,
    }
}

impl Syntax {
    /// The shapes by kind, made when first needed.
    pub(super) fn kinds(&self, host: HostLanguage, spec: &Spec) -> &'static [Shape] {
        static KINDS: [OnceLock<Vec<Shape>>; HostLanguage::COUNT] = [const { OnceLock::new() }; HostLanguage::COUNT];
        KINDS[host as usize].get_or_init(|| {
            let grammar = &spec.grammar(host).language;
            let shape = |id: u16| {
                let kind = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id)).unwrap_or_default();
                self.shapes.iter().find(|(_, kinds)| kinds.contains(&kind)).map_or(Shape::Unknown, |(shape, _)| *shape)
            };
            (0..u16::MAX).take(grammar.node_kind_count()).map(shape).collect()
        })
    }
}

/// No `using` declarations.
pub(super) fn opens_nothing<'s>(_: &mut Builder<'s, '_>, _: Node<'_>) -> Option<Vec<Binding<'s>>> {
    None
}

/// No cases.
pub(super) fn no_case<'t>(_: &mut Builder<'_, 't>, _: Node<'t>) -> Option<Case<'t>> {
    None
}
