//! Input of any shape and size ends, in a stack of 2 MiB and in time that grows with its length. Were it not so, a test
//! here would overflow the stack or run for hours; nothing is measured.

use locklint::lint::lint;
use locklint::project::{Memory, Targets};
use locklint::settings::Settings;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// How many findings a script has, by rule. Every span has to lie on character boundaries.
fn findings(path: &str, text: &str) -> Vec<&'static str> {
    let project = Memory::new([(path, text)]);
    let report = lint(&project, &Targets::all(&project), &Settings::default());
    for finding in &report.findings {
        let places = std::iter::once(finding.at).chain(finding.related.iter().map(|related| related.at));
        for place in places {
            let source = report.source(place);
            assert!(source.text().get(place.span.range()).is_some(), "{:?} of {text}", place.span);
        }
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
        for span in edits.map(|edit| edit.span).chain([finding.statement]) {
            assert!(report.source(finding.at).text().get(span.range()).is_some(), "{span:?} of {text}");
        }
    }
    report.findings.iter().map(|finding| finding.rule).collect()
}

/// Host code whose statements are many and not nested, but whose flow is.
#[test]
fn long_flows_end() {
    let lock = "SELECT pg_advisory_lock(1)";
    let unlock = "SELECT pg_advisory_unlock(1)";
    let go = |body: &str| {
        format!(
            "package p\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n)\n\nfunc F(ctx context.Context, db *sql.DB, n int) error {{\n\
             conn, err := db.Conn(ctx)\nif err != nil {{ return err }}\n\
             if _, err := conn.ExecContext(ctx, \"{lock}\"); err != nil {{ return err }}\n{body}\n\
             _, err = conn.ExecContext(ctx, \"{unlock}\")\nreturn err\n}}\n"
        )
    };
    let rust = |body: &str| {
        format!(
            "async fn f(pool: sqlx::PgPool, n: i32) -> Result<(), sqlx::Error> {{\n\
             let mut conn = pool.acquire().await?;\n\
             sqlx::query(\"{lock}\").execute(&mut *conn).await?;\n{body}\n\
             sqlx::query(\"{unlock}\").execute(&mut *conn).await?;\nOk(())\n}}\n"
        )
    };
    let elixir = |body: &str| {
        format!(
            "defmodule A do\ndef f(conn, n) do\nPostgrex.query!(conn, \"{lock}\", [])\n{body}\n\
             Postgrex.query!(conn, \"{unlock}\", [])\nend\nend\n"
        )
    };
    let each = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    for count in [99, 101, 6_000] {
        findings("a.go", &go(&format!("switch n {{\n{}}}", each(count, &|n| format!("case {n}:\nn = f(n)\n")))));
        findings("a.go", &go(&"defer f()\n".repeat(count)));
        findings("a.rs", &rust(&format!("match n {{\n{}_ => {{}}\n}}", each(count, &|n| format!("{n} => g(n),\n")))));
        findings("a.ex", &elixir(&format!("n{}", " |> g()".repeat(count))));
        findings("a.ex", &elixir(&format!("case n do\n{}end", each(count, &|n| format!("{n} -> g(n)\n")))));
    }
    // What is past the bound is still seen: a way out without the unlock.
    let leaves =
        go(&format!("switch n {{\n{}case -1:\nreturn nil\n}}", each(500, &|n| format!("case {n}:\nn = f(n)\n"))));
    assert_eq!(findings("a.go", &leaves), ["unlock-not-on-error-path"]);
    let default =
        go(&format!("switch n {{\n{}default:\nreturn nil\n}}", each(500, &|n| format!("case {n}:\nn = f(n)\n"))));
    assert_eq!(findings("a.go", &default), ["unlock-not-on-error-path"]);
}

