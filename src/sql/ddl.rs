//! What a statement changes in the catalog: tables, columns and unique keys. sqlparser reads it where it can; what it
//! rejects is read from the tokens.

mod ast;
mod tokens;

use crate::sql::clause::{Object, Tokens, Tree, Verb};
use crate::sql::lex::TokenKind;

/// The name of a table or an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The schema, where written.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type in lower case, as written; empty where none is.
    pub ty: String,
}

/// A unique key. Over an expression there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The constraint or index: its name, or the one that PostgreSQL gives it unless that is taken.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// It covers the rows of a WHERE alone.
    pub partial: bool,
    /// PRIMARY KEY
    pub primary: bool,
}

impl Key {
    /// The primary key of a table, with PostgreSQL's name for it.
    pub fn primary(table: &str, columns: Vec<String>) -> Self {
        Self { name: default_name(table, &[], "pkey"), columns, partial: false, primary: true }
    }

    /// A unique constraint or index of a table; without a name it gets PostgreSQL's for a constraint.
    pub fn unique(table: &str, name: Option<String>, columns: Vec<String>, partial: bool) -> Self {
        let name = name.unwrap_or_else(|| default_name(table, &columns, "key"));
        Self { name, columns, partial, primary: false }
    }
}

/// `LIKE table`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    /// The table whose columns it copies.
    pub table: Name,
    /// INCLUDING INDEXES, INCLUDING ALL: its keys, too.
    pub keys: bool,
}

/// CREATE TABLE
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTable {
    /// Its name.
    pub table: Name,
    /// The columns that are written.
    pub columns: Vec<Column>,
    /// Its keys.
    pub keys: Vec<Key>,
    /// Tables whose columns it copies.
    pub like: Vec<Like>,
    /// The table that it is a partition of: columns and keys are that one's.
    pub partition_of: Option<Name>,
    /// INHERITS: columns are those tables', keys are not.
    pub inherits: Vec<Name>,
    /// AS, EXECUTE or OF a type: there are columns that are not written.
    pub derived: bool,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
}

/// A change of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// CREATE TABLE
    CreateTable(CreateTable),
    /// A constraint or a unique index.
    AddKey {
        /// Of this table.
        table: Name,
        /// The key.
        key: Key,
    },
    /// ADD COLUMN; a key on it follows.
    AddColumn {
        /// To this table.
        table: Name,
        /// The column.
        column: Column,
    },
    /// DROP CONSTRAINT
    DropKey {
        /// Of this table.
        table: Name,
        /// Its name.
        constraint: String,
    },
    /// DROP COLUMN; keys over it go with it.
    DropColumn {
        /// Of this table.
        table: Name,
        /// Its name.
        column: String,
    },
    /// DROP TABLE
    DropTable(Name),
    /// DROP INDEX
    DropIndex(Name),
    /// RENAME TO of a table
    RenameTable {
        /// Its old name.
        table: Name,
        /// Its new name.
        to: String,
    },
    /// RENAME COLUMN
    RenameColumn {
        /// Of this table.
        table: Name,
        /// Its old name.
        column: String,
        /// Its new name.
        to: String,
    },
    /// RENAME CONSTRAINT, ALTER INDEX .. RENAME TO, and a constraint USING INDEX, which gives the index its name.
    RenameKey {
        /// Its old name.
        key: String,
        /// Its new name.
        to: String,
    },
}

/// What the statement changes, in order.
pub fn changes(tree: &Tree<'_>) -> Vec<Change> {
    let concerns_tables = matches!(
        tree.verb(),
        Verb::Create(Object::Table)
            | Verb::CreateIndex { unique: true, .. }
            | Verb::Alter(Object::Table | Object::Index)
            | Verb::Drop(Object::Table)
            | Verb::DropIndex
    );
    if !concerns_tables {
        return Vec::new();
    }
    ast::changes(tree).unwrap_or_else(|| tokens::changes(tree))
}

