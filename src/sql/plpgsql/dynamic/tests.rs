use super::*;
use crate::span::Span;
use crate::sql::lex::{lex, lex_with_holes};
use proptest::prelude::*;

/// The text of a dynamic command with the source of each hole.
fn dynamic(expression: &str) -> Option<(String, Vec<String>)> {
    let source = format!("é {expression}");
    let region = Region::verbatim(&source, Span::new("é ".len(), source.len()));
    let tokens = lex(region.text());
    let inner = dynamic_sql(&region, &tokens)?;
    let mut at = 0;
    let mut holes = Vec::new();
    for segment in inner.segments() {
        assert_eq!(segment.sql.start, at);
        at = segment.sql.end;
        let (sql, text) = (&inner.text()[segment.sql.range()], &source[segment.source.range()]);
        match segment.kind {
            SegmentKind::Verbatim => assert_eq!(sql, text),
            SegmentKind::Escape => assert_ne!(sql, text),
            SegmentKind::Hole => {
                assert_eq!(sql, STAND_IN);
                holes.push(text.to_owned());
            }
        }
    }
    assert_eq!(at, inner.text().len());
    Some((inner.text().to_owned(), holes))
}

#[test]
fn dynamic_commands() {
    for (expression, text, holes) in [
        ("'SELECT 1'", "SELECT 1", &[][..]),
        ("$q$SELECT 'a'$q$::text", "SELECT 'a'", &[]),
        ("'SELECT ''x'', ' || a.b || '_t'", "SELECT 'x', h___t", &["a.b"]),
        ("('a' || (f(1, 2) || 'b'))::text", "ah__b", &["f(1, 2)"]),
        ("E'a\\n' || quote_ident($1) || ''", "a\nh__", &["quote_ident($1)"]),
        ("'a'\n'b' || c", "abh__", &["c"]),
        (
            "'x' || CASE WHEN a || b THEN 'c' || d ELSE 'e' END || 'y'",
            "xh__y",
            &["CASE WHEN a || b THEN 'c' || d ELSE 'e' END"],
        ),
        (
            "format('UPDATE %I SET a = %L, b = %2$s %-10s 100%% ''%s'' %z', t, v)",
            "UPDATE h__ SET a = h__, b = h__ h__ 100% 'h__' %z",
            &["%I", "%L", "%2$s", "%-10s", "%s"],
        ),
        ("pg_catalog.Format($$%s$$ || ' ' || x, y) || ';'", "h__ h__;", &["%s", "x"]),
        ("concat('LOCK TABLE ', t, ' IN SHARE MODE')", "LOCK TABLE h__ IN SHARE MODE", &["t"]),
    ] {
        let (found, sources) = dynamic(expression).unwrap();
        assert_eq!(found, text, "{expression}");
        assert_eq!(sources, holes, "{expression}");
    }
    for expression in ["", "q", "a || b", "f('x')", "format(a, 'b')", "B'1'", "x ? 'SELECT' : 'y'"] {
        assert_eq!(dynamic(expression), None, "{expression}");
    }
    assert!(dynamic(&"(".repeat(50_000)).is_none());
    let deep = format!("{}'a'{}", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(dynamic(&deep), None);
}

#[test]
fn a_hole_glued_to_a_name_is_one_word() {
    let source = "'SELECT * FROM jobs_' || n || '_old FOR UPDATE'";
    let region = Region::verbatim(source, Span::new(0, source.len()));
    let inner = dynamic_sql(&region, &lex(source)).unwrap();
    let holes: Vec<_> = inner.holes().collect();
    let tokens = lex_with_holes(inner.text(), &holes);
    assert!(tokens.iter().any(|t| &inner.text()[t.span().range()] == "jobs_h___old"));
}

proptest! {
    /// Any text at all gives a map without a gap, or nothing.
    #[test]
    fn any_expression_is_harmless(words in proptest::collection::vec(proptest::sample::select(&[
        "'a'", "'%I %%'", "'%", "E'\\n'", "$$b$$", "||", "::", "format", "concat", "(", ")", ",", "x", "case", "end", ".", "\n",
        "-- c\n", "é", "U&'\\00e9 %s'", "pg_catalog", "b'1'", "''",
    ][..]), 0..40)) {
        dynamic(&words.join(" "));
        dynamic(&words.concat());
    }
}
