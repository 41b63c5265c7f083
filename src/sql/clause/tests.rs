use super::*;
use crate::sql::lex::lex;
use proptest::prelude::*;
use std::fmt::Write;

mod agreement;
mod evaluated;
mod from;
mod locks;
mod verbs;

fn tree(text: &str) -> Tree<'_> {
    Tree::build(text, &lex(text), Entry::Statement)
}

fn root<'a>(tree: &'a Tree<'_>) -> &'a Query {
    tree.query(tree.roots()[0])
}

fn conjuncts(text: &str) -> Vec<&str> {
    let tree = tree(text);
    let query = root(&tree);
    let conjuncts = match &query.terms[0] {
        Term::Select(select) => &select.conjuncts,
        Term::Dml(dml) => &dml.conjuncts,
        term => panic!("{term:?}"),
    };
    conjuncts.iter().map(|conjunct| tree.slice(&conjunct.tokens)).collect()
}

/// The tree in words, without offsets.
fn shape(tree: &Tree<'_>) -> String {
    let words = |tokens: &Tokens| tokens.clone().map(|index| tree.raw(index)).collect::<Vec<_>>().join(" ");
    let mut out = format!("{:?} {}\n", tree.verb(), tree.complete());
    for (id, query) in tree.queries() {
        let _ = writeln!(
            out,
            "{id:?} {:?} {:?} {:?} {:?} ctes {:?} order {:?} limit {:?} {:?} locks {:?}",
            query.parent,
            query.clause,
            query.wrap,
            words(&query.tokens),
            query.ctes,
            query.order_by.as_ref().map(words),
            query.limit.as_ref().map(words),
            tree.query_evaluated(id),
            query.locks,
        );
        let items = |items: &[FromItem]| items.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(";");
        for term in &query.terms {
            let _ = match term {
                Term::Select(select) => writeln!(
                    out,
                    "  {:?} from {} where {:?}",
                    select.list.iter().map(words).collect::<Vec<_>>(),
                    items(&select.from),
                    select.conjuncts
                ),
                Term::Dml(dml) => writeln!(out, "  {dml:?}"),
                term => writeln!(out, "  {term:?}"),
            };
        }
    }
    let _ = writeln!(out, "{:?}", tree.calls());
    out
}

#[test]
fn a_query_has_its_clauses() {
    let text = "SELECT DISTINCT ON (a) a, count(*) AS limit FROM s.t AS x, ONLY u WHERE a = 1 GROUP BY a, b HAVING \
                count(*) > 1 ORDER BY a DESC LIMIT 10 OFFSET 5 FETCH FIRST 2 ROWS WITH TIES";
    let tree = tree(text);
    let query = root(&tree);
    let select = query.select().unwrap();
    assert!(tree.complete());
    assert_eq!(select.distinct.as_ref().map(|d| tree.slice(d)), Some("DISTINCT ON (a)"));
    assert_eq!(select.list.iter().map(|l| tree.slice(l)).collect::<Vec<_>>(), ["a", "count(*) AS limit"]);
    assert_eq!(select.from.iter().map(FromItem::reference).collect::<Vec<_>>(), ["x", "u"]);
    assert_eq!(select.from[0].schema.as_deref(), Some("s"));
    assert!(select.from[1].only && !select.from[0].only);
    assert_eq!(select.group_by.as_ref().map(|g| tree.slice(g)), Some("a, b"));
    assert_eq!(select.having.as_ref().map(|h| tree.slice(h)), Some("count(*) > 1"));
    assert_eq!(query.order_by.as_ref().map(|o| tree.slice(o)), Some("a DESC"));
    assert_eq!(query.limit.as_ref().map(|l| tree.slice(l)), Some("10"));
    assert_eq!(query.offset.as_ref().map(|o| tree.slice(o)), Some("5"));
    let fetch = query.fetch.as_ref().unwrap();
    assert_eq!((tree.slice(&fetch.tokens), fetch.with_ties), ("FIRST 2 ROWS WITH TIES", true));
    assert_eq!(
        tree.span(&select.from[0].tokens),
        SqlSpan::new(text.find("s.t").unwrap(), text.find(", ONLY").unwrap())
    );
}

#[test]
fn no_limit_is_none() {
    assert_eq!(root(&tree("SELECT 1 LIMIT ALL")).limit, None);
    assert_eq!(root(&tree("SELECT 1 LIMIT NULL")).limit, None);
    assert!(root(&tree("SELECT t.limit, t.order FROM t")).limit.is_none());
}

