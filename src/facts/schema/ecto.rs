//! Ecto migrations.

use super::Reader;
use super::code::{Call, Code, Draft, named, visit};
use crate::language::HostLanguage;
use crate::sql::ddl::Change;
use tree_sitter::Node;

pub(super) const READER: Reader = Reader {
    languages: &[HostLanguage::Elixir],
    marker: r"(?:create|alter|drop|rename|_exists)[\s(]+(?:table|index|unique_index|constraint)\b",
    unordered: false,
    in_parts: false,
    read,
};

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    code.visit_applied(root, |node| {
        let Some(call) = (node.kind() == "call").then(|| code.call(node)).flatten() else { return true };
        let verb = call.name.trim_end_matches("_if_exists").trim_end_matches("_if_not_exists");
        let object = call.at(0).filter(|_| call.receiver.is_none()).and_then(|node| code.call(node));
        let (Some(object), "create" | "alter" | "drop" | "rename") = (object, verb) else { return true };
        match object.name {
            "table" => table(code, verb, &call, &object, &mut changes),
            "index" | "unique_index" => index(code, verb, &object, &mut changes),
            "constraint" if verb == "drop" => {
                changes
                    .extend(object.at(1).and_then(|name| code.name(name)).map(|name| Change::DropIndex(named(&name))));
            }
            _ => {}
        }
        false
    });
    changes
}

fn table(code: &Code<'_>, verb: &str, call: &Call<'_, '_>, object: &Call<'_, '_>, changes: &mut Vec<Change>) {
    let Some(name) = object.at(0).and_then(|name| code.table(name)) else { return };
    match verb {
        "drop" => changes.push(Change::DropTable(named(&name))),
        "rename" => {
            let to = call.option(code, "to");
            let table = to.and_then(|to| code.call(to)).and_then(|to| code.table(to.at(0)?));
            let column = call.at(1).and_then(|column| code.name(column));
            match (table, column, to.and_then(|to| code.name(to))) {
                (Some(to), None, _) => changes.push(Change::RenameTable { table: named(&name), to }),
                (_, Some(column), Some(to)) => changes.push(Change::RenameColumn { table: named(&name), column, to }),
                _ => {}
            }
        }
        "create" => {
            let mut draft = Draft::new(name);
            match object.option(code, "primary_key") {
                Some(key) if code.text(key) == "false" => {}
                Some(key) => match code.map(key).and_then(|entries| {
                    let name = entries.iter().find(|entry| entry.key == Some("name"));
                    name.map_or_else(|| Some("id".to_owned()), |name| code.name(name.value))
                }) {
                    Some(column) => {
                        draft.column(column.clone());
                        draft.primary([column]);
                    }
                    None => draft.open = true,
                },
                None => {
                    draft.column("id");
                    draft.primary(["id".to_owned()]);
                }
            }
            columns(code, call, &mut draft, changes);
            changes.push(draft.create());
        }
        _ => {
            let mut draft = Draft::new(name);
            columns(code, call, &mut draft, changes);
            changes.extend(draft.alter());
        }
    }
}

/// What the block of a table adds and removes.
fn columns(code: &Code<'_>, call: &Call<'_, '_>, draft: &mut Draft, changes: &mut Vec<Change>) {
    let Some(block) = call.block else { return };
    visit(block, |node| {
        if node.kind() != "call" {
            return true;
        }
        let Some(call) = code.call(node) else { return true };
        let name = call.at(0).and_then(|name| code.name(name));
        match (call.name, name) {
            ("add" | "add_if_not_exists", Some(name)) => {
                if call.has(code, "primary_key") {
                    draft.primary([name.clone()]);
                }
                draft.column(name);
            }
            ("remove" | "remove_if_exists", Some(column)) => {
                changes.push(Change::DropColumn { table: named(draft.table()), column });
            }
            ("modify", Some(name)) if call.has(code, "primary_key") => draft.primary([name]),
            ("modify", Some(_)) => {}
            ("timestamps", _) if call.arguments.is_empty() => {
                ["inserted_at", "updated_at"].into_iter().for_each(|name| draft.column(name));
            }
            _ => draft.open = true,
        }
        false
    });
}

fn index(code: &Code<'_>, verb: &str, object: &Call<'_, '_>, changes: &mut Vec<Change>) {
    let Some(table) = object.at(0).and_then(|name| code.table(name)) else { return };
    let columns = object.at(1).and_then(|columns| code.names(columns));
    let name = match object.option(code, "name") {
        Some(name) => code.name(name),
        None => columns.as_ref().map(|columns| format!("{table}_{}_index", columns.join("_"))),
    };
    if verb == "drop" {
        changes.extend(name.map(|name| Change::DropIndex(named(&name))));
    } else if let (true, Some(columns)) = (object.name == "unique_index" || object.has(code, "unique"), columns) {
        let mut draft = Draft::new(table);
        draft.unique(Some(name.unwrap_or_default()), columns, object.option(code, "where").is_some());
        changes.extend(draft.alter());
    }
}
