//! What stands around a literal: calls, statements, functions, names, constants.

use super::{assert_exact, read, source};
use crate::host::{Host, Literal, Position};
use crate::source::Source;

/// Looks at the one literal of `text` whose text begins with `SELECT`.
fn with<T>(path: &str, text: &str, look: impl FnOnce(&Source, &Host<'_>, &Literal<'_>) -> T) -> T {
    let source = source(path, text);
    let host = read(&source);
    assert_exact(&source, &host);
    let mut found = host.literals.iter().filter(|literal| literal.region.text().trim_start().starts_with("SELECT"));
    let literal = found.next().unwrap_or_else(|| panic!("no literal in {text}: {:?}", host.literals));
    assert!(found.next().is_none(), "{text}");
    look(&source, &host, literal)
}

/// The calls around a literal, the innermost first: `receiver.name@position`.
fn calls(path: &str, text: &str) -> String {
    with(path, text, |_, host, literal| {
        let mut shown = Vec::new();
        let mut at = literal.argument;
        while let Some(argument) = at {
            let call = &host.calls[argument.call];
            let position = match argument.position {
                Position::Index(index) => index.to_string(),
                Position::Keyword(word) => word.to_owned(),
            };
            let receiver = call.callee.receiver.map(|text| format!("{text} . ")).unwrap_or_default();
            let awaited = if call.awaited { "await " } else { "" };
            shown.push(format!("{awaited}{receiver}{}@{position}", call.callee.name));
            at = call.outer;
        }
        shown.join(" in ")
    })
}

#[test]
fn calls_and_positions() {
    for (path, text, expected) in [
        ("a.py", "await self.conn.execute(text('SELECT 1'), x)\n", "text@0 in await self.conn . execute@0"),
        ("a.py", "run(x, *y, sql='SELECT 1')\n", "run@sql"),
        ("a.py", "f(lambda: g('SELECT 1'))\n", "g@0"),
        ("a.js", "await (await pool.connect()).query(`SELECT ${a}`, [b]);", "await (await pool.connect()) . query@0"),
        ("a.js", "pool.query({ text: 'SELECT 1', values: [] });", "pool . query@0"),
        ("a.js", "tx(async (t) => { await t.query('SELECT 1'); });", "await t . query@0"),
        ("a.js", "new Query('SELECT 1')", "Query@0"),
        ("a.ts", "this.ds.query<Row[]>('SELECT 1')", "this.ds . query@0"),
        (
            "a.go",
            "package p\nfunc f() { s.db.ExecContext(ctx, fmt.Sprintf(`SELECT %d`, 1)) }\n",
            "s.db . ExecContext@1",
        ),
        ("a.go", "package p\nfunc f() { get[Row](db, `SELECT 1`) }\n", "get@1"),
        ("a.rs", "fn f() { sqlx::query_as::<_, Job>(\"SELECT 1\").fetch_one(&p).await?; }", "sqlx . query_as@0"),
        ("a.rs", "fn f() { sqlx::query!(\"SELECT 1\", x).execute(&p).await }", "sqlx . query@0"),
        ("a.rs", "fn f() { c.execute(&format!(\"SELECT {}\", x), &[]).await }", "await c . execute@0"),
        (
            "A.java",
            "class A { void f() { this.jdbc.<X>queryForObject(\"SELECT 1\", X.class); } }",
            "this.jdbc . queryForObject@0",
        ),
        ("A.java", "class A { @Query(value = \"SELECT 1\", nativeQuery = true) void f(); }", "Query@value"),
        ("a.kt", "fun f() { db.query<Int>(\"SELECT 1\", 2) { it } }", "db . query@0"),
        ("a.kt", "fun f() { db.query(sql = \"SELECT 1\") }", "db . query@sql"),
        (
            "a.cs",
            "class A { async Task F() { await db.QueryAsync<int>(sql: @\"SELECT 1\"); } }",
            "await db . QueryAsync@sql",
        ),
        ("a.cs", "class A { A() { var c = new NpgsqlCommand(\"SELECT 1\", conn); } }", "NpgsqlCommand@0"),
        ("a.rb", "conn&.execute(<<~SQL.squish, name: 1)\n  SELECT 1\nSQL\n", "conn . execute@0"),
        ("a.rb", "conn.exec_query \"SELECT 1\", \"x\"\n", "conn . exec_query@0"),
        ("a.rb", "Job.find_by!(sql: \"SELECT 1\")\n", "Job . find_by!@sql"),
        ("a.php", "<?php $this->db?->query('SELECT 1');", "$this->db . query@0"),
        ("a.php", "<?php DB::select(query: 'SELECT 1');", "DB . select@query"),
        ("a.ex", "Repo.query!(\"SELECT 1\", [id], log: false)\n", "Repo . query!@0"),
        ("a.ex", "from(j in Job, lock: \"SELECT 1\")\n", "from@lock"),
        ("a.scala", "object A { conn.prepareStatement(sql = \"SELECT 1\") }", "conn . prepareStatement@sql"),
        ("a.scala", "object A { val q = sql\"SELECT 1\".query[Int] }", ""),
    ] {
        assert_eq!(calls(path, text), expected, "{text}");
    }
}

