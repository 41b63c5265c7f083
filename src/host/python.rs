//! Python: prefixes, triple quotes, f-strings.

use super::decode::{Dialect, Hex, LineEnd, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string"]),
        (Role::Hole, &["interpolation"]),
        (Role::Adjacent, &["concatenated_string"]),
        (Role::Binary, &["binary_operator"]),
        (Role::Wrap, &["parenthesized_expression"]),
        (Role::Member, &["attribute"]),
        (Role::Call, &["call"]),
        (Role::Arguments, &["argument_list"]),
        (Role::Argument, &["keyword_argument"]),
        (Role::List, &["list", "tuple"]),
        (Role::Binding, &["assignment", "named_expression", "for_statement", "for_in_clause", "as_pattern"]),
        (Role::Assignment, &["augmented_assignment"]),
        (Role::Pair, &["pair"]),
        (Role::Parameters, &["parameters", "lambda_parameters"]),
        (Role::Number, &["integer"]),
        (Role::Function, &["function_definition"]),
        (Role::Closure, &["lambda"]),
        (Role::Class, &["class_definition"]),
        (Role::Body, &["module", "block"]),
        (Role::Comment, &["comment"]),
        (Role::Annotation, &["decorator"]),
    ],
    names: &[
        ("assignment", Name::Field("left")),
        ("augmented_assignment", Name::Field("left")),
        ("for_statement", Name::Field("left")),
        ("for_in_clause", Name::Field("left")),
        ("as_pattern", Name::Field("alias")),
        ("pair", Name::Field("key")),
    ],
    concatenates: &["+"],
    formats: &["%"],
    formatters: &["dedent", "cleandoc", "join"],
    joiners: &[],
    same_text: &["format", "strip", "lstrip", "rstrip", "format_map"],
    name_marks: "",
    content: &[],
    tag: None,
    documentation: &["expression_statement"],
    cut,
    refine: None,
};

/// `"…"`
const TEXT: Dialect = Dialect {
    backslash: super::decode::Backslash::Escape,
    letters: "abfnrtv",
    marks: "'\"",
    hex: Hex::Two,
    octal: Octal::Digits,
    unicode4: true,
    unicode8: true,
    named: true,
    line_end: LineEnd::Joins,
    ..RAW
};

/// `b"…"`
const BYTES: Dialect = Dialect { bytes: true, unicode4: false, unicode8: false, named: false, ..TEXT };

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let text = raw.text();
    let prefix = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let has = |letter: u8| text.bytes().take(prefix).any(|byte| byte.eq_ignore_ascii_case(&letter));
    let mut dialect = if has(b'r') {
        RAW
    } else if has(b'b') {
        BYTES
    } else {
        TEXT
    };
    if has(b'f') || has(b't') {
        dialect.doubled = "{}";
    }
    let close = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|close| text[prefix..].starts_with(close))?;
    raw.cut(prefix + close.len(), close, dialect)
}
