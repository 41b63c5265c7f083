use super::*;
use crate::sql::clause::{Dml, Entry, Select, Term};
use crate::sql::lex::lex;

fn side(tree: &Tree<'_>, side: &Side) -> String {
    match &side.operand {
        Operand::Column { qualifier: Some(qualifier), name } => format!("{qualifier}.{name}"),
        Operand::Column { qualifier: None, name } => name.clone(),
        Operand::Value(_) => format!("<{}>", tree.slice(&side.tokens)),
        Operand::Query(_) => "query".to_owned(),
        Operand::Many => "many".to_owned(),
        Operand::Unknown => "unknown".to_owned(),
    }
}

/// The equalities of a condition, and whether all of it was understood.
fn equalities(condition: &str) -> (String, bool) {
    let text = format!("SELECT 1 FROM t WHERE {condition}");
    let tree = Tree::build(&text, &lex(&text), Entry::Statement);
    let (mut out, mut understood) = (Vec::new(), true);
    let (_, query) = tree.queries().next().unwrap();
    for conjunct in &query.select().unwrap().conjuncts {
        let found = comparisons(&tree, conjunct);
        understood &= found.understood;
        for equality in found.equalities() {
            let many = if equality.may_be_many { "?" } else { "" };
            out.push(format!("{}={}{many}", side(&tree, &equality.left), side(&tree, &equality.right)));
        }
    }
    (out.join(" "), understood)
}

#[test]
fn equalities_of_every_form() {
    for (condition, expected) in [
        ("id = 1", "id=<1>"),
        ("1 = id", "<1>=id"),
        ("t.id = $1 AND s.t.x = 'a'", "t.id=<$1> t.x=<'a'>"),
        ("((id = ?))", "id=<?>"),
        ("(id) = (1)", "id=<(1)>"),
        (
            "id=? AND a=@x AND b=%s AND c = %(n)s AND d = :n AND e = ${n} AND f = #{n} AND g = {n}",
            "id=<?> a=<@x> b=<%s> c=<%(n)s> d=<:n> e=<${n}> f=<#{n}> g=<{n}>",
        ),
        ("id::text = $1::text", "id=<$1::text>"),
        ("CAST(id AS text) = lower($1)", "id=<lower($1)>"),
        ("\"Id\" = 1", "Id=<1>"),
        ("a IS NOT DISTINCT FROM b", "a=b"),
        ("a IS DISTINCT FROM b", ""),
        ("id IN (1)", "id=<1>"),
        ("id IN ((1))", "id=<(1)>"),
        ("id IN ($1)", "id=<$1>"),
        ("id IN (:ids)", "id=<:ids>?"),
        ("id IN (?)", "id=<?>?"),
        ("id IN ?", "id=many"),
        ("id IN (1, 2)", "id=many"),
        ("id IN (SELECT 1)", "id=query"),
        ("id NOT IN (1)", ""),
        ("id = ANY($1)", "id=many"),
        ("id = ANY(ARRAY[$1])", "id=<ARRAY[$1]>"),
        ("id = ANY(ARRAY[$1]::int[])", "id=<ARRAY[$1]::int[]>"),
        ("id = ANY(ARRAY[1, 2])", "id=many"),
        ("id = ANY(ARRAY(SELECT 1))", "id=query"),
        ("id = ANY(SELECT 1)", "id=query"),
        ("id = SOME ('{1}')", "id=many"),
        ("id = ALL(ARRAY[1])", ""),
        ("id = (SELECT max(id) FROM t)", "id=query"),
        ("(a, b) = (1, $2)", "a=<1> b=<$2>"),
        ("ROW(a, b) = ROW(1, 2)", "a=<1> b=<2>"),
        ("(a, b) IN ((1, 2))", "a=<1> b=<2>"),
        ("(a, b) IN ((1, 2), (3, 4))", "a=many b=many"),
        ("(a, b) = (SELECT 1, 2)", "a=query b=query"),
        ("(a, b) IN (SELECT 1, 2)", "a=query b=query"),
        ("(a, b) < (1, 2)", ""),
        ("id = 1 OR id = 2", ""),
        ("NOT id = 1", ""),
        ("NOT (id = 1 AND a = 2)", ""),
        ("id BETWEEN 1 AND 2 AND a = 3", "a=<3>"),
        ("CASE WHEN a = 1 THEN b END = 2", "<CASE WHEN a = 1 THEN b END>=<2>"),
        ("CASE WHEN a = 1 THEN b = 2 END", ""),
        ("a = 1 IS TRUE", ""),
        ("a IS NULL AND b ISNULL AND c NOTNULL", ""),
        ("data ? 'k' AND data->>'a' = 'b'", "<data->>'a'>=<'b'>"),
        ("EXISTS (SELECT 1 WHERE a = 1)", ""),
        ("tags @> ANY (ARRAY[$1])", ""),
        ("a COLLATE \"C\" = 'x'", "a=<'x'>"),
        ("a = U&'\\0061' AND b = E'\\'' AND c = $$ ' $$", "a=<U&'\\0061'> b=<E'\\''> c=<$$ ' $$>"),
        ("søk = 'é' AND a = 1", "søk=<'é'> a=<1>"),
        ("a = 'x'\n'y' AND b = 1", "a=<'x'\n'y'> b=<1>"),
        ("a <= 1 AND b <> 2", ""),
        ("a BETWEEN SYMMETRIC 1 AND 2", ""),
        ("a LIKE ? AND b SIMILAR TO 'x' AND c ILIKE 'x'", ""),
        ("a > now() - interval '1 day' AND b AT TIME ZONE 'UTC' = $1", "<b AT TIME ZONE 'UTC'>=<$1>"),
    ] {
        assert_eq!(equalities(condition).0, expected, "{condition}");
    }
}

