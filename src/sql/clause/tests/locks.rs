use super::*;

/// Every lock: its text, strength, OF list and wait policy.
fn locks(text: &str) -> Vec<String> {
    let tree = tree(text);
    tree.queries()
        .flat_map(|(_, query)| &query.locks)
        .map(|lock| {
            let of: Vec<_> = lock.of.iter().map(|target| target.name.as_str()).collect();
            format!("{} {:?} {:?} {}", tree.slice(&lock.tokens), lock.strength, lock.wait, of.join("+"))
        })
        .collect()
}

#[test]
fn every_spelling() {
    assert_eq!(locks("SELECT 1 FROM t FOR UPDATE"), ["FOR UPDATE Update Block "]);
    assert_eq!(locks("SELECT 1 FOR NO KEY UPDATE NOWAIT"), ["FOR NO KEY UPDATE NOWAIT NoKeyUpdate NoWait "]);
    assert_eq!(
        locks("SELECT 1 FROM t u FOR SHARE OF u, s.v SKIP LOCKED LIMIT 1"),
        ["FOR SHARE OF u, s.v SKIP LOCKED Share SkipLocked u+v"]
    );
    assert_eq!(locks("TABLE t LIMIT 1 FOR KEY SHARE OF \"T\" OFFSET 1"), ["FOR KEY SHARE OF \"T\" KeyShare Block T"]);
    assert_eq!(
        locks("SELECT 1 FROM a, b FOR UPDATE OF a FOR SHARE OF b NOWAIT"),
        ["FOR UPDATE OF a Update Block a", "FOR SHARE OF b NOWAIT Share NoWait b"]
    );
    assert_eq!(locks("SELECT 1 FROM t FOR READ ONLY"), Vec::<String>::new());
    assert_eq!(locks("SELECT substring(a FOR 2), 'x' AS for FROM t"), Vec::<String>::new());
    assert_eq!(locks("CREATE POLICY p ON t FOR UPDATE USING (true)"), Vec::<String>::new());
    assert_eq!(
        locks("INSERT INTO t VALUES (1) ON CONFLICT (a) DO SELECT FOR UPDATE WHERE x RETURNING a"),
        ["FOR UPDATE Update Block "]
    );
}

#[test]
fn a_lock_belongs_to_its_query() {
    let text = "UPDATE q SET s = 1 WHERE id IN (SELECT id FROM q WHERE a ORDER BY b LIMIT 1 FOR UPDATE SKIP LOCKED)";
    let tree = tree(text);
    let (_, query) = tree.queries().find(|(_, query)| !query.locks.is_empty()).unwrap();
    assert_eq!((query.clause, query.wrap), (Clause::Where, Wrap::In));
    assert!(query.order_by.is_some() && query.limit.is_some());
    assert_eq!(locks("SELECT 1 UNION SELECT 2 FOR UPDATE").len(), 1);
}
