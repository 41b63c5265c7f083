//! DDL from tokens alone.

use super::{Change, Column, CreateTable, Key, KeyKind, Like, Name, key, key_column, name_at, skip, type_name};
use crate::sql::clause::{Object, Tokens, Tree, Verb};
use crate::sql::lex::TokenKind;

pub(super) fn changes(tree: &Tree<'_>) -> Vec<Change> {
    let reader = Reader { tree, end: tree.all().end };
    let changes = match tree.verb() {
        Verb::Create(Object::Table) => reader.create_table().map(|change| vec![change]),
        Verb::CreateIndex { unique: true, .. } => reader.create_index().map(|change| vec![change]),
        Verb::Alter(Object::Table) => reader.alter_table(),
        Verb::Alter(Object::Index) => reader.alter_index().map(|change| vec![change]),
        Verb::Drop(Object::Table) => Some(reader.drop("table", Change::DropTable)),
        Verb::DropIndex => Some(reader.drop("index", Change::DropIndex)),
        _ => None,
    };
    changes.unwrap_or_default()
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    end: usize,
}

impl Reader<'_, '_> {
    fn name(&self, at: usize) -> Option<(Name, usize)> {
        name_at(self.tree, at, self.end)
    }

    fn ident(&self, at: usize) -> Option<String> {
        self.name(at).map(|(name, _)| name.name)
    }

    fn word(&self, at: usize) -> &str {
        self.tree.word(at)
    }

    /// The index after the first `word`.
    fn after(&self, word: &str) -> Option<usize> {
        (0..self.end).find(|&index| self.word(index) == word).map(|index| index + 1)
    }

    /// The content of the parentheses that open at `at`.
    fn group(&self, at: usize) -> Option<Tokens> {
        let close = self.tree.partner(at)?;
        (self.tree.kind(at) == Some(TokenKind::LeftParen)).then_some(at + 1..close)
    }

    fn create_table(&self) -> Option<Change> {
        let at = self.after("table")?;
        let exists = skip(self.tree, at, &["if", "not", "exists"]);
        let (table, mut at) = self.name(exists)?;
        let mut out = CreateTable {
            if_not_exists: exists > self.after("table")?,
            columns: Vec::new(),
            keys: Vec::new(),
            like: Vec::new(),
            partition_of: None,
            inherits: Vec::new(),
            derived: false,
            table,
        };
        if self.tree.is(at, &["partition", "of"]) {
            let (parent, after) = self.name(at + 2)?;
            out.partition_of = Some(parent);
            at = after;
        } else if self.word(at) == "of" {
            out.derived = true;
            at = self.name(at + 1)?.1;
        }
        if let Some(group) = self.group(at) {
            at = group.end + 1;
            let derived = self.word(at) == "as";
            for element in self.tree.commas(group) {
                if derived {
                    out.columns.extend(self.ident(element.start).map(|name| Column { name, ty: String::new() }));
                } else {
                    self.element(&element, &mut out);
                }
            }
        }
        for index in self.tree.top(at..self.end) {
            match self.word(index) {
                "as" => {
                    out.derived = true;
                    break;
                }
                "inherits" => {
                    let parents = self.group(index + 1).map(|group| self.tree.commas(group)).unwrap_or_default();
                    out.inherits = parents.into_iter().filter_map(|parent| Some(self.name(parent.start)?.0)).collect();
                }
                _ => {}
            }
        }
        Some(Change::CreateTable(out))
    }

    /// A column, a constraint or LIKE between the parentheses of CREATE TABLE.
    fn element(&self, element: &Tokens, out: &mut CreateTable) {
        if self.word(element.start) == "like" {
            if let Some((table, _)) = self.name(element.start + 1) {
                let mut keys = false;
                for index in element.clone() {
                    if matches!(self.word(index + 1), "all" | "indexes") && index + 1 < element.end {
                        keys = match self.word(index) {
                            "including" => true,
                            "excluding" => false,
                            _ => keys,
                        };
                    }
                }
                out.like.push(Like { table, keys });
            }
            return;
        }
        if self.is_constraint(element) {
            out.keys.extend(self.constraint(element, &out.table));
        } else if let Some((column, keys)) = self.column(element, &out.table) {
            out.columns.push(column);
            out.keys.extend(keys);
        }
    }

    /// Whether an element is a constraint: `unique (a)`, but not the column of `unique text`.
    fn is_constraint(&self, element: &Tokens) -> bool {
        let at = element.start;
        match self.word(at) {
            "constraint" | "check" | "foreign" | "exclude" => true,
            "primary" => self.word(at + 1) == "key",
            "unique" => {
                self.tree.kind(at + 1) == Some(TokenKind::LeftParen) || matches!(self.word(at + 1), "nulls" | "using")
            }
            "not" => self.word(at + 1) == "null",
            _ => false,
        }
    }

    /// The key of a table constraint.
    fn constraint(&self, element: &Tokens, table: &Name) -> Option<Key> {
        let (name, kind, at) = self.constraint_head(element)?;
        let at = skip(self.tree, skip(self.tree, at, &["nulls", "not", "distinct"]), &["nulls", "distinct"]);
        let columns = self.tree.commas(self.group(at)?);
        let columns = columns.iter().map(|column| key_column(self.tree, column)).collect::<Option<Vec<_>>>()?;
        Some(key(table, name, columns, kind))
    }

    /// `[CONSTRAINT name] PRIMARY KEY | UNIQUE`, and the index of what follows.
    fn constraint_head(&self, element: &Tokens) -> Option<(Option<String>, KeyKind, usize)> {
        let named = self.word(element.start) == "constraint";
        let name = if named { Some(self.ident(element.start + 1)?) } else { None };
        let at = element.start + 2 * usize::from(named);
        match self.word(at) {
            "primary" => Some((name, KeyKind::Primary, at + 2)),
            "unique" => Some((name, KeyKind::Unique, at + 1)),
            _ => None,
        }
    }

