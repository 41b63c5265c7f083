//! DDL of SQL files, ways back left out.

use crate::language::Language;
use crate::source::Source;
use crate::sql::clause::{Entry, Tree};
use crate::sql::ddl::{Change, changes};
use crate::sql::lex::lex;
use crate::sql::script::sections;
use crate::sql::split::split;
use std::sync::Arc;

/// The changes of one file, statement by statement.
pub(super) fn read(path: &Arc<str>, content: Vec<u8>) -> Vec<Change> {
    let Ok(source) = Source::new(Arc::clone(path), Language::Sql, content) else { return Vec::new() };
    let text = &source.text()[source.bom()..];
    let tokens = lex(text);
    let sections = sections(path, text, &tokens, None);
    let mut found = Vec::new();
    for piece in split(text, &tokens) {
        let statement = &tokens[piece.tokens.clone()];
        let Some(first) = statement.first() else { continue };
        let at = first.span().start;
        let undone = sections.iter().any(|s| s.name == "down" && (s.span.start..s.span.end).contains(&at));
        let word = text.get(first.span().range()).unwrap_or_default();
        if undone || !["create", "alter", "drop"].iter().any(|verb| word.eq_ignore_ascii_case(verb)) {
            continue;
        }
        found.extend(changes(&Tree::build(text, statement, Entry::Statement)));
    }
    found
}
