//! What psql does with a script: its variables, and the commands that run something.

use crate::document::Document;
use crate::flow::Action;
use crate::sql::clause::Verb;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::split::{Piece, Terminator};
use crate::sql::value::Value;
use crate::statement::{Statement, Variable, Variables};
use std::collections::HashMap;

/// psql commands after which the result of the statement before them is fed on, not shown.
const KEEPS: &[&str] = &["\\gexec", "\\watch", "\\if", "\\elif"];

pub(super) fn is_kept(document: &Document<'_>, pieces: &[Piece], index: usize, last_read: usize) -> bool {
    pieces[index].end == Terminator::PsqlCommand
        && pieces.get(index + 1).is_some_and(|next| {
            let command = document.tokens[next.tokens.start].span();
            let text = document.region.text().get(command.range()).unwrap_or_default();
            KEEPS.iter().any(|known| text.starts_with(known)) || text.starts_with("\\gset") && command.end < last_read
        })
}

/// Where the last variable of psql is read: what `\gset` keeps after that is kept for nobody.
pub(super) fn last_read(document: &Document<'_>) -> usize {
    let text = |token: &Token| document.region.text().get(token.span().range()).unwrap_or_default();
    let reads = |token: &&Token| match token.kind {
        // Another script may read it.
        TokenKind::PsqlCommand if text(token).starts_with("\\i") => true,
        TokenKind::PsqlCommand | TokenKind::Param | TokenKind::Hole => text(token).contains(':'),
        _ => false,
    };
    document.tokens.iter().rfind(reads).map_or(0, |token| token.span().start)
}

/// What a psql command does to the flow.
pub(super) fn action(statement: &Statement<'_>) -> Option<Action> {
    let Verb::Psql(command) = statement.tree.verb() else {
        return None;
    };
    match command.as_str() {
        "c" | "connect" | "q" | "quit" => Some(Action::EndSession),
        "i" | "ir" | "include" | "include_relative" | "gexec" => {
            Some(Action::Work { reads: Vec::new(), writes: Vec::new() })
        }
        _ => None,
    }
}

/// The variables that `\set` gives an integer and nothing else gives anything, as statements spell them: `:name`.
pub(super) fn constants(document: &Document<'_>) -> Variables {
    let text = document.region.text();
    let commands = document.tokens.iter().filter(|token| token.kind == TokenKind::PsqlCommand);
    let mut set: HashMap<&str, Option<i128>> = HashMap::new();
    for command in commands {
        let words: Vec<&str> = text.get(command.span().range()).unwrap_or_default().split_whitespace().collect();
        match words[..] {
            ["\\set", name, value] if !set.contains_key(name) => {
                set.insert(name, value.parse().ok());
            }
            // `\prompt text name`, `\set name several words`.
            ["\\set" | "\\unset" | "\\getenv" | "\\prompt", name, .., last] => {
                set.insert(name, None);
                set.insert(last, None);
            }
            ["\\set" | "\\unset" | "\\getenv" | "\\prompt", name] => {
                set.insert(name, None);
            }
            // What these set is not seen, or in which case.
            [command, ..] if ["\\gset", "\\i", "\\if"].iter().any(|known| command.starts_with(known)) => {
                return Variables::new();
            }
            _ => {}
        }
    }
    let known = set.into_iter().filter_map(|(name, value)| {
        Some((format!(":{name}"), Variable { ty: None, value: Some(Value::Integer(value?)) }))
    });
    known.collect()
}
