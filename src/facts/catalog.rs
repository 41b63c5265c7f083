//! The tables of the tree and their unique keys, as its DDL and its frameworks' declarations leave them: every file in the
//! order of its path, which is the order of migrations, down sections left out.

use super::schema::{self, Declared};
use crate::fence::fenced;
use crate::finding::{FileId, Notice};
use crate::language::Language;
use crate::prefilter::Names;
use crate::project::{Project, ProjectFile};
use crate::settings::Settings;
use crate::sql::ddl::{Change, CreateTable, Key, Name};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its columns, lower case where not quoted.
    pub columns: Vec<String>,
    /// Whether it may have columns that the tree does not show.
    pub open: bool,
    /// Its unique keys.
    keys: Vec<Key>,
}

impl Table {
    /// Whether a column is known to be, or known not to be, one of the table's.
    pub fn has(&self, column: &str) -> Option<bool> {
        let found = self.columns.iter().any(|known| known == column);
        (found || !self.open).then_some(found)
    }

    /// The first whole key among columns for which `fixed` holds.
    pub fn key(&self, fixed: impl Fn(&str) -> bool) -> Option<&[String]> {
        self.keys
            .iter()
            .filter(|key| !key.partial && !key.columns.is_empty())
            .find(|key| key.columns.iter().all(|column| fixed(column)))
            .map(|key| key.columns.as_slice())
    }

    /// The last columns of its keys of several columns, which go from the whole to the part.
    pub fn last_of_keys(&self) -> impl Iterator<Item = &str> {
        let keys = self.keys.iter().filter(|key| !key.partial && key.columns.len() > 1);
        keys.filter_map(|key| key.columns.last().map(String::as_str))
    }

    /// Whether its keys are known: some are, and where columns may be missing, the primary key is among them.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty() && (!self.open || self.keys.iter().any(|key| key.primary))
    }
}

/// The tables, by their name without schema. Two schemas' tables of one name are one table with the keys of both, which
/// may call a column unique that is so in one of them alone.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tables: HashMap<String, Table>,
    /// The names that keys have, or had: most indexes that are dropped are none.
    names: HashSet<String>,
    /// Where reading failed.
    pub troubles: Vec<Notice>,
}

impl Catalog {
    /// What the tree says of some tables, with what settings declare. Of a large tree little is read: files that name none
    /// of them are not parsed.
    pub fn read(project: &dyn Project, settings: &Settings, tables: BTreeSet<String>) -> Self {
        let (all, troubles) = declared(project, tables);
        let mut catalog = Self { troubles, ..Self::default() };
        let (tests, all): (Vec<_>, Vec<_>) = all.into_iter().partition(|declared| declared.in_tests);
        let mut drops = Vec::new();
        for declared in all {
            declared.changes.into_iter().for_each(|change| catalog.apply(change));
            drops.extend(declared.drops);
        }
        drops.into_iter().for_each(|change| catalog.apply(change));
        let known: HashSet<String> = catalog.tables.keys().cloned().collect();
        for change in tests.into_iter().flat_map(|declared| declared.changes) {
            if schema::adds_to(&change).is_some_and(|table| !known.contains(table)) {
                catalog.apply(change);
            }
        }
        for key in settings.unique_keys() {
            let table =
                catalog.tables.entry(key.table.clone()).or_insert_with(|| Table { open: true, ..Table::default() });
            table.keys.push(Key { name: String::new(), columns: key.columns.clone(), partial: false, primary: false });
        }
        catalog
    }

    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::CreateTable(create) => self.create(create),
            Change::AddKey { table, key } => {
                self.names.insert(key.name.clone());
                self.entry(table).keys.push(key);
            }
            Change::AddColumn { table, column } => self.entry(table).columns.push(column.name),
            Change::DropKey { table, constraint } => {
                self.entry(table).keys.retain(|key| key.name != constraint);
            }
            Change::DropIndex(Name { name, .. }) if !self.names.contains(&name) => {}
            Change::DropIndex(Name { name, .. }) => {
                for table in self.tables.values_mut() {
                    table.keys.retain(|key| key.name != name);
                }
            }
            Change::DropColumn { table, column } => {
                let table = self.entry(table);
                table.columns.retain(|known| *known != column);
                table.keys.retain(|key| !key.columns.contains(&column));
            }
            Change::DropTable(Name { name, .. }) => {
                self.tables.remove(&name);
            }
            Change::RenameTable { table, to } => {
                if let Some(table) = self.tables.remove(&table.name) {
                    self.tables.insert(to, table);
                }
            }
            Change::RenameColumn { table, column, to } => {
                let table = self.entry(table);
                let names = table.columns.iter_mut().chain(table.keys.iter_mut().flat_map(|key| &mut key.columns));
                for name in names.filter(|name| **name == column) {
                    name.clone_from(&to);
                }
            }
            Change::RenameKey { key, .. } if !self.names.contains(&key) => {}
            Change::RenameKey { key, to } => {
                self.names.insert(to.clone());
                let keys = self.tables.values_mut().flat_map(|table| &mut table.keys);
                for known in keys.filter(|known| known.name == key) {
                    known.name.clone_from(&to);
                }
            }
        }
    }

    /// A table that is changed before it is created stands in a schema dump that this tree does not hold.
    fn entry(&mut self, table: Name) -> &mut Table {
        self.tables.entry(table.name).or_insert_with(|| Table { open: true, ..Table::default() })
    }

    fn create(&mut self, create: CreateTable) {
        self.names.extend(create.keys.iter().map(|key| key.name.clone()));
        let mut table = Table {
            columns: create.columns.into_iter().map(|column| column.name).collect(),
            open: create.derived,
            keys: create.keys,
        };
        let parents = create.like.iter().map(|like| (&like.table, like.keys));
        let parents = parents.chain(create.partition_of.iter().map(|parent| (parent, true)));
        for (parent, keys) in parents.chain(create.inherits.iter().map(|parent| (parent, false))) {
            match self.tables.get(&parent.name) {
                Some(known) => {
                    table.columns.extend(known.columns.iter().cloned());
                    table.open |= known.open;
                    if keys {
                        table.keys.extend(known.keys.iter().cloned());
                    }
                }
                None => table.open = true,
            }
        }
        match self.tables.get_mut(&create.table.name) {
            // `IF NOT EXISTS`, another schema, or another dump of the same table.
            Some(known) => {
                known.columns.extend(table.columns);
                known.keys.extend(table.keys);
                known.open |= table.open;
            }
            None => {
                self.tables.insert(create.table.name, table);
            }
        }
    }
}

