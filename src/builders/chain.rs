//! Method chains, read from the text around one of their calls: query builders are nothing else.

use crate::program::expression::after_brackets;
use crate::span::Span;
use crate::sql::lex::beginning;

/// How many calls of a chain are followed each way, and how far.
const MAX_LINKS: usize = 24;
const MAX_LENGTH: usize = 4096;

/// How long the names are that a query of Ecto binds, in bytes.
const MAX_BINDING: usize = 64;

/// What stands between two calls.
const MARKS: &[&str] = &["?.", "->", "|>", "::", "."];

/// A call in a chain, or a name without arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'s> {
    pub(super) name: &'s str,
    /// Between the brackets.
    pub(super) args: &'s str,
    /// From the name to the closing bracket.
    pub(super) span: Span,
}

/// The chain of the call whose name begins at an offset, in order, and the place of that call in it.
pub(super) fn chain(text: &str, at: usize) -> (Vec<Link<'_>>, usize) {
    let mut links = Vec::new();
    let mut start = at;
    while links.len() < MAX_LINKS
        && let Some(link) = before(text, start)
    {
        start = link.span.start;
        links.push(link);
    }
    links.reverse();
    let own = links.len();
    let mut from = at;
    while links.len() < own + MAX_LINKS {
        let link = link(text, from);
        let end = link.span.end;
        if link.span.is_empty() {
            break;
        }
        links.push(link);
        let rest = text.get(end..).unwrap_or_default();
        let next = after_blanks(rest);
        let Some(member) = MARKS.iter().find_map(|mark| next.strip_prefix(mark)) else { break };
        from = text.len() - after_blanks(member).len();
    }
    (links, own)
}

/// What follows blanks and comments.
fn after_blanks(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("//") || rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// The call that begins at an offset.
fn link(text: &str, at: usize) -> Link<'_> {
    let rest = text.get(at..).unwrap_or_default();
    let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let marked = len + rest[len..].chars().next().filter(|c| matches!(c, '!' | '?')).map_or(0, char::len_utf8);
    let name = &rest[..marked];
    let tail = &rest[marked..];
    let tail = if tail.starts_with('<') { after_brackets(tail).unwrap_or(tail) } else { tail };
    let open = at + rest.len() - tail.len();
    if let Some(len) = keyword_query(rest) {
        return Link { name, args: &tail[..len - marked], span: Span::new(at, at + len) };
    }
    match tail.starts_with('(').then(|| after_brackets(tail)).flatten() {
        Some(after) => {
            let close = text.len() - after.len();
            let args = text.get(open + 1..close - 1).unwrap_or_default();
            Link { name, args, span: Span::new(at, close) }
        }
        None => Link { name, args: "", span: Span::new(at, at + marked) },
    }
}

/// The call that ends before the mark before an offset.
fn before(text: &str, at: usize) -> Option<Link<'_>> {
    let head = text.get(..at)?.trim_end();
    let head = MARKS.iter().find_map(|mark| head.strip_suffix(mark))?.trim_end();
    let head = head.trim_end_matches(['!', '?']);
    let (name_end, args) = if head.ends_with(')') {
        let open = opening(head)?;
        (open, &head[open + 1..head.len() - 1])
    } else {
        (head.len(), "")
    };
    let stem = head[..name_end].trim_end_matches(['!', '?', '>']);
    let start = stem.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$')).len();
    let name = &head[start..name_end];
    (start < name_end).then_some(Link { name, args, span: Span::new(start, head.len()) })
}

/// The bracket that the last one of `head` closes.
pub(super) fn opening(head: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in head.bytes().enumerate().rev().take(MAX_LENGTH) {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// How long a query of Ecto is that begins a text and has no brackets: `from p in Parcel, where: p.id == ^id`. It goes on
/// after each comma.
fn keyword_query(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("from ")?;
    let (binding, _) = beginning(rest.trim_start(), MAX_BINDING).split_once(" in ")?;
    let rest = &rest.trim_start()[binding.len() + " in ".len()..];
    binding.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(())?;
    let start = text.len() - rest.len();
    let (mut depth, mut quoted, mut last) = (0_usize, false, b' ');
    for (at, byte) in rest.bytes().enumerate().take(MAX_LENGTH) {
        match byte {
            b'"' if last != b'\\' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return Some(start + at),
            b')' | b']' | b'}' => depth -= 1,
            b'\n' if depth == 0 && !rest[..at].trim_end().ends_with(',') => return Some(start + at),
            _ => {}
        }
        last = byte;
    }
    Some(start + rest.len().min(MAX_LENGTH)).filter(|end| text.is_char_boundary(*end))
}

/// The call whose brackets are open at an offset: where its name begins; or the query of Ecto that is going on there.
pub(super) fn around(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let head = text.get(..at)?;
    for (offset, byte) in head.bytes().enumerate().rev().take(MAX_LENGTH) {
        let is_word = || head[..offset].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if byte == b'f'
            && depth == 0
            && keyword_query(&text[offset..]).is_some_and(|len| offset + len > at)
            && !is_word()
        {
            return Some(offset);
        }
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'[' | b'{' => depth = depth.saturating_sub(1),
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                let name = head[..offset].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
                return (name < offset).then_some(name);
            }
            _ => {}
        }
    }
    None
}
