//! C#: plain, verbatim, raw and interpolated strings.

use super::decode::{Backslash, Dialect, Hex, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    roles: &[
        (
            Role::Literal,
            &["string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"],
        ),
        (Role::Hole, &["interpolation"]),
        (Role::Binary, &["binary_expression"]),
        (Role::Wrap, &["parenthesized_expression", "arrow_expression_clause", "cast_expression"]),
        (Role::Member, &["member_access_expression"]),
        (Role::Call, &["invocation_expression", "object_creation_expression", "implicit_object_creation_expression"]),
        (Role::Arguments, &["argument_list", "attribute_argument_list"]),
        (Role::Argument, &["argument", "attribute_argument"]),
        (Role::Binding, &["variable_declarator", "property_declaration", "foreach_statement"]),
        (Role::Assignment, &["assignment_expression"]),
        (Role::Parameters, &["parameter_list", "implicit_parameter"]),
        (Role::Number, &["integer_literal"]),
        (Role::Function, &["method_declaration", "constructor_declaration", "local_function_statement"]),
        (Role::Closure, &["lambda_expression", "anonymous_method_expression"]),
        (Role::Class, &["class_declaration", "struct_declaration", "record_declaration", "interface_declaration"]),
        (Role::Body, &["compilation_unit", "declaration_list", "block", "switch_section"]),
        (
            Role::Statement,
            &["expression_statement", "return_statement", "local_declaration_statement", "throw_statement"],
        ),
        (Role::Comment, &["comment"]),
        (Role::Annotation, &["attribute"]),
    ],
    names: &[("foreach_statement", Name::Field("left")), ("assignment_expression", Name::Field("left"))],
    concatenates: &["+"],
    formats: &[],
    formatters: &["Format", "Invariant", "FormattableStringFactory"],
    joiners: &[],
    same_text: &["Trim", "ToString", "TrimStart", "TrimEnd", "ReplaceLineEndings"],
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
    letters: "abefnrtv",
    marks: "'\"",
    hex: Hex::OneToFour,
    octal: Octal::Nul,
    unicode4: true,
    surrogates: true,
    unicode8: true,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let text = raw.text();
    let prefix = text.bytes().take_while(|byte| matches!(byte, b'$' | b'@')).count();
    let interpolated = text[..prefix].contains('$');
    let verbatim = text[..prefix].contains('@');
    let quotes = text[prefix..].bytes().take_while(|byte| *byte == b'"').count();
    // A suffix says that it is UTF-8.
    if text.ends_with("u8") || text.ends_with("U8") {
        raw.span.end -= 2;
    }
    if quotes >= 3 && !verbatim {
        return raw.cut(prefix + quotes, &"\"".repeat(quotes), RAW);
    }
    let dialect = match (verbatim, interpolated) {
        (true, true) => Dialect { doubled: "\"{}", ..RAW },
        (true, false) => Dialect { doubled: "\"", ..RAW },
        (false, true) => Dialect { doubled: "{}", ..TEXT },
        (false, false) => TEXT,
    };
    raw.cut(prefix + 1, "\"", dialect)
}