/// The name that PostgreSQL gives a key: at most 63 bytes, of which the longer part gives way.
fn default_name(table: &str, columns: &[String], suffix: &str) -> String {
    const MAX: usize = 63;
    let joined = columns.join("_");
    let between = usize::from(!joined.is_empty());
    let (mut first, mut second) = (table.len(), joined.len());
    while first + second + between + 1 + suffix.len() > MAX && first + second > 0 {
        if first > second {
            first -= 1;
        } else {
            second -= 1;
        }
    }
    let clip = |text: &str, mut end: usize| {
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text[..end].to_owned()
    };
    let mut name = clip(table, first);
    if between == 1 {
        name.push('_');
        name.push_str(&clip(&joined, second));
    }
    name.push('_');
    name.push_str(suffix);
    name
}

/// A key with its name; unnamed ones get PostgreSQL's.
fn key(table: &Name, name: Option<String>, columns: Vec<String>, kind: KeyKind) -> Key {
    let name = name.unwrap_or_else(|| match kind {
        KeyKind::Primary => default_name(&table.name, &[], "pkey"),
        KeyKind::Unique => default_name(&table.name, &columns, "key"),
        KeyKind::Index { .. } => default_name(&table.name, &columns, "idx"),
    });
    let partial = matches!(kind, KeyKind::Index { partial: true });
    Key { name, columns, partial, primary: kind == KeyKind::Primary }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Primary,
    Unique,
    Index { partial: bool },
}

/// The type that begins at `at`, up to the column's constraints.
fn type_name(tree: &Tree<'_>, at: usize, end: usize) -> String {
    const CONSTRAINTS: &[&str] = &[
        "check",
        "collate",
        "compression",
        "constraint",
        "default",
        "deferrable",
        "generated",
        "initially",
        "not",
        "null",
        "options",
        "primary",
        "references",
        "storage",
        "unique",
    ];
    let stop = tree
        .top(at..end)
        .find(|&index| {
            matches!(tree.kind(index), Some(TokenKind::Comma | TokenKind::RightParen | TokenKind::Semicolon))
                || CONSTRAINTS.contains(&tree.keyword(index))
        })
        .unwrap_or(end);
    let mut out = String::new();
    let mut after_word = false;
    for index in at..stop {
        let word = matches!(
            tree.kind(index),
            Some(TokenKind::Word | TokenKind::QuotedIdent | TokenKind::Hole | TokenKind::Number)
        );
        if word && after_word {
            out.push(' ');
        }
        match tree.kind(index) {
            Some(TokenKind::Word) => out.push_str(tree.word(index)),
            _ => out.push_str(tree.raw(index)),
        }
        after_word = word || tree.kind(index) == Some(TokenKind::RightParen);
    }
    out
}

/// The name that begins at `at`, and the index of what follows.
fn name_at(tree: &Tree<'_>, mut at: usize, end: usize) -> Option<(Name, usize)> {
    let ident = |at: usize| (at < end).then(|| tree.ident(at)).flatten().map(|name| name.into_owned());
    let mut name = Name { schema: None, name: ident(at)? };
    at += 1;
    while at < end && tree.kind(at) == Some(TokenKind::Dot) {
        name = Name { schema: Some(name.name), name: ident(at + 1)? };
        at += 2;
    }
    Some((name, at))
}

/// The index after `words` where they stand at `at`.
fn skip(tree: &Tree<'_>, at: usize, words: &[&str]) -> usize {
    if tree.is(at, words) { at + words.len() } else { at }
}

/// The column that a key element names, unless it is an expression: a name, then nothing that makes it a call.
fn key_column(tree: &Tree<'_>, element: &Tokens) -> Option<String> {
    let (name, after) = name_at(tree, element.start, element.end)?;
    let call = after < element.end && tree.kind(after) == Some(TokenKind::LeftParen);
    (!call && name.schema.is_none()).then_some(name.name)
}

#[cfg(test)]
mod tests;
