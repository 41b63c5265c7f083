//! A piece of SQL in a source: decoded text plus segments that lead every byte of it back to the source.

use crate::span::{Span, SqlSpan};
use std::borrow::Cow;

/// How a stretch of a region's text stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// The same bytes.
    Verbatim,
    /// An escape: other bytes, of any length, which stand for the text as a whole.
    Escape,
    /// Text known only at run time; the region holds a stand-in.
    Hole,
}

/// `text` bytes of the region stand for `source` bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where it stands in the region.
    pub sql: SqlSpan,
    /// What it covers in the source.
    pub source: Span,
    /// How the two relate.
    pub kind: SegmentKind,
}

/// SQL text with its map. Segments tile the text in order; a verbatim one has equal lengths on both sides.
#[derive(Clone, Debug)]
pub struct Region<'s> {
    text: Cow<'s, str>,
    segments: Vec<Segment>,
    /// The source span of the whole, delimiters left out.
    span: Span,
}

impl<'s> Region<'s> {
    /// The bytes of the source at `span`, as they stand.
    pub fn verbatim(source_text: &'s str, span: Span) -> Self {
        let text = &source_text[span.range()];
        let sql = SqlSpan::new(0, text.len());
        Self {
            text: Cow::Borrowed(text),
            segments: vec![Segment { sql, source: span, kind: SegmentKind::Verbatim }],
            span,
        }
    }

    /// The SQL text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// What the whole region covers in the source.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Stand-ins for text known only at run time, in order.
    pub fn holes(&self) -> impl Iterator<Item = SqlSpan> + '_ {
        self.segments.iter().filter(|s| s.kind == SegmentKind::Hole).map(|s| s.sql)
    }

    /// The source bytes that a span of the text stands for. A bound inside an escape or a hole takes in the whole
    /// of it; an empty span gives an empty one.
    pub fn to_source(&self, span: SqlSpan) -> Span {
        let start = self.source_offset(span.start, false);
        if span.is_empty() {
            return Span::new(start, start);
        }
        Span::new(start, self.source_offset(span.end, true).max(start))
    }

    /// Whether the text of a span stands in the source in one piece, escapes and holes among it: in one literal, so that
    /// what is spelled at one place of it may be spelled so at another.
    pub fn is_unbroken(&self, span: SqlSpan) -> bool {
        let first = self.segments.partition_point(|s| s.sql.end <= span.start);
        let after = self.segments.partition_point(|s| s.sql.start < span.end);
        let inside = self.segments.get(first..after).unwrap_or_default();
        inside.windows(2).all(|pair| pair[0].source.end == pair[1].source.start)
    }

    /// `end` asks for the place after the byte before `offset`, else for the place of the byte at `offset`.
    fn source_offset(&self, offset: usize, end: bool) -> usize {
        let probe = if end { offset.saturating_sub(1) } else { offset };
        let index = self.segments.partition_point(|s| s.sql.end <= probe);
        let Some(segment) = self.segments.get(index) else {
            return self.span.end;
        };
        match segment.kind {
            SegmentKind::Verbatim => segment.source.start + (offset - segment.sql.start),
            SegmentKind::Escape | SegmentKind::Hole if end => segment.source.end,
            SegmentKind::Escape | SegmentKind::Hole => segment.source.start,
        }
    }

    /// A region inside this one: `pieces` are spans of this region's text with what each decodes to (`None`: as it
    /// stands). This is how the body of a function becomes a region of its own.
    pub fn nested(&self, span: SqlSpan, pieces: impl IntoIterator<Item = (SqlSpan, Option<String>)>) -> Region<'s> {
        let mut builder = Builder::new();
        for (piece, decoded) in pieces {
            match decoded {
                Some(text) => builder.push(SegmentKind::Escape, &text, self.to_source(piece)),
                None => self.copy(piece, &mut builder),
            }
        }
        builder.finish(self.to_source(span))
    }

    /// Appends the text of `piece` to `builder` with its part of the map.
    pub fn copy(&self, piece: SqlSpan, builder: &mut Builder) {
        let first = self.segments.partition_point(|s| s.sql.end <= piece.start);
        for segment in self.segments[first..].iter().take_while(|s| s.sql.start < piece.end) {
            let part = SqlSpan::new(segment.sql.start.max(piece.start), segment.sql.end.min(piece.end));
            builder.push(segment.kind, &self.text[part.range()], self.to_source(part));
        }
    }
}

/// Puts a region together piece by piece.
#[derive(Debug, Default)]
pub struct Builder {
    text: String,
    segments: Vec<Segment>,
}

impl Builder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends `text`, which stands for `source`. Verbatim neighbours grow together.
    pub fn push(&mut self, kind: SegmentKind, text: &str, source: Span) {
        let sql = SqlSpan::new(self.text.len(), self.text.len() + text.len());
        self.text.push_str(text);
        if let Some(last) = self.segments.last_mut()
            && kind == SegmentKind::Verbatim
            && last.kind == SegmentKind::Verbatim
            && last.source.end == source.start
        {
            last.sql.end = sql.end;
            last.source.end = source.end;
            return;
        }
        self.segments.push(Segment { sql, source, kind });
    }

    /// The region; `span` is what the whole covers in the source.
    pub fn finish<'s>(self, span: Span) -> Region<'s> {
        Region { text: Cow::Owned(self.text), segments: self.segments, span }
    }
}
