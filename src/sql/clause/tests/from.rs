use super::*;

#[test]
fn joins_have_their_conditions_and_nullable_sides() {
    let items = |from: &str| {
        let text = format!("SELECT * FROM {from}");
        let tree = tree(&text);
        assert!(tree.complete(), "{text}");
        let select = root(&tree).select().unwrap();
        select
            .from
            .iter()
            .map(|item| {
                let on: Vec<_> = item.on.iter().map(|on| tree.slice(&on.tokens)).collect();
                let mark = if item.nullable { "?" } else { "" };
                format!("{}{mark} {:?} {}{}", item.reference(), item.join, on.join("&"), item.using.join("+"))
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(items("a, b JOIN c ON x AND y"), "a None , b None , c Inner x&y");
    assert_eq!(items("a LEFT JOIN b ON x JOIN c USING (k, l)"), "a None , b? Left x, c Inner k+l");
    assert_eq!(items("a LEFT OUTER JOIN b JOIN c ON x ON y"), "a None , b? Left y, c? Inner x");
    assert_eq!(items("a CROSS JOIN b RIGHT JOIN c ON x"), "a? None , b? Cross , c Right x");
    assert_eq!(items("a FULL JOIN (b NATURAL JOIN c) ON x"), "a? None , b? Full x, c? Inner ");
    assert_eq!(items("((SELECT 1) a JOIN b ON x) LEFT JOIN c d ON y"), "a None , b Inner x, d? Left y");
    assert_eq!(items("a LEFT JOIN b CROSS JOIN c ON y"), "a None , b? Left y, c? Cross ");
}

#[test]
fn items_of_every_kind() {
    let text = "SELECT * FROM LATERAL f(1) WITH ORDINALITY AS g(a, b), ROWS FROM (h(1), i(2)) j, ONLY (k) l, \
                m * n, \"O\"\"p\".q TABLESAMPLE system (1) REPEATABLE (2), (VALUES (1)) r, U&\"\\0073\", json_table(x, '$' \
                COLUMNS (a int)) AS s";
    let tree = tree(text);
    assert!(tree.complete());
    let select = root(&tree).select().unwrap();
    let names: Vec<_> = select.from.iter().map(|item| (item.name.as_str(), item.reference(), item.call)).collect();
    assert_eq!(
        names,
        [
            ("f", "g", true),
            ("", "j", true),
            ("k", "l", false),
            ("m", "n", false),
            ("q", "q", false),
            ("", "r", false),
            ("s", "s", false),
            ("json_table", "s", true),
        ]
    );
    assert_eq!(select.from[4].schema.as_deref(), Some("O\"p"));
    assert!(select.from[5].subquery.is_some());
}

#[test]
fn a_hole_after_a_table_is_no_alias() {
    let tree = tree("SELECT * FROM t {joins} WHERE a = 1");
    assert_eq!(root(&tree).select().unwrap().from[0].alias, None);
    assert!(!tree.complete());
    let tree = self::tree("SELECT * FROM {table} AS x JOIN :schema.u ON true");
    let from = &root(&tree).select().unwrap().from;
    assert_eq!((from[0].name.as_str(), from[0].reference()), ("{table}", "x"));
    assert_eq!((from[1].schema.as_deref(), from[1].name.as_str()), (Some(":schema"), "u"));
    assert!(tree.complete());
}

#[test]
fn a_function_needs_no_parentheses() {
    let tree = tree("SELECT * FROM current_date AS d, s.current_date");
    let from = &root(&tree).select().unwrap().from;
    assert!(from[0].call && !from[1].call);
}
