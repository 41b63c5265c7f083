//! One file: its bytes as text, its lines. The only owner of text.

use crate::language::Language;
use crate::notebook;
use crate::span::Span;
use memchr::memchr2;
use std::sync::{Arc, OnceLock};

/// What stands for a byte that is not UTF-8: one byte for one byte, so that offsets stay those of the file.
const SUBSTITUTE: u8 = 0x1A;

/// The longest file that is read: positions in a text are kept in 32 bits.
pub const MAX_LEN: usize = u32::MAX as usize;

/// Why content is not linted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// A NUL byte: not text.
    Binary,
    /// A UTF-16 byte order mark: text, but not in an encoding that SQL tools send.
    Utf16,
    /// More bytes than a token's bounds can count.
    TooLarge,
}

impl Unreadable {
    /// What is told of such a file.
    pub const fn told(self) -> &'static str {
        match self {
            Self::Binary => "not linted: it holds NUL bytes, so it is no text",
            Self::Utf16 => "not linted: it is UTF-16; SQL tools read UTF-8",
            Self::TooLarge => "not linted: it is larger than 4 GiB",
        }
    }
}

/// Whether content is text in an encoding of whole bytes.
pub fn is_text(bytes: &[u8]) -> bool {
    !is_utf16(bytes) && memchr::memchr(0, bytes).is_none()
}

fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

/// A file's text with the offsets of the file's bytes.
#[derive(Debug)]
pub struct Source {
    path: Arc<str>,
    language: Language,
    text: String,
    /// What the file holds, where that is not the text.
    file: Option<String>,
    replaced: usize,
    lines: OnceLock<LineIndex>,
}

impl Source {
    /// `bytes` of the file at `path` (relative to the root, with `/`) as text of the same length.
    ///
    /// # Errors
    /// [`Unreadable`] when the content is not text in a byte-oriented encoding.
    pub fn new(path: Arc<str>, language: Language, bytes: Vec<u8>) -> Result<Self, Unreadable> {
        if bytes.len() > MAX_LEN {
            return Err(Unreadable::TooLarge);
        }
        if is_utf16(&bytes) {
            return Err(Unreadable::Utf16);
        }
        if !is_text(&bytes) {
            return Err(Unreadable::Binary);
        }
        let (text, replaced) = match String::from_utf8(bytes) {
            Ok(text) => (text, 0),
            Err(error) => substitute(&error.into_bytes()),
        };
        let code = if notebook::is_notebook(&path) { notebook::code(&text) } else { None };
        let (text, file) = match code {
            Some(code) => (code, Some(text)),
            None => (text, None),
        };
        Ok(Self { path, language, text, file, replaced, lines: OnceLock::new() })
    }

    /// Path relative to the root, with `/`.
    pub fn path(&self) -> &Arc<str> {
        &self.path
    }

    /// The language the file is read as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text; byte offsets are those of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the file holds: the text, but for a notebook, of which the text is the code.
    pub fn file_text(&self) -> &str {
        self.file.as_deref().unwrap_or(&self.text)
    }

    /// Whether the text is the code of a notebook, whose lines are strings of JSON in the file.
    pub fn is_notebook(&self) -> bool {
        self.file.is_some()
    }

    /// What the file holds in a span; empty where the span does not lie on character boundaries.
    pub fn file_slice(&self, span: Span) -> &str {
        self.file_text().get(span.range()).unwrap_or_default()
    }

    /// How many bytes were not UTF-8 and were read as a substitute character.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// The text of a span; empty where the span does not lie on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Length of the byte order mark, which belongs to no line's text: 0 or 3 bytes.
    pub fn bom(&self) -> usize {
        if self.text.starts_with('\u{FEFF}') { 3 } else { 0 }
    }

    /// The lines, computed when first asked for.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.file_text()))
    }
}

fn substitute(bytes: &[u8]) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            text.push(char::from(SUBSTITUTE));
            replaced += 1;
        }
    }
    (text, replaced)
}

/// Where lines begin. A line ends after `\n`, `\r\n` or a lone `\r`, as the language server protocol has it.
#[derive(Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// The lines of `text`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut at = 0;
        while let Some(found) = memchr2(b'\n', b'\r', &bytes[at..]) {
            at += found + 1;
            if bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n') {
                at += 1;
            }
            starts.push(at);
        }
        Self { starts }
    }

    /// Number of lines, the last one (which may be empty) included.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// 0-based line of a byte offset.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// Byte offset at which a 0-based line begins.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line).copied()
    }
}
