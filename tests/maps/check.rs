//! What has to hold of the map of a literal.

use locklint::host::Literal;
use locklint::region::{Segment, SegmentKind};
use locklint::source::Source;
use locklint::span::{Span, SqlSpan};

/// What a map is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) escapes: usize,
    pub(crate) holes: usize,
    /// All of the literal between its delimiters is in the map: it is one literal.
    pub(crate) whole: bool,
}

/// What escapes stand for in every language that has them.
const KNOWN: &[(&str, &str)] = &[
    ("\\n", "\n"),
    ("\\t", "\t"),
    ("\\r", "\r"),
    ("\\\\", "\\"),
    ("\\\"", "\""),
    ("\\'", "'"),
    ("{{", "{"),
    ("}}", "}"),
];

/// Checks a literal's map.
///
/// # Errors
/// What does not hold.
pub(crate) fn map(source: &Source, literal: &Literal<'_>) -> Result<Counts, String> {
    let (region, file) = (&literal.region, source.text());
    let text = region.text();
    let mut counts = Counts { whole: true, ..Counts::default() };
    let (mut sql, mut at) = (0, region.span().start);
    require(literal.span.contains(region.span()), "the region is outside of the literal", region.span())?;
    for segment in region.segments() {
        let Segment { sql: piece, source: written, kind } = *segment;
        require(piece.start == sql, "there is a gap in the text", written)?;
        require(written.start >= at, "the places are not in the order of the text", written)?;
        require(region.span().contains(written), "a place is outside of the region", written)?;
        counts.whole &= written.start == at;
        (sql, at) = (piece.end, written.end);
        let stands = file.get(written.range()).ok_or_else(|| format!("{written:?} cuts a character"))?;
        let means = text.get(piece.range()).ok_or_else(|| format!("{piece:?} cuts a character of the text"))?;
        match kind {
            SegmentKind::Verbatim => {
                require(stands == means, "what stands there is something else", written)?;
            }
            SegmentKind::Escape => {
                counts.escapes += 1;
                require(!stands.is_empty(), "an escape is nowhere", written)?;
                let known = KNOWN.iter().find(|(escape, _)| *escape == stands);
                require(known.is_none_or(|(_, known)| *known == means), "an escape means something else", written)?;
            }
            SegmentKind::Hole => {
                counts.holes += 1;
                require(!stands.is_empty(), "a hole is nowhere", written)?;
            }
        }
        leads_back(literal, segment, means)?;
    }
    counts.whole &= at == region.span().end;
    require(sql == text.len(), "the text goes on after its map", literal.span)?;
    Ok(counts)
}

/// Each character leads to its own bytes, or to all of the escape or hole that it is from.
fn leads_back(literal: &Literal<'_>, segment: &Segment, means: &str) -> Result<(), String> {
    for (offset, character) in means.char_indices() {
        let start = segment.sql.start + offset;
        let place = literal.region.to_source(SqlSpan::new(start, start + character.len_utf8()));
        let wanted = match segment.kind {
            SegmentKind::Verbatim => {
                let start = segment.source.start + offset;
                Span::new(start, start + character.len_utf8())
            }
            SegmentKind::Escape | SegmentKind::Hole => segment.source,
        };
        require(place == wanted, "a character leads elsewhere", place)?;
    }
    Ok(())
}

fn require(holds: bool, what: &str, at: Span) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{what}: {at:?}")) }
}