#[test]
fn statements_end_before_their_bodies() {
    for (path, text, expected) in [
        ("a.py", "if run('SELECT 1'):\n    x()\n    y()\n", "if run('SELECT 1'):"),
        ("a.py", "for r in run('SELECT 1'):\n    x()\n", "for r in run('SELECT 1'):"),
        ("a.py", "def f():\n    return run(\n        'SELECT 1')\n", "return run(\n        'SELECT 1')"),
        ("a.js", "if (a) return q('SELECT 1');", "return q('SELECT 1');"),
        ("a.js", "const f = async () => { const r = await q('SELECT 1'); };", "const r = await q('SELECT 1');"),
        ("a.ts", "class A { @Query('SELECT 1') f() { return 1; } }", "@Query('SELECT 1')"),
        (
            "a.go",
            "package p\nfunc f() error {\n\tif err := run(`SELECT 1`); err != nil {\n\t\treturn err\n\t}\n}\n",
            "if err := run(`SELECT 1`); err != nil",
        ),
        ("a.go", "package p\nconst (\n\tA = 1\n\tB = `SELECT 1`\n)\n", "B = `SELECT 1`"),
        ("a.rs", "fn f() { while q(\"SELECT 1\") { x(); } }", "while q(\"SELECT 1\")"),
        ("A.java", "class A { @Query(\"SELECT 1\") int f() { return 1; } }", "@Query(\"SELECT 1\") int f()"),
        ("A.java", "class A { void f() { if (x) q(\"SELECT 1\"); } }", "q(\"SELECT 1\");"),
        ("a.kt", "fun f() {\n  val x = 1\n  run(\"SELECT 1\")\n}", "run(\"SELECT 1\")"),
        (
            "a.cs",
            "class A { void F() { using (var c = new C(\"SELECT 1\")) { c.X(); } } }",
            "using (var c = new C(\"SELECT 1\"))",
        ),
        ("a.rb", "def f\n  x(<<~SQL)\n    SELECT 1\n  SQL\n  y\nend\n", "x(<<~SQL)\n    SELECT 1\n  SQL"),
        ("a.rb", "def f\n  return if q(\"SELECT 1\").nil?\nend\n", "return if q(\"SELECT 1\").nil?"),
        ("a.php", "<?php function f() { foreach (q('SELECT 1') as $r) { x(); } }", "foreach (q('SELECT 1') as $r)"),
        ("a.ex", "def f do\n  x()\n  Repo.query(\"SELECT 1\")\nend\n", "Repo.query(\"SELECT 1\")"),
        ("a.scala", "object A { def f = { val x = 1\n q(\"SELECT 1\") } }", "q(\"SELECT 1\")"),
    ] {
        let found = with(path, text, |source, _, literal| source.slice(literal.statement).to_owned());
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn functions_and_names() {
    // Function, its class, name of the value, tag, annotation.
    for (path, text, expected) in [
        ("a.py", "class A:\n    async def f(self):\n        self.q = 'SELECT 1'\n", "A.f q - -"),
        ("a.py", "Q: str = (\n    'SELECT 1'\n)\n", "- Q - -"),
        ("a.py", "class A:\n    @query('SELECT 1')\n    def f(self): ...\n", "- - - query"),
        ("a.js", "const o = { f() { return { text: sql`SELECT 1` } } };", ".f text sql -"),
        ("a.js", "exports.f = async () => t.$queryRaw`SELECT 1`;", ".f - t.$queryRaw -"),
        ("a.js", "app.get('/', async () => { q = 'SELECT 1'; });", ". q - -"),
        ("a.ts", "class A { private readonly q = 'SELECT 1' as const }", "- q - -"),
        ("a.ts", "const r = sql<Row>`SELECT ${a}`;", "- r sql -"),
        ("a.go", "package p\nfunc (s *Store[T]) F() { q := `SELECT 1`; _ = q }\n", "Store.F q - -"),
        ("a.rs", "impl<T> Store<T> { fn f() { let q = \"SELECT 1\"; } }", "Store.f q - -"),
        ("A.java", "interface A { @Query(\"SELECT 1\") int f(); }", "A.f - - Query"),
        ("A.java", "class A { static final String Q = \"SELECT 1\"; }", "- Q - -"),
        ("a.kt", "object A { const val Q = \"SELECT 1\" }", "- Q - -"),
        ("a.cs", "class A { void F() { cmd.CommandText = \"SELECT 1\"; } }", "A.F CommandText - -"),
        ("a.cs", "class A { string Q => \"SELECT 1\"; }", "- Q - -"),
        ("a.rb", "module A\n  def self.f\n    @q = <<~SQL\n      SELECT 1\n    SQL\n  end\nend\n", "A.f q SQL -"),
        ("a.php", "<?php class A { const Q = <<<SQL\nSELECT 1\nSQL; }", "- Q SQL -"),
        ("a.ex", "defmodule A.B do\n  def f(x) when x > 1 do\n    q = ~SQL\"SELECT 1\"\n  end\nend\n", "A.B.f q SQL -"),
        ("a.ex", "defmodule A do\n  @q \"SELECT 1\"\nend\n", "- q - -"),
        ("a.scala", "object A { def f = { val q = sql\"SELECT 1\" } }", "A.f q sql -"),
    ] {
        let found = with(path, text, |_, host, literal| {
            let function = literal.function.map(|index| {
                let function = host.functions[index];
                format!("{}.{}", function.class.unwrap_or_default(), function.name)
            });
            let tag = literal
                .tag
                .map(|tag| tag.receiver.map(|receiver| format!("{receiver}.")).unwrap_or_default() + tag.name);
            let or = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            format!(
                "{} {} {} {}",
                or(function),
                or(literal.binding.map(str::to_owned)),
                or(tag),
                or(literal.annotation.map(str::to_owned))
            )
        });
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn documentation_and_comments() {
    for (path, text, documentation, comments) in [
        ("a.py", "'''SELECT 1'''\n# a\n", true, vec!["# a"]),
        ("a.py", "def f():\n    'SELECT 1'\n", true, vec![]),
        ("a.py", "x = 'SELECT 1' # '\n", false, vec!["# '"]),
        ("a.js", "'SELECT 1'; // a\n/* b */", true, vec!["// a", "/* b */"]),
        ("a.rs", "/// b\n#[doc = \"SELECT 1\"]\nfn f() {}", true, vec!["/// b"]),
        ("a.rb", "def f\n  \"SELECT 1\" # a\nend\n", false, vec!["# a"]),
        ("a.ex", "defmodule A do\n  @moduledoc \"SELECT 1\" # a\nend\n", true, vec!["# a"]),
        ("a.php", "<?php # a\n// b\n$x = 'SELECT 1'; /* c */", false, vec!["# a", "// b", "/* c */"]),
        ("a.kt", "// a\nval q = \"SELECT 1\" /* b */\n", false, vec!["// a", "/* b */"]),
        ("a.scala", "/* a */ object A { val q = \"SELECT 1\" } // b\n", false, vec!["/* a */", "// b"]),
    ] {
        with(path, text, |source, host, literal| {
            assert_eq!(literal.documentation, documentation, "{text}");
            let found: Vec<&str> = host.comments.iter().map(|comment| source.slice(*comment)).collect();
            assert_eq!(found, comments, "{text}");
        });
    }
}

#[test]
fn constants_that_are_sure_are_folded() {
    for (path, text, expected) in [
        (
            "a.py",
            "T = 'job'\nK = 4_2\ndef f():\n    q = 'SELECT * FROM ' + T + f' WHERE {K}'\n",
            "SELECT * FROM job WHERE 42",
        ),
        ("a.py", "T = 'job'\ndef f(T):\n    q = f'SELECT {T}'\n", "SELECT h__T"),
        ("a.py", "T = 'job'\nT = 'task'\nq = f'SELECT {T}'\n", "SELECT h__T"),
        ("a.py", "T = 'job'\nT += 's'\nq = f'SELECT {T}'\n", "SELECT h__T"),
        ("a.py", "T = x()\nq = f'SELECT {T}'\n", "SELECT h__T"),
        ("a.py", "class A:\n    T = 'job'\n    def f(self):\n        q = f'SELECT {self.T} {A.T}'\n", "SELECT job job"),
        ("a.py", "def f():\n    t = 'job'\n    for t in x:\n        q = f'SELECT {t}'\n", "SELECT h__t"),
        ("a.js", "const K = 7n;\nfunction f() { return `SELECT ${K} ${this.k}`; }", "SELECT 7 "),
        ("a.js", "let K = 7;\nfunction g() { K = 8; }\nfunction f() { return `SELECT ${K}`; }", "SELECT h__K"),
        ("a.js", "const t = 'job';\nconst f = t => `SELECT ${t}`;", "SELECT h__t"),
        ("a.ts", "class A { static readonly T = 'job'; f() { return `SELECT ${A.T}`; } }", "SELECT job"),
        ("a.go", "package p\nconst t = \"job\"\nfunc f() { q(\"SELECT \" + t) }\n", "SELECT job"),
        ("a.go", "package p\nconst t = \"job\"\nfunc f(t string) { q(\"SELECT \" + t) }\n", "SELECT h__t"),
        ("a.rs", "const T: &str = \"job\";\nfn f() { q(concat!(\"SELECT \", T)) }", "SELECT job"),
        ("A.java", "class A { static final long K = 0x10L; String f() { return \"SELECT \" + K; } }", "SELECT 16"),
        ("a.kt", "class A { companion object { const val K = 7L }\n fun f() = \"SELECT $K ${A.K}\" }", "SELECT 7 7"),
        ("a.cs", "class A { const int K = 70_331; string F() => $\"SELECT {K}\"; }", "SELECT 70331"),
        (
            "a.rb",
            "module A\n  K = 441\n  def self.f(id)\n    q(\"SELECT #{K} #{id}\")\n  end\nend\n",
            "SELECT 441 h__id",
        ),
        ("a.php", "<?php class A { const K = 7; function f() { return 'SELECT ' . self::K; } }", "SELECT 7"),
        ("a.ex", "defmodule A do\n  @k 905_113\n  def f, do: \"SELECT #{@k}\"\nend\n", "SELECT 905113"),
        ("a.scala", "object A { val K = 7; def f(x: Int) = s\"SELECT $K $x\" }", "SELECT 7 h__x"),
    ] {
        with(path, text, |_, _, literal| {
            let found = literal.region.text();
            assert!(found == expected || expected.ends_with(' ') && found.starts_with(expected), "{text}: {found}");
        });
    }
}

#[test]
fn equal_expressions_have_equal_stand_ins() {
    let text = "a = f'SELECT {x.y} {x . y} {x.z} {y}'\n";
    with("a.py", text, |_, _, literal| {
        let text = literal.region.text().to_owned();
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(words[1], words[2]);
        assert!(words[1] != words[3] && words[4] == "h__y", "{words:?}");
    });
}
