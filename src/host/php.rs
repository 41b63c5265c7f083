//! PHP: quotes, heredocs, nowdocs.

use super::decode::{Backslash, Dialect, Hex, Octal, QUOTED, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    roles: &[
        (Role::Literal, &["string", "encapsed_string", "heredoc", "nowdoc"]),
        (Role::Binary, &["binary_expression"]),
        (Role::Wrap, &["parenthesized_expression"]),
        (
            Role::Call,
            &[
                "function_call_expression",
                "member_call_expression",
                "nullsafe_member_call_expression",
                "scoped_call_expression",
                "object_creation_expression",
            ],
        ),
        (Role::Arguments, &["arguments"]),
        (Role::Argument, &["argument"]),
        (Role::Binding, &["assignment_expression", "const_element", "property_element", "static_variable_declaration"]),
        (Role::Assignment, &["augmented_assignment_expression"]),
        (Role::Parameters, &["formal_parameters"]),
        (Role::Number, &["integer"]),
        (Role::Function, &["function_definition", "method_declaration"]),
        (Role::Closure, &["anonymous_function", "arrow_function"]),
        (Role::Class, &["class_declaration", "trait_declaration", "interface_declaration", "enum_declaration"]),
        (
            Role::Body,
            &[
                "program",
                "compound_statement",
                "declaration_list",
                "enum_declaration_list",
                "colon_block",
                "case_statement",
                "default_statement",
            ],
        ),
        (Role::Statement, &["expression_statement", "return_statement", "echo_statement"]),
        (Role::Comment, &["comment"]),
        (Role::Annotation, &["attribute"]),
    ],
    names: &[
        ("assignment_expression", Name::Field("left")),
        ("const_element", Name::Child("name")),
        ("augmented_assignment_expression", Name::Field("left")),
    ],
    concatenates: &["."],
    formats: &[],
    formatters: &["sprintf", "vsprintf", "trim"],
    joiners: &[],
    same_text: &[],
    name_marks: "",
    content: &[
        "string_content",
        "escape_sequence",
        "heredoc_body",
        "heredoc_start",
        "heredoc_end",
        "nowdoc_body",
        "nowdoc_string",
    ],
    tag: Some(tag),
    documentation: &[],
    cut,
    refine: None,
};

/// `"…"`
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "efnrtv",
    marks: "$",
    hex: Hex::OneOrTwo,
    octal: Octal::Digits,
    bytes: true,
    unicode_braces: true,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    widen(raw);
    let text = raw.text();
    match raw.kind {
        "heredoc" | "nowdoc" => {
            let dialect = if raw.kind == "nowdoc" { RAW } else { TEXT };
            let start = text.find('\n')? + 1;
            let end = text.rfind('\n')?.max(start);
            let before = raw.span.start;
            let body = crate::span::Span::new(before + start, before + end);
            Some(Cut { body, dialect, delimiter: 0 })
        }
        _ => {
            let prefix = usize::from(text.starts_with(['b', 'B']));
            if text[prefix..].starts_with('\'') {
                raw.cut(prefix + 1, "'", QUOTED)
            } else {
                raw.cut(prefix + 1, "\"", TEXT)
            }
        }
    }
}

/// The grammar leaves the braces of `{$x}` outside of what is interpolated.
fn widen(raw: &mut Raw<'_>) {
    let bytes = raw.source.as_bytes();
    let first = raw.span.start;
    for hole in &mut raw.holes {
        if hole.start > first && bytes[hole.start - 1] == b'{' && bytes.get(hole.end) == Some(&b'}') {
            *hole = crate::span::Span::new(hole.start - 1, hole.end + 1);
        }
    }
}

/// The word of a heredoc.
fn tag<'s>(kind: &str, text: &'s str) -> Option<&'s str> {
    let word = text.split('\n').next()?.trim_start_matches(['<', ' ', '\t', 'b']).trim();
    matches!(kind, "heredoc" | "nowdoc").then_some(word.trim_matches(['"', '\'']))
}
