//! String constants and identifiers: what a spelling stands for, and where each byte of it came from.

use super::lex::{Token, TokenKind};
use crate::region::Region;
use crate::span::{Span, SqlSpan};

/// What a NUL, half a surrogate pair or bytes that are no UTF-8 become; the server refuses such a constant.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// A piece of a constant: its bytes, and what they decode to where that differs.
type Piece = (SqlSpan, Option<String>);

/// One past the index of the last token of the string constant at `at`: `'a'` on one line and `'b'` on the next are
/// one constant.
pub fn constant_end(text: &str, tokens: &[Token], at: usize) -> usize {
    use TokenKind::{Comment, EscapeString, String, Whitespace};
    let mut end = at + 1;
    if !matches!(tokens.get(at).map(|t| t.kind), Some(String | EscapeString)) {
        return end;
    }
    let mut line_break = false;
    for (index, token) in tokens.iter().enumerate().skip(end) {
        let piece = text.get(token.span().range()).unwrap_or_default();
        match token.kind {
            Whitespace => line_break |= piece.contains(['\n', '\r']),
            Comment if piece.starts_with("--") => {}
            String if line_break && piece.starts_with('\'') => {
                end = index + 1;
                line_break = false;
            }
            _ => break,
        }
    }
    end
}

/// The text of the string constant at `span` (continuation lines included) as a region inside `region`. None where
/// `span` holds no such constant, or a bit string.
pub fn string_region<'s>(region: &Region<'s>, span: SqlSpan) -> Option<Region<'s>> {
    let text = region.text().get(span.range())?;
    if text.starts_with('$') {
        let tag = text.get(..text.get(1..)?.find('$')? + 2)?;
        let inner = text.get(tag.len()..)?.strip_suffix(tag)?;
        let start = span.start + tag.len();
        let inner = SqlSpan::new(start, start + inner.len());
        return Some(region.nested(inner, [(inner, None)]));
    }
    let (form, open) = match text.as_bytes() {
        [b'\'', ..] => (Form::Standard, 0),
        [b'n' | b'N', b'\'', ..] => (Form::Standard, 1),
        [b'e' | b'E', b'\'', ..] => (Form::Escape, 1),
        [b'u' | b'U', b'&', b'\'', ..] => (Form::Unicode, 2),
        _ => return None,
    };
    let pieces = Decoder::new(text, form, b'\'', span.start).run(open)?;
    let inner = SqlSpan::new(span.start + open + 1, span.end - 1);
    Some(region.nested(inner, pieces))
}

/// The text of the string constant that `text` is, where no map is wanted.
pub fn string_text(text: &str) -> Option<String> {
    let region = Region::verbatim(text, Span::new(0, text.len()));
    string_region(&region, SqlSpan::new(0, text.len())).map(|inner| inner.text().to_owned())
}

/// The name that an identifier token stands for: `Ab` is `ab`, `"A""b"` is `A"b`.
pub fn identifier(text: &str) -> String {
    let (form, open) = match text.as_bytes() {
        [b'"', ..] => (Form::Standard, 0),
        [b'u' | b'U', b'&', b'"', ..] => (Form::Unicode, 2),
        _ => return text.to_ascii_lowercase(),
    };
    let Some(pieces) = Decoder::new(text, form, b'"', 0).run(open) else {
        return text.to_owned();
    };
    pieces
        .into_iter()
        .map(|(span, decoded)| decoded.unwrap_or_else(|| text.get(span.range()).unwrap_or_default().to_owned()))
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A doubled quote alone is special.
    Standard,
    /// `E'…'`
    Escape,
    /// `U&'…'`, with the backslash as its escape character.
    Unicode,
}

struct Decoder<'t> {
    text: &'t str,
    form: Form,
    quote: u8,
    /// Offset of `text` in the region.
    base: usize,
    /// Where the bytes that stand for themselves begin.
    plain: usize,
    pieces: Vec<Piece>,
}

