//! Ruby: quotes, percent literals, heredocs.

use super::decode::{Backslash, Dialect, Hex, LineEnd, Octal, QUOTED, RAW};
use super::spec::{Cut, Name, Raw, Role, Spec};

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string", "bare_string"]),
        (Role::HeredocStart, &["heredoc_beginning"]),
        (Role::HeredocBody, &["heredoc_body"]),
        (Role::Hole, &["interpolation"]),
        (Role::Adjacent, &["chained_string"]),
        (Role::Binary, &["binary"]),
        (Role::Wrap, &["parenthesized_statements"]),
        (Role::Call, &["call"]),
        (Role::Arguments, &["argument_list"]),
        (Role::Argument, &["pair"]),
        (Role::List, &["array", "string_array"]),
        (Role::Binding, &["assignment"]),
        (Role::Assignment, &["operator_assignment"]),
        (Role::Parameters, &["method_parameters", "block_parameters", "lambda_parameters"]),
        (Role::Number, &["integer"]),
        (Role::Function, &["method", "singleton_method"]),
        (Role::Closure, &["lambda"]),
        (Role::Class, &["class", "module"]),
        (Role::Body, &["program", "body_statement", "block_body", "then", "else", "ensure", "begin", "do"]),
        (Role::Comment, &["comment"]),
    ],
    names: &[("assignment", Name::Field("left")), ("operator_assignment", Name::Field("left"))],
    concatenates: &["+"],
    formats: &["%"],
    formatters: &["format", "sprintf"],
    joiners: &[],
    same_text: &["squish", "strip", "freeze", "strip_heredoc", "chomp", "to_s", "dup", "lstrip", "rstrip", "join"],
    name_marks: "!?",
    content: &[],
    tag: Some(tag),
    documentation: &[],
    cut,
    refine: None,
};

/// `"…"`
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "abefnrstv",
    hex: Hex::OneOrTwo,
    octal: Octal::Digits,
    bytes: true,
    unicode4: true,
    unicode_braces: true,
    line_end: LineEnd::Joins,
    keeps_unknown: false,
    ..RAW
};

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let text = raw.text();
    if raw.kind == "heredoc" {
        return heredoc(raw);
    }
    if raw.kind == "bare_string" {
        return raw.cut(0, "", QUOTED);
    }
    match text.as_bytes().first()? {
        b'\'' => raw.cut(1, "'", QUOTED),
        b'%' => {
            let letter = text[1..].chars().next().filter(char::is_ascii_alphabetic);
            let before = 1 + letter.map_or(0, char::len_utf8);
            let open = text[before..].chars().next()?;
            let close = match open {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                '<' => '>',
                other => other,
            };
            let dialect = if letter == Some('q') { QUOTED } else { TEXT };
            raw.cut(before + open.len_utf8(), close.encode_utf8(&mut [0; 4]), dialect)
        }
        _ => raw.cut(1, "\"", TEXT),
    }
}

/// The text between the line of the mark and the line of the closing word.
fn heredoc(raw: &Raw<'_>) -> Option<Cut> {
    let text = raw.text();
    let dialect = if raw.mark.contains('\'') { RAW } else { TEXT };
    if text == raw.mark {
        // Its text is missing.
        return raw.cut(text.len(), "", dialect);
    }
    let start = text.find('\n').map_or(0, |end| end + 1);
    let end = text.rfind('\n').map_or(text.len(), |end| end + 1);
    let before = raw.span.start;
    let body = crate::span::Span::new(before + start, before + end.max(start));
    Some(Cut { body, dialect, delimiter: 0 })
}

/// The word of a heredoc.
fn tag<'s>(kind: &str, text: &'s str) -> Option<&'s str> {
    let word = text.trim_start_matches(['<', '~', '-']).trim_matches(['"', '\'', '`']);
    (kind == "heredoc").then_some(word)
}
