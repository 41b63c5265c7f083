//! Files of one entry per line: `.env`, properties, ini. Keys and values stand in the text as they are, so that each is a
//! span; what the reader does not understand is no entry.

use crate::language::Config;
use crate::source::LineIndex;
use crate::span::Span;

/// A key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// The section above it; empty where there is none.
    pub(super) section: &'t str,
    /// The key.
    pub(super) key: Span,
    /// The value without its quotes.
    pub(super) value: Span,
}

/// The entries of a text, in order.
pub(super) fn lines(text: &str, kind: Config) -> Vec<Line<'_>> {
    let index = LineIndex::new(text);
    let mut found = Vec::new();
    let mut section = "";
    let mut after = 0;
    for number in 0..index.count() {
        let start = index.start(number).unwrap_or(text.len());
        let end = index.start(number + 1).unwrap_or(text.len());
        // A quoted value may go on over several lines; what stands in it is no entry.
        if start < after {
            continue;
        }
        let line = trimmed(text, Span::new(start, end));
        let words = &text[line.range()];
        if kind == Config::Ini && words.starts_with('[') {
            section = words[1..].split(']').next().unwrap_or_default().trim();
            continue;
        }
        let comments: &[char] = match kind {
            Config::Properties => &['#', '!'],
            Config::Ini => &['#', ';', '%'],
            Config::Env | Config::Yaml => &['#'],
        };
        if words.is_empty() || words.starts_with(comments) {
            continue;
        }
        let Some((key, value)) = halves(text, line, kind) else { continue };
        let value = if kind == Config::Env { unquoted(text, value, &mut after) } else { value };
        found.push(Line { section, key, value });
    }
    found
}

/// Key and value around the separator.
fn halves(text: &str, line: Span, kind: Config) -> Option<(Span, Span)> {
    let words = &text[line.range()];
    let separator = match kind {
        Config::Properties => words.find(['=', ':'])?,
        _ => words.find('=')?,
    };
    let mut key = trimmed(text, Span::new(line.start, line.start + separator));
    if kind == Config::Env && text[key.range()].starts_with("export ") {
        key = trimmed(text, Span::new(key.start + "export ".len(), key.end));
    }
    let name = &text[key.range()];
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-*[]\"".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    Some((key, trimmed(text, Span::new(line.start + separator + 1, line.end))))
}

/// The value of a shell's assignment: in quotes, which may span lines, or up to a comment.
fn unquoted(text: &str, value: Span, after: &mut usize) -> Span {
    let words = &text[value.range()];
    match words.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inside = value.start + 1;
            match text[inside..].find(quote) {
                Some(len) => {
                    *after = inside + len;
                    Span::new(inside, inside + len)
                }
                None => Span::new(inside, value.end),
            }
        }
        _ => match words.find(" #") {
            Some(at) => trimmed(text, Span::new(value.start, value.start + at)),
            None => value,
        },
    }
}

fn trimmed(text: &str, span: Span) -> Span {
    let words = &text[span.range()];
    let start = span.end - words.trim_start().len();
    Span::new(start, start + words.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, kind: Config) -> Vec<(&str, &str, &str)> {
        let cut = |span: Span| &text[span.range()];
        lines(text, kind).iter().map(|line| (line.section, cut(line.key), cut(line.value))).collect()
    }

    #[test]
    fn environment_files() {
        let text = "# c\nexport A='x # y' # z\nB = plain # c\r\nC=\"one\nD=two\"\nE=\nnot a line\nF='open\n";
        let expected = [("A", "x # y"), ("B", "plain"), ("C", "one\nD=two"), ("E", ""), ("F", "open")];
        assert_eq!(read(text, Config::Env), expected.map(|(key, value)| ("", key, value)));
    }

    #[test]
    fn ini_files_have_sections() {
        let text =
            "; c\n[databases]\napp = host=db pool_mode=session\n%include x\n[ pgbouncer ]\npool_mode=transaction\n[";
        assert_eq!(
            read(text, Config::Ini),
            [("databases", "app", "host=db pool_mode=session"), ("pgbouncer", "pool_mode", "transaction")]
        );
    }

    #[test]
    fn properties_have_two_separators() {
        let text = "! c\na.b=1:2\nc : d=e\n\u{FEFF}\n=x";
        assert_eq!(read(text, Config::Properties), [("", "a.b", "1:2"), ("", "c", "d=e")]);
    }
}
