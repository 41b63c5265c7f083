//! From a literal's bytes to the text it stands for, with the map: one decoder, one row of data for each way to write
//! a string. It is total: what no language would accept stands for itself.

use crate::region::{Builder, SegmentKind};
use crate::span::Span;

/// What a backslash does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backslash {
    /// Nothing.
    Plain,
    /// It protects the delimiter and itself, and nothing else.
    Quote,
    /// It begins an escape.
    Escape,
}

/// `\x`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hex {
    /// No such escape.
    No,
    /// Exactly two digits.
    Two,
    /// One or two digits.
    OneOrTwo,
    /// One to four digits.
    OneToFour,
    /// Two digits, or any number in braces.
    TwoOrBraces,
}

/// Octal digits after a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Octal {
    /// `\0` alone, as NUL.
    Nul,
    /// One to three digits.
    Digits,
    /// No such escape.
    No,
}

/// A backslash at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// Nothing of its own.
    Plain,
    /// Neither is part of the text.
    Joins,
    /// Nor is the white space after it.
    JoinsAndTrims,
}

/// One way to write a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    pub(super) backslash: Backslash,
    /// Letters after a backslash, of `abdefnrstv`.
    pub(super) letters: &'static str,
    /// Other characters that may follow a backslash and then stand for themselves, beside it and the delimiter.
    pub(super) marks: &'static str,
    pub(super) hex: Hex,
    pub(super) octal: Octal,
    /// Whether hexadecimal and octal escapes give bytes, which together are UTF-8, and not characters.
    pub(super) bytes: bool,
    /// `\uXXXX`
    pub(super) unicode4: bool,
    /// Whether two of them may be one character, as in UTF-16.
    pub(super) surrogates: bool,
    /// `\UXXXXXXXX`
    pub(super) unicode8: bool,
    /// `\u{X…}`
    pub(super) unicode_braces: bool,
    /// `\N{name}`
    pub(super) named: bool,
    pub(super) line_end: LineEnd,
    /// Bytes that stand for one when they are doubled.
    pub(super) doubled: &'static str,
    /// Whether the backslash of an escape that is none stays.
    pub(super) keeps_unknown: bool,
    /// Whether the first `|` of a line is a margin.
    pub(super) margin: bool,
}

/// As it stands.
pub(super) const RAW: Dialect = Dialect {
    backslash: Backslash::Plain,
    letters: "",
    marks: "",
    hex: Hex::No,
    octal: Octal::No,
    bytes: false,
    unicode4: false,
    surrogates: false,
    unicode8: false,
    unicode_braces: false,
    named: false,
    line_end: LineEnd::Plain,
    doubled: "",
    keeps_unknown: true,
    margin: false,
};

/// As it stands, but for the delimiter.
pub(super) const QUOTED: Dialect = Dialect { backslash: Backslash::Quote, ..RAW };

impl Dialect {
    /// Whether `body` stands for itself when it has no holes.
    pub(super) fn is_verbatim(&self, body: &[u8]) -> bool {
        (self.backslash == Backslash::Plain || memchr::memchr(b'\\', body).is_none())
            && !self.margin
            && self.doubled.bytes().all(|double| memchr::memchr(double, body).is_none())
    }
}

/// Appends what `body` of `source` stands for. `holes` are sorted and disjoint; `hole` pushes the stand-in of one.
pub(super) fn decode(
    source: &str,
    body: Span,
    dialect: &Dialect,
    delimiter: u8,
    holes: &[Span],
    builder: &mut Builder,
    hole: &mut dyn FnMut(Span, &mut Builder),
) {
    let end = body.end.min(source.len());
    let mut decoder = Decoder { source, bytes: source.as_bytes(), end, dialect, delimiter };
    let mut at = body.start;
    let mut plain = at;
    let mut margin = dialect.margin;
    let mut holes = holes.iter().filter(|hole| !hole.is_empty()).peekable();
    while at < end {
        while holes.peek().is_some_and(|hole| hole.end <= at || hole.start < at) {
            holes.next();
        }
        if let Some(&&place) = holes.peek().filter(|hole| hole.start == at) {
            decoder.verbatim(plain, at, builder);
            let place = Span::new(place.start, place.end.min(end));
            hole(place, builder);
            at = place.end;
            plain = at;
            margin = false;
            continue;
        }
        let byte = decoder.bytes[at];
        if margin && byte == b'|' {
            decoder.verbatim(plain, at, builder);
            builder.push(SegmentKind::Escape, " ", Span::new(at, at + 1));
            at += 1;
            plain = at;
            margin = false;
            continue;
        }
        margin = dialect.margin && (byte == b'\n' || margin && byte.is_ascii_whitespace());
        let limit = holes.peek().map_or(end, |hole| hole.start);
        // No escape reaches into a hole.
        decoder.end = limit.min(end);
        match decoder.escape(at) {
            Some((text, length)) => {
                decoder.verbatim(plain, at, builder);
                builder.push(SegmentKind::Escape, &text, Span::new(at, at + length));
                at += length;
                plain = at;
            }
            None => at += 1,
        }
    }
    decoder.verbatim(plain, end, builder);
}

