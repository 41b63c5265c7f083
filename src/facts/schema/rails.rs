//! Rails: `schema.rb` and migrations.

use super::Reader;
use super::code::{Call, Code, Draft, named, visit};
use crate::language::HostLanguage;
use crate::sql::ddl::Change;
use tree_sitter::Node;

pub(super) const READER: Reader = Reader {
    languages: &[HostLanguage::Ruby],
    marker: "(?:create|change|drop|rename)_(?:join_)?table|(?:add|remove)_(?:index|column|reference|belongs_to)|rename_(?:column|index)|(?:add|remove)_unique_constraint",
    unordered: false,
    in_parts: true,
    read,
};

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    code.visit_applied(root, |node| {
        let Some(call) = (node.kind() == "call").then(|| code.call(node)).flatten() else { return true };
        let Some(first) = call.at(0).filter(|_| call.receiver.is_none_or(|of| of.kind() == "identifier")) else {
            return true;
        };
        let Some(table) = code.table(first) else { return true };
        match call.name {
            "create_table" | "create_join_table" => create(code, &call, table, &mut changes),
            "change_table" => {
                let mut draft = Draft::new(table);
                block(code, &call, &mut draft, &mut changes);
                changes.extend(draft.alter());
            }
            _ => {
                alter(code, &call, table, &mut changes);
                return true;
            }
        }
        false
    });
    changes
}

fn create(code: &Code<'_>, call: &Call<'_, '_>, table: String, changes: &mut Vec<Change>) {
    if call.option(code, "force").is_some() {
        changes.push(Change::DropTable(named(&table)));
    }
    let mut draft = Draft::new(table);
    if call.name == "create_join_table" {
        // Its name is made of two, and it has no key.
        return;
    }
    let id = call.option(code, "id");
    match call.option(code, "primary_key") {
        Some(key) => match code.names(key) {
            Some(columns) => {
                if id.is_none_or(|id| code.text(id) != "false") {
                    draft.primary(columns.clone());
                }
                columns.into_iter().for_each(|column| draft.column(column));
            }
            None => draft.open = true,
        },
        None if id.is_none_or(|id| code.name(id).is_some() || code.map(id).is_some()) => {
            draft.column("id");
            draft.primary(["id".to_owned()]);
        }
        None => draft.open |= id.is_some_and(|id| code.text(id) != "false"),
    }
    draft.open |= call.option(code, "options").is_some();
    block(code, call, &mut draft, changes);
    changes.push(draft.create());
}

/// What the block of a table says of it.
fn block(code: &Code<'_>, call: &Call<'_, '_>, draft: &mut Draft, changes: &mut Vec<Change>) {
    let Some(block) = call.block else { return };
    visit(block, |node| {
        if node.kind() != "call" {
            return true;
        }
        match code.call(node) {
            Some(call) if call.receiver.is_some_and(|of| of.kind() == "identifier") => {
                member(code, &call, draft, changes);
                false
            }
            _ => {
                draft.open = true;
                true
            }
        }
    });
}

/// `t.string :a`
fn member(code: &Code<'_>, call: &Call<'_, '_>, draft: &mut Draft, changes: &mut Vec<Change>) {
    let names = || -> Option<Vec<String>> {
        let plain =
            call.arguments.iter().filter(|argument| argument.key.is_none() && code.map(argument.value).is_none());
        plain.map(|argument| code.name(argument.value)).collect()
    };
    match call.name {
        "timestamps" => ["created_at", "updated_at"].into_iter().for_each(|name| draft.column(name)),
        "index" | "unique_constraint" => {
            if call.name == "unique_constraint" || call.has(code, "unique") {
                let table = draft.table().to_owned();
                if let Some((name, columns)) = key(code, call, &table, call.at(0)) {
                    draft.unique(Some(name), columns, is_partial(code, call));
                }
            }
        }
        "foreign_key" | "check_constraint" | "exclusion_constraint" => {}
        "remove" | "remove_index" | "rename" | "remove_references" | "remove_column" | "rename_index" => {
            let as_outer = match call.name {
                "remove" => "remove_columns",
                "rename" => "rename_column",
                "remove_references" => return draft.open = true,
                other => other,
            };
            change(code, as_outer, call, draft.table(), 0, changes);
        }
        "primary_key" => {
            for column in names().unwrap_or_default() {
                draft.column(column.clone());
                draft.primary([column]);
            }
        }
        "column" => match call.at(0).and_then(|name| code.name(name)) {
            Some(name) => add(code, call, name, draft),
            None => draft.open = true,
        },
        "references" | "belongs_to" => {
            for name in names().unwrap_or_default() {
                reference(code, call, &name, draft);
            }
        }
        _ => match names() {
            Some(names) if !names.is_empty() => names.into_iter().for_each(|name| add(code, call, name, draft)),
            _ => draft.open = true,
        },
    }
}