#[test]
fn into_may_stand_in_three_places() {
    for text in [
        "SELECT a, b INTO STRICT x, y FROM t WHERE c ORDER BY d LIMIT 1 FOR UPDATE",
        "SELECT a, b FROM t WHERE c INTO STRICT x, y ORDER BY d LIMIT 1 FOR UPDATE",
        "SELECT a, b FROM t WHERE c ORDER BY d LIMIT 1 INTO STRICT x, y FOR UPDATE",
        "SELECT a, b FROM t WHERE c ORDER BY d LIMIT 1 FOR UPDATE INTO STRICT x, y",
    ] {
        let tree = tree(text);
        let query = root(&tree);
        let select = query.select().unwrap();
        assert_eq!(select.into.as_ref().map(|into| tree.slice(into)), Some("STRICT x, y"), "{text}");
        assert_eq!((select.list.len(), select.from.len(), select.conjuncts.len()), (2, 1, 1), "{text}");
        assert_eq!(query.order_by.as_ref().map(|order| tree.slice(order)), Some("d"), "{text}");
        assert_eq!(tree.slice(&query.locks[0].tokens), "FOR UPDATE", "{text}");
        assert!(tree.complete(), "{text}");
    }
}

#[test]
fn conditions_are_cut_at_and() {
    assert_eq!(
        conjuncts("SELECT 1 FROM t WHERE a = 1 AND (b = 2 AND ((c BETWEEN 1 AND 2))) AND CASE WHEN d AND e THEN f END"),
        ["a = 1", "b = 2", "c BETWEEN 1 AND 2", "CASE WHEN d AND e THEN f END"]
    );
    assert_eq!(conjuncts("SELECT 1 WHERE a = 1 AND b OR c"), ["a = 1 AND b OR c"]);
    assert_eq!(
        conjuncts("DELETE FROM t WHERE a IS NOT DISTINCT FROM 1 AND (a, b) = (1, 2)"),
        ["a IS NOT DISTINCT FROM 1", "(a, b) = (1, 2)"]
    );
    assert_eq!(
        conjuncts("UPDATE t SET x = 1 WHERE (SELECT a AND b) AND NOT (c AND d)"),
        ["(SELECT a AND b)", "NOT (c AND d)"]
    );
    assert_eq!(
        conjuncts("SELECT 1 WHERE a BETWEEN 1 AND 2 AND b BETWEEN SYMMETRIC 3 AND 4"),
        ["a BETWEEN 1 AND 2", "b BETWEEN SYMMETRIC 3 AND 4"]
    );
}

#[test]
fn holes_in_place_of_conditions_are_unknown_conjuncts() {
    for (text, parts, known) in [
        ("SELECT 1 FROM t WHERE a = ? {more}", vec!["a = ?", "{more}"], vec![true, false]),
        ("SELECT 1 FROM t WHERE {more} AND a = $1", vec!["{more}", "a = $1"], vec![false, true]),
        ("SELECT 1 FROM t WHERE {more} a = $1", vec!["{more}", "a = $1"], vec![false, true]),
        ("SELECT 1 FROM t WHERE a IS NULL {more} ORDER BY b", vec!["a IS NULL", "{more}"], vec![true, false]),
    ] {
        let tree = tree(text);
        let conjuncts = &root(&tree).select().unwrap().conjuncts;
        assert_eq!(conjuncts.iter().map(|c| tree.slice(&c.tokens)).collect::<Vec<_>>(), parts);
        assert_eq!(conjuncts.iter().map(|c| c.known).collect::<Vec<_>>(), known);
        assert!(!tree.complete(), "{text}");
    }
}