#[test]
fn what_is_not_understood_says_so() {
    for condition in ["id = 1 {more}", "{more} AND id = 1", "id = `x`", "a b c AND id = 1", "id = 1 AND ("] {
        let (equalities, understood) = equalities(condition);
        assert!(!understood, "{condition}");
        assert!(condition.contains('`') || equalities.contains("id=<1>"), "{condition}: {equalities}");
    }
    let long = vec!["a = 1"; 50_000].join(" OR ");
    assert_eq!(equalities(&long), (String::new(), false));
    let list = format!("id IN ({}0) AND b = 1", "1, ".repeat(100_000));
    assert_eq!(equalities(&list), ("id=many b=<1>".into(), true));
}

#[test]
fn a_comparison_has_its_tokens() {
    let text = "SELECT 1 FROM pg_locks h JOIN pg_locks w ON (h.relation = w.relation AND h.pid <> w.pid)";
    let tree = Tree::build(text, &lex(text), Entry::Statement);
    let (_, query) = tree.queries().next().unwrap();
    let Term::Select(select) = &query.terms[0] else { panic!() };
    let Select { from, .. } = &**select;
    let found: Vec<_> = from[1]
        .on
        .iter()
        .flat_map(|on| comparisons(&tree, on).list)
        .map(|found| (tree.slice(&found.tokens), found.relation, tree.slice(&found.right.tokens)))
        .collect();
    assert_eq!(
        found,
        [("h.relation = w.relation", Relation::Equal, "w.relation"), ("h.pid <> w.pid", Relation::NotEqual, "w.pid")]
    );
    let start = text.find("h.relation").unwrap();
    assert_eq!(tree.span(&from[1].on[0].tokens).start, start);
}

#[test]
fn conditions_of_dml_are_read_alike() {
    let text = "UPDATE t SET a = 1 WHERE id = $1 AND v = (SELECT 1)";
    let tree = Tree::build(text, &lex(text), Entry::Statement);
    let (_, query) = tree.queries().next().unwrap();
    let Dml { conjuncts, .. } = query.dml().unwrap();
    let Operand::Query(inner) = comparisons(&tree, &conjuncts[1]).list[0].right.operand else { panic!() };
    assert_eq!(tree.slice(&tree.query(inner).tokens), "SELECT 1");
}
