//! Blocks of SQL in Markdown.

use crate::region::{Builder, Region, SegmentKind};
use crate::source::Source;
use crate::span::Span;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// What a fence says of SQL for PostgreSQL.
const WORDS: &[&str] = &["pgsql", "plpgsql", "postgres", "postgresql", "psql", "sql"];

/// The contents of the fenced blocks that say that they are SQL. In a quotation or a list its marks are left out.
pub(super) fn regions(source: &Source) -> Vec<Region<'_>> {
    let text = source.text();
    let mut regions = Vec::new();
    let mut open: Option<(Builder, Option<Span>)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_sql(&info) => {
                open = Some((Builder::new(), None));
            }
            Event::Text(_) => {
                if let Some((builder, whole)) = &mut open {
                    let span = Span::new(range.start, range.end);
                    builder.push(SegmentKind::Verbatim, &text[range], span);
                    *whole = Some(whole.map_or(span, |whole| whole.join(span)));
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((builder, Some(whole))) = open.take() {
                    regions.push(builder.finish(whole));
                }
            }
            _ => {}
        }
    }
    regions
}

fn is_sql(info: &str) -> bool {
    let word = info.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn blocks_that_say_they_are_sql() {
        // Of CR LF the parser leaves the CR out.
        let text = "é\r\n```sql\r\nSELECT 1;\r\n```\n\n```python\nx\n```\n\n> 1. a\n>    ~~~ {.PostgreSQL}\n>    SELECT 2,\n>      3;\n>    ~~~\n\n    SELECT 4;\n\n```sql\nSELECT 5";
        let source = Source::new("a.md".into(), Language::Markdown, text.into()).unwrap();
        let regions = regions(&source);
        let texts: Vec<&str> = regions.iter().map(Region::text).collect();
        assert_eq!(texts, ["SELECT 1;\n", "SELECT 2,\n  3;\n", "SELECT 5"]);
        for region in &regions {
            for segment in region.segments() {
                assert_eq!(source.slice(segment.source), &region.text()[segment.sql.range()]);
            }
        }
        // Counted by hand: the line of the quotation, from its number to its end.
        assert_eq!(source.slice(regions[1].span()), "SELECT 2,\n>      3;\n");
    }
}
