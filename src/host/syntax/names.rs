//! Names, read from the text of an expression: what is called, what is assigned to.

use crate::host::Callee;

/// Before an expression, without being part of it.
const PREFIXES: &[&str] = &["await ", "new ", "@", "&", "*", "return ", "yield "];

/// How far from its end a callee is looked at: a name, and types in brackets after it.
const LONGEST: usize = 512;

/// The callee of `text`, which ends where the arguments begin. `marks` may end a name.
pub(super) fn callee<'s>(text: &'s str, marks: &str) -> Callee<'s> {
    let mut text = text.trim();
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        text = rest.trim_start();
    }
    let (far, near) = text.split_at(boundary(text, text.len().saturating_sub(LONGEST)));
    let near = if near.ends_with(|c| marks.contains(c)) { near } else { without_types(near) };
    let near = near.trim_end_matches(|c: char| !is_name(c) && !marks.contains(c));
    let stem = near.trim_end_matches(|c| marks.contains(c));
    let start = stem.trim_end_matches(is_name).len();
    // Java has the types before the name.
    let before = near[..start].trim_end();
    let before = if !before.ends_with('>') || before.ends_with("->") { before } else { without_types(before) };
    let before = before.trim_end_matches([' ', '\t', '\r', '\n', '.', '?', ':', '-', '>', '&', '!']);
    let receiver = &text[..far.len() + before.len()];
    Callee { name: &near[start..], receiver: (!receiver.is_empty()).then_some(receiver) }
}

/// Without the types in brackets at the end: `query[Int]`, `queryRaw<Row[]>`, `query_as::<_, Job>`.
pub(super) fn without_types(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '\t', '\r', '\n', '!', '.', '?']);
    if !text.ends_with(['>', ']']) {
        return text;
    }
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' | b']' if index == 0 || !matches!(text.as_bytes()[index - 1], b'=' | b'-') => depth += 1,
            b'<' | b'[' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text[..index].trim_end().trim_end_matches("::");
                }
            }
            _ => {}
        }
    }
    text
}

/// The last character boundary up to `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
}

/// Whether a character can be part of a name.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The method that is called on what ends before `after`.
pub(super) fn method_after(after: &str) -> Option<&str> {
    let rest = after.trim_start().trim_start_matches(['?', '&', '!']).strip_prefix('.')?.trim_start();
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The keyword of an argument or entry: `key: v`, `key = v`, `:key => v`, `"key": v`.
pub(super) fn keyword(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([':', '"', '\'']);
    let end = text.find(|c: char| !is_name(c) && c != '-').unwrap_or(text.len());
    let rest = text[end..].trim_start_matches(['"', '\'']).trim_start();
    let assigns = rest.starts_with("=>")
        || rest.starts_with('=') && !rest.starts_with("==")
        || rest.starts_with(':') && !rest.starts_with("::");
    (end > 0 && assigns).then_some(&text[..end])
}

/// The last name of what is assigned to or declared: `text` of `this.command.text`, of `$text`, of `text: str`; `Store`
/// of `Store<T>`.
pub(super) fn last_name(text: &str) -> &str {
    let text = &text[..boundary(text, LONGEST)];
    let text = if text.ends_with(['>', ']']) { without_types(text) } else { text };
    let text = text.split([':', '=']).next().unwrap_or_default().trim();
    let text = text.trim_end_matches(|c: char| !is_name(c));
    let start = text.trim_end_matches(is_name).len();
    text[start..].trim_start_matches('$')
}