struct Decoder<'s, 'd> {
    source: &'s str,
    bytes: &'s [u8],
    end: usize,
    dialect: &'d Dialect,
    delimiter: u8,
}

/// What one escape stands for.
enum Unit {
    Char(u32),
    Byte(u8),
    Text(String),
}

/// The longest name or list of numbers in braces, so that a brace that is never closed costs no more than this.
const BRACES: usize = 256;

impl Decoder<'_, '_> {
    fn verbatim(&self, from: usize, to: usize, builder: &mut Builder) {
        if let Some(text) = self.source.get(from..to)
            && !text.is_empty()
        {
            builder.push(SegmentKind::Verbatim, text, Span::new(from, to));
        }
    }

    fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.bytes[at] } else { 0 }
    }

    /// The text and length of the escape at `at`, if one is there.
    fn escape(&self, at: usize) -> Option<(String, usize)> {
        let byte = self.byte(at);
        if self.dialect.doubled.as_bytes().contains(&byte) && self.byte(at + 1) == byte {
            return Some((char::from(byte).to_string(), 2));
        }
        if byte != b'\\' {
            return None;
        }
        match self.dialect.backslash {
            Backslash::Plain => None,
            Backslash::Quote => {
                let next = self.byte(at + 1);
                let protects = next == b'\\' || next != 0 && is_delimiter(self.delimiter, next);
                protects.then(|| (char::from(next).to_string(), 2))
            }
            Backslash::Escape => self.backslash(at),
        }
    }

    fn backslash(&self, at: usize) -> Option<(String, usize)> {
        let (unit, mut length) = self.unit(at)?;
        match unit {
            Unit::Text(text) => Some((text, length)),
            Unit::Char(high @ 0xD800..0xDC00) if self.dialect.surrogates => {
                if let Some((Unit::Char(low @ 0xDC00..0xE000), more)) = self.unit(at + length) {
                    length += more;
                    return Some((character(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)), length));
                }
                Some((character(high), length))
            }
            Unit::Char(value) => Some((character(value), length)),
            Unit::Byte(byte) => {
                // As many bytes as make one character.
                let mut bytes = vec![byte];
                let wanted = match byte {
                    0xC2..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF4 => 4,
                    _ => 1,
                };
                let mut end = length;
                while bytes.len() < wanted
                    && let Some((Unit::Byte(next @ 0x80..=0xBF), more)) = self.unit(at + end)
                {
                    bytes.push(next);
                    end += more;
                }
                match std::str::from_utf8(&bytes) {
                    Ok(text) => Some((text.to_owned(), end)),
                    Err(_) => Some((char::REPLACEMENT_CHARACTER.to_string(), length)),
                }
            }
        }
    }

    /// What the escape at `at` stands for, and its length.
    fn unit(&self, at: usize) -> Option<(Unit, usize)> {
        let dialect = self.dialect;
        if self.byte(at) != b'\\' || at + 1 >= self.end {
            return None;
        }
        let next = self.byte(at + 1);
        let keeps = |unit: Unit| if dialect.keeps_unknown { None } else { Some((unit, 2)) };
        match next {
            b'\n' | b'\r' if dialect.line_end != LineEnd::Plain => {
                let mut length = if next == b'\r' && self.byte(at + 2) == b'\n' { 3 } else { 2 };
                if dialect.line_end == LineEnd::JoinsAndTrims {
                    while self.byte(at + length).is_ascii_whitespace() {
                        length += 1;
                    }
                }
                Some((Unit::Text(String::new()), length))
            }
            b'x' if dialect.hex != Hex::No => self.hex(at).or_else(|| keeps(Unit::Char(u32::from(b'x')))),
            b'u' if dialect.unicode_braces && self.byte(at + 2) == b'{' => self.braces(at),
            b'u' if dialect.unicode4 => {
                // Java lets the letter be repeated.
                let mut digits = at + 2;
                while dialect.surrogates && self.byte(digits) == b'u' {
                    digits += 1;
                }
                self.digits(digits, 4, 4).map(|value| (Unit::Char(value), digits + 4 - at))
            }
            b'U' if dialect.unicode8 => self.digits(at + 2, 8, 8).map(|value| (Unit::Char(value), 10)),
            b'N' if dialect.named && self.byte(at + 2) == b'{' => {
                let close = self.closing_brace(at + 3)?;
                Some((Unit::Char(0xFFFD), close + 1 - at))
            }
            b'0'..=b'7' if dialect.octal == Octal::Digits => {
                // Java and JavaScript end at the largest that is one byte.
                let most = if dialect.surrogates && next > b'3' { 3 } else { 4 };
                let count = (1..most).take_while(|&n| matches!(self.byte(at + n), b'0'..=b'7')).count();
                let value = self.bytes[at + 1..at + 1 + count]
                    .iter()
                    .fold(0, |value, digit| value * 8 + u32::from(digit - b'0'));
                Some((self.value(value), 1 + count))
            }
            b'0' if dialect.octal == Octal::Nul => Some((Unit::Char(0), 2)),
            _ => {
                if let Some(control) = letter(next).filter(|_| dialect.letters.as_bytes().contains(&next)) {
                    return Some((Unit::Char(control), 2));
                }
                let itself = next == b'\\'
                    || next == self.delimiter
                    || dialect.marks.as_bytes().contains(&next)
                    || !dialect.keeps_unknown;
                let character = self.source.get(at + 1..)?.chars().next().filter(|_| itself)?;
                Some((Unit::Char(u32::from(character)), 1 + character.len_utf8()))
            }
        }
    }

    fn value(&self, value: u32) -> Unit {
        match u8::try_from(value & 0xFF) {
            Ok(byte) if self.dialect.bytes && byte >= 0x80 => Unit::Byte(byte),
            Ok(byte) if self.dialect.bytes => Unit::Char(u32::from(byte)),
            _ => Unit::Char(value),
        }
    }

    fn hex(&self, at: usize) -> Option<(Unit, usize)> {
        let (least, most) = match self.dialect.hex {
            Hex::No => return None,
            Hex::Two => (2, 2),
            Hex::OneOrTwo => (1, 2),
            Hex::OneToFour => (1, 4),
            Hex::TwoOrBraces if self.byte(at + 2) == b'{' => return self.braces(at),
            Hex::TwoOrBraces => (1, 2),
        };
        let count = self.count(at + 2, most);
        let value = self.digits(at + 2, least, most)?;
        Some((self.value(value), 2 + count))
    }

    /// `\u{41}`, and `\u{41 42}` for two.
    fn braces(&self, at: usize) -> Option<(Unit, usize)> {
        let close = self.closing_brace(at + 3)?;
        let mut text = String::new();
        for digits in self.source.get(at + 3..close)?.split_ascii_whitespace() {
            let value = u32::from_str_radix(&digits.replace('_', ""), 16).ok()?;
            text.push_str(&character(value));
        }
        (!text.is_empty()).then_some((Unit::Text(text), close + 1 - at))
    }

    /// Where the brace closes that opened before `from`.
    fn closing_brace(&self, from: usize) -> Option<usize> {
        let inside = self.bytes.get(from..self.end.min(from + BRACES))?;
        memchr::memchr(b'}', inside).map(|close| from + close)
    }

    fn count(&self, at: usize, most: usize) -> usize {
        (0..most).take_while(|n| self.byte(at + n).is_ascii_hexdigit()).count()
    }

    /// The value of `least..=most` hexadecimal digits.
    fn digits(&self, at: usize, least: usize, most: usize) -> Option<u32> {
        let count = self.count(at, most);
        if count < least {
            return None;
        }
        self.source.get(at..at + count).and_then(|digits| u32::from_str_radix(digits, 16).ok())
    }
}

/// Whether `byte` closes a literal that `close` closes, or opens one inside it.
fn is_delimiter(close: u8, byte: u8) -> bool {
    let open = match close {
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        b'>' => b'<',
        other => other,
    };
    byte == close || byte == open
}

fn character(value: u32) -> String {
    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
}

fn letter(byte: u8) -> Option<u32> {
    Some(match byte {
        b'a' => 0x07,
        b'b' => 0x08,
        b'd' => 0x7F,
        b'e' => 0x1B,
        b'f' => 0x0C,
        b'n' => 0x0A,
        b'r' => 0x0D,
        b's' => 0x20,
        b't' => 0x09,
        b'v' => 0x0B,
        _ => return None,
    })
}
