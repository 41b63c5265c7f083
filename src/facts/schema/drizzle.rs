//! Drizzle tables.

use super::Reader;
use super::code::{Call, Code, Draft, children, snake, visit};
use crate::language::SCRIPT;
use crate::sql::ddl::Change;
use std::collections::HashMap;
use tree_sitter::Node;

pub(super) const READER: Reader =
    Reader { languages: SCRIPT, marker: "pgTable|pgSchema", unordered: false, in_parts: false, read };

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    visit(root, |node| {
        let Some(call) = (node.kind() == "call_expression").then(|| code.call(node)).flatten() else { return true };
        let table = if call.name == "pgTable" || call.name == "table" && call.receiver.is_some() {
            call.at(0).and_then(|name| code.table(name))
        } else {
            None
        };
        let columns = call.at(1).filter(|columns| columns.kind() == "object");
        if let (Some(table), Some(columns)) = (table, columns) {
            changes.push(read_table(code, &call, table, columns));
        }
        true
    });
    changes
}

fn read_table(code: &Code<'_>, call: &Call<'_, '_>, table: String, columns: Node<'_>) -> Change {
    let mut draft = Draft::new(table);
    let mut known: HashMap<&str, String> = HashMap::new();
    for entry in code.arguments(columns) {
        let calls = code.chain(entry.value);
        let (Some(property), Some((first, rest))) = (entry.key, calls.split_first()) else {
            draft.open = true;
            continue;
        };
        // Without a name it is the property's, in the case that the connection is set to.
        let named = first.at(0).and_then(|name| code.name(name));
        draft.open |= named.is_none();
        let names = match named {
            Some(name) => vec![name],
            None if snake(property) == property => vec![property.to_owned()],
            None => vec![property.to_owned(), snake(property)],
        };
        if let [name] = names.as_slice() {
            known.insert(property, name.clone());
        }
        let is = |name: &str| rest.iter().any(|call| call.name == name);
        for name in names {
            if is("primaryKey") || is("unique") {
                draft.unique(None, vec![name.clone()], false);
            }
            draft.column(name);
        }
    }
    if let Some(body) = call.at(2).and_then(|closure| closure.child_by_field_name("body")) {
        extras(code, body, &known, &mut draft);
    }
    draft.create()
}

/// The keys that the third argument gives, in a list or as entries of an object.
fn extras(code: &Code<'_>, body: Node<'_>, known: &HashMap<&str, String>, draft: &mut Draft) {
    let column = |node: Node<'_>| -> Option<String> {
        (node.kind() == "member_expression").then(|| known.get(code.field(node, "property")?).cloned()).flatten()
    };
    let all = |nodes: Vec<Node<'_>>| -> Option<Vec<String>> {
        nodes.into_iter().map(column).collect::<Option<Vec<_>>>().filter(|columns| !columns.is_empty())
    };
    visit(body, |node| {
        if node.kind() != "call_expression" {
            return true;
        }
        let calls = code.chain(node);
        let Some((first, rest)) = calls.split_first() else { return true };
        let on = rest.iter().find(|call| call.name == "on");
        let columns = match (first.name, first.option(code, "columns"), on) {
            ("primaryKey", Some(list), _) => all(children(list)),
            ("primaryKey", None, _) => all(first.arguments.iter().map(|argument| argument.value).collect()),
            ("unique" | "uniqueIndex", _, Some(on)) => {
                all(on.arguments.iter().map(|argument| argument.value).collect())
            }
            _ => None,
        };
        if let Some(columns) = columns {
            let name = first.at(0).and_then(|name| code.name(name));
            draft.unique(name, columns, rest.iter().any(|call| call.name == "where"));
        }
        false
    });
}
