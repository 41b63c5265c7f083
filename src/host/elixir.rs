//! Elixir: strings, charlists, sigils. Definitions are calls in its grammar, so roles depend on names.

use super::decode::{Backslash, Dialect, Hex, LineEnd, Octal, RAW};
use super::spec::{Cut, Raw, Refined, Role, Spec};
use crate::span::Span;
use tree_sitter::Node;

pub(super) static SPEC: Spec = Spec {
    grammar: || tree_sitter_elixir::LANGUAGE.into(),
    roles: &[
        (Role::Literal, &["string", "charlist", "sigil"]),
        (Role::Hole, &["interpolation"]),
        (Role::Binary, &["binary_operator"]),
        (Role::Call, &["call"]),
        (Role::Arguments, &["arguments", "keywords"]),
        (Role::Argument, &["pair"]),
        (Role::List, &["list"]),
        (Role::Number, &["integer"]),
        (Role::Closure, &["anonymous_function"]),
        (Role::Body, &["source", "do_block", "else_block", "after_block", "rescue_block", "catch_block", "body"]),
        (Role::Comment, &["comment"]),
    ],
    names: &[],
    concatenates: &["<>"],
    formats: &[],
    formatters: &[],
    joiners: &[],
    same_text: &[],
    name_marks: "!?",
    content: &[],
    tag: Some(tag),
    documentation: &["@doc", "@moduledoc", "@shortdoc", "@typedoc"],
    cut,
    refine: Some(refine),
};

/// `"…"`
const TEXT: Dialect = Dialect {
    backslash: Backslash::Escape,
    letters: "abdefnrstv",
    hex: Hex::TwoOrBraces,
    octal: Octal::Nul,
    bytes: true,
    unicode4: true,
    unicode_braces: true,
    line_end: LineEnd::Joins,
    keeps_unknown: false,
    ..RAW
};

/// Calls that define a function.
const FUNCTIONS: &[&str] = &["def", "defp", "defmacro", "defmacrop"];

/// Calls that define a module.
const MODULES: &[&str] = &["defmodule", "defimpl", "defprotocol"];

fn cut(raw: &mut Raw<'_>) -> Option<Cut> {
    let text = raw.text();
    let (before, dialect) = match text.strip_prefix('~') {
        Some(sigil) => {
            let name = sigil.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let upper = sigil.starts_with(|c: char| c.is_ascii_uppercase());
            (1 + name, if upper { RAW } else { TEXT })
        }
        None => (0, TEXT),
    };
    let open = text.get(before..)?;
    if let Some(close) = ["\"\"\"", "'''"].into_iter().find(|close| open.starts_with(close)) {
        raw.span.end -= modifiers(text);
        return raw.cut(before + 3, close, dialect);
    }
    let open = open.chars().next()?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    if before > 0 {
        raw.span.end -= modifiers(text);
    }
    raw.cut(before + open.len_utf8(), close.encode_utf8(&mut [0; 4]), dialect)
}

/// The letters that may follow a sigil.
fn modifiers(text: &str) -> usize {
    text.bytes().rev().take_while(u8::is_ascii_alphabetic).count()
}

/// The name of a sigil that says which language is in it.
fn tag<'s>(kind: &str, text: &'s str) -> Option<&'s str> {
    let sigil = text.strip_prefix('~').filter(|_| kind == "sigil")?;
    let end = sigil.find(|c: char| !c.is_ascii_alphanumeric())?;
    Some(&sigil[..end]).filter(|name| !matches!(*name, "s" | "S"))
}

fn refine(node: Node<'_>, text: &str, role: Role) -> Refined {
    let plain = Refined { role, name: None };
    let slice = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "call" => {
            let Some(target) = node.child_by_field_name("target").map(slice) else { return plain };
            let defines = FUNCTIONS.contains(&target);
            if defines || MODULES.contains(&target) {
                let role = if defines { Role::Function } else { Role::Class };
                let mut cursor = node.walk();
                let arguments = node.named_children(&mut cursor).find(|child| child.kind() == "arguments");
                let name = arguments.map(|arguments| {
                    let text = slice(arguments);
                    let start = text.find(|c: char| c != '(' && !c.is_whitespace()).unwrap_or(0);
                    let rest = &text[start..];
                    let end = rest.find(['(', ' ', ',', '\n']).unwrap_or(rest.len());
                    let start = arguments.start_byte() + start;
                    Span::new(start, start + end)
                });
                return Refined { role, name };
            }
            let attribute = node.start_byte() > 0 && text.as_bytes()[node.start_byte() - 1] == b'@';
            Refined { role: if attribute { Role::Wrap } else { role }, name: None }
        }
        "unary_operator" if slice(node).starts_with('@') => {
            let target = node.child_by_field_name("operand").and_then(|call| call.child_by_field_name("target"));
            match target {
                Some(target) => {
                    Refined { role: Role::Binding, name: Some(Span::new(node.start_byte(), target.end_byte())) }
                }
                None => plain,
            }
        }
        "binary_operator" => {
            let operator = node.child_by_field_name("operator").map(slice);
            match node.child_by_field_name("left").filter(|_| operator == Some("=")) {
                Some(left) => {
                    Refined { role: Role::Binding, name: Some(Span::new(left.start_byte(), left.end_byte())) }
                }
                None => plain,
            }
        }
        _ => plain,
    }
}
