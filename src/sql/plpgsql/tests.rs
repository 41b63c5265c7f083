use super::*;
use crate::region::{Region, SegmentKind};
use crate::span::Span;
use crate::sql::lex::{lex, lex_with_holes};
use proptest::prelude::*;

struct Parsed<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    body: Body,
}

fn read(text: &str) -> Parsed<'_> {
    let tokens = lex(text);
    let body = parse(text, &tokens);
    check_spans(text, &tokens, &body);
    Parsed { text, tokens, body }
}

/// The statements of a block with this inside, as text; it has to be understood.
fn shape(inside: &str) -> String {
    let text = format!("BEGIN\n{inside}\nEND");
    let parsed = read(&text);
    assert!(parsed.body.complete, "{inside}: {:?}", parsed.body);
    parsed.list(&parsed.body.block.body)
}

impl Parsed<'_> {
    fn run(&self, tokens: Tokens) -> &str {
        &self.text[tokens.span(&self.tokens).range()]
    }

    fn option(&self, mark: &str, tokens: Option<Tokens>) -> String {
        tokens.map_or(String::new(), |t| format!("{mark}{}", self.run(t)))
    }

    fn runs(&self, mark: &str, runs: &[Tokens]) -> String {
        if runs.is_empty() {
            return String::new();
        }
        let runs: Vec<&str> = runs.iter().map(|&t| self.run(t)).collect();
        format!("{mark}{}", runs.join(" | "))
    }

    fn into(&self, into: Option<&Into>) -> String {
        into.map_or(String::new(), |into| {
            let strict = if into.strict { "strict " } else { "" };
            assert!(self.run(into.tokens).to_ascii_lowercase().starts_with("into"));
            format!(" => {strict}{}", into.targets.join("+"))
        })
    }

    fn list(&self, statements: &[Statement]) -> String {
        let all: Vec<String> = statements.iter().map(|s| self.one(&s.kind)).collect();
        all.join("; ")
    }

    fn arms(&self, arms: &[(Tokens, Vec<Statement>)], otherwise: Option<&Vec<Statement>>) -> String {
        let mut all: Vec<String> = arms
            .iter()
            .map(|(condition, body)| format!("({}) {{{}}}", self.run(*condition), self.list(body)))
            .collect();
        all.extend(otherwise.map(|body| format!("else {{{}}}", self.list(body))));
        all.join(" ")
    }

    fn block(&self, block: &Block) -> String {
        let mut out = block.label.clone().map_or(String::new(), |l| format!("<<{l}>> "));
        for declared in &block.declarations {
            out += &format!("[{} {}", declared.name, declared.ty);
            out += if declared.constant { " constant" } else { "" };
            out += &self.option(" := ", declared.default);
            out += &self.option(" for ", declared.cursor_query);
            out += "] ";
        }
        out += &format!("{{{}}}", self.list(&block.body));
        for handler in &block.handlers {
            out += &format!(" when {} {{{}}}", handler.conditions.join(","), self.list(&handler.body));
        }
        out
    }

    fn one(&self, kind: &StatementKind) -> String {
        use StatementKind::*;
        let label = |label: &Option<String>| label.clone().map_or(String::new(), |l| format!(" {l}"));
        match kind {
            Block(block) => self.block(block),
            If { arms, otherwise } => format!("if {}", self.arms(arms, otherwise.as_ref())),
            Case { subject, arms, otherwise } => {
                format!("case{} {}", self.option(" ", *subject), self.arms(arms, otherwise.as_ref()))
            }
            Loop { label: name, kind, body } => {
                format!("{}{} {{{}}}", self.head(kind), label(name), self.list(body))
            }
            Exit { label: name, when } => format!("exit{}{}", label(name), self.option(" when ", *when)),
            Continue { label: name, when } => {
                format!("continue{}{}", label(name), self.option(" when ", *when))
            }
            Return(value) => format!("return{}", self.option(" ", *value)),
            ReturnNext(value) => format!("next{}", self.option(" ", *value)),
            ReturnQuery(query) => format!("query {}", self.run(*query)),
            ReturnQueryExecute { command, using } => {
                format!("query execute {}{}", self.run(*command), self.runs(" using ", using))
            }
            Raise { level, reraise, condition, tokens } => format!(
                "raise {level:?}{}{} {}",
                if *reraise { " again" } else { "" },
                label(condition),
                self.run(*tokens)
            ),
            Assert(run) => format!("assert {}", self.run(*run)),
            Perform(run) => format!("perform {}", self.run(*run)),
            Assign { target, value } => format!("{target} := {}", self.run(*value)),
            GetDiagnostics { stacked, items } => format!("get {stacked} {items:?}"),
            Call(run) => format!("call {}", self.run(*run)),
            Commit { chain } => format!("commit {chain}"),
            Rollback { chain } => format!("rollback {chain}"),
            Sql { tokens, into } => format!("sql {}{}", self.run(*tokens), self.into(into.as_ref())),
            Execute { command, into, using } => format!(
                "execute {}{}{}",
                self.run(*command),
                self.into(into.as_ref()),
                self.runs(" using ", using)
            ),
            Open { cursor, arguments, query, execute, using } => format!(
                "open {cursor}{}{}{}{}",
                self.option(" with ", *arguments),
                self.option(" for ", *query),
                self.option(" execute ", *execute),
                self.runs(" using ", using)
            ),
            Fetch { cursor, direction, into } => {
                format!("fetch {cursor}{}{}", self.option(" ", *direction), self.into(into.as_ref()))
            }
            Move { cursor, direction } => format!("move {cursor}{}", self.option(" ", *direction)),
            Close { cursor } => format!("close {cursor}"),
            Null => "null".to_owned(),
            Unknown(run) => format!("unknown {}", self.run(*run)),
        }
    }

    fn head(&self, kind: &LoopKind) -> String {
        match kind {
            LoopKind::Forever => "loop".to_owned(),
            LoopKind::While(condition) => format!("while {}", self.run(*condition)),
            LoopKind::ForRange { target, reverse, from, to, by } => format!(
                "for {target} {}{} to {}{}",
                if *reverse { "down " } else { "" },
                self.run(*from),
                self.run(*to),
                self.option(" by ", *by)
            ),
            LoopKind::ForQuery { target, query } => {
                format!("for {} in {}", target.join("+"), self.run(*query))
            }
            LoopKind::ForExecute { target, command, using } => format!(
                "for {} execute {}{}",
                target.join("+"),
                self.run(*command),
                self.runs(" using ", using)
            ),
            LoopKind::ForCursor { target, cursor, arguments } => {
                format!("for {} cursor {cursor}{}", target.join("+"), self.option(" with ", *arguments))
            }
            LoopKind::Foreach { target, array } => {
                format!("foreach {} in {}", target.join("+"), self.run(*array))
            }
        }
    }
}

