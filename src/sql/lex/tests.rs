use super::*;

fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
    lex(text).into_iter().filter(|t| !t.kind.is_trivia()).map(|t| (t.kind, &text[t.span().range()])).collect()
}

fn words(text: &str) -> Vec<&str> {
    kinds(text).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn quotes_of_every_kind() {
    use TokenKind::*;
    assert_eq!(
        kinds(r#"'it''s' E'don\'t' U&'\0061' "a""b" $t$ $$ $t$ B'1'"#),
        [
            (String, "'it''s'"),
            (EscapeString, r"E'don\'t'"),
            (String, r"U&'\0061'"),
            (QuotedIdent, "\"a\"\"b\""),
            (DollarString, "$t$ $$ $t$"),
            (String, "B'1'")
        ]
    );
}

#[test]
fn placeholders_are_holes_where_an_operand_may_start() {
    let holes = |text: &'static str| {
        kinds(text).into_iter().filter(|(kind, _)| *kind == TokenKind::Hole).map(|(_, t)| t).collect::<Vec<_>>()
    };
    assert_eq!(holes("WHERE a = ? AND b ? 'k' AND c=?"), ["?", "?"]);
    assert_eq!(holes("WHERE a = %s AND b %s AND c = %(n)s"), ["%s", "%(n)s"]);
    assert_eq!(holes("a = :x AND b = :'y' AND c::int = d[1:n]"), [":x", ":'y'"]);
    assert_eq!(holes("a=@x AND b <@ c"), ["@x"]);
    assert_eq!(holes("FROM @extschema@.t, @extschema:q@.t WHERE @x<@c"), ["@extschema@", "@extschema:q@", "@x"]);
    assert_eq!(holes("FROM :schema.t WHERE x = {{ y }} AND z = ${w.v()}"), [":schema", "{{ y }}", "${w.v()}"]);
    assert_eq!(holes("SELECT %1$s, %[2]d, %%s"), ["%1$s", "%[2]d", "%%s"]);
    assert_eq!(holes("$(a), $<b.c>, $[d:csv], $/e/, $(f^)"), ["$(a)", "$<b.c>", "$[d:csv]", "$/e/", "$(f^)"]);
    assert_eq!(holes("a $( b, 1) $<2> $/ 3"), Vec::<&str>::new());
}

#[test]
fn a_range_is_two_numbers_and_two_dots() {
    assert_eq!(words("1..10 n ..2 a.b .5"), ["1", ".", ".", "10", "n", ".", ".", "2", "a", ".", "b", ".", "5"]);
    assert_eq!(words("(.5, .25)"), ["(", ".5", ",", ".25", ")"]);
}

#[test]
fn a_hole_glued_to_a_name_belongs_to_it() {
    assert_eq!(words("pg_advisory_{m}lock(1) ${s}_x.y"), ["pg_advisory_{m}lock", "(", "1", ")", "${s}_x", ".", "y"]);
}

#[test]
fn template_code_is_trivia() {
    assert_eq!(words("SELECT 1 {% if x %} FOR UPDATE {% endif %}"), ["SELECT", "1", "FOR", "UPDATE"]);
}

#[test]
fn psql_lines_and_copy_data() {
    use TokenKind::*;
    let text = "\\set x 1\nCOPY t FROM stdin; -- data\nit's $$\n\\.\nSELECT 1 \\gset\n";
    assert_eq!(
        kinds(text),
        [
            (PsqlCommand, "\\set x 1"),
            (Word, "COPY"),
            (Word, "t"),
            (Word, "FROM"),
            (Word, "stdin"),
            (Semicolon, ";"),
            (CopyData, "\nit's $$\n\\."),
            (Word, "SELECT"),
            (Number, "1"),
            (PsqlCommand, "\\gset")
        ]
    );
}

#[test]
fn a_stray_quote_hides_nothing_that_follows() {
    let text = "SELECT 'it\\'s';\nSELECT 'a';\nSELECT pg_advisory_lock(1);\nSELECT 'b', 'c';\n";
    assert!(words(text).contains(&"pg_advisory_lock"));
    let text = "SELECT 1 '\nFROM t;\nSELECT pg_advisory_lock(1);\n";
    assert!(words(text).contains(&"pg_advisory_lock"));
}

#[test]
fn tokens_tile_every_text() {
    use proptest::prelude::*;
    let piece = proptest::sample::select(vec![
        "'",
        "\"",
        "$$",
        "$a$",
        "--",
        "/*",
        "*/",
        "\n",
        ";",
        "E'",
        "\\",
        "{",
        "}",
        "{{",
        "{%",
        "%}",
        "?",
        "%s",
        ":x",
        "@y",
        "é",
        "\u{a0}",
        "(",
        ")",
        "[",
        "]",
        "SELECT ",
        "COPY t FROM stdin;",
        "\\.\n",
        "1e5",
        "0x",
        "..",
        "<%",
        "%>",
        "$1",
        "${",
        "#{",
        "U&'",
        "=",
        "->>",
        "\r\n",
        "\r",
    ]);
    proptest!(|(pieces in proptest::collection::vec(piece, 0..40), any in ".{0,20}")| {
        for text in [pieces.concat(), any] {
            let mut at = 0;
            for token in lex(&text) {
                prop_assert_eq!(token.span().start, at);
                prop_assert!(token.span().end > at);
                prop_assert!(text.is_char_boundary(token.span().end));
                at = token.span().end;
            }
            prop_assert_eq!(at, text.len());
        }
    });
}

/// What opens something that never ends, again and again. Each is read in time that grows with its length alone; were
/// it not, this test would take hours.
#[test]
fn hostile_text_ends() {
    for piece in [
        "{",
        "${",
        "#{",
        "{%",
        "<% ",
        "/*\n",
        "/* ",
        "'\n;\nselect '\n;\nselect",
        "'x';\nselect '\n",
        "e'\\\n",
        "COPY t FROM stdin;\n1\n",
        "COPY t FROM stdin; ",
        "U&\"",
        ":'",
        "(;\n",
    ] {
        for odd in ["", "'"] {
            let text = format!("{odd}{}", piece.repeat(100_000 / piece.len()));
            assert_eq!(lex(&text).last().map(|token| token.span().end), Some(text.len()), "{piece}");
        }
    }
    let tags: String = (0..20_000).map(|n| format!("$t{n}$ ")).collect();
    assert!(lex(&tags).iter().all(|token| token.kind != TokenKind::DollarString));
}

#[test]
fn only_so_many_stray_quotes_are_cut_out() {
    // However many are cut out, the last quote of the other kind leaves the rest open.
    let text = |lines: usize| format!("{}\"", "'\n;\nselect ".repeat(lines));
    let cut = |lines| lex(&text(lines)).iter().filter(|t| t.kind == TokenKind::Unterminated).count();
    assert_eq!(cut(3), 4);
    assert_eq!(cut(MAX_RESTARTS * 4), MAX_RESTARTS + 1);
}

#[test]
fn a_text_is_cut_between_characters() {
    assert_eq!(beginning("aé", 2), "a");
    assert_eq!(beginning("aé", 3), "aé");
    assert_eq!(beginning("aé", 99), "aé");
    assert_eq!(size_of::<Token>(), 12);
}
