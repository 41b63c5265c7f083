use super::*;
use crate::region::SegmentKind;
use crate::sql::lex::lex;
use proptest::prelude::*;

fn decode(literal: &str) -> Option<String> {
    let source = format!("é = {literal} ;");
    let start = source.find(literal).unwrap();
    let region = Region::verbatim(&source, Span::new(0, source.len()));
    let inner = string_region(&region, SqlSpan::new(start, start + literal.len()))?;
    assert_tiles(&inner);
    Some(inner.text().to_owned())
}

fn assert_tiles(region: &Region<'_>) {
    let mut at = 0;
    for segment in region.segments() {
        assert_eq!(segment.sql.start, at);
        at = segment.sql.end;
        if segment.kind == SegmentKind::Verbatim {
            assert_eq!(segment.sql.len(), segment.source.len());
        }
    }
    assert_eq!(at, region.text().len());
}

#[test]
fn every_form_decodes_as_the_server_does() {
    for (literal, text) in [
        ("''", ""),
        ("'it''s'", "it's"),
        (r"'a\'", r"a\"),
        ("n'x'", "x"),
        ("$$a''b$$", "a''b"),
        ("$t$ $$ $t$", " $$ "),
        (r"E'a\'b\\c\n\t\q'''", "a'b\\c\n\tq'"),
        (r"e'\x41\x4\101\1012'", "A\u{4}AA2"),
        (r"E'\u00e9\U0001F600\uD83D\uDE00'", "é😀😀"),
        (r"E'\xC3\xA9\303\251'", "éé"),
        (r"E'\xC3A\0\uD800'", "\u{FFFD}A\u{FFFD}\u{FFFD}"),
        (r"E'\u12\xg\é'", "u12xgé"),
        (r"U&'d\0061t\+000061 \\ \zz \D83D\DE00'", "data \\ \\zz 😀"),
        ("'a'\n'b'", "ab"),
        ("'a' -- c\n  -- d\n 'b''c'", "ab'c"),
        ("E'a'\n'\\n'", "a\n"),
    ] {
        assert_eq!(decode(literal).as_deref(), Some(text), "{literal}");
    }
}

#[test]
fn what_is_no_string_constant_gives_none() {
    for literal in ["'a' 'b'", "'a", "x'41'", "B'1'", "$t$ a $u$", "$t", "abc", "", "E'\\'", "'a'\n", "$$"] {
        assert_eq!(decode(literal), None, "{literal}");
    }
}

#[test]
fn identifiers_fold_and_unquote() {
    for (text, name) in
        [("AbC", "abc"), ("\"Ab\"\"C\"", "Ab\"C"), (r#"U&"\0061B""#, "aB"), ("\"open", "\"open"), ("É", "É")]
    {
        assert_eq!(identifier(text), name);
    }
}

#[test]
fn a_constant_goes_on_after_a_line_break_only() {
    let end = |text: &str| {
        let tokens = lex(text);
        tokens[constant_end(text, &tokens, 0) - 1].span().end
    };
    assert_eq!(end("'a' 'b'"), 3);
    assert_eq!(end("'a'\n'b' 'c'"), 7);
    assert_eq!(end("'a' -- x\n 'b'\n, 'c'"), 13);
    assert_eq!(end("'a' /* x */\n'b'"), 3);
    assert_eq!(end("'a'\nE'b'"), 3);
    assert_eq!(end("$$a$$\n'b'"), 5);
    assert_eq!(constant_end("", &[], 3), 4);
}

/// How one character is written in a constant of the form.
fn spelling(form: usize, c: char, way: u8) -> String {
    let code = u32::from(c);
    match (form, way % 6) {
        (0, _) if c == '\'' => "''".to_owned(),
        (1, 1) => c.to_string().bytes().map(|b| format!("\\x{b:02X}")).collect(),
        (1, 2) => c.to_string().bytes().map(|b| format!("\\{b:03o}")).collect(),
        (1, 3) => format!("\\U{code:08x}"),
        (1, 4) | (2, 1 | 2) if code > 0xFFFF => {
            let mut units = [0; 2];
            c.encode_utf16(&mut units);
            let mark = if form == 1 { "\\u" } else { "\\" };
            units.iter().map(|u| format!("{mark}{u:04X}")).collect()
        }
        (1, 4) => format!("\\u{code:04X}"),
        (1, 5) if c == '\'' => "\\'".to_owned(),
        (1 | 2, _) if c == '\'' => "''".to_owned(),
        (1 | 2, 0 | 5) if c == '\\' => "\\\\".to_owned(),
        (1 | 2, _) if c == '\\' => if form == 1 { "\\134" } else { "\\005C" }.to_owned(),
        (2, 1 | 2) => format!("\\{code:04X}"),
        (2, 3) => format!("\\+{code:06X}"),
        _ => c.to_string(),
    }
}

proptest! {
    /// Random text written in each form decodes to itself, and every character leads back to its spelling.
    #[test]
    fn encoded_text_comes_back(
        form in 0usize..4,
        chars in proptest::collection::vec((prop_oneof![
            Just('\''), Just('\\'), Just('"'), Just('\n'), Just('-'), Just('1'), Just('a'), Just('é'), Just('😀'), any::<char>()
        ], any::<u8>()), 0..40),
        breaks in any::<u64>(),
    ) {
        let chars: Vec<(char, u8)> = chars.into_iter().filter(|(c, _)| *c != '\0').collect();
        let text: String = chars.iter().map(|(c, _)| c).collect();
        let prefix = ["é '", "é E'", "é U&'", "é $q_$"][form];
        prop_assume!(!(form == 3 && text.contains("$q_$")));
        let mut source = prefix.to_owned();
        let mut places = Vec::new();
        for (index, &(c, way)) in chars.iter().enumerate() {
            if form < 3 && index < 64 && breaks >> index & 7 == 7 {
                source.push_str("' -- é\n '");
            }
            let start = source.len();
            source.push_str(&spelling(form, c, way));
            places.push(Span::new(start, source.len()));
        }
        source.push_str(if form == 3 { "$q_$" } else { "'" });
        let region = Region::verbatim(&source, Span::new(0, source.len()));
        let inner = string_region(&region, SqlSpan::new("é ".len(), source.len())).unwrap();
        prop_assert_eq!(inner.text(), text.as_str());
        assert_tiles(&inner);
        let mut at = 0;
        for (&(c, _), &place) in chars.iter().zip(&places) {
            let span = SqlSpan::new(at, at + c.len_utf8());
            prop_assert_eq!(inner.to_source(span), place, "{:?} in {:?}", c, source);
            at = span.end;
        }
    }

    /// Whatever the text, decoding neither panics nor leaves a gap in the map.
    #[test]
    fn any_text_is_harmless(text in r#"(E|U&|N)?['$"][-'"$\\xu0-9a-fé\n ]{0,20}['$"]"#) {
        let region = Region::verbatim(&text, Span::new(0, text.len()));
        if let Some(inner) = string_region(&region, SqlSpan::new(0, text.len())) {
            assert_tiles(&inner);
        }
        identifier(&text);
        let tokens = lex(&text);
        for at in 0..=tokens.len() {
            prop_assert!(constant_end(&text, &tokens, at) > at);
        }
    }
}
