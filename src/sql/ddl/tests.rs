use super::*;
use crate::sql::clause::Entry;
use crate::sql::lex::lex;
use proptest::prelude::*;

fn tree(text: &str) -> Tree<'_> {
    Tree::build(text, &lex(text), Entry::Statement)
}

fn name(name: &Name) -> String {
    match &name.schema {
        Some(schema) => format!("{schema}.{}", name.name),
        None => name.name.clone(),
    }
}

fn key(key: &Key) -> String {
    let marks = [(key.primary, "*"), (key.partial, "?")];
    let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
    format!("{}({}){marks}", key.name, key.columns.join("+"))
}

fn column(column: &Column) -> String {
    format!("{}:{}", column.name, column.ty)
}

fn short(change: &Change) -> String {
    match change {
        Change::CreateTable(create) => {
            let mut out = vec![format!("create {}", name(&create.table))];
            out.extend(create.columns.iter().map(column));
            out.extend(create.keys.iter().map(key));
            out.extend(create.like.iter().map(|like| format!("like {} {}", name(&like.table), like.keys)));
            out.extend(create.partition_of.iter().map(|parent| format!("partition {}", name(parent))));
            out.extend(create.inherits.iter().map(|parent| format!("inherits {}", name(parent))));
            out.extend(create.derived.then(|| "derived".to_owned()));
            out.extend(create.if_not_exists.then(|| "if".to_owned()));
            out.join(" ")
        }
        Change::AddKey { table, key: added } => format!("key {} {}", name(table), key(added)),
        Change::AddColumn { table, column: added } => format!("column {} {}", name(table), column(added)),
        Change::DropKey { table, constraint } => format!("drop key {} {constraint}", name(table)),
        Change::DropColumn { table, column } => format!("drop column {} {column}", name(table)),
        Change::DropTable(table) => format!("drop {}", name(table)),
        Change::DropIndex(index) => format!("drop index {}", name(index)),
        Change::RenameTable { table, to } => format!("rename {} {to}", name(table)),
        Change::RenameColumn { table, column, to } => format!("rename column {} {column} {to}", name(table)),
        Change::RenameKey { key, to } => format!("rename key {key} {to}"),
    }
}

