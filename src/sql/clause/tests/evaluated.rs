use super::*;

/// The calls of `lock`, as clause, whether something may keep it from running, and whether it is evaluated.
fn calls(text: &str) -> Vec<(Clause, bool, &'static str)> {
    let tree = tree(text);
    let calls = tree.calls();
    calls
        .iter()
        .filter(|call| call.name == "lock")
        .map(|call| {
            let evaluated = match tree.evaluated(call.name_token) {
                Evaluation::Yes => "yes",
                Evaluation::UnreadCte(_) => "unread",
                Evaluation::ExistsList => "exists",
                Evaluation::DeadBranch => "dead",
            };
            (call.clause, call.conditional, evaluated)
        })
        .collect()
}

#[test]
fn clauses_of_calls() {
    use Clause::*;
    for (text, clause, conditional) in [
        ("SELECT lock(1)", List, false),
        ("SELECT DISTINCT ON (lock(1)) a FROM t", Distinct, false),
        ("SELECT 1 FROM lock(1)", From, false),
        ("SELECT 1 FROM t, LATERAL lock(t.a) AS x(a)", From, false),
        ("SELECT 1 FROM t JOIN u ON lock(1)", On, false),
        ("SELECT 1 FROM t WHERE a AND lock(1)", Where, false),
        ("SELECT 1 FROM t WHERE a OR lock(1)", Where, true),
        ("SELECT 1 FROM t WHERE lock(1) AND (a OR b)", Where, false),
        ("SELECT 1 FROM t WHERE lock(1) AND f((a OR b), c)", Where, false),
        ("SELECT 1 FROM t WHERE a = 1 OR (SELECT lock(1))", List, true),
        ("SELECT a OR b, lock(1)", List, false),
        ("SELECT a OR b FROM t WHERE lock(1)", Where, false),
        ("SELECT CASE WHEN a THEN lock(1) END", List, true),
        ("SELECT CASE WHEN a THEN b END, lock(1)", List, false),
        ("SELECT coalesce(lock(1), 1)", List, false),
        ("SELECT coalesce(a, lock(1))", List, true),
        ("SELECT coalesce((SELECT a), 1), lock(1)", List, false),
        ("SELECT count(*) FILTER (WHERE lock(1)) FROM t", List, true),
        ("SELECT a FROM t GROUP BY lock(1)", GroupBy, false),
        ("SELECT 1 FROM t HAVING lock(1)", Having, false),
        ("SELECT 1 FROM t WINDOW w AS (PARTITION BY lock(1))", Window, false),
        ("SELECT 1 FROM t ORDER BY lock(1)", OrderBy, false),
        ("SELECT 1 FROM t LIMIT lock(1)", Limit, false),
        ("VALUES (lock(1))", Values, false),
        ("INSERT INTO t (a) VALUES (lock(1))", Values, false),
        ("INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = lock(1)", Conflict, false),
        ("UPDATE t SET a = lock(1)", Set, false),
        ("DELETE FROM t RETURNING lock(1)", Returning, false),
        ("CALL p(lock(1))", Arguments, false),
        ("EXECUTE p(lock(1))", Arguments, false),
        ("CREATE POLICY p ON t USING (lock(1))", Where, false),
        ("AND lock(1)", Other, false),
    ] {
        assert_eq!(calls(text), [(clause, conditional, "yes")], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_call() {
    for text in [
        "INSERT INTO lock (a) VALUES (1)",
        "INSERT INTO lock (a) SELECT 1",
        "CREATE TABLE lock (a int)",
        "WITH lock (a) AS (SELECT 1) SELECT 1",
        "SELECT 1::lock(1), CAST(1 AS lock(2)), x::s.lock(3)",
        "SELECT 1 FROM f() AS lock(a), t lock(b)",
        "GRANT EXECUTE ON FUNCTION lock(int) TO u",
        "DROP FUNCTION lock(int)",
        "COMMENT ON FUNCTION lock(int) IS 'x'",
        "CREATE OR REPLACE FUNCTION lock(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TRIGGER t BEFORE INSERT ON t EXECUTE FUNCTION lock()",
        "SELECT 'lock(1)' -- lock(1)",
        "CALL lock(1)",
    ] {
        assert_eq!(calls(text), [], "{text}");
    }
}

#[test]
fn calls_have_names_and_arguments() {
    let text = "SELECT pg_catalog.Lock (1, f(2, 3)), \"Lock\"(), lock(VARIADIC a => 1)";
    let tree = tree(text);
    let calls: Vec<_> = tree
        .calls()
        .iter()
        .map(|call| {
            let args: Vec<_> = call.args.iter().map(|arg| tree.slice(arg)).collect();
            (call.schema.clone().unwrap_or_default(), call.name.clone(), tree.slice(&call.tokens), args)
        })
        .collect();
    assert_eq!(
        calls,
        [
            ("pg_catalog".into(), "lock".into(), "pg_catalog.Lock (1, f(2, 3))", vec!["1", "f(2, 3)"]),
            (String::new(), "f".into(), "f(2, 3)", vec!["2", "3"]),
            (String::new(), "Lock".into(), "\"Lock\"()", vec![]),
            (String::new(), "lock".into(), "lock(VARIADIC a => 1)", vec!["VARIADIC a => 1"]),
        ]
    );
}

#[test]
fn expressions_that_never_run() {
    for (text, expected) in [
        ("WITH c AS (SELECT lock(1)) SELECT 1", "unread"),
        ("WITH c AS (SELECT lock(1)) SELECT 1 FROM c", "yes"),
        ("WITH c AS (SELECT lock(1)) SELECT 1 FROM s.c", "unread"),
        ("WITH c AS (SELECT lock(1)) TABLE c", "yes"),
        ("WITH c AS (SELECT lock(1)) SELECT 1 FROM c()", "unread"),
        ("WITH c AS (SELECT lock(1)), d AS (SELECT 1 FROM c) SELECT 1", "unread"),
        ("WITH c AS (SELECT lock(1)), d AS (SELECT 1 FROM c) SELECT 1 FROM d", "yes"),
        ("WITH c AS (SELECT lock(1)), d AS (DELETE FROM t USING c) SELECT 1", "yes"),
        ("WITH c AS (SELECT lock(1)) SELECT 1 FROM (WITH c AS (SELECT 2) SELECT 1 FROM c) x", "unread"),
        ("WITH d AS (SELECT 1 FROM c), c AS (SELECT lock(1)) SELECT 1 FROM d", "unread"),
        ("WITH RECURSIVE d AS (SELECT 1 FROM c), c AS (SELECT lock(1)) SELECT 1 FROM d", "yes"),
        ("WITH RECURSIVE c AS (SELECT lock(1) UNION SELECT 1 FROM c) SELECT 1", "unread"),
        ("WITH c AS (UPDATE t SET a = lock(1)) SELECT 1", "yes"),
        ("WITH c AS (SELECT lock(1)) UPDATE c SET a = 1", "unread"),
        ("WITH c AS (SELECT lock(1)) INSERT INTO t SELECT * FROM c", "yes"),
        ("WITH c AS (SELECT lock(1)) SELECT 1 WHERE EXISTS (SELECT 1 FROM c)", "yes"),
        ("SELECT 1 WHERE EXISTS (SELECT lock(1))", "exists"),
        ("SELECT 1 WHERE EXISTS (SELECT (SELECT lock(1)))", "exists"),
        ("SELECT 1 WHERE EXISTS (SELECT 1 FROM t WHERE lock(1))", "yes"),
        ("SELECT 1 WHERE EXISTS (SELECT 1 FROM (SELECT lock(1)) x)", "yes"),
        ("SELECT 1 WHERE EXISTS (SELECT lock(1) FROM t LIMIT 1)", "exists"),
        ("SELECT 1 WHERE EXISTS (SELECT lock(1) FROM t FOR UPDATE)", "yes"),
        ("SELECT 1 WHERE EXISTS (SELECT lock(1) UNION SELECT 2)", "yes"),
        ("SELECT 1 WHERE EXISTS (SELECT lock(1), count(*) FROM t)", "yes"),
        ("WITH c AS (SELECT lock(1)) SELECT 1 WHERE EXISTS (SELECT (SELECT 1 FROM c))", "unread"),
    ] {
        let found: Vec<_> = calls(text).into_iter().map(|(_, _, evaluated)| evaluated).collect();
        assert_eq!(found, [expected], "{text}");
    }
}

#[test]
fn a_hole_may_read_a_with_query() {
    let seen = |text: &str| calls(text).iter().map(|(.., evaluated)| *evaluated).collect::<Vec<_>>();
    for rest in [
        "SELECT * FROM ${x}",
        "SELECT * FROM t, ${x}",
        "SELECT * FROM t JOIN ${x} ON true",
        "SELECT * FROM t WHERE ${x}",
        "SELECT * FROM t WHERE a = 1 AND (${x})",
        "SELECT ${x} FROM t",
        "SELECT 1 FROM t ${x}",
        "INSERT INTO t SELECT * FROM ${x}",
        "SELECT * FROM t WHERE a IN (SELECT 1 FROM %s)",
    ] {
        assert_eq!(seen(&format!("WITH w AS (SELECT lock(1)) {rest}")), ["yes"], "{rest}");
    }
    for rest in [
        "SELECT * FROM t WHERE a = ${x}",
        "SELECT * FROM t WHERE a = %s AND b IN (%s, %s) LIMIT ${x}",
        "SELECT f(${x}, ${y}) FROM ${s}.t",
        "INSERT INTO ${t} VALUES (${x}, ${y})",
        "DELETE FROM ${t} WHERE a = ?",
        "SELECT :x FROM t WHERE @x",
    ] {
        assert_eq!(seen(&format!("WITH w AS (SELECT lock(1)) {rest}")), ["unread"], "{rest}");
    }
    // It sees what stands before it, and not itself.
    assert_eq!(seen("WITH w AS (SELECT lock(1) FROM ${x}) SELECT 1"), ["unread"]);
    assert_eq!(seen("WITH w AS (SELECT lock(1)), v AS (SELECT 1 FROM ${x}) SELECT * FROM v"), ["yes"]);
    assert_eq!(seen("WITH w AS (SELECT 1 FROM ${x}), v AS (SELECT lock(1)) SELECT * FROM w"), ["unread"]);
}

#[test]
fn branches_that_constants_close() {
    for (text, evaluated) in [
        ("SELECT CASE WHEN false THEN lock(1) END", "dead"),
        ("SELECT CASE WHEN NULL THEN f((lock(1))) ELSE 2 END", "dead"),
        ("SELECT CASE WHEN a THEN 1 WHEN FALSE THEN lock(1) END", "dead"),
        ("SELECT CASE WHEN a THEN 1 WHEN true THEN 2 WHEN b THEN lock(1) END", "dead"),
        ("SELECT CASE WHEN true THEN 1 ELSE lock(1) END", "dead"),
        ("SELECT CASE WHEN true THEN 1 WHEN lock(1) THEN 2 END", "dead"),
        ("SELECT CASE WHEN false THEN CASE WHEN a THEN lock(1) END END", "dead"),
        ("SELECT CASE WHEN false THEN (SELECT lock(1)) END", "dead"),
        ("SELECT CASE WHEN false THEN CASE a WHEN 1 THEN 2 END + lock(1) END", "dead"),
        ("SELECT CASE WHEN true THEN lock(1) END", "yes"),
        ("SELECT CASE WHEN false THEN 1 ELSE lock(1) END", "yes"),
        ("SELECT CASE WHEN false OR a THEN lock(1) END", "yes"),
        ("SELECT CASE WHEN NOT false THEN lock(1) END", "yes"),
        ("SELECT CASE a WHEN false THEN lock(1) END", "yes"),
        ("SELECT CASE WHEN false THEN 1 END, lock(1)", "yes"),
        ("SELECT CASE WHEN lock(1) THEN true WHEN true THEN 2 END", "yes"),
        ("SELECT CASE WHEN a THEN 1 WHEN lock(1) THEN 2 WHEN true THEN 3 END", "yes"),
        ("SELECT CASE WHEN (CASE WHEN false THEN 1 END) = 1 THEN lock(1) END", "yes"),
    ] {
        let found: Vec<&str> = calls(text).into_iter().map(|(_, _, evaluated)| evaluated).collect();
        assert_eq!(found, [evaluated], "{text}");
    }
}
