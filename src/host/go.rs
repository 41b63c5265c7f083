//! Go: interpreted and raw strings.

use super::decode::{Backslash, Dialect, Hex, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["interpreted_string_literal", "raw_string_literal"]),
        (Role::Binary, &["binary_expression"]),
        (Role::Wrap, &["parenthesized_expression", "expression_list", "literal_element"]),
        (Role::Call, &["call_expression"]),
        (Role::Arguments, &["argument_list"]),
        (Role::Binding, &["const_spec", "var_spec", "short_var_declaration", "range_clause"]),
        (Role::Assignment, &["assignment_statement"]),
        (Role::Pair, &["keyed_element"]),
        (Role::Parameters, &["parameter_list"]),
        (Role::Number, &["int_literal"]),
        (Role::Function, &["function_declaration", "method_declaration"]),
        (Role::Closure, &["func_literal"]),
        (Role::Class, &["type_spec"]),
        (
            Role::Body,
            &[
                "source_file",
                "block",
                "statement_list",
                "const_declaration",
                "var_declaration",
                "var_spec_list",
                "expression_case",
                "default_case",
                "communication_case",
                "type_case",
            ],
        ),
        (Role::Comment, &["comment"]),
    ],
    names: &[
        ("short_var_declaration", Name::Field("left")),
        ("range_clause", Name::Field("left")),
        ("assignment_statement", Name::Field("left")),
        ("keyed_element", Name::Child("literal_element")),
    ],
    concatenates: &["+"],
    formats: &[],
    formatters: &["Sprintf", "TrimSpace", "Doc", "Dedent"],
    joiners: &[],
    same_text: &[],
    name_marks: "",
    content: &[],
    tag: None,
    documentation: &[],
    cut,
    refine: None,
};

/// `"…"`
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "abfnrtv",
    marks: "'",
    hex: Hex::Two,
    octal: Octal::Digits,
    bytes: true,
    unicode4: true,
    unicode8: true,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    if raw.text().starts_with('`') { raw.cut(1, "`", RAW) } else { raw.cut(1, "\"", TEXT) }
}
