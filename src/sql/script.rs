//! Who runs a script, and in which transaction: the marks of migration runners and query compilers, and their layouts.
//!
//! Each row of [`RUNNERS`] says where its claim comes from in the page `rules/xact-lock-outside-transaction.md`.

mod marks;

use crate::span::SqlSpan;
use crate::sql::lex::{Token, TokenKind};

/// What is known of the transaction in which a section's statements run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surroundings {
    /// Each statement by itself: a psql script, or a runner that was told to use no transaction.
    Autocommit {
        /// The file says so: a runner's opt-out. psql's default can still be changed from outside (`psql -1`).
        evident: bool,
    },
    /// The runner opens a transaction around the section.
    Runner,
    /// The runner sends the section as one string, which is one implicit transaction unless it holds BEGIN or COMMIT.
    OneString,
    /// The caller's affair: a named query, a migration of a runner that is not known.
    Unknown,
}

/// What a section is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// Statements in order, by psql or a runner; the session ends, or is the runner's own.
    Script {
        /// The runner, where one is recognised.
        runner: Option<&'static str>,
    },
    /// One query that host code calls by name (sqlc, PgTyped, aiosql, HugSQL).
    Query {
        /// What the caller expects back.
        expects: Expects,
    },
}

/// What the caller of a named query expects back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// One row.
    One,
    /// Any number of rows.
    Many,
    /// No rows: the result is thrown away.
    Nothing,
    /// The compiler does not say.
    Unknown,
}

/// A stretch of a script with one flow of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// Its name: a query's name, `up` or `down`, empty for a whole file.
    pub name: String,
    /// Its bytes.
    pub span: SqlSpan,
    /// The transaction around it.
    pub surroundings: Surroundings,
}

/// The sections of the script at `path` (with `/`), in order; they tile the text.
pub fn sections(path: &str, text: &str, tokens: &[Token]) -> Vec<Section> {
    let marks: Vec<marks::Mark> = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .filter_map(|token| {
            marks::read(&text[token.span.range()]).map(|kind| marks::Mark { kind, at: token.span.start })
        })
        .collect();
    let base = marks::layout(path).unwrap_or_else(|| default_for(path));
    marks::cut(&marks, base, text.len())
}

/// Directories whose files are run by something that this tool does not know.
const MIGRATION_DIRECTORIES: &[&str] = &["migrations", "migration", "migrate", "changelog", "changelogs", "deploy"];

fn default_for(path: &str) -> Section {
    let in_migrations = path
        .rsplit('/')
        .skip(1)
        .any(|directory| MIGRATION_DIRECTORIES.iter().any(|name| directory.eq_ignore_ascii_case(name)));
    let surroundings = if in_migrations { Surroundings::Unknown } else { Surroundings::Autocommit { evident: false } };
    Section { kind: SectionKind::Script { runner: None }, name: String::new(), span: SqlSpan::new(0, 0), surroundings }
}

#[cfg(test)]
mod tests;