/// A column, with the index that its options ask for.
fn add(code: &Code<'_>, call: &Call<'_, '_>, name: String, draft: &mut Draft) {
    if call.has(code, "primary_key") {
        draft.primary([name.clone()]);
    }
    inline_index(code, call, vec![name.clone()], draft);
    draft.column(name);
}

fn reference(code: &Code<'_>, call: &Call<'_, '_>, name: &str, draft: &mut Draft) {
    let polymorphic = call.option(code, "polymorphic").is_some_and(|value| code.text(value) != "false");
    let mut columns = vec![format!("{name}_id")];
    if polymorphic {
        columns.insert(0, format!("{name}_type"));
    }
    inline_index(code, call, columns.clone(), draft);
    columns.into_iter().for_each(|column| draft.column(column));
}

/// `index: { unique: true }`
fn inline_index(code: &Code<'_>, call: &Call<'_, '_>, columns: Vec<String>, draft: &mut Draft) {
    let entries = call.option(code, "index").and_then(|index| code.map(index)).unwrap_or_default();
    let entry = |key: &str| entries.iter().find(|entry| entry.key == Some(key)).map(|entry| entry.value);
    if entry("unique").is_some_and(|value| code.is_true(value)) {
        let name = entry("name").map_or_else(|| Some(index_name(draft.table(), &columns)), |name| code.name(name));
        draft.unique(Some(name.unwrap_or_default()), columns, entry("where").is_some());
    }
}

fn index_name(table: &str, columns: &[String]) -> String {
    format!("index_{table}_on_{}", columns.join("_and_"))
}

fn is_partial(code: &Code<'_>, call: &Call<'_, '_>) -> bool {
    call.option(code, "where").is_some_and(|value| code.text(value) != "nil")
}

/// The name and columns of a key; over an expression there is none.
fn key(code: &Code<'_>, call: &Call<'_, '_>, table: &str, columns: Option<Node<'_>>) -> Option<(String, Vec<String>)> {
    let columns = code.names(columns?)?;
    let name = match call.option(code, "name") {
        Some(name) => code.name(name).unwrap_or_default(),
        None => index_name(table, &columns),
    };
    Some((name, columns))
}

/// A statement about a table.
fn alter(code: &Code<'_>, call: &Call<'_, '_>, table: String, changes: &mut Vec<Change>) {
    let mut draft = Draft::new(table);
    match call.name {
        "add_index" | "add_unique_constraint" => {
            if (call.name == "add_unique_constraint" || call.has(code, "unique"))
                && let Some((name, columns)) = key(code, call, draft.table(), call.at(1))
            {
                draft.unique(Some(name), columns, is_partial(code, call));
            }
        }
        "add_column" => {
            if let Some(column) = call.at(1).and_then(|name| code.name(name)) {
                add(code, call, column, &mut draft);
            }
        }
        "add_reference" | "add_belongs_to" => {
            if let Some(name) = call.at(1).and_then(|name| code.name(name)) {
                reference(code, call, &name, &mut draft);
            }
        }
        other => change(code, other, call, draft.table(), 1, changes),
    }
    changes.extend(draft.alter());
}

/// A change that takes away or renames. `from` is the place of the first argument after the table.
fn change(code: &Code<'_>, what: &str, call: &Call<'_, '_>, table: &str, from: usize, changes: &mut Vec<Change>) {
    let argument = |place: usize| call.at(from + place).and_then(|node| code.name(node));
    let of = || named(table);
    match what {
        "drop_table" => changes.push(Change::DropTable(of())),
        "rename_table" => changes.extend(argument(0).map(|to| Change::RenameTable { table: of(), to })),
        "rename_column" => {
            if let (Some(column), Some(to)) = (argument(0), argument(1)) {
                changes.push(Change::RenameColumn { table: of(), column, to });
            }
        }
        "rename_index" => {
            if let (Some(key), Some(to)) = (argument(0), argument(1)) {
                changes.push(Change::RenameKey { key, to });
            }
        }
        "remove_column" => {
            changes.extend(argument(0).map(|column| Change::DropColumn { table: of(), column }));
        }
        "remove_columns" => {
            let columns = (0..).map_while(argument);
            changes.extend(columns.map(|column| Change::DropColumn { table: of(), column }));
        }
        "remove_index" | "remove_unique_constraint" => {
            let columns = call.option(code, "column").or_else(|| call.at(from));
            let name = match call.option(code, "name") {
                Some(name) => code.name(name),
                None => columns.and_then(|columns| code.names(columns)).map(|columns| index_name(table, &columns)),
            };
            changes.extend(name.map(|name| Change::DropIndex(named(&name))));
        }
        _ => {}
    }
}
