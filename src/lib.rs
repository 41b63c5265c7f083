//! locklint: a static linter for PostgreSQL locking mistakes.

pub mod analysis;
pub mod cli;
pub mod discover;
pub mod document;
pub mod emit;
pub mod error;
pub mod facts;
pub mod finding;
mod fingerprint;
pub mod flow;
pub mod host;
pub mod language;
pub mod lint;
pub mod paths;
pub mod prefilter;
pub mod project;
pub mod region;
pub mod rule;
pub mod rules;
pub mod settings;
pub mod source;
pub mod span;
pub mod sql;
pub mod statement;
pub mod suppress;