/// Statement, changes, and whether sqlparser accepts it.
const FORMS: &[(&str, &str, bool)] = &[
    ("CREATE TABLE t (a int PRIMARY KEY, b text UNIQUE)", "create t a:int b:text t_pkey(a)* t_b_key(b)", true),
    (
        "CREATE TABLE s.\"T\" (a bigint, b character varying(10) NOT NULL, PRIMARY KEY (a, b))",
        "create s.T a:bigint b:character varying(10) T_pkey(a+b)*",
        true,
    ),
    (
        "create table if not exists t (a numeric(10, 2) default f(1, 2), constraint k unique (a))",
        "create t a:numeric(10,2) k(a) if",
        true,
    ),
    (
        "CREATE UNLOGGED TABLE t (a int CONSTRAINT k UNIQUE, b int[] CHECK (b IS NOT NULL))",
        "create t a:int b:int[] k(a)",
        true,
    ),
    (
        "CREATE TABLE t (a timestamp with time zone, b double precision, UNIQUE NULLS NOT DISTINCT (a))",
        "create t a:timestamp with time zone b:double precision t_a_key(a)",
        true,
    ),
    (
        "CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY PRIMARY KEY) INHERITS (p, s.q)",
        "create t a:int t_pkey(a)* inherits p inherits s.q",
        true,
    ),
    ("CREATE TABLE t (a int, b date) PARTITION BY RANGE (b)", "create t a:int b:date", true),
    ("CREATE TABLE t PARTITION OF s.p FOR VALUES FROM (1) TO (2)", "create t partition s.p", true),
    ("CREATE TABLE t PARTITION OF p DEFAULT", "create t partition p", true),
    ("CREATE TABLE t (LIKE u)", "create t like u false", true),
    ("CREATE TABLE t (LIKE s.u INCLUDING ALL EXCLUDING INDEXES, a int)", "create t a:int like s.u false", false),
    ("CREATE TABLE t (LIKE u INCLUDING INDEXES)", "create t like u true", false),
    ("CREATE TABLE t AS SELECT 1 AS a", "create t derived", true),
    ("CREATE TABLE t (a, b) AS SELECT 1, 2", "create t a: b: derived", false),
    ("CREATE TABLE t OF ty (PRIMARY KEY (a))", "create t t_pkey(a)* derived", false),
    ("CREATE TABLE t (a int, EXCLUDE USING gist (a WITH =), FOREIGN KEY (a) REFERENCES u (b))", "create t a:int", true),
    (
        "CREATE TABLE t (a int, UNIQUE (a) INCLUDE (b) WITH (fillfactor = 70) USING INDEX TABLESPACE x, CONSTRAINT n NOT NULL a)",
        "create t a:int t_a_key(a)",
        false,
    ),
    (
        "CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME x) PRIMARY KEY)",
        "create t a:int t_pkey(a)*",
        false,
    ),
    ("CREATE TABLE {t} (søk int UNIQUE, \"é\" text)", "create {t} søk:int é:text {t}_søk_key(søk)", true),
    ("CREATE UNIQUE INDEX i ON t (a, b DESC NULLS LAST)", "key t i(a+b)", true),
    ("CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON s.t USING btree (a) WHERE b IS NULL", "key s.t i(a)?", true),
    ("CREATE UNIQUE INDEX ON t (a COLLATE \"C\", b)", "key t t_a_b_idx(a+b)", true),
    ("CREATE UNIQUE INDEX i ON t (lower(a))", "", true),
    ("CREATE UNIQUE INDEX i ON t (public.digest(a, 'x'))", "", true),
    ("CREATE UNIQUE INDEX i ON t ((a + 1))", "", true),
    ("CREATE UNIQUE INDEX i ON ONLY t (a)", "key t i(a)", false),
    ("CREATE UNIQUE INDEX i ON t (a text_pattern_ops) INCLUDE (b)", "key t i(a)", true),
    ("CREATE INDEX i ON t (a)", "", false),
    ("ALTER TABLE t ADD CONSTRAINT k PRIMARY KEY (a)", "key t k(a)*", true),
    (
        "ALTER TABLE ONLY s.t ADD UNIQUE (a, b), ADD COLUMN IF NOT EXISTS c uuid UNIQUE, ADD d int",
        "key s.t t_a_b_key(a+b); column s.t c:uuid; key s.t t_c_key(c); column s.t d:int",
        true,
    ),
    ("ALTER TABLE t ADD CONSTRAINT k UNIQUE (a) DEFERRABLE INITIALLY DEFERRED", "key t k(a)", true),
    ("ALTER TABLE t ADD CONSTRAINT k UNIQUE USING INDEX i", "rename key i k", true),
    ("ALTER TABLE t DROP CONSTRAINT IF EXISTS k CASCADE", "drop key t k", true),
    ("ALTER TABLE IF EXISTS t DROP COLUMN IF EXISTS a, DROP b", "drop column t a; drop column t b", true),
    ("ALTER TABLE t RENAME TO u", "rename t u", true),
    ("ALTER TABLE t RENAME COLUMN a TO b", "rename column t a b", true),
    ("ALTER TABLE t RENAME a TO b", "rename column t a b", true),
    ("ALTER TABLE t RENAME CONSTRAINT a TO b", "rename key a b", true),
    ("ALTER TABLE t ALTER COLUMN a SET NOT NULL, ADD CHECK (a > 0)", "", true),
    ("ALTER INDEX i RENAME TO j", "rename key i j", true),
    ("DROP TABLE IF EXISTS a, s.b CASCADE", "drop a; drop s.b", true),
    ("DROP INDEX CONCURRENTLY IF EXISTS s.i", "drop index s.i", false),
    ("DROP INDEX i, j", "drop index i; drop index j", true),
    ("DROP VIEW v", "", false),
    ("SELECT 1", "", false),
];

#[test]
fn both_readers_give_the_same_changes() {
    let found = |changes: Vec<Change>| changes.iter().map(short).collect::<Vec<_>>().join("; ");
    for (text, expected, accepted) in FORMS {
        let tree = tree(text);
        assert_eq!(&found(changes(&tree)), expected, "{text}");
        assert_eq!(&found(tokens::changes(&tree)), expected, "by tokens: {text}");
        let by_parser = ast::changes(&tree);
        assert_eq!(by_parser.is_some(), *accepted, "sqlparser: {text}");
        assert_eq!(&by_parser.map_or(String::from(*expected), found), expected, "{text}");
    }
}

#[test]
fn long_names_are_cut_as_postgresql_cuts_them() {
    let long = "x".repeat(60);
    let columns = vec!["y".repeat(60)];
    let name = default_name(&long, &columns, "key");
    assert_eq!(name, format!("{}_{}_key", "x".repeat(29), "y".repeat(29)));
    assert_eq!(default_name(&long, &[], "pkey"), format!("{}_pkey", "x".repeat(58)));
    assert!(default_name(&"é".repeat(60), &columns, "key").len() <= 63);
}

proptest! {
    #[test]
    fn nothing_panics(words in prop::collection::vec(prop::sample::select(vec![
        "create", "unique", "table", "index", "alter", "drop", "if", "not", "exists", "only", "t", "s", ".", "(", ")", ",",
        "a", "int", "primary", "key", "constraint", "add", "column", "rename", "to", "like", "including", "indexes",
        "partition", "of", "as", "select", "on", "using", "where", "inherits", "{x}", "\"é\"", "nulls", "distinct", ";",
    ]), 0..25), verb in 0..5usize) {
        let start = ["create table", "create unique index", "alter table", "drop table", "alter index"][verb];
        let text = format!("{start} {}", words.join(" "));
        let tree = tree(&text);
        changes(&tree);
        tokens::changes(&tree);
    }
}
