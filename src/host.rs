//! Host code: the string literals of a source in one of twelve languages as regions, with what stands around them.
//! What a literal means is decided above; here nothing is known of SQL.
//!
//! A file with syntax errors is read like any other. Nothing recurses, and every step is linear in the file.

pub mod code;
mod constants;
mod csharp;
mod decode;
mod elixir;
mod go;
mod java;
mod javascript;
mod join;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod spec;
mod syntax;
#[cfg(test)]
mod tests;

use crate::language::{HostLanguage, Language};
use crate::region::Region;
use crate::source::Source;
use crate::span::Span;
use tree_sitter::Tree;

/// A source in a host language, read.
#[derive(Debug, Default)]
pub struct Host<'s> {
    /// Its literals, in the order of the text. Those in the holes of others follow them.
    pub literals: Vec<Literal<'s>>,
    /// The calls that literals are arguments of, directly or in other calls.
    pub calls: Vec<CallSite<'s>>,
    /// Its comments, delimiters included, in order.
    pub comments: Vec<Span>,
    /// Its functions, in the order in which they begin.
    pub functions: Vec<Function<'s>>,
    /// Whether it has syntax errors.
    pub broken: bool,
    /// Whether it was not read at all, because no tree was found in reasonable time.
    pub unread: bool,
    /// What its code is read from.
    pub syntax: Syntax,
}

/// The syntax tree of a source: it is parsed once, for its literals and for its code.
#[derive(Debug, Default)]
pub struct Syntax {
    tree: Option<Tree>,
    /// Where its texts are: a node's span, and the span of the literal that it is the whole of, which for a heredoc goes
    /// further.
    texts: Vec<(Span, Span)>,
}

impl Syntax {
    /// The tree, for readers that look for declarations and not for literals.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// What the code of the source does; `None` for one that is in no host language, or whose tree is not found in
    /// reasonable time.
    pub fn code(self, source: &Source) -> Option<code::Code<'_>> {
        let Language::Host(language) = source.language() else { return None };
        Some(code::code(source.text(), language, &self.tree?, self.texts))
    }
}

/// A string literal, or what concatenation and formatting make one text of.
#[derive(Debug)]
pub struct Literal<'s> {
    /// What it stands for.
    pub region: Region<'s>,
    /// The whole of it, delimiters and operators included. Of a heredoc from its mark to its end.
    pub span: Span,
    /// The innermost statement or declaration around it. Of one with a body, the part before the body.
    pub statement: Span,
    /// The function around it: an index into [`Host::functions`].
    pub function: Option<usize>,
    /// The innermost call that it is an argument of.
    pub argument: Option<Argument<'s>>,
    /// The last name of the variable, constant, field or entry that it is the whole value of.
    pub binding: Option<&'s str>,
    /// What says which language it is in: the tag of a template, the word of a heredoc, the name of a sigil.
    pub tag: Option<Callee<'s>>,
    /// A documentation string: nothing is done with its value.
    pub documentation: bool,
    /// The last name of the annotation, attribute or decorator that it stands in.
    pub annotation: Option<&'s str>,
}

/// A place in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<'s> {
    /// The call: an index into [`Host::calls`].
    pub call: usize,
    /// Which argument, or in which.
    pub position: Position<'s>,
}

/// Which argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position<'s> {
    /// By its place, from 0. Arguments with a keyword count.
    Index(usize),
    /// By its keyword.
    Keyword(&'s str),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee<'s> {
    /// The last name: `execute` of `self.conn.execute`.
    pub name: &'s str,
    /// What stands before it: `self.conn`.
    pub receiver: Option<&'s str>,
}

/// A call, a construction, a macro, or an annotation with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite<'s> {
    /// What is called.
    pub callee: Callee<'s>,
    /// All of it.
    pub span: Span,
    /// `await` stands directly before it, or after it where the language has it so.
    pub awaited: bool,
    /// The call around it in the same statement.
    pub outer: Option<Argument<'s>>,
}

/// A function, method, or closure with a name; a closure without one where no function is around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'s> {
    /// Its name; empty for a closure that has none.
    pub name: &'s str,
    /// All of it.
    pub span: Span,
    /// The class, module or type it stands in.
    pub class: Option<&'s str>,
    /// Whether there are syntax errors in it.
    pub has_error: bool,
}

/// Reads a source; one that is in no host language has no literals.
pub fn read(source: &Source) -> Host<'_> {
    match source.language() {
        Language::Host(language) => syntax::read(source.text(), language),
        Language::Sql | Language::Markdown | Language::Config(_) | Language::Prisma | Language::Expected => {
            Host::default()
        }
    }
}

/// What the code of a source does; `None` as [`Syntax::code`] has it. For the literals in it see [`read`].
pub fn code(source: &Source) -> Option<code::Code<'_>> {
    read(source).syntax.code(source)
}

/// Whether a name in a literal's text is, or ends in, what is known only at run time.
pub fn is_stand_in(name: &str) -> bool {
    name.contains(join::STAND_IN)
}

/// What stands in a text for an expression at a place: equal expressions have equal words.
pub fn stand_in(expression: &str, place: Span) -> String {
    join::stand_in(expression, place)
}

/// The syntax tree of a text, for readers that look for declarations and not for literals.
pub fn tree(text: &str, language: HostLanguage) -> Option<Tree> {
    syntax::tree(text, language)
}

impl HostLanguage {
    fn spec(self) -> &'static spec::Spec {
        match self {
            Self::Python => &python::SPEC,
            Self::JavaScript => &javascript::JAVASCRIPT,
            Self::TypeScript => &javascript::TYPESCRIPT,
            Self::Tsx => &javascript::TSX,
            Self::Go => &go::SPEC,
            Self::Rust => &rust::SPEC,
            Self::Java => &java::SPEC,
            Self::Kotlin => &kotlin::SPEC,
            Self::CSharp => &csharp::SPEC,
            Self::Ruby => &ruby::SPEC,
            Self::Php => &php::SPEC,
            Self::Elixir => &elixir::SPEC,
            Self::Scala => &scala::SPEC,
        }
    }
}

/// A key as it is shown: with stand-ins for holes in it, its arguments as the call in the source has them.
pub fn shown_key(key: String, call: &str) -> String {
    let arguments = || {
        let (_, rest) = call.split_once('(').filter(|(name, _)| name.contains("advisory"))?;
        Some(rest.trim_end().strip_suffix(')')?.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    if key.contains(join::STAND_IN) { arguments().unwrap_or(key) } else { key }
}