/// How often files are read again for a table that had another name, or takes columns of another.
const MAX_ROUNDS: usize = 8;

/// Whether a content may declare a table or a key at all.
pub fn may_declare(file: &ProjectFile, content: &[u8]) -> bool {
    schema::may_declare(&file.path, file.language, content)
}

/// What is known of a file.
enum Known {
    /// It declares nothing.
    Nothing,
    /// It declares something, and names nothing that was asked for so far.
    Other,
    Declared(Declared),
    /// Reading it failed.
    Failed(Notice),
}

/// What the files declare that may name one of `tables`, in the order of their paths.
fn declared(project: &dyn Project, tables: BTreeSet<String>) -> (Vec<Declared>, Vec<Notice>) {
    let mut found: Vec<Known> = project.files().iter().map(|_| Known::Other).collect();
    let (mut wanted, mut asked) = (tables.clone(), tables);
    for _ in 0..MAX_ROUNDS {
        let names = Names::new(wanted.iter().map(String::as_str));
        let others = found.par_iter_mut().enumerate().filter(|(_, known)| matches!(known, Known::Other));
        others.for_each_init(Vec::new, |buffer, (index, known)| {
            let path = &project.files()[index].path;
            *known = fenced(path, || look(project, index, &names, buffer)).unwrap_or_else(Known::Failed);
        });
        let declared = found.iter().filter_map(|known| match known {
            Known::Declared(declared) => Some(declared),
            _ => None,
        });
        let changes = declared.flat_map(|declared| &declared.changes);
        let related: BTreeSet<String> = changes.flat_map(|change| related(change, &asked)).collect();
        wanted = related.into_iter().filter(|name| asked.insert(name.clone())).collect();
        if wanted.is_empty() {
            break;
        }
    }
    let (mut declared, mut troubles) = (Vec::new(), Vec::new());
    for known in found {
        match known {
            Known::Declared(one) => declared.push(one),
            Known::Failed(notice) => troubles.push(notice),
            Known::Nothing | Known::Other => {}
        }
    }
    (declared, troubles)
}

/// What one file declares, if it may name one of the tables or keys that are asked for.
fn look(project: &dyn Project, index: usize, names: &Names, buffer: &mut Vec<u8>) -> Known {
    let file = &project.files()[index];
    let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
    let memo = project.memo(id);
    if matches!(file.language, Language::Config(_)) || memo.is_some_and(|memo| memo.declares.get() == Some(&false)) {
        return Known::Nothing;
    }
    let Ok(content) = project.read_into(id, buffer) else { return Known::Nothing };
    let declares = || may_declare(file, content);
    if !memo.map_or_else(declares, |memo| *memo.declares.get_or_init(declares)) {
        return Known::Nothing;
    }
    schema::read(&file.path, file.language, content, names).map_or(Known::Other, Known::Declared)
}

/// The names without which a change of one of some tables and keys says too little: former names, the tables that a
/// table is made of, its keys.
fn related(change: &Change, asked: &BTreeSet<String>) -> Vec<String> {
    let names: Vec<&String> = match change {
        Change::CreateTable(create) if asked.contains(&create.table.name) => {
            let parents =
                create.like.iter().map(|like| &like.table).chain(&create.partition_of).chain(&create.inherits);
            parents.map(|table| &table.name).chain(create.keys.iter().map(|key| &key.name)).collect()
        }
        Change::AddKey { table, key } if asked.contains(&table.name) => vec![&key.name],
        Change::RenameTable { table, to } if asked.contains(to) => vec![&table.name],
        Change::RenameKey { key, to } if asked.contains(key) || asked.contains(to) => vec![key, to],
        _ => Vec::new(),
    };
    names.into_iter().filter(|name| !name.is_empty()).cloned().collect()
}
