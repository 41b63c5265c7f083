use super::*;
use crate::language::Language;
use crate::source::Source;
use crate::sql::script::Expects;

/// The queries of a file, each with its text.
fn queries(path: &str, text: &str) -> Vec<(String, Use, Option<Missing>, bool)> {
    let language = Language::of(path).unwrap();
    let source = Source::new(path.into(), language, text.as_bytes().to_vec()).unwrap();
    let (program, regions, _) = read(&source);
    let shown = regions.iter().map(|region| region.text().split_whitespace().collect::<Vec<_>>().join(" "));
    shown.zip(program.queries).map(|(text, q)| (text, q.result, q.when_missing, q.work_follows)).collect()
}

fn result(path: &str, text: &str) -> Use {
    let found = queries(path, text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.into_iter().next().unwrap().1
}

fn missing(path: &str, text: &str) -> Option<Missing> {
    queries(path, text).into_iter().next().unwrap().2
}

const UNKNOWN: Use = Use::Returned(Expects::Unknown);
const ONE: Use = Use::Returned(Expects::One);

#[test]
fn what_is_a_query() {
    for text in [
        "q(\"SELECT 1 FROM t\")",
        "q('(select pg_try_advisory_lock(%s))')",
        "SQL = '''\n-- c\n/* d */ UPDATE t SET a = 1'''",
        "q('WITH x AS (SELECT 1) SELECT * FROM x')",
        "cur.execute('COMMIT')",
        "q(\"DO $$ BEGIN END $$\")",
        "q('lock table t in share mode')",
        "q(f'insert into {t} values (1)')",
        "q('create or replace function f() returns int as $$ select 1 $$ language sql')",
    ] {
        assert_eq!(queries("a.py", text).len(), 1, "{text}");
    }
    for text in [
        "log.info('select x from t for update')",
        "logging.warning('SELECT pg_advisory_lock(1)')",
        "raise ValueError('select a from b')",
        "assert 'select 1 from t' in sql",
        "x = sql == 'select 1 from t'",
        "def f():\n    'select 1 from t'\n",
        "# select 1 from t\n",
        "q('Update the lock')",
        "q('Select an item.')",
        "q('with care for update')",
        "q('pg_advisory_lock')",
        "q('create a lock for update')",
        "print('select pg_advisory_lock(1)')",
        "handler('commit')",
        "self.assertEqual(sql, 'select 1 from t for update')",
        "re.compile('select .* from t')",
    ] {
        assert_eq!(queries("a.py", text), [], "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_counted() {
    let count = |text: &str| {
        let source = Source::new("a.py".into(), Language::of("a.py").unwrap(), text.as_bytes().to_vec()).unwrap();
        read(&source).0.unread
    };
    assert_eq!(count("x = y.annotate('pg_try_advisory_lock(id)')"), 1);
    assert_eq!(count("x = y.where('pg_try_advisory_lock(id)')"), 0);
    assert_eq!(count("log.info('pg_try_advisory_lock(id) failed')"), 0);
    assert_eq!(count("'''pg_advisory_lock(1)'''"), 0);
    assert_eq!(count("f = 'pg_advisory_lock'"), 0);
}

#[test]
fn what_becomes_of_the_result() {
    let q = "SELECT pg_try_advisory_lock(1)";
    for (path, text, want) in [
        ("a.go", "func f() { if _, err := conn.Exec(ctx, \"Q\"); err != nil { return err } }", Use::Dropped),
        ("a.go", "func f() { row := conn.QueryRow(ctx, \"Q\") }", ONE),
        ("a.go", "func f() { rows, err := conn.Query(ctx, \"Q\") }", UNKNOWN),
        ("a.py", "cur.execute('Q')", UNKNOWN),
        ("a.py", "if cur.execute('Q'):\n    pass\n", Use::Dropped),
        ("a.py", "if cur.execute('Q').fetchone()[0]:\n    pass\n", UNKNOWN),
        ("a.py", "if cur.execute('Q', (a < b,)).fetchone()[0]:\n    pass\n", UNKNOWN),
        ("a.py", "session.execute(text('Q'))\nwork()\n", Use::Dropped),
        ("a.py", "ok = session.execute(text('Q')).scalar()", UNKNOWN),
        ("a.py", "ok = session.execute(text('Q')).scalar_one()", ONE),
        ("a.py", "import asyncpg\nasync def f(c):\n    await c.execute('Q')\n    work()\n", Use::Dropped),
        ("a.ts", "import { Pool } from \"pg\";\nawait c.query(`Q`);", Use::Dropped),
        ("a.ts", "import { Pool } from \"pg\";\nif (!(await c.query(`Q`))) { return; }", Use::Dropped),
        ("a.ts", "import { Pool } from \"pg\";\nif (!(await c.query(`Q`)).rows[0].x) { return; }", UNKNOWN),
        ("a.ts", "import { Pool } from \"pg\";\nconst a = await c.query(`Q`);\nif (!a) return;", Use::Dropped),
        ("a.ts", "import { Pool } from \"pg\";\nconst a = await c.query(`Q`);\nif (!a) return;\nuse(a.rows);", UNKNOWN),
        ("a.ts", "const { rows } = await c.query(`Q`);", UNKNOWN),
        ("a.ts", "await prisma.$executeRaw`Q`;", Use::Dropped),
        ("a.rs", "fn f() { sqlx::query(\"Q\").execute(&mut c).await?; }", Use::Dropped),
        ("a.rs", "fn f() { let x = sqlx::query_scalar(\"Q\").fetch_one(&mut c).await?; }", ONE),
        ("a.rb", "def f\n  conn.execute(\"Q\")\n  work\nend", Use::Dropped),
        ("a.rb", "def f\n  conn.execute(\"Q\")\nend", UNKNOWN),
        ("a.rb", "def f\n  got = conn.select_value(\"Q\")\n  work if got\nend", UNKNOWN),
        ("a.java", "class A { void f() { jdbcTemplate.execute(\"Q\"); } }", Use::Dropped),
        ("a.java", "class A { void f() { x = jdbc.queryForObject(\"Q\", Boolean.class); } }", ONE),
        ("a.java", "class A { void f() { var s = conn.prepareStatement(\"Q\"); } }", UNKNOWN),
        ("a.cs", "class A { void f() { db.Database.ExecuteSqlRaw(\"Q\"); } }", Use::Dropped),
        ("a.php", "<?php $pdo->exec(\"Q\");", Use::Dropped),
        ("a.php", "<?php $ok = $pdo->query(\"Q\")->fetchColumn();", UNKNOWN),
        ("a.ex", "def f do\n  {:ok, _} = Repo.query(\"Q\")\n  work()\nend", Use::Dropped),
        ("a.ex", "def f do\n  {:ok, %{rows: [[got]]}} = Repo.query(\"Q\")\n  got\nend", UNKNOWN),
        ("a.ex", "def f do\n  case Repo.query(\"Q\") do\n    {:ok, _} -> work()\n  end\nend", Use::Dropped),
        ("a.ex", "def f do\n  case Repo.query(\"Q\") do\n    {:ok, %{rows: [[true]]}} -> work()\n  end\nend", UNKNOWN),
    ] {
        let text = text.replace('Q', q);
        assert_eq!(result(path, &text.replace(&format!("{q}uery"), "Query")), want, "{path}: {text}");
    }
}

#[test]
fn what_happens_without_a_row() {
    let q = "SELECT * FROM t WHERE id = 1 FOR UPDATE SKIP LOCKED";
    let (fails, on) = (Some(Missing::Fails), Some(Missing::GoesOn));
    for (path, text, want) in [
        (
            "a.py",
            "def f():\n    r = c.execute('Q').fetchone()\n    if r is None:\n        raise NotFound(1)\n    return r\n",
            fails,
        ),
        ("a.py", "def f():\n    r = c.execute('Q').fetchone()\n    if not r:\n        raise Busy(1)\n", on),
        (
            "a.py",
            "def f():\n    for i in x:\n        r = c.execute('Q').fetchone()\n        if not r:\n            continue\n        raise X\n",
            on,
        ),
        (
            "a.py",
            "def f():\n    r = c.execute('Q').fetchone()\n    if r is None:\n        return None\n    raise NotFound(1)\n",
            Some(Missing::HandedOn),
        ),
        ("a.rb", "def f\n  r = c.exec(\"Q\").first\n  return if r.nil?\n  work\nend", on),
        ("a.rb", "def f\n  r = c.exec(\"Q\").first\n  raise NotFound if r.nil?\n  work\nend", fails),
        (
            "a.go",
            "func f() error {\n\terr := c.QueryRow(\"Q\").Scan(&x)\n\tif errors.Is(err, sql.ErrNoRows) {\n\t\treturn ErrNotFound\n\t}\n}",
            fails,
        ),
        (
            "a.go",
            "func f() error {\n\terr := c.QueryRow(\"Q\").Scan(&x)\n\tif errors.Is(err, sql.ErrNoRows) {\n\t\treturn ErrBusy\n\t}\n}",
            on,
        ),
        (
            "a.php",
            "<?php function f($c) {\n  $r = $c->fetchAssociative('Q');\n  if ($r === false) {\n    throw new NotFoundHttpException();\n  }\n}",
            fails,
        ),
        (
            "a.ts",
            "async function f() {\n  const r = await c.oneOrNone('Q');\n  if (!r) {\n    throw new Error(`no order ${id}`);\n  }\n}",
            fails,
        ),
        ("a.ex", "def f do\n  case Repo.one(\"Q\") do\n    nil -> {:error, :not_found}\n    r -> r\n  end\nend", fails),
        (
            "A.java",
            "interface A {\n  @Query(value = \"Q\", nativeQuery = true)\n  Optional<T> find(long id);\n}\nclass B { void f() { a.find(1).orElseThrow(Gone::new); } }",
            fails,
        ),
    ] {
        let text = text.replace('Q', q).replace(&format!("{q}uery"), "Query");
        assert_eq!(missing(path, &text), want, "{path}: {text}");
    }
}
