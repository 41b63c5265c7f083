//! Scala: strings, triple quotes, interpolators.

use super::decode::{Backslash, Dialect, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string", "interpolated_string_expression"]),
        (Role::Hole, &["interpolation"]),
        (Role::Binary, &["infix_expression"]),
        (Role::Wrap, &["parenthesized_expression"]),
        (Role::Member, &["field_expression"]),
        (Role::Call, &["call_expression", "instance_expression"]),
        (Role::Arguments, &["arguments"]),
        (Role::Binding, &["val_definition", "var_definition", "enumerator"]),
        (Role::Assignment, &["assignment_expression"]),
        (Role::Parameters, &["parameters", "class_parameters", "bindings"]),
        (Role::Number, &["integer_literal"]),
        (Role::Function, &["function_definition", "function_declaration"]),
        (Role::Closure, &["lambda_expression"]),
        (Role::Class, &["class_definition", "object_definition", "trait_definition", "enum_definition"]),
        (
            Role::Body,
            &[
                "compilation_unit",
                "template_body",
                "with_template_body",
                "enum_body",
                "block",
                "indented_block",
                "case_clause",
            ],
        ),
        (Role::Comment, &["comment", "block_comment"]),
        (Role::Annotation, &["annotation"]),
    ],
    names: &[
        ("val_definition", Name::Field("pattern")),
        ("var_definition", Name::Field("pattern")),
        ("enumerator", Name::Child("identifier")),
        ("assignment_expression", Name::Field("left")),
    ],
    concatenates: &["+", "++"],
    formats: &["format"],
    formatters: &["format"],
    joiners: &[],
    same_text: &["stripMargin", "format", "trim", "stripIndent"],
    name_marks: "",
    content: &[],
    tag: Some(tag),
    documentation: &[],
    cut,
    refine: None,
};

/// `"…"`
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "bfnrt",
    marks: "'\"",
    octal: Octal::Digits,
    unicode4: true,
    surrogates: true,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    // `#$x` goes into the text as it is.
    let bytes = raw.source.as_bytes();
    for hole in &mut raw.holes {
        if hole.start > raw.span.start && bytes[hole.start - 1] == b'#' {
            hole.start -= 1;
        }
    }
    let text = raw.text();
    let name = interpolator(text);
    let close = if text[name.len()..].starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
    let plain = name == "raw" || name.is_empty() && close.len() == 3;
    let dialect = if plain { RAW } else { TEXT };
    let doubled = if name.is_empty() { "" } else { "$" };
    raw.cut(name.len() + close.len(), close, Dialect { doubled, ..dialect })
}

fn interpolator(text: &str) -> &str {
    let end = text.find('"').unwrap_or(0);
    &text[..end]
}

/// The interpolator, where it is no common one.
fn tag<'s>(_: &str, text: &'s str) -> Option<&'s str> {
    Some(interpolator(text)).filter(|name| !matches!(*name, "" | "s" | "f" | "raw"))
}