#[test]
fn deep_nesting_ends() {
    let lock = "PERFORM pg_advisory_lock(1);";
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let block = |body: &str| format!("DO $$BEGIN {body} END$$;");
    let select = |expression: &str| format!("SELECT pg_advisory_lock({expression});");
    for depth in [50, 95, 150, 5_000] {
        let bodies = [
            nested("BEGIN ", lock, " END;", depth),
            nested("BEGIN ", lock, " EXCEPTION WHEN OTHERS THEN NULL; END;", depth),
            nested("IF true THEN ", lock, " END IF;", depth),
            nested("LOOP ", lock, " END LOOP;", depth),
            nested("FOR i IN 1..2 LOOP ", lock, " END LOOP;", depth),
            nested("CASE x WHEN 1 THEN ", lock, " END CASE;", depth),
            format!("IF true THEN {lock} {} END IF;", format!("ELSIF false THEN {lock} ").repeat(depth)),
            format!("CASE x {} END CASE;", format!("WHEN 1 THEN {lock} ").repeat(depth)),
            format!("IF {} pg_try_advisory_lock(1) THEN NULL; END IF;", "NOT ".repeat(depth)),
            format!("IF {} pg_try_advisory_lock(1) THEN NULL; END IF;", "x OR ".repeat(depth)),
            format!("IF {} pg_try_advisory_lock(1) THEN NULL; END IF;", "x AND ".repeat(depth)),
            format!("IF {} THEN NULL; END IF;", nested("(", "pg_try_advisory_lock(1)", ")", depth)),
            format!("{lock} RETURN;").repeat(depth.min(500)),
            format!("EXECUTE {} 'SELECT pg_advisory_lock(1)';", "'a' || ".repeat(depth)),
            format!("EXECUTE {};", nested("format('%s', ", "'SELECT pg_advisory_lock(1)'", ")", depth)),
        ];
        for body in bodies {
            findings("x.sql", &block(&body));
        }
        for text in [
            select(&nested("(", "1", ")", depth)),
            select(&nested("ARRAY[", "1", "]", depth)),
            select(&nested("f(", "1", ")", depth)),
            select(&nested("(SELECT ", "1", ")", depth)),
            select(&nested("CASE WHEN true THEN ", "1", " END", depth)),
            select(&format!("{}1", "1 + ".repeat(depth))),
            select(&format!("{}1", "- ".repeat(depth))),
            select(&format!("{}true", "NOT ".repeat(depth))),
            select(&format!("1{}", "::int".repeat(depth))),
            select(&format!("'a'{}", " || 'b'".repeat(depth))),
            select(&format!("a{}", "[1]".repeat(depth))),
            select(&format!("a{}", ".b".repeat(depth))),
            nested("SELECT * FROM (", "SELECT 1 FOR UPDATE", ") x", depth),
            nested("WITH a AS (", "SELECT pg_advisory_lock(1)", ") SELECT 1", depth),
            nested("SELECT 1 WHERE EXISTS (", "SELECT 1 FOR UPDATE SKIP LOCKED", ")", depth),
            nested("SELECT 1 WHERE (a = 1 AND ", "b = 2", ") FOR UPDATE SKIP LOCKED", depth),
            format!("SELECT * FROM a{} FOR UPDATE;", " JOIN b ON a.id = b.id".repeat(depth)),
            format!("SELECT * FROM a WHERE {}id = 1 FOR UPDATE SKIP LOCKED;", "a = 1 AND ".repeat(depth)),
            format!("SELECT 1{} FOR UPDATE;", " UNION SELECT 1".repeat(depth)),
            format!("EXPLAIN {}SELECT pg_advisory_lock(1);", "EXPLAIN ".repeat(depth)),
            format!(
                "CREATE TABLE t (id int PRIMARY KEY, a int CHECK ({})); SELECT 1 FROM t FOR UPDATE SKIP LOCKED;",
                nested("(", "1", ")", depth)
            ),
            nested("/*", "SELECT pg_advisory_lock(1)", "*/", depth),
            nested("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC ", "SELECT pg_advisory_lock(1);", "END;", depth),
        ] {
            findings("x.sql", &text);
        }
    }
    let mut documents = "SELECT pg_advisory_lock(1);".to_owned();
    for level in 0..200 {
        documents = format!("DO $a{level}$BEGIN EXECUTE $b{level}${documents}$b{level}$; END$a{level}$;");
    }
    findings("x.sql", &documents);
}

/// A Go function that locks, and then does something.
fn go(then: &str) -> String {
    format!(
        "package a\n\nimport \"database/sql\"\n\nfunc f(db *sql.DB, ctx context.Context) error {{\n\tc, err := db.Conn(ctx)\n\
         \tif err != nil {{\n\t\treturn err\n\t}}\n\tdefer c.Close()\n\
         \tc.ExecContext(ctx, \"SELECT pg_advisory_lock(1)\")\n{then}\treturn nil\n}}\n"
    )
}

#[test]
fn long_chains_of_cases_end() {
    // Each case lies in what happens when those before it do not hold.
    let cases = |count: usize, last: &str| {
        let cases: String = (0..count).map(|n| format!("\tcase {n}:\n\t\tx = g({n})\n")).collect();
        go(&format!("\tswitch n {{\n{cases}\tcase -1:\n{last}\t}}\n"))
    };
    assert!(findings("a.go", &cases(20, "")).contains(&"missing-unlock"));
    // What is too deep may hold the unlock.
    let unlock = "\t\tc.ExecContext(ctx, \"SELECT pg_advisory_unlock(1)\")\n";
    for count in [300, 20_000] {
        assert!(!findings("a.go", &cases(count, unlock)).contains(&"missing-unlock"), "{count}");
    }
    let ifs: String = (0..20_000).map(|n| format!("if n == {n} {{\n\t\tx = g({n})\n\t}} else ")).collect();
    findings("a.go", &go(&format!("\t{ifs}{{\n{unlock}\t}}\n")));
    let python = "def f(c):\n    c.execute('SELECT pg_advisory_lock(1)')\n    if a:\n        pass\n";
    findings("a.py", &format!("{python}{}", "    elif b:\n        g()\n".repeat(20_000)));
    let script = "async function f(c) { await c.query('SELECT pg_advisory_lock(1)'); switch (a) {";
    findings("a.js", &format!("{script}{} }} }}", "case 1: g(); break;".repeat(20_000)));
    findings("a.js", &format!("{script}}} x = {}1 }}", "a ? b : ".repeat(20_000)));
}

