//! What a language's row says: which kinds of its grammar play which part, and how its literals are cut and decoded.

use super::decode::Dialect;
use crate::language::HostLanguage;
use crate::span::Span;
use std::sync::OnceLock;
use tree_sitter::{Language, Node};

/// The part that a kind of node plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// None: what is in it is read, and that is all.
    Other,
    /// A string literal.
    Literal,
    /// What is interpolated in one.
    Hole,
    /// Literals side by side.
    Adjacent,
    /// An operator between two operands.
    Binary,
    /// Brackets, conversions, lists of one: the value is that of what is inside.
    Wrap,
    /// `value.name`
    Member,
    /// A call. Its first child may be the receiver.
    Call,
    /// The arguments of the call or annotation that it is a child or grandchild of.
    Arguments,
    /// One argument in its own node, with or without a keyword.
    Argument,
    /// A list whose elements `join` may make one text of.
    List,
    /// A declaration, or an assignment that declares.
    Binding,
    /// An assignment to what is declared elsewhere.
    Assignment,
    /// An entry of a map.
    Pair,
    /// Parameters.
    Parameters,
    /// An integer.
    Number,
    /// A function with a name.
    Function,
    /// A function without.
    Closure,
    /// A class, module or type.
    Class,
    /// What holds statements or declarations as its children.
    Body,
    /// A statement, wherever it stands.
    Statement,
    /// A comment.
    Comment,
    /// An annotation, attribute or decorator.
    Annotation,
    /// The mark of a heredoc, whose text comes later.
    HeredocStart,
    /// That text.
    HeredocBody,
}

/// Where a node has its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    /// In a field.
    Field(&'static str),
    /// In its first child of a kind.
    Child(&'static str),
}

/// Kinds with a role.
pub(super) type Row = (Role, &'static [&'static str]);

/// One language.
pub(super) struct Spec {
    /// Its grammar.
    pub(super) grammar: fn() -> Language,
    /// Kinds by role.
    pub(super) roles: &'static [Row],
    /// Where kinds that declare, assign or define have their name; `name` where nothing else is said.
    pub(super) names: &'static [(&'static str, Name)],
    /// Operators that join texts.
    pub(super) concatenates: &'static [&'static str],
    /// Operators whose left side is a text with places, which the right side fills.
    pub(super) formats: &'static [&'static str],
    /// Functions whose first text is a text with places, or which change no more than white space.
    pub(super) formatters: &'static [&'static str],
    /// Functions and macros whose arguments are joined to one text.
    pub(super) joiners: &'static [&'static str],
    /// Methods of a text that give the same text, but for places and white space.
    pub(super) same_text: &'static [&'static str],
    /// What may end a name beside letters and digits.
    pub(super) name_marks: &'static str,
    /// Where any named node in a literal is a hole: the kinds that are none.
    pub(super) content: &'static [&'static str],
    /// The tag that a literal carries itself, by its kind and text, or by the mark of a heredoc.
    pub(super) tag: Option<for<'s> fn(&str, &'s str) -> Option<&'s str>>,
    /// Kinds of statements that are documentation when they are nothing but a literal, and names of attributes.
    pub(super) documentation: &'static [&'static str],
    /// Cuts a literal's delimiters off and says how the rest is written.
    pub(super) cut: fn(&mut Raw<'_>) -> Option<Cut>,
    /// Another role than the kind's, by what the node holds.
    pub(super) refine: Option<fn(Node<'_>, &str, Role) -> Refined>,
}

/// A grammar with the roles of its kinds.
pub(super) struct Grammar {
    pub(super) language: Language,
    roles: Vec<Role>,
    names: Vec<Option<Name>>,
    documentation: Vec<bool>,
}

/// What a node turns out to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refined {
    pub(super) role: Role,
    /// Its name, where it has one.
    pub(super) name: Option<Span>,
}

/// A literal as it stands.
#[derive(Debug)]
pub(super) struct Raw<'s> {
    /// The text of the file.
    pub(super) source: &'s str,
    /// The literal; of a heredoc its body.
    pub(super) span: Span,
    /// The kind of its node.
    pub(super) kind: &'static str,
    /// The mark of a heredoc: `<<~'SQL'`.
    pub(super) mark: &'s str,
    /// What the tree says is interpolated, in order.
    pub(super) holes: Vec<Span>,
    /// A tag says that escapes stand for themselves.
    pub(super) raw: bool,
}

/// A literal without its delimiters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// What is left.
    pub(super) body: Span,
    /// How it is written.
    pub(super) dialect: Dialect,
    /// The byte that closes it; 0 for a heredoc.
    pub(super) delimiter: u8,
}

impl Raw<'_> {
    /// The literal's text.
    pub(super) fn text(&self) -> &str {
        self.source.get(self.span.range()).unwrap_or_default()
    }

    /// Takes `before` bytes from the start, and `close` from the end if it is there.
    pub(super) fn cut(&self, before: usize, close: &str, dialect: Dialect) -> Option<Cut> {
        let start = self.span.start + before;
        let inner = self.source.get(start..self.span.end)?;
        let end = self.span.end - if inner.ends_with(close) { close.len() } else { 0 };
        let delimiter = close.as_bytes().first().copied().unwrap_or_default();
        Some(Cut { body: Span::new(start, end), dialect, delimiter })
    }
}

impl Spec {
    /// The grammar of the language that this is the row of, made when first needed.
    pub(super) fn grammar(&self, language: HostLanguage) -> &'static Grammar {
        static GRAMMARS: [OnceLock<Grammar>; HostLanguage::COUNT] = [const { OnceLock::new() }; HostLanguage::COUNT];
        GRAMMARS[language as usize].get_or_init(|| {
            let language = (self.grammar)();
            let count = language.node_kind_count();
            let mut grammar = Grammar {
                roles: vec![Role::Other; count],
                names: vec![None; count],
                documentation: vec![false; count],
                language,
            };
            for id in (0..u16::MAX).take(count) {
                let Some(kind) = grammar.language.node_kind_for_id(id) else { continue };
                if !grammar.language.node_kind_is_named(id) {
                    continue;
                }
                let index = usize::from(id);
                if let Some((role, _)) = self.roles.iter().find(|(_, kinds)| kinds.contains(&kind)) {
                    grammar.roles[index] = *role;
                }
                grammar.names[index] = self.names.iter().find(|(of, _)| *of == kind).map(|(_, name)| *name);
                grammar.documentation[index] = self.documentation.contains(&kind);
            }
            grammar
        })
    }
}

impl Grammar {
    pub(super) fn role(&self, kind: u16) -> Role {
        self.roles.get(usize::from(kind)).copied().unwrap_or(Role::Other)
    }

    pub(super) fn is_documentation(&self, kind: u16) -> bool {
        self.documentation.get(usize::from(kind)).copied().unwrap_or_default()
    }

    /// The span of a node's name.
    pub(super) fn name(&self, node: Node<'_>) -> Option<Span> {
        let place = self.names.get(usize::from(node.kind_id())).copied().flatten();
        let found = match place.unwrap_or(Name::Field("name")) {
            Name::Field(field) => node.child_by_field_name(field),
            Name::Child(kind) => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| child.kind() == kind)
            }
        }?;
        Some(Span::new(found.start_byte(), found.end_byte()))
    }
}
