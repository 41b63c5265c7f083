//! Tables and keys: from the DDL of SQL files, and from schemas, models and migrations of frameworks, each read by a file of its
//! own into the changes that the same DDL would make. What is not understood gives no key.
//!
//! A framework is a row of [`READERS`]; a file is parsed once, and only when a row's marker is in it.

mod code;
mod django;
mod drizzle;
mod ecto;
mod jpa;
mod knex;
mod laravel;
mod prisma;
mod python;
mod rails;
mod script;
mod sqlalchemy;
mod strings;
#[cfg(test)]
mod tests;
mod typeorm;

use crate::host;
use crate::language::{HostLanguage, Language, is_test};
use crate::prefilter::{self, Names};
use crate::source::Source;
use crate::sql::ddl::Change;
use code::Code;
use regex::bytes::Regex;
use std::sync::{Arc, OnceLock};
use tree_sitter::Node;

/// How one framework declares tables.
struct Reader {
    /// The languages that it is used from.
    languages: &'static [HostLanguage],
    /// What stands in every file that declares something.
    marker: &'static str,
    /// Whether the order of its files is not the order of their paths.
    unordered: bool,
    /// Whether it puts names of tables together: `shop` and `Order` make `shop_order`.
    in_parts: bool,
    read: fn(&Code<'_>, Node<'_>) -> Vec<Change>,
}

const READERS: [Reader; 9] = [
    django::READER,
    drizzle::READER,
    ecto::READER,
    jpa::READER,
    knex::READER,
    laravel::READER,
    rails::READER,
    sqlalchemy::READER,
    typeorm::READER,
];

/// What a file declares.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// In the order of the file.
    pub(super) changes: Vec<Change>,
    /// What goes, whichever file comes first: the order of the files is not known.
    pub(super) drops: Vec<Change>,
    /// Whether the file is test code, which says something of tables that nothing else declares, and takes none back.
    pub(super) in_tests: bool,
}

/// Whether a content may declare any table at all.
pub(super) fn may_declare(path: &str, language: Language, content: &[u8]) -> bool {
    let may = match language {
        Language::Host(language) => {
            let is_marked = (0..READERS.len()).any(|at| is_marked(at, language, content));
            (is_marked || prefilter::may_declare(content)) && !prefilter::is_bundle(path, content)
        }
        Language::Sql => prefilter::may_define(content),
        Language::Prisma => true,
        Language::Markdown | Language::Config(_) | Language::Expected => false,
    };
    may && prefilter::is_ours(path, content)
}

/// What a file that may declare a table declares, if it may name one of the tables or keys that are asked for.
pub(super) fn read(path: &Arc<str>, language: Language, content: &[u8], names: &Names) -> Option<Declared> {
    let mut declared = Declared { in_tests: is_test(path), ..Declared::default() };
    match language {
        Language::Host(of) => return host(path, of, content, names, declared),
        _ if !names.is_in(content, false) => return None,
        Language::Prisma => declared.changes = prisma::read(&String::from_utf8_lossy(content)),
        Language::Sql => declared.changes = script::read(path, content.to_vec()),
        Language::Markdown | Language::Config(_) | Language::Expected => {}
    }
    Some(declared)
}

fn host(
    path: &Arc<str>,
    language: HostLanguage,
    content: &[u8],
    names: &Names,
    mut declared: Declared,
) -> Option<Declared> {
    let readers: Vec<&Reader> = (0..READERS.len()).filter(|&at| is_marked(at, language, content)).map(row).collect();
    if !names.is_in(content, readers.iter().any(|reader| reader.in_parts)) {
        return None;
    }
    let has_ddl = prefilter::may_declare(content);
    let unordered = readers.iter().any(|reader| reader.unordered);
    let source = Source::new(Arc::clone(path), Language::Host(language), content.to_vec()).ok()?;
    let texts = has_ddl.then(|| host::read(&source));
    let own = if has_ddl { None } else { host::tree(source.text(), language) };
    if let Some(tree) = texts.as_ref().and_then(|host| host.syntax.tree()).or(own.as_ref()) {
        let code = Code { path, text: source.text() };
        for reader in readers {
            let changes = (reader.read)(&code, tree.root_node());
            if reader.unordered {
                declared.drops.extend(changes.iter().filter(|change| takes_away(change)).cloned());
            }
            declared.changes.extend(changes);
        }
    }
    if let Some(host) = texts {
        let changes = strings::read(&host);
        if unordered {
            declared.drops.extend(changes.iter().filter(|change| takes_away(change)).cloned());
        }
        declared.changes.extend(changes);
    }
    Some(declared)
}

/// Functions, methods and names, word by word, that take a schema back.
const UNDOING: &[&str] = &["down", "downgrade", "revert", "rollback", "teardown"];

/// Whether a name says that what it holds is the way back of a migration: it begins or ends with a word that does.
fn is_undoing(name: &str) -> bool {
    let words = code::snake(name);
    let undoes = |word: Option<&str>| word.is_some_and(|word| UNDOING.contains(&word));
    undoes(words.split('_').next()) || undoes(words.rsplit('_').next())
}

fn row(at: usize) -> &'static Reader {
    &READERS[at]
}

/// Whether a file in a language holds the marker of a row.
fn is_marked(at: usize, language: HostLanguage, content: &[u8]) -> bool {
    static MARKERS: [OnceLock<Option<Regex>>; READERS.len()] = [const { OnceLock::new() }; READERS.len()];
    let reader = row(at);
    let marker = || MARKERS[at].get_or_init(|| Regex::new(&format!("(?-u){}", reader.marker)).ok());
    reader.languages.contains(&language) && marker().as_ref().is_none_or(|marker| marker.is_match(content))
}

/// Whether a change takes something back.
pub(super) fn takes_away(change: &Change) -> bool {
    matches!(change, Change::DropKey { .. } | Change::DropColumn { .. } | Change::DropTable(_) | Change::DropIndex(_))
}

/// The table that a change adds to.
pub(super) fn adds_to(change: &Change) -> Option<&str> {
    match change {
        Change::CreateTable(create) => Some(&create.table.name),
        Change::AddKey { table, .. } | Change::AddColumn { table, .. } => Some(&table.name),
        _ => None,
    }
}
