//! The key of an advisory call: its arguments folded to constants, or in one spelling.

use super::advisory::{Key, KeyPart};
use super::clause::{Call, Tokens, Tree};
use super::lex::TokenKind;

/// The key that a call names; `Unknown` where the argument list fits neither form.
pub fn of_call(tree: &Tree<'_>, call: &Call) -> Key {
    match call.args.as_slice() {
        [key] => Key::Bigint(part(tree, key)),
        [class, key] => Key::Pair(part(tree, class), part(tree, key)),
        _ => Key::Unknown,
    }
}

fn part(tree: &Tree<'_>, tokens: &Tokens) -> KeyPart {
    let text: Vec<&str> = tokens.clone().map(|index| tree.raw(index)).collect();
    let text = text.join(" ");
    if let Ok(value) = text.parse() {
        return KeyPart::Constant(value);
    }
    if text.eq_ignore_ascii_case("null") {
        return KeyPart::Null;
    }
    let opaque = tokens
        .clone()
        .any(|index| tree.kind(index) == Some(TokenKind::Hole) && matches!(tree.raw(index), "?" | "%s"));
    let constant =
        !tokens.clone().any(|index| matches!(tree.kind(index), Some(TokenKind::Hole | TokenKind::Param)));
    KeyPart::Expression { text, constant, opaque }
}
