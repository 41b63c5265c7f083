mod around;
mod forms;
mod properties;

use super::{Host, read};
use crate::language::Language;
use crate::region::{Region, SegmentKind};
use crate::source::Source;

fn source(path: &str, text: &str) -> Source {
    Source::new(path.into(), Language::of(path).unwrap(), text.as_bytes().to_vec()).unwrap()
}

/// Both sides of a region's map: text that stands for itself, `[source="text"]` for an escape, `<source>` for a hole.
fn shown(source: &Source, region: &Region<'_>) -> String {
    let show = |segment: &crate::region::Segment| {
        let text = &region.text()[segment.sql.range()];
        let written = source.slice(segment.source);
        match segment.kind {
            SegmentKind::Verbatim => {
                assert_eq!(text, written);
                text.to_owned()
            }
            SegmentKind::Escape => format!("[{written}={text:?}]"),
            SegmentKind::Hole => format!("<{written}>"),
        }
    };
    region.segments().iter().map(show).collect()
}

/// Segments tile the text, lie in the source on character boundaries, and verbatim ones are equal on both sides.
fn assert_exact(source: &Source, host: &Host<'_>) {
    for literal in &host.literals {
        let region = &literal.region;
        let mut at = 0;
        for segment in region.segments() {
            assert_eq!(segment.sql.start, at);
            at = segment.sql.end;
            assert!(source.text().get(segment.source.range()).is_some(), "{segment:?}");
            if segment.kind == SegmentKind::Verbatim {
                assert_eq!(source.slice(segment.source), &region.text()[segment.sql.range()]);
            }
        }
        assert_eq!(at, region.text().len());
        assert!(literal.span.contains(region.span()), "{:?} in {:?}", region.span(), literal.span);
        assert!(literal.statement.contains(literal.span), "{:?} in {:?}", literal.span, literal.statement);
    }
}
