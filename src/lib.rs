//! locklint: a static linter for PostgreSQL locking mistakes.

pub mod discover;
pub mod emit;
pub mod error;
pub mod finding;
pub mod language;
pub mod lint;
pub mod paths;
pub mod project;
pub mod region;
pub mod rule;
pub mod rules;
pub mod settings;
pub mod source;
pub mod span;
pub mod sql;
pub mod suppress;
