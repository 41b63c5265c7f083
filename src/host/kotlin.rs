//! Kotlin: strings and raw strings.

use super::decode::{Backslash, Dialect, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_kotlin_sg::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string_literal"]),
        (Role::Hole, &["interpolated_identifier", "interpolated_expression"]),
        (Role::Binary, &["additive_expression"]),
        (Role::Wrap, &["parenthesized_expression"]),
        (Role::Member, &["navigation_expression"]),
        (Role::Call, &["call_expression", "constructor_invocation"]),
        (Role::Arguments, &["value_arguments"]),
        (Role::Argument, &["value_argument"]),
        (Role::Binding, &["property_declaration", "for_statement"]),
        (Role::Assignment, &["assignment"]),
        (Role::Parameters, &["function_value_parameters", "lambda_parameters", "primary_constructor"]),
        (Role::Number, &["integer_literal", "long_literal", "hex_literal"]),
        (Role::Function, &["function_declaration", "secondary_constructor"]),
        (Role::Closure, &["anonymous_function"]),
        (Role::Class, &["class_declaration", "object_declaration"]),
        (Role::Body, &["source_file", "class_body", "enum_class_body", "statements"]),
        (Role::Comment, &["line_comment", "multiline_comment", "shebang_line"]),
        (Role::Annotation, &["annotation", "file_annotation"]),
    ],
    names: &[
        ("property_declaration", Name::Child("variable_declaration")),
        ("for_statement", Name::Child("variable_declaration")),
        ("assignment", Name::Child("directly_assignable_expression")),
        ("function_declaration", Name::Child("simple_identifier")),
        ("class_declaration", Name::Child("type_identifier")),
        ("object_declaration", Name::Child("type_identifier")),
    ],
    concatenates: &["+"],
    formats: &[],
    formatters: &["format"],
    joiners: &[],
    same_text: &["trimIndent", "trimMargin", "format", "trim", "replaceIndent"],
    name_marks: "",
    content: &[],
    tag: None,
    documentation: &[],
    cut,
    refine: None,
};

/// `"…"`
const TEXT: Dialect =
    Dialect { backslash: Backslash::Escape, letters: "bnrt", marks: "'\"$", unicode4: true, surrogates: true, ..RAW };

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    widen(raw);
    let text = raw.text();
    let dollars = text.bytes().take_while(|byte| *byte == b'$').count();
    if text[dollars..].starts_with("\"\"\"") {
        raw.cut(dollars + 3, "\"\"\"", RAW)
    } else {
        raw.cut(dollars + 1, "\"", TEXT)
    }
}

/// The grammar leaves `$`, `${` and `}` outside of what is interpolated.
fn widen(raw: &mut Raw<'_>) {
    let bytes = raw.source.as_bytes();
    let first = raw.span.start;
    for hole in &mut raw.holes {
        if hole.start > first && bytes[hole.start - 1] == b'{' {
            hole.start -= 1;
            hole.end += usize::from(bytes.get(hole.end) == Some(&b'}'));
        }
        while hole.start > first && bytes[hole.start - 1] == b'$' {
            hole.start -= 1;
        }
    }
}