#[test]
fn every_one_of_thousands_of_sites_is_seen() {
    const COUNT: usize = 3000;
    let script = |line: fn(usize) -> String| (0..COUNT).map(line).collect::<String>();
    for (rule, text) in [
        (
            "xact-lock-outside-transaction",
            script(|n| format!("SELECT pg_advisory_xact_lock({n});\nUPDATE t SET a = 1;\n")),
        ),
        (
            "session-lock-in-transaction",
            format!("BEGIN;\n{}COMMIT;", script(|n| format!("SELECT pg_advisory_lock({n});\n"))),
        ),
        (
            "row-lock-outside-transaction",
            script(|n| format!("SELECT * FROM t{n} FOR UPDATE;\nUPDATE t{n} SET a = 1;\n")),
        ),
        (
            "mismatched-unlock",
            script(|n| format!("SELECT pg_advisory_lock({n});\nSELECT pg_advisory_unlock({});\n", n + COUNT)),
        ),
        (
            "unlock-before-commit",
            script(|n| {
                format!(
                    "BEGIN;SELECT pg_advisory_lock({n});\nUPDATE t SET a = 1;SELECT pg_advisory_unlock({n});COMMIT;\n"
                )
            }),
        ),
        (
            "try-lock-result-ignored",
            format!(
                "DO $$BEGIN {} END$$;",
                script(|n| format!("PERFORM pg_try_advisory_xact_lock({n});\nUPDATE t SET a = 1;\n"))
            ),
        ),
        ("invalid-lock-call", script(|_| "SELECT pg_advisory_lock();\n".to_owned())),
        (
            "claim-without-row-lock",
            script(|n| {
                format!("UPDATE t SET a = {n} WHERE id = (SELECT id FROM t WHERE a = 1 LIMIT 1) RETURNING id;\n")
            }),
        ),
    ] {
        let found = findings("x.sql", &text).into_iter().filter(|found| *found == rule).count();
        assert_eq!(found, COUNT, "{rule}");
    }
    let released =
        script(|n| format!("SELECT pg_advisory_lock({n});\nUPDATE t SET a = 1;\nSELECT pg_advisory_unlock({n});\n"));
    assert_eq!(findings("x.sql", &released), [""; 0]);
}

/// One finding a pair of keys and of units, however often a unit takes them.
#[test]
fn orders_of_many_locks_are_compared_once() {
    let take = |a: usize, b: usize| {
        format!("BEGIN;SELECT pg_advisory_xact_lock({a});SELECT pg_advisory_xact_lock({b});COMMIT;\n")
    };
    let orders = |files: &[String]| {
        let project = Memory::new(files.iter().enumerate().map(|(n, text)| (format!("{n:04}.sql"), text.as_str())));
        let report = lint(&project, &Targets::all(&project), &Settings::default());
        report.findings.iter().filter(|finding| finding.rule == "inconsistent-lock-order").count()
    };
    assert_eq!(orders(&[take(1, 2).repeat(1000), take(2, 1).repeat(1000)]), 1);
    assert_eq!(orders(&[take(1, 2).repeat(1000), take(2, 1), take(2, 1)]), 2);
    let many: Vec<String> = (0..600).map(|n| if n % 2 == 0 { take(1, 2) } else { take(2, 1) }).collect();
    assert_eq!(orders(&many), 599);
    let all = |order: &mut dyn Iterator<Item = usize>| {
        let locks: String = order.map(|n| format!("SELECT pg_advisory_xact_lock({n});")).collect();
        format!("BEGIN;{locks}COMMIT;")
    };
    assert!(orders(&[all(&mut (0..2000)), all(&mut (0..2000).rev())]) >= 1999);
}

#[test]
fn one_key_in_many_units_is_compared_in_bounded_time() {
    let mut text = String::new();
    for n in 0..2000 {
        let _ = writeln!(
            text,
            "CREATE FUNCTION f{n}() RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(7); UPDATE t SET a = 1; END$$;"
        );
    }
    assert_eq!(findings("x.sql", &text), [""; 0]);
    text.push_str("CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(7); UPDATE u SET a = 1; END$$;\n");
    assert_eq!(findings("x.sql", &text), ["lock-key-reuse"]);
}

