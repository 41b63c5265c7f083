//! A node on the way from the root to where the walk is.

use crate::host::spec::Role;
use crate::span::Span;
use tree_sitter::Node;

/// What a node does with the texts of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Each is a text of its own.
    Apart,
    /// All are one text, and what is none is a hole in it.
    Concat,
    /// The same, with a separator between.
    Join(Span),
    /// The first is its text.
    First,
    /// The first is its text if a method follows that leaves a text as it is.
    Member,
    /// A call: of such a method, of a function that does, or a tag before a template.
    Call,
    /// `tag<Type>` before a template, which the grammar takes for comparisons.
    Tagged,
}

/// What is around a node's children. The numbers are indices of frames where nothing else is said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    pub(super) statement: Option<usize>,
    pub(super) arguments: Option<usize>,
    pub(super) annotation: Option<usize>,
    /// An index of the functions found so far.
    pub(super) function: Option<usize>,
    /// The name of the class.
    pub(super) class: Option<Span>,
    /// An index of the literals found so far.
    pub(super) literal: Option<usize>,
    pub(super) parameters: bool,
}

#[derive(Debug)]
pub(super) struct Frame<'t> {
    pub(super) node: Node<'t>,
    pub(super) role: Role,
    pub(super) span: Span,
    pub(super) mode: Mode,
    /// Where its pieces begin.
    pub(super) first: usize,
    /// What its pieces cover, if they are a text: the literals, and what joins them.
    pub(super) text: Option<Span>,
    /// Named children that it has had, comments left out.
    pub(super) children: usize,
    /// Where the last of them ended.
    pub(super) last: usize,
    /// Its name.
    pub(super) name: Option<Span>,
    /// Around its children.
    pub(super) context: Context,
    /// Of arguments: the keyword of the current one.
    pub(super) keyword: Option<Span>,
    /// Of arguments: the frame of their call.
    pub(super) call: Option<usize>,
    /// Of arguments: the arguments that the call stands in.
    pub(super) outer: Option<usize>,
    /// Of arguments: the call's index, once a literal asked for it. Of a statement: its own.
    pub(super) record: Option<usize>,
}

impl Context {
    /// In a statement, a body or a closure nothing is an argument of the calls around it.
    pub(super) fn inside(self) -> Self {
        Self { arguments: None, annotation: None, parameters: false, ..self }
    }
}
