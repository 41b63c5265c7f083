use super::*;

#[test]
fn queries_inside_other_statements() {
    for (text, inner) in [
        ("EXPLAIN (ANALYZE, BUFFERS) SELECT 1", "SELECT 1"),
        ("EXPLAIN ANALYZE VERBOSE UPDATE t SET a = 1", "UPDATE t SET a = 1"),
        ("PREPARE p (int) AS SELECT $1", "SELECT $1"),
        ("DECLARE c CURSOR WITH HOLD FOR SELECT 1 FOR UPDATE", "SELECT 1 FOR UPDATE"),
        ("COPY (SELECT 1) TO STDOUT", "SELECT 1"),
        ("CREATE TABLE t (a) AS SELECT 1 WITH NO DATA", "SELECT 1"),
        (
            "CREATE OR REPLACE VIEW v AS WITH c AS (SELECT 1) SELECT * FROM c WITH CHECK OPTION",
            "WITH c AS (SELECT 1) SELECT * FROM c",
        ),
        ("CREATE MATERIALIZED VIEW v AS TABLE t", "TABLE t"),
        ("CREATE RULE r AS ON UPDATE TO t DO INSTEAD DELETE FROM u", "DELETE FROM u"),
        ("EXPLAIN CREATE TABLE t AS (SELECT 1)", "SELECT 1"),
    ] {
        let tree = tree(text);
        assert_eq!(tree.slice(&root(&tree).tokens), inner, "{text}");
        assert!(tree.complete(), "{text}");
    }
    let rule = tree("CREATE RULE r AS ON UPDATE TO t DO ALSO (DELETE FROM u; SELECT 1;)");
    assert_eq!(rule.roots().len(), 2);
    assert!(rule.complete());
    let rule = tree("CREATE RULE r AS ON UPDATE TO t WHERE EXISTS (SELECT 1) DO ALSO UPDATE u SET a = 1 WHERE b");
    assert_eq!(rule.roots().len(), 2);
    assert!(rule.complete());
    assert!(tree("CREATE TABLE t (a int DEFAULT 1)").roots().is_empty());
}

#[test]
fn verbs() {
    use Verb::*;
    let isolation = |isolation| Characteristics { isolation: Some(isolation), read_only: None };
    for (text, verb) in [
        ("BEGIN", Begin(Characteristics::default())),
        (
            "START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            Begin(Characteristics { isolation: Some(Isolation::RepeatableRead), read_only: Some(true) }),
        ),
        ("BEGIN ISOLATION LEVEL READ COMMITTED", Begin(isolation(Isolation::ReadCommitted))),
        ("COMMIT AND NO CHAIN", Commit { chain: false }),
        ("END WORK AND CHAIN", Commit { chain: true }),
        ("ABORT", Rollback { chain: false }),
        ("ROLLBACK AND CHAIN", Rollback { chain: true }),
        ("ROLLBACK TRANSACTION TO SAVEPOINT \"A\"", RollbackTo("A".into())),
        ("ROLLBACK TO B", RollbackTo("b".into())),
        ("SAVEPOINT a", Savepoint("a".into())),
        ("RELEASE SAVEPOINT a", Release("a".into())),
        ("PREPARE TRANSACTION 'x'", PrepareTransaction),
        ("COMMIT PREPARED 'x'", CommitPrepared),
        (
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            SetTransaction { session: false, characteristics: isolation(Isolation::Serializable) },
        ),
        (
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
            SetTransaction {
                session: true,
                characteristics: Characteristics { isolation: None, read_only: Some(false) },
            },
        ),
        ("SET LOCAL lock_timeout = '1s'", Set { scope: SetScope::Local, name: "lock_timeout".into(), value: 4..5 }),
        ("SET a.b TO 1, 2", Set { scope: SetScope::Default, name: "a.b".into(), value: 5..8 }),
        ("RESET ALL", Reset(None)),
        ("RESET lock_timeout", Reset(Some("lock_timeout".into()))),
        ("DISCARD ALL", Discard { all: true }),
        ("LOCK TABLE t", Lock),
        ("CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)", CreateIndex { concurrently: true, unique: true }),
        ("DROP INDEX CONCURRENTLY IF EXISTS i", DropIndex),
        ("REINDEX (VERBOSE) TABLE CONCURRENTLY t", Reindex { concurrently: true }),
        ("CREATE OR REPLACE FUNCTION f() RETURNS int AS $$ $$", Create(Object::Function)),
        ("ALTER TABLE t ADD a int", Alter(Object::Table)),
        ("DROP MATERIALIZED VIEW v", Drop(Object::MaterializedView)),
        ("DO $$ $$", Do),
        ("EXPLAIN (ANALYZE OFF) SELECT 1", Explain { analyze: false }),
        ("EXPLAIN ANALYZE SELECT 1", Explain { analyze: true }),
        ("VACUUM t", Vacuum),
        ("WITH a AS (SELECT 1) DELETE FROM t", Delete),
        ("(SELECT 1)", Select),
        ("\\connect x", Psql("connect".into())),
        ("GRANT ALL ON t TO u", Other("grant".into())),
        ("", Empty),
    ] {
        assert_eq!(tree(text).verb(), &verb, "{text}");
    }
}

#[test]
fn a_rule_that_does_nothing_is_understood() {
    let tree = tree("CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING");
    assert!(tree.complete() && tree.roots().is_empty());
}
