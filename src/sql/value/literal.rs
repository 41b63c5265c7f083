//! What constants stand for.

use super::Value;
use crate::sql::clause::{Tree, unicode};
use crate::sql::lex::TokenKind;
use crate::sql::mask::continued;

/// The constant that begins at token `index`, which is a number or a string.
pub(super) fn literal(tree: &Tree<'_>, index: usize) -> Value {
    let text = tree.raw(index);
    match tree.kind(index) {
        Some(TokenKind::Number) => number(text),
        Some(TokenKind::DollarString) => {
            let tag = text[1..].find('$').map_or(0, |at| at + 2);
            Value::Text(text.get(tag..text.len().saturating_sub(tag)).unwrap_or("").to_owned())
        }
        Some(TokenKind::String | TokenKind::EscapeString) => string(tree, index),
        _ => Value::Unknown(text.to_owned()),
    }
}

fn string(tree: &Tree<'_>, index: usize) -> Value {
    let text = tree.raw(index);
    let open = text.find('\'').unwrap_or(0);
    let last = continued(tree, index, tree.tokens().len());
    let mut body = body(&text[open..]).to_owned();
    for next in index + 1..=last {
        body.push_str(self::body(tree.raw(next)));
    }
    match &text[..open].to_ascii_lowercase()[..] {
        "e" => Value::Text(escaped(&body)),
        "u&" => Value::Text(unicode(&body.replace("''", "'"))),
        "b" if body.bytes().all(|digit| matches!(digit, b'0' | b'1')) => Value::Bits(body),
        "x" if body.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            let digits = body.chars().filter_map(|digit| digit.to_digit(16));
            Value::Bits(digits.map(|digit| format!("{digit:04b}")).collect())
        }
        "b" | "x" => Value::Unknown(text.to_owned()),
        _ => Value::Text(body.replace("''", "'")),
    }
}

/// What stands between the quotes.
fn body(text: &str) -> &str {
    let text = text.strip_prefix('\'').unwrap_or(text);
    text.strip_suffix('\'').unwrap_or(text)
}

/// Undoes the escapes of `E'…'`.
fn escaped(body: &str) -> String {
    let bytes = body.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        let Some(&next) = bytes.get(at).filter(|_| byte == b'\\') else {
            out.push(byte);
            at += usize::from(byte == b'\'' && bytes.get(at) == Some(&b'\''));
            continue;
        };
        at += 1;
        let digits = |from: usize, most: usize, radix: u32| {
            let count =
                bytes[from..].iter().take(most).take_while(|&&b| char::from(b).is_digit(radix)).count();
            let code = body.get(from..from + count).and_then(|text| u32::from_str_radix(text, radix).ok());
            (count, code)
        };
        match next {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'0'..=b'7' => {
                let (count, code) = digits(at - 1, 3, 8);
                out.push(code.unwrap_or(0).to_le_bytes()[0]);
                at += count.max(1) - 1;
            }
            b'x' | b'u' | b'U' => {
                let most = match next {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                let (count, code) = digits(at, most, 16);
                at += count;
                match code {
                    Some(code) if next == b'x' => out.push(code.to_le_bytes()[0]),
                    Some(code) => {
                        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    None => out.push(next),
                }
            }
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
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
