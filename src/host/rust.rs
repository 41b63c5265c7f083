//! Rust: plain, byte, C and raw strings.

use super::decode::{Backslash, Dialect, Hex, LineEnd, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string_literal", "raw_string_literal"]),
        (Role::Binary, &["binary_expression"]),
        (Role::Wrap, &["parenthesized_expression", "reference_expression"]),
        (Role::Member, &["field_expression"]),
        (Role::Call, &["call_expression", "macro_invocation"]),
        (Role::Arguments, &["arguments", "token_tree"]),
        (Role::Binding, &["const_item", "static_item", "let_declaration", "for_expression"]),
        (Role::Assignment, &["assignment_expression", "compound_assignment_expr"]),
        (Role::Pair, &["field_initializer"]),
        (Role::Parameters, &["parameters", "closure_parameters"]),
        (Role::Number, &["integer_literal"]),
        (Role::Function, &["function_item"]),
        (Role::Closure, &["closure_expression"]),
        (Role::Class, &["impl_item", "trait_item", "mod_item"]),
        (Role::Body, &["source_file", "block", "declaration_list", "match_block"]),
        (Role::Statement, &["expression_statement"]),
        (Role::Comment, &["line_comment", "block_comment"]),
        (Role::Annotation, &["attribute"]),
    ],
    names: &[
        ("let_declaration", Name::Field("pattern")),
        ("for_expression", Name::Field("pattern")),
        ("assignment_expression", Name::Field("left")),
        ("compound_assignment_expr", Name::Field("left")),
        ("field_initializer", Name::Field("field")),
        ("impl_item", Name::Field("type")),
    ],
    concatenates: &["+"],
    formats: &[],
    formatters: &["format", "format_args", "indoc", "formatdoc", "dedent"],
    joiners: &["concat"],
    same_text: &["to_string", "to_owned", "into", "as_str", "as_ref", "trim", "clone"],
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
    letters: "nrt",
    marks: "'\"",
    hex: Hex::Two,
    octal: Octal::Nul,
    unicode_braces: true,
    line_end: LineEnd::JoinsAndTrims,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let text = raw.text();
    let prefix = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if text[..prefix].contains('r') {
        let hashes = text[prefix..].bytes().take_while(|byte| *byte == b'#').count();
        let close = format!("\"{}", "#".repeat(hashes));
        return raw.cut(prefix + hashes + 1, &close, RAW);
    }
    // Bytes of a byte or C string are put together to characters.
    raw.cut(prefix + 1, "\"", Dialect { bytes: prefix > 0, ..TEXT })
}