#[test]
fn many_suppressions_and_definitions_end() {
    let lock =
        "SELECT pg_advisory_xact_lock(1); -- locklint: ignore[xact-lock-outside-transaction]\nUPDATE t SET a = 1;\n";
    assert_eq!(findings("x.sql", &lock.repeat(1500)), [""; 0]);
    let definition =
        "CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_lock(1); END$$;\n";
    findings("V1__x.sql", &definition.repeat(1500));
    findings("x.sql", &"SELECT id FROM t WHERE id = 1 FOR UPDATE SKIP LOCKED; /* c */ ".repeat(2000));
}

#[test]
fn many_wrappers_bodies_and_isolation_levels_end() {
    let mut text = String::new();
    for n in 0..3000 {
        let _ = writeln!(
            text,
            "CREATE FUNCTION s{n}.take(k bigint) RETURNS void LANGUAGE sql AS 'SELECT pg_advisory_lock(k)';\nSELECT s{n}.take({n});"
        );
    }
    findings("x.sql", &text);
    let executes = "EXECUTE 'SELECT pg_advisory_xact_lock(1)'; ".repeat(3000);
    findings("x.sql", &format!("DO $$BEGIN {executes} END$$;"));
    findings("x.sql", &format!("BEGIN;{}", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;".repeat(20_000)));
    let tries: String = (0..2000).map(|n| format!("IF pg_try_advisory_xact_lock({n}) THEN NULL; END IF; ")).collect();
    findings("x.sql", &format!("DO $$BEGIN {tries} END$$;"));
}

/// Each call of a wrapper is as many sites as it has locks.
#[test]
fn a_wrapper_stands_for_few_locks() {
    let found = |locks: usize| {
        let body: String = (0..locks).map(|n| format!("PERFORM pg_advisory_lock({n}); ")).collect();
        let takes = format!("CREATE FUNCTION take() RETURNS void LANGUAGE plpgsql AS $$BEGIN {body} END$$;\n");
        findings("x.sql", &format!("{takes}BEGIN; SELECT take(); DELETE FROM t; COMMIT;")).len()
    };
    assert_eq!((found(2), found(16), found(17)), (2, 16, 0));
}

/// The texts that rules are explained with, and the fixtures.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for entry in ["rules", "fixtures"].iter().flat_map(|name| WalkDir::new(root.join(name)).sort_by_file_name()) {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        if name.ends_with(".md") {
            texts.extend(
                text.split("```")
                    .skip(1)
                    .step_by(2)
                    .map(|block| block.split_once('\n').map_or(block, |(_, code)| code).to_owned()),
            );
        } else if name.ends_with(".sql") {
            texts.push(text);
        }
    }
    texts
}

/// A generator of numbers below a bound: xorshift, with the same numbers each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }
}

#[test]
fn broken_texts_are_read() {
    const PIECES: &[&str] = &[
        "'",
        "\"",
        "$$",
        "(",
        ")",
        "[",
        "]",
        ";",
        "\n",
        "--",
        "/*",
        "*/",
        "é",
        "\u{feff}",
        "\\",
        "{",
        "}",
        ",",
        ".",
        "::",
        ":x",
        "?",
        "%s",
        "$1",
        " FOR UPDATE ",
        " SKIP LOCKED ",
        "BEGIN;",
        "COMMIT;",
        " END ",
        " IF ",
        " LOOP ",
        " SELECT ",
        " WITH a AS (",
        "pg_advisory_lock(",
        "pg_try_advisory_xact_lock(1)",
        " LIMIT 1 ",
        " FROM ",
        " WHERE ",
        "DO $$",
        "NULL",
        "-- locklint: ignore[x]\n",
        " U&'\\0041' ",
        "E'\\'",
        "\r\n",
        "\u{1F512}",
    ];
    let texts = texts();
    assert!(texts.len() > 20, "{}", texts.len());
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for (index, text) in texts.iter().enumerate() {
        let path = ["x.sql", "V1__x.sql", "migrations/1.up.sql"][index % 3];
        findings(path, text);
        for _ in 0..12 {
            let mut broken = text.clone();
            for _ in 0..=numbers.below(3) {
                let mut place = |text: &str| {
                    let mut at = numbers.below(text.len() + 1);
                    while !text.is_char_boundary(at) {
                        at -= 1;
                    }
                    at
                };
                let (a, b) = (place(&broken), place(&broken));
                let piece = PIECES[numbers.below(PIECES.len())];
                match numbers.below(4) {
                    0 => broken.truncate(a),
                    1 => broken.replace_range(a.min(b)..a.max(b), piece),
                    2 => {
                        let copied = broken[a.min(b)..a.max(b)].to_owned();
                        broken.insert_str(a, &copied);
                    }
                    _ => broken.insert_str(a, piece),
                }
            }
            findings(path, &broken);
        }
    }
}