/// Every span lies in the text, on character boundaries, inside its parent and after its elder.
fn check_spans(text: &str, tokens: &[Token], body: &Body) {
    let whole = SqlSpan::new(0, text.len());
    assert!(text.get(body.block.span.range()).is_some());
    check_block(text, tokens, &body.block, whole);
}

fn check_block(text: &str, tokens: &[Token], block: &Block, parent: SqlSpan) {
    assert!(parent.contains(block.span));
    let mut at = block.span.start;
    for declared in &block.declarations {
        assert!(block.span.contains(declared.span) && declared.span.start >= at);
        at = declared.span.end;
        for run in [declared.default, declared.cursor_query].into_iter().flatten() {
            assert!(declared.span.contains(run.span(tokens)));
        }
    }
    at = check_list(text, tokens, &block.body, block.span, at);
    for handler in &block.handlers {
        assert!(block.span.contains(handler.span) && handler.span.start >= at);
        check_list(text, tokens, &handler.body, handler.span, handler.span.start);
        at = handler.span.end;
    }
}

fn check_list(text: &str, tokens: &[Token], list: &[Statement], parent: SqlSpan, mut at: usize) -> usize {
    use StatementKind::*;
    for statement in list {
        let span = statement.span;
        assert!(text.get(span.range()).is_some() && !span.is_empty());
        assert!(parent.contains(span) && span.start >= at, "{statement:?} in {parent:?}");
        at = span.end;
        let arms = match &statement.kind {
            Block(block) => {
                check_block(text, tokens, block, span);
                continue;
            }
            If { arms, otherwise } | Case { arms, otherwise, .. } => (arms.as_slice(), otherwise.as_ref()),
            Loop { body, .. } => (&[][..], Some(body)),
            Unknown(run) | Sql { tokens: run, .. } | Perform(run) | Call(run) => {
                assert!(span.contains(run.span(tokens)));
                continue;
            }
            _ => continue,
        };
        let mut inner = span.start;
        for (condition, body) in arms.0 {
            let condition = condition.span(tokens);
            assert!(span.contains(condition) && condition.start >= inner);
            inner = check_list(text, tokens, body, span, condition.end);
        }
        if let Some(body) = arms.1 {
            check_list(text, tokens, body, span, inner);
        }
    }
    at
}

#[test]
fn every_statement() {
    for (text, expected) in [
        ("NULL;", "null"),
        ("x := 1;", "x := 1"),
        ("x = f(a := 1, b => 2);", "x := f(a := 1, b => 2)"),
        (
            "r.Items[i + 1].\"N\" := count(*) FROM t WHERE a = b;",
            "r.items[i + 1].N := count(*) FROM t WHERE a = b",
        ),
        ("$1 := -1;", "$1 := -1"),
        ("return := 2; perform[1] = 3; exception := 4;", "return := 2; perform[1] := 3; exception := 4"),
        ("PERFORM pg_advisory_lock(1) FROM t;", "perform pg_advisory_lock(1) FROM t"),
        ("IF count(*) = 0 FROM t WHERE x THEN a := 1; END IF;", "if (count(*) = 0 FROM t WHERE x) {a := 1}"),
        (
            "IF a THEN NULL; ELSIF b THEN ELSEIF (CASE WHEN c THEN d END) THEN NULL; ELSE EXIT; END IF;",
            "if (a) {null} (b) {} ((CASE WHEN c THEN d END)) {null} else {exit}",
        ),
        (
            "CASE x WHEN 1, 2 THEN NULL; WHEN 3 THEN ELSE x := 2; END CASE;",
            "case x (1, 2) {null} (3) {} else {x := 2}",
        ),
        ("CASE WHEN x > 1 THEN NULL; END CASE;", "case (x > 1) {null}"),
        (
            "LOOP EXIT WHEN a; CONTINUE l WHEN b; EXIT m; END LOOP;",
            "loop {exit when a; continue l when b; exit m}",
        ),
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
        (
            "SELECT a, b INTO STRICT x, R.y FROM t;",
            "sql SELECT a, b INTO STRICT x, R.y FROM t => strict x+r.y",
        ),
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
        ("BEGIN NULL; END; SELECT 1;", "{null; sql SELECT 1}"),
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
        assert_eq!(parsed.block(&parsed.body.block), expected, "{text}");
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
    assert!(tokens.iter().any(|t| &inner.text()[t.span.range()] == "jobs_h___old"));
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
        dynamic(&words.join(" "));
    }

    #[test]
    fn any_text_is_a_body(text in ".{0,200}") {
        read(&text);
        dynamic(&text);
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
