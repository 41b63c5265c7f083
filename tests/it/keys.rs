//! `locklint keys`: the list, and the way from a row of pg_locks to a line.

use crate::command::{run, run_with_input, tree};
use serde_json::Value;

const FILES: &[(&str, &str)] = &[
    (
        "billing.sql",
        "SELECT pg_advisory_lock(5501);\nUPDATE invoice SET done = true;\nSELECT pg_advisory_unlock(5501);\n",
    ),
    ("stock.sql", "BEGIN;\nSELECT pg_advisory_xact_lock(5501);\nUPDATE parcel SET done = true;\nCOMMIT;\n"),
    (
        "jobs.py",
        "import psycopg\nSEND = 8101\n\ndef send(dsn, uid):\n    with psycopg.connect(dsn) as conn:\n        \
         conn.execute(\"SELECT pg_try_advisory_xact_lock_shared(%s, %s)\", (SEND, uid))\n        \
         conn.execute(\"SELECT pg_advisory_xact_lock(hashtext('it''s'))\")\n",
    ),
];

fn json(directory: &std::path::Path, arguments: &str) -> Value {
    let run = run(directory, &format!("keys --format json {arguments}"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn keys_are_listed_for_people() {
    let tree = tree(FILES);
    let run = run(tree.path(), "keys");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.stdout,
        "the (bigint) space
  5501  [0:5501:1]
    billing.sql:1:8  pg_advisory_lock
    billing.sql:3:8  pg_advisory_unlock
    stock.sql:2:8  pg_advisory_xact_lock
  hashtext('it''s')  = 662744539 [0:662744539:1]
    jobs.py:7:30  pg_advisory_xact_lock  in send

the (integer, integer) space
  (8101, uid)
    jobs.py:6:30  pg_try_advisory_xact_lock_shared  in send  as SEND

collisions
  key 5501 is also taken by a unit that touches none of the same tables: each blocks the other
    billing.sql:1:8
    stock.sql:2:8

3 keys, 2 literal, 5 calls, 1 collision
"
    );
}

#[test]
fn a_row_leads_to_its_lines() {
    let tree = tree(FILES);
    let decode = |rows: &str| run(tree.path(), &format!("keys --decode {rows}"));
    let found = decode("8101:7:2,0:662744539:1");
    assert_eq!(
        found.stdout,
        "8101:7:2 is key (8101, 7) in the (integer, integer) space
  class    (8101, uid): jobs.py:6:30  pg_try_advisory_xact_lock_shared  in send  as SEND

0:662744539:1 is key 662744539 in the (bigint) space
  exact    hashtext('it''s'): jobs.py:7:30  pg_advisory_xact_lock  in send
"
    );
    assert!(decode("0:5501:2").stdout.contains("nothing here takes it"));
    for (rows, said) in [("1:2", "`1:2` is no classid:objid:objsubid"), ("0:1:3", "such as 0:42:1 or 8101:7:2")] {
        let run = decode(rows);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{rows}");
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let psql = " classid | objid | objsubid \n---------+-------+----------\n       0 |  5501 |        1\n(1 row)\n";
    let piped = run_with_input(tree.path(), "keys --decode -", psql);
    assert!(piped.stdout.starts_with("0:5501:1 is key 5501 in the (bigint) space\n  exact    5501: billing.sql:1:8"));
    assert_eq!(run_with_input(tree.path(), "keys --decode -", "nothing\n").code, 2);
}

#[test]
fn the_object_is_as_documented() {
    let tree = tree(FILES);
    let found = json(tree.path(), "--decode 0:5501:1");
    assert_eq!((&found["schema"], &found["tool"]["name"]), (&Value::from(1), &Value::from("locklint")));
    let keys: Vec<&Value> = found["keys"].as_array().unwrap().iter().map(|key| &key["key"]).collect();
    assert_eq!(keys, ["5501", "hashtext('it''s')", "(8101, uid)"]);
    assert_eq!(found["keys"][1]["values"], serde_json::json!([662744539]));
    assert_eq!(found["keys"][1]["row"], "0:662744539:1");
    assert_eq!((&found["keys"][2]["values"], &found["keys"][2]["row"]), (&Value::Null, &Value::Null));
    let used = &found["keys"][2]["uses"][0];
    for (field, value) in [
        ("function", "pg_try_advisory_xact_lock_shared"),
        ("action", "try"),
        ("scope", "transaction"),
        ("mode", "shared"),
        ("path", "jobs.py"),
        ("unit", "send"),
        ("constant", "SEND"),
    ] {
        assert_eq!(used[field], value);
    }
    assert_eq!((&used["start"]["line"], &used["via"]), (&Value::from(6), &Value::Null));
    assert_eq!(found["decoded"][0]["matches"].as_array().unwrap().len(), 3);
    assert_eq!(found["decoded"][0]["matches"][0]["fit"], "exact");
    assert_eq!(found["collisions"][0]["places"].as_array().unwrap().len(), 2);
    assert!(json(tree.path(), "").get("decoded").is_none());
    // Every field that is written is described.
    let described = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.md")).unwrap();
    let mut open = vec![&found];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let named = [format!("`{name}`"), format!("`{name}[]`"), format!("`tool.{name}`")];
                    assert!(named.iter().any(|name| described.contains(name)), "{name}");
                    open.push(value);
                }
            }
            Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
}

#[test]
fn test_code_and_other_paths_are_left_out() {
    let tree =
        tree(&[("a.sql", "SELECT pg_advisory_xact_lock(1);\n"), ("tests/b.sql", "SELECT pg_advisory_xact_lock(2);\n")]);
    let listed = |arguments: &str| run(tree.path(), &format!("keys {arguments}")).stdout;
    assert!(!listed("").contains("tests/b.sql") && listed("--include-tests").contains("tests/b.sql:1:8"));
    assert!(!listed("--exclude a.sql").contains("a.sql"));
    assert_eq!(listed("--exclude a.sql"), "0 keys, 0 literal, 0 calls, 0 collisions\n");
    // Test code is what a report takes for it, and what the configuration says of it holds for the query too.
    let checks = "import psycopg\nimport pytest\n\ndef check(conn: psycopg.Connection):\n    conn.execute(\"SELECT pg_advisory_xact_lock(3)\")\n";
    std::fs::write(tree.path().join("checks.py"), checks).unwrap();
    let named = |key: &str| run(tree.path(), "monitor").stdout.contains(&format!("w.objid::bigint = {key} THEN"));
    assert_eq!((listed("").contains("checks.py"), named("1"), named("2"), named("3")), (false, true, false, false));
    std::fs::write(tree.path().join("locklint.toml"), "include-tests = true\n").unwrap();
    assert!(listed("").contains("checks.py:5:26") && listed("").contains("tests/b.sql:1:8"), "{}", listed(""));
    assert_eq!(["1", "2", "3"].map(named), [true; 3]);
}

#[test]
fn keys_with_holes_are_shown_as_the_source_has_them() {
    let python = "\
def work(conn, name, key):
    conn.execute(f\"SELECT pg_advisory_lock(hashtext('{name}'))\")
    conn.execute(f\"SELECT pg_advisory_lock(7, {key.id})\")
";
    let script =
        "export const work = (client, key) => client.query(`SELECT pg_advisory_lock(hashtext('job:${key}'))`);\n";
    let tree = tree(&[("a.py", python), ("a.js", script)]);
    let told = run(tree.path(), "keys").stdout;
    for shown in ["\n  hashtext('{name}')\n", "\n  7, {key.id}\n", "\n  hashtext('job:${key}')\n"] {
        assert!(told.contains(shown), "{shown}\n{told}");
    }
    let told = run(tree.path(), "check --why a.py:2").stdout;
    assert!(told.contains("with the bigint key hashtext('{name}')\n"), "{told}");
}

#[test]
fn a_test_does_not_collide_with_what_it_tests() {
    let lock = "SELECT pg_advisory_lock(7);\nUPDATE a SET b = 1;\nSELECT pg_advisory_unlock(7);\n";
    let other = lock.replace("UPDATE a", "UPDATE c");
    let tree = tree(&[("a.sql", lock), ("tests/b.sql", &other), ("tests/c.sql", lock)]);
    assert!(!run(tree.path(), "keys").stdout.contains("\ncollisions\n"));
    assert!(run(tree.path(), "keys --include-tests").stdout.contains("\ncollisions\n"));
}
