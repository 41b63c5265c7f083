//! Templates of SQL: tags become holes, or blanks where they are logic, so that what stands between them is read as SQL, with
//! the offsets of the file. Both branches of a condition are kept.

use crate::host::stand_in;
use crate::region::{Builder, Region, SegmentKind};
use crate::source::Source;
use crate::span::Span;

/// How a template marks its tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `<%= value %>`, `<% logic %>`, `<%# comment %>`; `<%%` is `<%` itself.
    Erb,
    /// `{{ value }}`, `{% logic %}`, `{# comment #}`.
    Jinja,
    /// `{{ value }}`, `{{ if … }}`, `{{#logic}}`, `{{/* comment */}}`.
    Braces,
}

/// Words with which what stands in `{{ }}` is logic. Sources: <https://pkg.go.dev/text/template#hdr-Actions>,
/// <https://handlebarsjs.com/guide/builtin-helpers.html>.
const LOGIC: &[&str] =
    &["block", "break", "continue", "define", "else", "end", "if", "partial", "range", "template", "with"];

fn style(path: &str) -> Option<Style> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let is = |endings: &[&str]| endings.iter().any(|known| ending.eq_ignore_ascii_case(known));
    if is(&["erb", "eex", "heex", "ejs"]) {
        Some(Style::Erb)
    } else if is(&["jinja", "jinja2", "j2"]) {
        Some(Style::Jinja)
    } else if is(&["mustache", "hbs", "tmpl", "tpl"]) {
        Some(Style::Braces)
    } else {
        None
    }
}

/// The SQL of a source: the whole of it, but for the tags of a template.
pub(super) fn region(source: &Source) -> Region<'_> {
    let text = source.text();
    let whole = Span::new(source.bom(), text.len());
    let Some(style) = style(source.path()) else { return Region::verbatim(text, whole) };
    let mut builder = Builder::new();
    let mut from = whole.start;
    while let Some(tag) = next(text, from, style) {
        builder.push(SegmentKind::Verbatim, &text[from..tag.span.start], Span::new(from, tag.span.start));
        match tag.means {
            Means::Value => builder.push(SegmentKind::Hole, &stand_in(tag.expression, tag.span), tag.span),
            // A comment in SQL ends with its line.
            Means::Nothing if text[tag.span.range()].contains('\n') => {
                builder.push(SegmentKind::Escape, "\n", tag.span);
            }
            Means::Nothing => builder.push(SegmentKind::Escape, " ", tag.span),
            Means::Itself => builder.push(SegmentKind::Escape, "<%", tag.span),
        }
        from = tag.span.end;
    }
    builder.push(SegmentKind::Verbatim, &text[from..], Span::new(from, text.len()));
    builder.finish(whole)
}

struct Tag<'s> {
    span: Span,
    means: Means,
    /// What stands in it.
    expression: &'s str,
}

#[derive(Clone, Copy)]
enum Means {
    /// What it gives stands there.
    Value,
    /// It leaves nothing.
    Nothing,
    /// It stands for its own beginning.
    Itself,
}

