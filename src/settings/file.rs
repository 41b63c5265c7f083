//! The shape of `locklint.toml`, as serde reads it and as its JSON Schema tells it. What it means is checked beside.

use crate::finding::Level;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// What stands between the program and the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Whatever the tree itself shows.
    #[default]
    Auto,
    /// Nothing: every connection is a server session.
    None,
    /// A pooler that keeps a server session for as long as the client's connection.
    Session,
    /// A pooler that may change the server session at every transaction.
    Transaction,
}

/// Columns that together name at most one row of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UniqueKey {
    /// The table as written, with its schema where one was given.
    pub table: String,
    /// Its columns, in the order given.
    pub columns: Vec<String>,
}

/// What a rule is set to.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Setting {
    /// Stays silent.
    Off,
    /// Worth a look.
    Note,
    /// Wrong unless something outside the file makes it right.
    Warning,
    /// Wrong whatever the context.
    Error,
}

impl Setting {
    pub(super) const fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Note => Some(Level::Note),
            Self::Warning => Some(Level::Warning),
            Self::Error => Some(Level::Error),
        }
    }
}

/// A table of rule names, each with its place in the file.
pub(super) type Rules = BTreeMap<Spanned<String>, Setting>;

/// Settings of locklint for the files below the directory of this file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    /// What stands between the program and the server.
    #[serde(default)]
    pub(super) pooling: Pooling,
    /// Globs of files that are left out unless they are named, relative to this file. One without `/` matches at any
    /// depth.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) exclude: Vec<Spanned<String>>,
    /// Report on test code too.
    #[serde(default)]
    pub(super) include_tests: bool,
    /// The level of each rule: `off`, `note`, `warning` or `error`.
    #[serde(default)]
    #[schemars(schema_with = "rules_schema")]
    pub(super) rules: Rules,
    /// What the tree's own DDL does not show.
    #[serde(default)]
    pub(super) schema: SchemaTable,
    /// Other levels for some paths; a later one wins.
    #[serde(default)]
    pub(super) overrides: Vec<Override>,
}

/// What the tree's own DDL does not show.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaTable {
    /// Unique keys as `table(column, …)`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) unique: Vec<Spanned<String>>,
}

/// Other levels for some paths.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    /// Globs, relative to this file. One without `/` matches at any depth.
    #[schemars(with = "Vec<String>")]
    pub(super) paths: Vec<Spanned<String>>,
    /// The level of each rule there.
    #[schemars(schema_with = "rules_schema")]
    pub(super) rules: Rules,
}

/// Where [`rules_schema`] leaves the place for the names, which only the caller of [`schema`] knows.
const RULES: &str = "Rules";

fn rules_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": format!("#/$defs/{RULES}") })
}

/// The JSON Schema of the file, with the names of the rules and their summaries spelled out.
pub fn schema<'r>(rules: impl IntoIterator<Item = (&'r str, &'r str)>) -> serde_json::Value {
    let mut generator = SchemaGenerator::default();
    let setting = generator.subschema_for::<Setting>();
    let names: serde_json::Map<_, _> = rules
        .into_iter()
        .map(|(name, summary)| {
            let mut schema = setting.clone();
            schema.insert("description".to_owned(), summary.into());
            (name.to_owned(), schema.to_value())
        })
        .collect();
    let mut root = generator.into_root_schema_for::<File>();
    root.insert("title".to_owned(), "locklint.toml".into());
    let mut root = root.to_value();
    root["$defs"][RULES] = serde_json::json!({
        "type": "object",
        "properties": names,
        "additionalProperties": false,
    });
    root
}
