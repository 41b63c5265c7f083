//! DDL in the string literals of host code: what migrations and set-up code send as it stands.

use super::is_undoing;
use crate::host::{Host, Literal, is_stand_in};
use crate::span::SqlSpan;
use crate::sql::clause::{Entry, Tree};
use crate::sql::ddl::{Change, changes};
use crate::sql::lex::lex_with_holes;
use crate::sql::split::split;

/// The changes that a file's literals make, in the order of the text.
pub(super) fn read(host: &Host<'_>) -> Vec<Change> {
    let applied = host.literals.iter().filter(|literal| !literal.documentation && !undoes(host, literal));
    applied.flat_map(of_literal).collect()
}

/// Whether a literal is the way back of a migration, by the function or the name that holds it.
fn undoes(host: &Host<'_>, literal: &Literal<'_>) -> bool {
    let function = literal.function.and_then(|at| host.functions.get(at)).map(|function| function.name);
    function.into_iter().chain(literal.binding).any(is_undoing)
}

fn of_literal(literal: &Literal<'_>) -> Vec<Change> {
    let text = literal.region.text();
    let holes: Vec<SqlSpan> = literal.region.holes().collect();
    let tokens = lex_with_holes(text, &holes);
    let first = tokens.iter().find(|token| !token.kind.is_trivia()).and_then(|token| text.get(token.span().range()));
    if !first.is_some_and(|word| ["create", "alter", "drop"].iter().any(|verb| word.eq_ignore_ascii_case(verb))) {
        return Vec::new();
    }
    let pieces = split(text, &tokens);
    let all =
        pieces.iter().flat_map(|piece| changes(&Tree::build(text, &tokens[piece.tokens.clone()], Entry::Statement)));
    all.filter(is_named).collect()
}

/// Whether the names in a change are names, and not what is put in at run time.
fn is_named(change: &Change) -> bool {
    let plain = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '-'))
            && !is_stand_in(name)
    };
    match change {
        Change::CreateTable(create) => {
            plain(&create.table.name) && create.keys.iter().all(|key| key.columns.iter().all(|column| plain(column)))
        }
        Change::AddKey { table, key } => plain(&table.name) && key.columns.iter().all(|column| plain(column)),
        Change::AddColumn { table, .. }
        | Change::DropKey { table, .. }
        | Change::DropColumn { table, .. }
        | Change::DropTable(table)
        | Change::RenameTable { table, .. }
        | Change::RenameColumn { table, .. } => plain(&table.name),
        Change::DropIndex(_) | Change::RenameKey { .. } => true,
    }
}
