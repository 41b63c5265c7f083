//! What constants stand for.

use super::Value;
use crate::host::is_stand_in;
use crate::sql::clause::Tree;
use crate::sql::lex::TokenKind;
use crate::sql::literal::string_text;
use crate::sql::mask::continued;

/// What a string constant says; one with a hole in it is known only at run time.
fn constant(text: String) -> Value {
    if is_stand_in(&text) { Value::Parameter(text) } else { Value::Text(text) }
}

/// The constant that begins at token `index`, which is a number or a string.
pub(super) fn literal(tree: &Tree<'_>, index: usize) -> Value {
    let last = continued(tree, index, tree.tokens().len());
    let text = tree.slice(&(index..last + 1));
    let value = match tree.kind(index) {
        Some(TokenKind::Number) => Some(number(text)),
        Some(kind) if kind.is_string() => string_text(text).map(constant).or_else(|| bits(text)),
        _ => None,
    };
    value.unwrap_or_else(|| Value::Unknown(text.to_owned()))
}

/// `B'…'`, `X'…'`
fn bits(text: &str) -> Option<Value> {
    let digits = text.get(2..)?.strip_suffix('\'')?;
    match text.as_bytes().first()? {
        b'b' | b'B' => digits.bytes().all(|digit| matches!(digit, b'0' | b'1')).then(|| Value::Bits(digits.to_owned())),
        b'x' | b'X' => digits
            .chars()
            .map(|digit| digit.to_digit(16).map(|digit| format!("{digit:04b}")))
            .collect::<Option<_>>()
            .map(Value::Bits),
        _ => None,
    }
}

fn number(text: &str) -> Value {
    match integer(text) {
        Some(value) => Value::Integer(value),
        None => Value::Numeric(text.to_owned()),
    }
}

/// An integer as SQL writes it: decimal, `0x`, `0o`, `0b`, with underscores.
pub(super) fn integer(text: &str) -> Option<i128> {
    let digits: String = text.chars().filter(|&digit| digit != '_').collect();
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            return i128::from_str_radix(digits, radix).ok();
        }
    }
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
