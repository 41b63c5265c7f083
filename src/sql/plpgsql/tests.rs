use super::*;
use crate::sql::lex::lex;
use proptest::prelude::*;

mod render;
mod spans;

struct Parsed<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    body: Body,
}

fn read(text: &str) -> Parsed<'_> {
    let tokens = lex(text);
    let body = parse(text, &tokens);
    spans::check(text, &tokens, &body);
    Parsed { text, tokens, body }
}

/// The statements of a block with this inside, as text; it has to be understood.
fn shape(inside: &str) -> String {
    let text = format!("BEGIN\n{inside}\nEND");
    let parsed = read(&text);
    assert!(parsed.body.complete, "{inside}: {:?}", parsed.body);
    parsed.list(&parsed.body.block.body)
}

#[test]
fn every_statement() {
    for (text, expected) in [
        ("NULL;", "null"),
        ("x := 1;", "x := 1"),
        ("x = f(a := 1, b => 2);", "x := f(a := 1, b => 2)"),
        ("r.Items[i + 1].\"N\" := count(*) FROM t WHERE a = b;", "r.items[i + 1].N := count(*) FROM t WHERE a = b"),
        ("$1 := -1;", "$1 := -1"),
        ("return := 2; perform[1] = 3; exception := 4;", "return := 2; perform[1] := 3; exception := 4"),
        ("PERFORM pg_advisory_lock(1) FROM t;", "perform pg_advisory_lock(1) FROM t"),
        ("IF count(*) = 0 FROM t WHERE x THEN a := 1; END IF;", "if (count(*) = 0 FROM t WHERE x) {a := 1}"),
        (
            "IF a THEN NULL; ELSIF b THEN ELSEIF (CASE WHEN c THEN d END) THEN NULL; ELSE EXIT; END IF;",
            "if (a) {null} (b) {} ((CASE WHEN c THEN d END)) {null} else {exit}",
        ),
        ("CASE x WHEN 1, 2 THEN NULL; WHEN 3 THEN ELSE x := 2; END CASE;", "case x (1, 2) {null} (3) {} else {x := 2}"),
        ("CASE WHEN x > 1 THEN NULL; END CASE;", "case (x > 1) {null}"),
        ("LOOP EXIT WHEN a; CONTINUE l WHEN b; EXIT m; END LOOP;", "loop {exit when a; continue l when b; exit m}"),
        ("<<L>> WHILE a < b LOOP NULL; END LOOP l;", "while a < b l {null}"),
        ("FOR i IN 1..10 LOOP END LOOP;", "for i 1 to 10 {}"),
        ("FOR i IN REVERSE n .. f(1,2) BY 2 LOOP END LOOP;", "for i down n to f(1,2) by 2 {}"),
        ("FOR a, b.c IN SELECT x.loop FROM x LOOP END LOOP;", "for a+b.c in SELECT x.loop FROM x {}"),
        ("FOR r IN (SELECT 1) LOOP END LOOP;", "for r in (SELECT 1) {}"),
        (
            "FOR r IN EXECUTE 'select ' || a USING b, (c, d) LOOP END LOOP;",
            "for r execute 'select ' || a using b | (c, d) {}",
        ),
        ("FOR r IN curs LOOP END LOOP;", "for r cursor curs {}"),
        ("FOR r IN curs(1, a := 2) LOOP END LOOP;", "for r cursor curs with 1, a := 2 {}"),
        ("FOREACH x SLICE 1 IN ARRAY ARRAY[1,2] LOOP END LOOP;", "foreach x in ARRAY[1,2] {}"),
        ("RETURN; RETURN a + 1; RETURN (SELECT 1);", "return; return a + 1; return (SELECT 1)"),
        ("RETURN NEXT; RETURN NEXT r; RETURN next.x;", "next; next r; return next.x"),
        (
            "RETURN QUERY SELECT 1; RETURN query; RETURN query || 'x';",
            "query SELECT 1; return query; return query || 'x'",
        ),
        ("RETURN QUERY EXECUTE format('x') USING a, b;", "query execute format('x') using a | b"),
        ("RAISE; RAISE 'x %', y;", "raise Exception again ; raise Exception 'x %', y"),
        ("RAISE NOTICE 'a'; RAISE log 'b';", "raise Notice 'a'; raise Log 'b'"),
        (
            "RAISE unique_violation USING MESSAGE = 'x';",
            "raise Exception unique_violation unique_violation USING MESSAGE = 'x'",
        ),
        ("RAISE EXCEPTION SQLSTATE '25P02';", "raise Exception sqlstate '25P02' SQLSTATE '25P02'"),
        (
            "RAISE EXCEPTION 'x' USING HINT = f(a, b), ERRCODE = '55P03';",
            "raise Exception sqlstate '55P03' 'x' USING HINT = f(a, b), ERRCODE = '55P03'",
        ),
        (
            "RAISE USING ERRCODE := 'Lock_Not_Available';",
            "raise Exception lock_not_available USING ERRCODE := 'Lock_Not_Available'",
        ),
        ("ASSERT a > 1, 'no';", "assert a > 1, 'no'"),
        (
            "GET DIAGNOSTICS N = ROW_COUNT, c := PG_CONTEXT; GET STACKED DIAGNOSTICS m = MESSAGE_TEXT;",
            "get false [(\"n\", \"row_count\"), (\"c\", \"pg_context\")]; get true [(\"m\", \"message_text\")]",
        ),
        ("GET CURRENT DIAGNOSTICS n = ROW_COUNT;", "get false [(\"n\", \"row_count\")]"),
        ("CALL a.p(1, x);", "call CALL a.p(1, x)"),
        (
            "COMMIT; COMMIT AND CHAIN; ROLLBACK; ROLLBACK AND NO CHAIN; ROLLBACK TO SAVEPOINT s;",
            "commit false; commit true; rollback false; rollback false; sql ROLLBACK TO SAVEPOINT s",
        ),
        ("SELECT a, b INTO STRICT x, R.y FROM t;", "sql SELECT a, b INTO STRICT x, R.y FROM t => strict x+r.y"),
        ("SELECT INTO x count(*) FROM t;", "sql SELECT INTO x count(*) FROM t => x"),
        ("SELECT a FROM t FOR UPDATE INTO x;", "sql SELECT a FROM t FOR UPDATE INTO x => x"),
        ("INSERT INTO t VALUES (1);", "sql INSERT INTO t VALUES (1)"),
        (
            "WITH w AS (INSERT INTO t SELECT 1 RETURNING a) SELECT a INTO x FROM w;",
            "sql WITH w AS (INSERT INTO t SELECT 1 RETURNING a) SELECT a INTO x FROM w => x",
        ),
        (
            "INSERT INTO t VALUES (1) RETURNING id INTO x[1], y;",
            "sql INSERT INTO t VALUES (1) RETURNING id INTO x[1], y => x[1]+y",
        ),
        (
            "MERGE INTO t USING s ON a WHEN MATCHED THEN DELETE;",
            "sql MERGE INTO t USING s ON a WHEN MATCHED THEN DELETE",
        ),
        (
            "SELECT end FROM t; UPDATE t SET x = CASE WHEN a THEN 1 ELSE 2 END;",
            "sql SELECT end FROM t; sql UPDATE t SET x = CASE WHEN a THEN 1 ELSE 2 END",
        ),
        ("SET LOCAL lock_timeout = '1s';", "sql SET LOCAL lock_timeout = '1s'"),
        (
            "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); NULL;",
            "sql CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); null",
        ),
        (
            "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; END; NULL;",
            "sql CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; END; null",
        ),
        ("DO $$BEGIN NULL; END$$;", "sql DO $$BEGIN NULL; END$$"),
        ("EXECUTE 'x';", "execute 'x'"),
        ("EXECUTE 'a' || b INTO STRICT x, y USING c, d;", "execute 'a' || b => strict x+y using c | d"),
        ("EXECUTE q USING c, f(d, e) INTO x;", "execute q => x using c | f(d, e)"),
        (
            "OPEN c; OPEN c(1, b := 2); OPEN c NO SCROLL FOR SELECT 1;",
            "open c; open c with 1, b := 2; open c for SELECT 1",
        ),
        ("OPEN c SCROLL FOR EXECUTE q USING a, b;", "open c execute q using a | b"),
        (
            "FETCH c INTO a, b; FETCH ABSOLUTE 2 FROM c INTO a; FETCH NEXT IN c INTO a;",
            "fetch c => a+b; fetch c ABSOLUTE 2 => a; fetch c NEXT => a",
        ),
        ("MOVE c; MOVE FORWARD 2 FROM c; CLOSE c;", "move c; move c FORWARD 2; close c"),
        ("<<b>> BEGIN NULL; END b;", "<<b>> {null}"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn blocks_declarations_and_handlers() {
    let text = "#variable_conflict use_column\n#option dump\n<<Outer>> DECLARE\n\
        a int; b CONSTANT numeric(3, 1) NOT NULL := 1; c text COLLATE \"C\" = 'x;'; d t.x%TYPE DEFAULT f(1);\n\
        e ALIAS FOR $1; c1 CURSOR FOR SELECT 1; c2 NO SCROLL CURSOR (p int, q text) IS SELECT p;\n\
        DECLARE r timestamp  with time zone[];\n\
        BEGIN NULL;\n\
        EXCEPTION WHEN unique_violation OR SQLSTATE '25P02' THEN NULL; WHEN OTHERS THEN RAISE; END outer;";
    let parsed = read(text);
    assert!(parsed.body.complete);
    assert_eq!(parsed.body.options, ["variable_conflict use_column", "option dump"]);
    assert_eq!(
        parsed.block(&parsed.body.block),
        "<<outer>> [a int] [b numeric(3, 1) constant := 1] [c text := 'x;'] [d t.x%type := f(1)] [e alias := $1] \
         [c1 cursor for SELECT 1] [c2 cursor for SELECT p] [r timestamp with time zone[]] {null} \
         when unique_violation,sqlstate '25P02' {null} when others {raise Exception again }"
    );
    let block = &parsed.body.block;
    assert_eq!(&text[block.span.range()], &text[text.find("<<").unwrap()..text.len() - 1]);
    assert_eq!(&text[block.handlers[1].span.range()], "WHEN OTHERS THEN RAISE");
    assert_eq!(&text[block.declarations[2].span.range()], "c text COLLATE \"C\" = 'x;'");
}

#[test]
fn spans_leave_the_semicolon_out() {
    let text = "BEGIN <<l>> LOOP x := 1 ; END LOOP l ; END;";
    let parsed = read(text);
    let statement = &parsed.body.block.body[0];
    assert_eq!(&text[statement.span.range()], "<<l>> LOOP x := 1 ; END LOOP l");
    let StatementKind::Loop { body, .. } = &statement.kind else {
        panic!("no loop");
    };
    assert_eq!(&text[body[0].span.range()], "x := 1");
}

#[test]
fn what_is_missing_or_strange_is_marked_and_kept() {
    for (text, expected) in [
        ("", "{}"),
        ("SELECT 1; x := 2;", "{sql SELECT 1; x := 2}"),
        ("BEGIN IF a THEN b := 1; END;", "{if (a) {b := 1}}"),
        ("BEGIN IF a THEN LOOP x := 1; END IF; y := 2; END", "{if (a) {loop {x := 1}}; y := 2}"),
        ("BEGIN END IF; x := 1; END", "{unknown END IF; x := 1}"),
        ("BEGIN ELSE x := 1; y := 2; END", "{unknown ELSE x := 1; y := 2}"),
        ("BEGIN ~ a b; x := 1; END", "{unknown ~ a b; x := 1}"),
        ("BEGIN IF a; b := 1; END IF; END", "{if (a) {b := 1}}"),
        ("BEGIN x := ; END", "{x := }"),
        ("BEGIN CLOSE c d; END", "{close c; sql d}"),
        ("BEGIN NULL; END; SELECT 1;", "{null} then sql SELECT 1"),
        ("BEGIN EXCEPTION WHEN ; END 1", "{} when  {} then unknown 1"),
        ("DECLARE a int; IF b THEN NULL; END IF; END", "[a int] {if (b) {null}}"),
        ("DECLARE ~; a int; BEGIN END", "[a int] {}"),
        ("BEGIN <<l>> x := 1; y := 2; END", "{unknown <<l>> x := 1; y := 2}"),
        ("BEGIN SELECT a INTO (b) FROM t; END", "{sql SELECT a INTO (b) FROM t}"),
        ("BEGIN PERFORM f(a; x := 1; END", "{perform f(a; x := 1}"),
        ("BEGIN NULL; EXCEPTION END", "{null}"),
        ("BEGIN FETCH c; EXECUTE q INTO (a); END", "{fetch c; execute q; unknown (a)}"),
    ] {
        let parsed = read(text);
        assert!(!parsed.body.complete, "{text}");
        let mut found = parsed.block(&parsed.body.block);
        if !parsed.body.rest.is_empty() {
            found += &format!(" then {}", parsed.list(&parsed.body.rest));
        }
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    for opener in ["IF a THEN ", "LOOP ", "BEGIN ", "CASE WHEN a THEN ", "<<l>> FOR i IN 1..2 LOOP "] {
        let parsed = {
            let text = format!("BEGIN {} x := 1;", opener.repeat(20_000));
            let tokens = lex(&text);
            parse(&text, &tokens).complete
        };
        assert!(!parsed);
    }
    let nested = format!("{}NULL;{}", "IF a THEN ".repeat(90), " END IF;".repeat(90));
    assert!(read(&format!("BEGIN {nested} END")).body.complete);
}

const SOUP: &[&str] = &[
    "begin",
    "end",
    "declare",
    "if",
    "then",
    "elsif",
    "else",
    "case",
    "when",
    "loop",
    "while",
    "for",
    "foreach",
    "in",
    "array",
    "execute",
    "using",
    "into",
    "strict",
    "exit",
    "continue",
    "return",
    "next",
    "query",
    "raise",
    "notice",
    "exception",
    "others",
    "or",
    "sqlstate",
    "'25P02'",
    "perform",
    "assert",
    "get",
    "stacked",
    "diagnostics",
    "call",
    "commit",
    "rollback",
    "and",
    "chain",
    "open",
    "cursor",
    "scroll",
    "no",
    "fetch",
    "move",
    "close",
    "null",
    "select",
    "insert",
    "create",
    "function",
    "atomic",
    "alias",
    "constant",
    "default",
    "collate",
    "not",
    "reverse",
    "by",
    "x",
    "y",
    "\"é\"",
    "$1",
    "1",
    "..",
    ".",
    ",",
    ";",
    ";",
    ";",
    "(",
    ")",
    "[",
    "]",
    ":=",
    "=",
    "||",
    "::",
    "<<",
    ">>",
    "#",
    "'a'",
    "E'\\n'",
    "$$b$$",
    "format",
    "concat",
    "\n",
    "-- c\n",
    "é",
    "{{ t }}",
];

proptest! {
    #[test]
    fn any_token_soup_is_a_body(words in proptest::collection::vec(proptest::sample::select(SOUP), 0..120)) {
        for head in ["", "begin ", "declare x int; begin if a then ", "begin loop for r in "] {
            let text = format!("{head}{}", words.join(" "));
            let parsed = read(&text);
            let kept = parsed.list(&parsed.body.block.body);
            if parsed.body.complete {
                prop_assert!(!kept.contains("unknown"));
            }
        }
    }

    #[test]
    fn any_text_is_a_body(text in ".{0,200}") {
        read(&text);
    }

    /// A body put together from parts is taken apart into the same parts.
    #[test]
    fn what_is_nested_comes_back(parts in proptest::collection::vec((0usize..6, 0usize..3), 1..40)) {
        let (mut text, mut expected, mut open) = ("BEGIN ".to_owned(), "{".to_owned(), Vec::new());
        for (index, (part, close)) in parts.into_iter().enumerate() {
            if !expected.ends_with('{') {
                expected.push_str("; ");
            }
            let (head, tail, shown) = [
                ("x := 1;", "", "x := 1"),
                ("IF a THEN ", "END IF;", "if (a) {"),
                ("LOOP ", "END LOOP;", "loop {"),
                ("BEGIN ", "EXCEPTION WHEN OTHERS THEN END;", "{"),
                ("CASE WHEN a THEN ", "END CASE;", "case (a) {"),
                ("FOR i IN 1..2 LOOP ", "END LOOP;", "for i 1 to 2 {"),
            ][part];
            text.push_str(head);
            expected.push_str(shown);
            if part > 0 {
                open.push((tail, if part == 3 { "} when others {}" } else { "}" }));
            }
            for _ in 0..close.min(open.len()) * usize::from(index % 2 == 1) {
                let (tail, shown) = open.pop().unwrap();
                text.push_str(tail);
                expected.push_str(shown);
            }
        }
        while let Some((tail, shown)) = open.pop() {
            text.push_str(tail);
            expected.push_str(shown);
        }
        text.push_str("END");
        expected.push('}');
        let parsed = read(&text);
        prop_assert!(parsed.body.complete, "{}", text);
        prop_assert_eq!(parsed.block(&parsed.body.block), expected);
    }
}
