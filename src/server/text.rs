//! Positions and addresses as the protocol has them.

use crate::source::LineIndex;
use crate::span::Span;
use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent, Uri};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, where nothing else is agreed.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The cheapest one that the client knows.
    pub(super) fn agree(offered: &[PositionEncodingKind]) -> Self {
        let knows = |kind: &PositionEncodingKind| offered.contains(kind);
        if knows(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if knows(&PositionEncodingKind::UTF32) && !knows(&PositionEncodingKind::UTF16) {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn length(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text with its lines, in an encoding.
#[derive(Debug)]
pub(super) struct Text<'t> {
    text: &'t str,
    lines: &'t LineIndex,
    encoding: Encoding,
}

impl<'t> Text<'t> {
    pub(super) fn new(text: &'t str, lines: &'t LineIndex, encoding: Encoding) -> Self {
        Self { text, lines, encoding }
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.lines.line(offset);
        let start = self.lines.start(line).unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        // A byte order mark is no part of what an editor shows.
        let before = if line == 0 { before.strip_prefix('\u{FEFF}').unwrap_or(before) } else { before };
        let column: usize = before.chars().map(|c| self.encoding.length(c)).sum();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position::new(number(line), number(column))
    }

    pub(super) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// The byte at a position; one beyond the end of its line is the end of the line.
    pub(super) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.lines.start(line) else { return self.text.len() };
        let rest = &self.text[start..];
        let mut left = position.character as usize;
        for (at, c) in rest.char_indices() {
            if left == 0 || matches!(c, '\n' | '\r') {
                return start + at;
            }
            left = left.saturating_sub(self.encoding.length(c));
        }
        self.text.len()
    }
}

/// Makes the changes of a notification, one after the other.
pub(super) fn change(text: &mut String, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
    for change in changes {
        let Some(range) = change.range else {
            *text = change.text;
            continue;
        };
        let lines = LineIndex::new(text);
        let view = Text::new(text, &lines, encoding);
        let (start, end) = (view.offset(range.start), view.offset(range.end));
        text.replace_range(start..end.max(start), &change.text);
    }
}

/// The absolute path that a `file:` address names.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let encoded = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut left = encoded.bytes();
    while let Some(byte) = left.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match byte {
            b'%' => bytes.push(u8::try_from(digit(left.next())? * 16 + digit(left.next())?).ok()?),
            b'?' | b'#' => break,
            byte => bytes.push(byte),
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/a` is a path of Windows.
    let is_drive = |path: &str| path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    let path = if cfg!(windows) && is_drive(&path) { path[1..].to_owned() } else { path };
    Some(PathBuf::from(path))
}

/// The address of an absolute path.
pub(super) fn uri(path: &Path) -> Option<Uri> {
    let mut uri = String::from("file://");
    let text = path.to_string_lossy().replace('\\', if cfg!(windows) { "/" } else { "\\" });
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_what_was_agreed() {
        let text = "a\u{e9}\u{1F600}b\r\nc\rd";
        let lines = LineIndex::new(text);
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let view = Text::new(text, &lines, encoding);
            let b = text.find('b').unwrap();
            assert_eq!(view.position(b), Position::new(0, column));
            for offset in text.char_indices().map(|(at, _)| at).filter(|at| text.as_bytes()[*at] != b'\n') {
                assert_eq!(view.offset(view.position(offset)), offset, "{encoding:?}");
            }
            assert_eq!(view.offset(Position::new(0, 99)), b + 1);
            assert_eq!(view.offset(Position::new(99, 0)), text.len());
        }
        let marked = "\u{FEFF}ab";
        let lines = LineIndex::new(marked);
        assert_eq!(Text::new(marked, &lines, Encoding::Utf8).position(4), Position::new(0, 1));
    }

    #[test]
    fn the_client_chooses_what_is_offered() {
        let [utf8, utf16, utf32] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].map(Encoding::kind);
        assert_eq!(Encoding::agree(&[]), Encoding::Utf16);
        assert_eq!(Encoding::agree(&[utf16.clone(), utf8]), Encoding::Utf8);
        assert_eq!(Encoding::agree(&[utf32.clone(), utf16]), Encoding::Utf16);
        assert_eq!(Encoding::agree(&[utf32]), Encoding::Utf32);
    }

    #[test]
    fn changes_are_made_in_order() {
        let at = |line, from, to, text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(line, from), Position::new(line, to))),
            range_length: None,
            text: text.to_owned(),
        };
        let mut text = "\u{1F600}ab\nc".to_owned();
        change(&mut text, vec![at(0, 2, 3, "xy"), at(1, 0, 9, "\n"), at(0, 0, 2, "")], Encoding::Utf16);
        assert_eq!(text, "xyb\n\n");
        // An impossible range is no reason to give up.
        change(&mut text, vec![at(7, 9, 1, "!")], Encoding::Utf16);
        assert_eq!(text, "xyb\n\n!");
    }

    #[test]
    fn an_address_is_a_path_and_back() {
        let odd = if cfg!(windows) { "c:/a b/é#%?.sql" } else { "/a b/é#%?:\\.sql" };
        assert_eq!(path(&uri(Path::new(odd)).unwrap()).unwrap(), Path::new(odd));
        for other in ["untitled:a", "file://a", "file:///%", "file:///%zz", "file:///%FF", "git:/a"] {
            assert_eq!(other.parse::<Uri>().ok().and_then(|uri| path(&uri)), None, "{other}");
        }
    }
}
