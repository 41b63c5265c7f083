//! JavaScript, TypeScript and TSX: quotes, templates, tags.

use super::decode::{Backslash, Dialect, Hex, LineEnd, Octal, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static JAVASCRIPT: Spec = Spec { grammar: || tree_sitter_javascript::LANGUAGE.into(), ..SHARED };

pub(super) static TYPESCRIPT: Spec = Spec { grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), ..SHARED };

pub(super) static TSX: Spec = Spec { grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(), ..SHARED };

/// What the three grammars share.
const SHARED: Spec = Spec {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string", "template_string"]),
        (Role::Hole, &["template_substitution"]),
        (Role::Binary, &["binary_expression"]),
        (
            Role::Wrap,
            &[
                "parenthesized_expression",
                "as_expression",
                "satisfies_expression",
                "type_assertion",
                "non_null_expression",
            ],
        ),
        (Role::Member, &["member_expression"]),
        (Role::Call, &["call_expression", "new_expression"]),
        (Role::Arguments, &["arguments"]),
        (Role::List, &["array"]),
        (Role::Binding, &["variable_declarator", "field_definition", "public_field_definition", "for_in_statement"]),
        (Role::Assignment, &["assignment_expression", "augmented_assignment_expression"]),
        (Role::Pair, &["pair"]),
        (Role::Parameters, &["formal_parameters"]),
        (Role::Number, &["number"]),
        (Role::Function, &["function_declaration", "generator_function_declaration", "method_definition"]),
        (Role::Closure, &["arrow_function", "function_expression", "generator_function"]),
        (Role::Class, &["class", "class_declaration", "abstract_class_declaration", "internal_module"]),
        (Role::Body, &["program", "statement_block", "class_body", "switch_case", "switch_default"]),
        (
            Role::Statement,
            &[
                "expression_statement",
                "return_statement",
                "throw_statement",
                "lexical_declaration",
                "variable_declaration",
            ],
        ),
        (Role::Comment, &["comment", "html_comment"]),
        (Role::Annotation, &["decorator"]),
    ],
    names: &[
        ("field_definition", Name::Field("property")),
        ("for_in_statement", Name::Field("left")),
        ("assignment_expression", Name::Field("left")),
        ("augmented_assignment_expression", Name::Field("left")),
        ("pair", Name::Field("key")),
    ],
    concatenates: &["+"],
    formats: &[],
    formatters: &["dedent", "stripIndent", "oneLine", "format"],
    joiners: &[],
    same_text: &["trim", "trimStart", "trimEnd", "join", "toString"],
    name_marks: "",
    content: &[],
    tag: None,
    documentation: &["expression_statement"],
    cut,
    refine: None,
};

/// `"…"`, `'…'`
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "bfnrtv",
    hex: Hex::Two,
    octal: Octal::Digits,
    unicode4: true,
    surrogates: true,
    unicode_braces: true,
    line_end: LineEnd::Joins,
    keeps_unknown: false,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let close = ["`", "\"", "'"].into_iter().find(|close| raw.text().starts_with(close))?;
    raw.cut(1, close, if raw.raw { RAW } else { TEXT })
}