    /// A column with the keys that its own constraints make.
    fn column(&self, element: &Tokens, table: &Name) -> Option<(Column, Vec<Key>)> {
        let name = self.ident(element.start)?;
        let mut keys = Vec::new();
        for index in self.tree.top(element.start + 1..element.end) {
            let kind = match self.word(index) {
                "primary" if self.word(index + 1) == "key" => KeyKind::Primary,
                "unique" => KeyKind::Unique,
                _ => continue,
            };
            let named = index >= element.start + 3 && self.word(index - 2) == "constraint";
            let constraint = if named { self.ident(index - 1) } else { None };
            keys.push(key(table, constraint, vec![name.clone()], kind));
        }
        let mut ty = type_name(self.tree, element.start + 1, element.end);
        // `PARTITION OF p (b WITH OPTIONS UNIQUE)`
        if ty == "with" {
            ty.clear();
        }
        Some((Column { name, ty }, keys))
    }

    fn create_index(&self) -> Option<Change> {
        let at = skip(self.tree, self.after("index")?, &["concurrently"]);
        let at = skip(self.tree, at, &["if", "not", "exists"]);
        let (name, at) = if self.word(at) == "on" {
            (None, at)
        } else {
            let (name, at) = self.name(at)?;
            (Some(name.name), at)
        };
        let (table, at) = self.name(skip(self.tree, skip(self.tree, at, &["on"]), &["only"]))?;
        let at = if self.word(at) == "using" { at + 2 } else { at };
        let group = self.group(at)?;
        let partial = self.tree.top(group.end + 1..self.end).any(|index| self.tree.keyword(index) == "where");
        let columns = self.tree.commas(group);
        let columns = columns.iter().map(|column| key_column(self.tree, column)).collect::<Option<Vec<_>>>()?;
        let key = key(&table, name, columns, KeyKind::Index { partial });
        Some(Change::AddKey { table, key })
    }

    fn alter_table(&self) -> Option<Vec<Change>> {
        let at = skip(self.tree, self.after("table")?, &["if", "exists"]);
        let (table, at) = self.name(skip(self.tree, at, &["only"]))?;
        let at = if self.tree.raw(at) == "*" { at + 1 } else { at };
        let mut out = Vec::new();
        for action in self.tree.commas(at..self.end) {
            self.action(&action, &table, &mut out);
        }
        Some(out)
    }

    fn action(&self, action: &Tokens, table: &Name, out: &mut Vec<Change>) {
        let at = action.start + 1;
        let table = table.clone();
        match self.word(action.start) {
            "add" => {
                let at = skip(self.tree, skip(self.tree, at, &["column"]), &["if", "not", "exists"]);
                let element = at..action.end;
                if at >= action.end {
                    return;
                }
                if self.word(action.start + 1) != "column" && self.is_constraint(&element) {
                    out.extend(self.key_using_index(&element));
                    out.extend(self.constraint(&element, &table).map(|key| Change::AddKey { table, key }));
                } else if let Some((column, keys)) = self.column(&element, &table) {
                    out.push(Change::AddColumn { table: table.clone(), column });
                    out.extend(keys.into_iter().map(|key| Change::AddKey { table: table.clone(), key }));
                }
            }
            "drop" if self.word(at) == "constraint" => {
                let constraint = self.ident(skip(self.tree, at + 1, &["if", "exists"]));
                out.extend(constraint.map(|constraint| Change::DropKey { table, constraint }));
            }
            "drop" => {
                let at = skip(self.tree, skip(self.tree, at, &["column"]), &["if", "exists"]);
                out.extend(self.ident(at).map(|column| Change::DropColumn { table, column }));
            }
            "rename" => {
                let what = self.word(at);
                let from = if matches!(what, "column" | "constraint") { at + 1 } else { at };
                let to =
                    if what == "to" { Some(at + 1) } else { Some(from + 2).filter(|_| self.word(from + 1) == "to") };
                let Some(to) = to.and_then(|to| self.ident(to)) else {
                    return;
                };
                out.extend(match (what, self.ident(from)) {
                    ("to", _) => Some(Change::RenameTable { table, to }),
                    ("constraint", Some(key)) => Some(Change::RenameKey { key, to }),
                    (_, Some(column)) => Some(Change::RenameColumn { table, column, to }),
                    _ => None,
                });
            }
            _ => {}
        }
    }

    /// `CONSTRAINT name UNIQUE USING INDEX i`: the index has made the key already.
    fn key_using_index(&self, element: &Tokens) -> Option<Change> {
        let (name, _, at) = self.constraint_head(element)?;
        if !self.tree.is(at, &["using", "index"]) {
            return None;
        }
        Some(Change::RenameKey { key: self.ident(at + 2)?, to: name? })
    }

    fn alter_index(&self) -> Option<Change> {
        let at = skip(self.tree, self.after("index")?, &["if", "exists"]);
        let (index, at) = self.name(at)?;
        let to = self.tree.is(at, &["rename", "to"]).then(|| self.ident(at + 2)).flatten()?;
        Some(Change::RenameKey { key: index.name, to })
    }

    fn drop(&self, object: &str, change: impl Fn(Name) -> Change) -> Vec<Change> {
        let Some(at) = self.after(object) else {
            return Vec::new();
        };
        let at = skip(self.tree, skip(self.tree, at, &["concurrently"]), &["if", "exists"]);
        let names = self.tree.commas(at..self.end);
        names.into_iter().filter_map(|name| Some(change(self.name(name.start)?.0))).collect()
    }
}
