//! Files that hold SQL in something else: notebooks, templates, Markdown.

use crate::command::{run, run_with_input, tree};

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "source": ["SELECT pg_advisory_lock(1)"]
  },
  {
   "cell_type": "code",
   "outputs": [{"text": ["SELECT pg_advisory_lock(2)"]}],
   "source": [
    "import psycopg\n",
    "# it's é\u00e9\n",
    "with psycopg.connect(\"dbname=x\") as conn:\n",
    "    with conn.transaction():\n",
    "        conn.execute(f\"\"\"SELECT\n",
    "            pg_advisory_lock( hashtext('\\u00e9\"{x}') )\"\"\")\n",
    "        conn.execute(\"UPDATE \\\"job\\\" SET done = true\")"
   ]
  },
  {
   "cell_type": "code",
   "outputs": [],
   "source": "%%sql\nBEGIN;\nSELECT pg_advisory_lock(3);\nCOMMIT;"
  }
 ],
 "metadata": {},
 "nbformat": 4
}
"##;

/// Line, column and text of each finding, by the offsets and positions of the JSON format.
fn findings(tree: &std::path::Path, arguments: &str, text: &str) -> Vec<(u64, u64, String)> {
    let json = run(tree, &format!("check --format json --exit-zero {arguments}")).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let place = |at: &serde_json::Value, field: &str| at[field].as_u64().expect("a number");
    let findings = report["diagnostics"].as_array().expect("a list");
    let found = findings.iter().map(|finding| {
        let (start, end) = (place(&finding["start"], "offset"), place(&finding["end"], "offset"));
        let text = text[usize::try_from(start).expect("small")..usize::try_from(end).expect("small")].to_owned();
        (place(&finding["start"], "line"), place(&finding["start"], "column"), text)
    });
    found.collect()
}

/// Line and column of a piece of a text, counted again.
fn position(text: &str, piece: &str) -> (u64, u64, String) {
    let at = text.find(piece).expect("a piece of the text");
    let line = text[..at].matches('\n').count() as u64 + 1;
    let column = text[..at].rsplit('\n').next().expect("a line").chars().count() as u64 + 1;
    (line, column, piece.to_owned())
}

#[test]
fn a_notebook_is_read_where_its_code_stands() {
    let dir = tree(&[("a.ipynb", NOTEBOOK)]);
    let wanted = [r#"pg_advisory_lock( hashtext('\\u00e9\"{x}') )"#, "pg_advisory_lock(3)"];
    let wanted = wanted.map(|piece| position(NOTEBOOK, piece));
    assert_eq!(findings(dir.path(), ".", NOTEBOOK), wanted);
    let shown = run(dir.path(), "check").stdout;
    assert!(
        shown.contains(r#"16 │     "            pg_advisory_lock( hashtext('\\u00e9\"{x}') )\"\"\")\n","#),
        "{shown}"
    );
    // In one line, too.
    let value: serde_json::Value = serde_json::from_str(NOTEBOOK).expect("JSON");
    let line = value.to_string();
    let dir = tree(&[("a.ipynb", &line)]);
    let wanted = [r#"pg_advisory_lock( hashtext('\\u00e9\"{x}') )"#, "pg_advisory_lock(3)"];
    assert_eq!(findings(dir.path(), ".", &line), wanted.map(|piece| position(&line, piece)));
}

#[test]
fn a_notebook_is_mended_where_its_code_stands() {
    let dir = tree(&[("a.ipynb", NOTEBOOK)]);
    let found = run(dir.path(), "check --fix --exit-zero");
    let mended = std::fs::read_to_string(dir.path().join("a.ipynb")).expect("the file");
    assert_eq!(mended, NOTEBOOK.replace("pg_advisory_lock(3)", "pg_advisory_xact_lock(3)"), "{}", found.stdout);
}

#[test]
fn markdown_is_read_where_it_is_named() {
    let text = "é\n\n> ```sql\n> BEGIN;\n> SELECT pg_advisory_lock(1);\n> COMMIT;\n> ```\n\n```text\nBEGIN; SELECT pg_advisory_lock(2); COMMIT;\n```\n";
    let dir = tree(&[("docs/a.md", text)]);
    assert_eq!(findings(dir.path(), ".", text), []);
    assert_eq!(findings(dir.path(), "docs/a.md", text), [position(text, "pg_advisory_lock(1)")]);
    let found = run_with_input(dir.path(), "check - --stdin-filename b.MD --format concise", text);
    assert!(found.stdout.starts_with("b.MD:5:10: "), "{}", found.stdout);
    assert!(run(dir.path(), "check docs/a.md").code == 1);
}
