//! Java: strings and text blocks.

use super::decode::{Backslash, Dialect, LineEnd, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string_literal"]),
        (Role::Hole, &["string_interpolation"]),
        (Role::Binary, &["binary_expression"]),
        (Role::Wrap, &["parenthesized_expression", "cast_expression"]),
        (Role::Call, &["method_invocation", "object_creation_expression"]),
        (Role::Arguments, &["argument_list", "annotation_argument_list"]),
        (Role::Argument, &["element_value_pair"]),
        (Role::Binding, &["variable_declarator", "enhanced_for_statement"]),
        (Role::Assignment, &["assignment_expression"]),
        (Role::Parameters, &["formal_parameters", "inferred_parameters"]),
        (Role::Number, &["decimal_integer_literal", "hex_integer_literal"]),
        (Role::Function, &["method_declaration", "constructor_declaration", "compact_constructor_declaration"]),
        (Role::Closure, &["lambda_expression"]),
        (Role::Class, &["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"]),
        (
            Role::Body,
            &[
                "program",
                "class_body",
                "interface_body",
                "enum_body",
                "annotation_type_body",
                "block",
                "constructor_body",
                "switch_block_statement_group",
            ],
        ),
        (
            Role::Statement,
            &["expression_statement", "return_statement", "throw_statement", "local_variable_declaration"],
        ),
        (Role::Comment, &["line_comment", "block_comment"]),
        (Role::Annotation, &["annotation", "marker_annotation"]),
    ],
    names: &[("assignment_expression", Name::Field("left"))],
    concatenates: &["+"],
    formats: &[],
    formatters: &["format"],
    joiners: &[],
    same_text: &["formatted", "stripIndent", "strip", "trim", "concat", "translateEscapes"],
    name_marks: "",
    content: &[],
    tag: None,
    documentation: &[],
    cut,
    refine: None,
};

/// `"…"`; indentation of a text block stays.
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "bfnrst",
    marks: "'\"",
    octal: Octal::Digits,
    unicode4: true,
    surrogates: true,
    line_end: LineEnd::Joins,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let close = if raw.text().starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
    raw.cut(close.len(), close, TEXT)
}