/// The next tag at or after an offset; one that is not closed is none.
fn next(text: &str, from: usize, style: Style) -> Option<Tag<'_>> {
    let mut at = from;
    loop {
        let open = at + text.get(at..)?.find(if style == Style::Erb { "<%" } else { "{" })?;
        let rest = &text[open + 1..];
        let close = match (style, rest.as_bytes().first()?) {
            (Style::Erb, _) if rest.starts_with("%%") => {
                return Some(Tag { span: Span::new(open, open + 3), means: Means::Itself, expression: "" });
            }
            (Style::Erb, _) => "%>",
            (Style::Jinja | Style::Braces, b'{') if rest.starts_with("{{") => "}}}",
            (Style::Jinja | Style::Braces, b'{') => "}}",
            (Style::Jinja, b'%') => "%}",
            (Style::Jinja, b'#') => "#}",
            _ => {
                at = open + 1;
                continue;
            }
        };
        let Some(end) = rest.get(1..).and_then(|inside| inside.find(close)) else {
            // Another kind of tag may still be closed.
            at = open + 2;
            continue;
        };
        let inside = rest[1..1 + end].trim_start_matches(['-', '+', '~', '{', '_']);
        let span = Span::new(open, open + 2 + end + close.len());
        let means = match (style, close) {
            (Style::Erb, _) if inside.starts_with('=') => Means::Value,
            (Style::Jinja, "}}" | "}}}") => Means::Value,
            (Style::Braces, _) if !is_logic(inside) => Means::Value,
            _ => Means::Nothing,
        };
        let expression = inside.trim_start_matches(['=', '-', '.', '$']).trim_end_matches(['-', '+', '~', '_']).trim();
        return Some(Tag { span, means, expression });
    }
}

/// Whether what stands in double braces says what to do, and gives no value.
fn is_logic(inside: &str) -> bool {
    let inside = inside.trim_start();
    let word = inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    inside.starts_with(['#', '/', '^', '!', '>', '$']) && inside.contains([':', '/', '#', '^', '!', '>'])
        || LOGIC.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    /// The region's text, with `‹tag›` for what a hole stands for and `·` for what leaves nothing.
    fn shown(path: &str, text: &str) -> String {
        let source = Source::new(path.into(), Language::of(path).unwrap(), text.as_bytes().to_vec()).unwrap();
        let region = region(&source);
        let mut end = 0;
        let mut shown = String::new();
        for segment in region.segments() {
            // Nothing of the file is left out, and nothing stands twice.
            assert_eq!(segment.source.start, end);
            end = segment.source.end;
            let written = source.slice(segment.source);
            match segment.kind {
                SegmentKind::Verbatim => {
                    assert_eq!(&region.text()[segment.sql.range()], written);
                    shown.push_str(written);
                }
                SegmentKind::Hole => shown.push_str(&format!("‹{written}›")),
                SegmentKind::Escape => {
                    shown.push_str(if region.text()[segment.sql.range()] == *"<%" { "<%" } else { "·" });
                }
            }
        }
        assert_eq!(end, text.len());
        shown
    }

    #[test]
    fn tags_by_style() {
        for (path, text, wanted) in [
            (
                "a.sql.erb",
                "<% if a > 1 -%>\nSELECT <%= it's %>;<%# x %> '<%%' <%= é %>",
                "·\nSELECT ‹<%= it's %>›;· '<%' ‹<%= é %>›",
            ),
            ("a.sql.eex", "a <%= for x <- y do %>b<% end %>", "a ‹<%= for x <- y do %>›b·"),
            (
                "a.sql.j2",
                "{% if x == \"it's\" %}a {{ b | c('d') }}{# e #}{%- endif %} {f}",
                "·a ‹{{ b | c('d') }}›·· {f}",
            ),
            ("a.sql.tmpl", "{{- if .A }}a {{ .B }}{{ end }}{{/* c */}} {{ $d }}", "·a ‹{{ .B }}›·· ‹{{ $d }}›"),
            ("a.sql.hbs", "{{#if a}}{{{b}}}{{else}}c{{/if}}{{! d }}", "·‹{{{b}}}›·c··"),
            ("a.sql.mustache", "a {{b", "a {{b"),
            ("a.sql", "a {{ b }} <%= c %>", "a {{ b }} <%= c %>"),
        ] {
            assert_eq!(shown(path, text), wanted, "{path}");
        }
    }

    #[test]
    fn a_comment_of_sql_ends_where_a_tag_goes_over_its_line() {
        let text = "-- a <%\nx %>SELECT 1";
        let source = Source::new("a.sql.erb".into(), Language::Sql, text.into()).unwrap();
        assert_eq!(region(&source).text(), "-- a \nSELECT 1");
    }
}
