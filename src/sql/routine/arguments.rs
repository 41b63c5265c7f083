//! Argument lists and the columns of RETURNS TABLE: which word is the name and which the type.

use super::{Argument, ArgumentMode};
use crate::sql::cursor::Cursor;
use crate::sql::lex::TokenKind;
use crate::sql::literal;

/// Type names that go on in a second word, so that the first is no argument name.
const PHRASES: &[(&str, &[&str])] = &[
    ("double", &["precision"]),
    ("bit", &["varying"]),
    ("character", &["varying"]),
    ("char", &["varying"]),
    ("nchar", &["varying"]),
    ("national", &["character", "char"]),
    ("time", &["with", "without"]),
    ("timestamp", &["with", "without"]),
    ("interval", &["year", "month", "day", "hour", "minute", "second"]),
];

/// The arguments in `from..to`, the inside of a parenthesis group.
pub(super) fn arguments(cursor: &Cursor<'_>, from: usize, to: usize) -> Vec<Argument> {
    cursor.list(from, to).into_iter().map(|(from, to)| argument(cursor, from, to)).collect()
}

fn argument(cursor: &Cursor<'_>, from: usize, to: usize) -> Argument {
    let mut at = from;
    let mut end = from;
    while end < to && !cursor.is_word(end, "default") && !cursor.is_operator(end, "=") && !cursor.is_operator(end, ":=")
    {
        end = cursor.after(end);
    }
    let end = end.min(to);
    let mut mode = eat_mode(cursor, &mut at, end);
    let mut name = None;
    if is_name(cursor, at, end) {
        name = Some(literal::identifier(cursor.text(at)));
        at += 1;
        // The mode may stand behind the name as well.
        mode = mode.or_else(|| eat_mode(cursor, &mut at, end));
    }
    Argument { name, ty: cursor.folded(at, end), mode: mode.unwrap_or(ArgumentMode::In), has_default: end < to }
}

fn eat_mode(cursor: &Cursor<'_>, at: &mut usize, end: usize) -> Option<ArgumentMode> {
    // A lone word is a type.
    if *at + 1 >= end {
        return None;
    }
    let mode = match cursor.word(*at)?.to_ascii_lowercase().as_str() {
        "in" if cursor.is_word(*at + 1, "out") => {
            *at += 1;
            ArgumentMode::InOut
        }
        "in" => ArgumentMode::In,
        "out" => ArgumentMode::Out,
        "inout" => ArgumentMode::InOut,
        "variadic" => ArgumentMode::Variadic,
        _ => return None,
    };
    *at += 1;
    Some(mode)
}

/// Whether the word at `at` names the argument that ends at `end`: a type follows it.
fn is_name(cursor: &Cursor<'_>, at: usize, end: usize) -> bool {
    use TokenKind::{Hole, QuotedIdent, Word};
    let next = at + 1;
    if next >= end
        || !cursor.is_name(at)
        || !matches!(cursor.kind(next), Some(Word | QuotedIdent | Hole))
        || cursor.is_any(next, &["array"])
        || cursor.is_word(at, "setof")
    {
        return false;
    }
    !PHRASES.iter().any(|(first, second)| cursor.is_word(at, first) && cursor.is_any(next, second))
}