impl<'t> Decoder<'t> {
    fn new(text: &'t str, form: Form, quote: u8, base: usize) -> Self {
        Self { text, form, quote, base, plain: 0, pieces: Vec::new() }
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The pieces of the constant whose first quote is at `open`. None unless it ends where the text ends.
    fn run(mut self, open: usize) -> Option<Vec<Piece>> {
        let mut at = open + 1;
        self.plain = at;
        loop {
            let rest = self.rest(at).as_bytes();
            at += if self.form == Form::Standard {
                memchr::memchr(self.quote, rest)
            } else {
                memchr::memchr2(self.quote, b'\\', rest)
            }?;
            let rest = self.rest(at);
            if rest.starts_with('\\') {
                let escape = match self.form {
                    Form::Unicode => unicode_escape(rest),
                    Form::Standard | Form::Escape => escape(rest),
                };
                // A backslash that begins no escape stands for itself.
                at += match escape {
                    Some((length, decoded)) => self.decoded(at, length, decoded),
                    None => 1,
                };
            } else if rest.as_bytes().get(1) == Some(&self.quote) {
                at += self.decoded(at, 2, char::from(self.quote));
            } else {
                self.flush(at);
                at += 1;
                if at == self.text.len() {
                    return Some(self.pieces);
                }
                at += continuation(self.rest(at))?;
                self.plain = at;
            }
        }
    }

    /// Ends the bytes that stand for themselves at `at`.
    fn flush(&mut self, at: usize) {
        if self.plain < at {
            let span = SqlSpan::new(self.base + self.plain, self.base + at);
            self.pieces.push((span, None));
        }
    }

    /// `length` bytes at `at` stand for `decoded`. Gives `length`.
    fn decoded(&mut self, at: usize, length: usize, decoded: char) -> usize {
        self.flush(at);
        let span = SqlSpan::new(self.base + at, self.base + at + length);
        self.pieces.push((span, Some(decoded.to_string())));
        self.plain = at + length;
        length
    }
}

/// Length of what stands between a closing quote and, on a later line, the quote that continues the constant, that
/// quote included.
fn continuation(rest: &str) -> Option<usize> {
    let (mut at, mut line_break) = (0, false);
    loop {
        let bytes = rest.as_bytes().get(at..)?;
        match bytes.first()? {
            b'\'' if line_break => return Some(at + 1),
            b'\n' | b'\r' => line_break = true,
            b' ' | b'\t' | 0x0B | 0x0C => {}
            b'-' if bytes.get(1) == Some(&b'-') => {
                at += memchr::memchr2(b'\n', b'\r', bytes)?;
                continue;
            }
            _ => return None,
        }
        at += 1;
    }
}

/// The escape of `E'…'` that `rest` begins with: its length and what it stands for.
fn escape(rest: &str) -> Option<(usize, char)> {
    if let Some((length, byte)) = byte_escape(rest) {
        return Some(character(rest, length, byte));
    }
    let after = rest.get(1..)?;
    let letter = after.chars().next()?;
    let width = match letter {
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if width > 0
        && let Some(code) = hex(after, 1, width)
    {
        let low = rest.get(2 + width..).filter(|next| next.starts_with("\\u"));
        return Some(code_point(2 + width, code, low.and_then(|next| hex(next, 2, 4)), 6));
    }
    let decoded = match letter {
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    };
    Some((1 + letter.len_utf8(), decoded))
}

/// The escape of `U&'…'` that `rest` begins with.
fn unicode_escape(rest: &str) -> Option<(usize, char)> {
    let after = rest.get(1..)?;
    if after.starts_with('\\') {
        return Some((2, '\\'));
    }
    if after.starts_with('+') {
        return hex(after, 1, 6).map(|code| code_point(8, code, None, 0));
    }
    let code = hex(after, 0, 4)?;
    let low = rest.get(5..).filter(|next| next.starts_with('\\'));
    Some(code_point(5, code, low.and_then(|next| hex(next, 1, 4)), 5))
}

/// The character of `code`, which took `length` bytes; the first half of a surrogate pair takes in `low`, the escape
/// of `low_length` bytes that follows.
fn code_point(length: usize, code: u32, low: Option<u32>, low_length: usize) -> (usize, char) {
    if (0xD800..0xDC00).contains(&code)
        && let Some(low) = low.filter(|low| (0xDC00..0xE000).contains(low))
    {
        let pair = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return (length + low_length, char::from_u32(pair).unwrap_or(REPLACEMENT));
    }
    let decoded = char::from_u32(code).filter(|&c| c != '\0').unwrap_or(REPLACEMENT);
    (length, decoded)
}

/// `width` hexadecimal digits at `at`.
fn hex(text: &str, at: usize, width: usize) -> Option<u32> {
    let digits = text.get(at..at + width)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// `\xHH` or `\ooo`: its length and its byte.
fn byte_escape(rest: &str) -> Option<(usize, u8)> {
    let bytes = rest.strip_prefix('\\')?.as_bytes();
    let (skip, most, radix) = match bytes.first()? {
        b'x' => (1, 2, 16),
        b'0'..=b'7' => (0, 3, 8),
        _ => return None,
    };
    let digits = bytes[skip..].iter().take(most).map_while(|&b| char::from(b).to_digit(radix));
    let (count, value) = digits.fold((0, 0), |(count, value), digit| (count + 1, value * radix + digit));
    // As the server does, octal digits beyond a byte lose their highest bit.
    (count > 0).then_some((1 + skip + count, (value & 0xFF) as u8))
}

/// The character that begins with the byte escape `first`, which took `length` bytes: the escapes that follow belong
/// to it as far as its UTF-8 needs them.
fn character(rest: &str, length: usize, first: u8) -> (usize, char) {
    let width = match first {
        0 => return (length, REPLACEMENT),
        0x01..=0x7F => return (length, char::from(first)),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return (length, REPLACEMENT),
    };
    let (mut bytes, mut end) = (vec![first], length);
    while bytes.len() < width
        && let Some((length, byte)) = byte_escape(rest.get(end..).unwrap_or_default())
    {
        bytes.push(byte);
        end += length;
    }
    match std::str::from_utf8(&bytes).ok().and_then(|s| s.chars().next()) {
        Some(decoded) => (end, decoded),
        None => (length, REPLACEMENT),
    }
}

#[cfg(test)]
mod tests;