#[test]
fn dml_has_its_parts() {
    let text = "WITH s AS (SELECT 1) INSERT INTO x.t AS u (a, b) SELECT a, b FROM s ON CONFLICT (a) DO UPDATE SET b = 1 \
                WHERE u.a > 2 RETURNING a, b INTO v";
    let tree = tree(text);
    assert!(tree.complete());
    assert_eq!(tree.verb(), &Verb::Insert);
    let dml = root(&tree).dml().unwrap();
    assert_eq!((dml.target.schema.as_deref(), dml.target.name.as_str(), dml.target.reference()), (Some("x"), "t", "u"));
    let source = tree.query(dml.source.unwrap());
    assert_eq!(tree.slice(&source.tokens), "SELECT a, b FROM s");
    assert!(source.select().unwrap().from[0].cte.is_some());
    assert_eq!(tree.slice(dml.conflict.as_ref().unwrap()), "(a) DO UPDATE SET b = 1 WHERE u.a > 2");
    assert_eq!(tree.slice(dml.returning.as_ref().unwrap()), "a, b");
    assert_eq!(tree.slice(dml.into.as_ref().unwrap()), "v");

    let text = "UPDATE t SET a = b IS DISTINCT FROM c FROM u JOIN w USING (k) WHERE t.id = u.id AND x RETURNING *";
    let tree = self::tree(text);
    let dml = root(&tree).dml().unwrap();
    assert_eq!(tree.slice(dml.set.as_ref().unwrap()), "a = b IS DISTINCT FROM c");
    assert_eq!(dml.from.iter().map(FromItem::reference).collect::<Vec<_>>(), ["u", "w"]);
    assert_eq!(dml.conjuncts.len(), 2);

    let text = "MERGE INTO t USING u JOIN v ON u.x = v.x ON t.id = u.id AND t.a WHEN MATCHED THEN DELETE WHEN NOT MATCHED \
                THEN INSERT (a) VALUES (f(1)) RETURNING 1";
    let tree = self::tree(text);
    let dml = root(&tree).dml().unwrap();
    assert!(tree.complete());
    assert_eq!(dml.from.iter().map(|item| item.on.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(tree.calls()[0].clause, Clause::Merge);

    assert!(root(&self::tree("DELETE FROM t USING u WHERE CURRENT OF c")).dml().unwrap().current_of);
    assert!(root(&self::tree("INSERT INTO t DEFAULT VALUES")).dml().unwrap().source.is_none());
}

#[test]
fn set_operations_share_the_tail() {
    let tree = tree("(SELECT a FROM t LIMIT 1) UNION ALL SELECT b FROM u EXCEPT VALUES (1), (2) ORDER BY 1 LIMIT 2");
    let query = root(&tree);
    assert_eq!(query.terms.len(), 3);
    assert!(query.order_by.is_some() && query.limit.is_some());
    let Term::Query(first) = query.terms[0] else { panic!() };
    assert!(tree.query(first).limit.is_some() && tree.query(first).order_by.is_none());
    assert!(tree.complete());
}

#[test]
fn what_is_odd_makes_the_tree_incomplete() {
    for text in [
        "SELECT `a` FROM t",
        "SELECT 1 FROM t WHERE",
        "SELECT 1 UNION",
        "SELECT (1",
        "SELECT 1)",
        "WITH {ctes} a AS (SELECT 1) SELECT 1",
        "SELECT 1 FROM a JOIN b",
        "SELECT 1 FROM t LIMIT 1 {lock}",
        "SELECT 1 FROM t WHERE a AND",
        "SELECT 1 FROM t FOR UPDATE {wait}",
        "{query} FOR UPDATE",
        "SELECT 'a",
    ] {
        assert!(!tree(text).complete(), "{text}");
    }
    let deep = format!("SELECT {}1{}", "(".repeat(300), ")".repeat(300));
    assert!(!tree(&deep).complete());
}

#[test]
fn a_select_list_needs_no_select() {
    let build = |text| Tree::build(text, &lex(text), Entry::SelectList);
    let tree = build("PERFORM f(1), g(2) FROM t WHERE a = 1 FOR UPDATE");
    let select = root(&tree).select().unwrap();
    assert_eq!((select.list.len(), select.from.len(), root(&tree).locks.len()), (2, 1, 1));
    let tree = build("(SELECT count(*) FROM t) > 0 AND pg_try_advisory_lock(1)");
    assert_eq!(root(&tree).select().unwrap().list.len(), 1);
    assert_eq!(tree.queries().count(), 2);
    assert_eq!(tree.calls().len(), 2);
    assert!(tree.complete());
}

const SOUP: &[&str] = &[
    "select",
    "from",
    "where",
    "and",
    "or",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "a",
    "b",
    "t",
    "\"Q\"",
    "1",
    "'s'",
    "?",
    "{x}",
    "$1",
    "=",
    "::",
    "with",
    "recursive",
    "as",
    "not",
    "materialized",
    "union",
    "all",
    "values",
    "insert",
    "into",
    "update",
    "set",
    "delete",
    "merge",
    "using",
    "on",
    "when",
    "matched",
    "then",
    "for",
    "share",
    "no",
    "key",
    "of",
    "nowait",
    "skip",
    "locked",
    "order",
    "by",
    "limit",
    "offset",
    "fetch",
    "first",
    "join",
    "left",
    "lateral",
    "group",
    "having",
    "window",
    "over",
    "case",
    "end",
    "between",
    "is",
    "distinct",
    "exists",
    "in",
    "any",
    "array",
    "conflict",
    "returning",
    "create",
    "rule",
    "do",
    "view",
    "table",
    "explain",
    "prepare",
    "declare",
    "copy",
    "f(1)",
    ";",
    "only",
    "call",
    "execute",
    "`",
    "'",
    "search",
    "cycle",
    "default",
    "rows",
    "coalesce(",
    "filter",
];

proptest! {
    #[test]
    fn white_space_and_comments_change_nothing(
        words in prop::collection::vec(prop::sample::select(SOUP), 0..40),
        gaps in prop::collection::vec(prop::sample::select(vec![" ", "\n", " -- c\n", "/* ( */"]), 40),
    ) {
        let words: Vec<_> = words.into_iter().filter(|word| *word != "'").collect();
        let plain = words.join(" ");
        let spaced: String = words.iter().zip(&gaps).map(|(word, gap)| format!("{gap} {word} ")).collect();
        prop_assert_eq!(shape(&tree(&plain)), shape(&tree(&spaced)));
    }

    #[test]
    fn nothing_panics(words in prop::collection::vec(prop::sample::select(SOUP), 0..60), list in any::<bool>()) {
        let text = words.join(" ");
        let entry = if list { Entry::SelectList } else { Entry::Statement };
        let tree = Tree::build(&text, &lex(&text), entry);
        shape(&tree);
        for index in 0..tree.tokens().len() {
            tree.evaluated(index);
        }
        for (_, query) in tree.queries() {
            prop_assert!(query.tokens.end <= tree.tokens().len() && query.tokens.start <= query.tokens.end);
        }
    }
}
