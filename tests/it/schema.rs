//! The committed JSON Schema is the one that the code makes. `UPDATE=1 cargo test schema` writes it anew.

use locklint::rules::RULES;
use locklint::settings;
use std::fs;

#[test]
fn the_schema_of_the_configuration_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/locklint.schema.json");
    let schema = settings::schema(RULES.iter().map(|rule| (rule.name, rule.summary())));
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, &text).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert!(committed == text, "locklint.schema.json is out of date; write it anew with UPDATE=1");
}
