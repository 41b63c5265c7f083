//! TypeORM entities.

use super::Reader;
use super::code::{Call, Code, Draft, children, snake, visit};
use crate::language::SCRIPT;
use crate::sql::ddl::Change;
use std::collections::HashMap;
use tree_sitter::Node;

pub(super) const READER: Reader =
    Reader { languages: SCRIPT, marker: r"@Entity\s*\(", unordered: false, in_parts: false, read };

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    // The decorators of an exported class stand beside it.
    visit(root, |node| {
        let class = match node.kind() {
            "export_statement" => node.child_by_field_name("declaration"),
            "class_declaration" | "abstract_class_declaration" => Some(node),
            _ => None,
        };
        if let Some(class) = class.filter(|class| class.kind() == "class_declaration") {
            changes.extend(entity(code, &decorators(code, node), class));
        }
        true
    });
    changes
}

fn decorators<'t, 's>(code: &Code<'s>, node: Node<'t>) -> Vec<Call<'t, 's>> {
    children(node)
        .into_iter()
        .filter(|child| child.kind() == "decorator")
        .filter_map(|decorator| code.call(decorator))
        .collect()
}

/// The columns of a property. Some naming strategies take its name as it stands, others make `snake_case` of it; since a
/// table has one of them only, a key under the other name is never asked for.
fn spellings(name: &str) -> Vec<String> {
    let snake = snake(name);
    if snake == name { vec![snake] } else { vec![name.to_owned(), snake] }
}

fn entity(code: &Code<'_>, decorators: &[Call<'_, '_>], class: Node<'_>) -> Option<Change> {
    let entity = decorators.iter().find(|call| call.name == "Entity")?;
    let table = match entity.at(0).filter(|node| code.map(*node).is_none()).or_else(|| entity.option(code, "name")) {
        Some(name) => code.table(name)?,
        None => snake(code.field(class, "name")?),
    };
    let mut draft = Draft::new(table);
    // Relations, embedded objects and a base class bring columns.
    draft.open = true;
    let mut primary: Vec<Vec<String>> = Vec::new();
    let mut known: HashMap<&str, Vec<String>> = HashMap::new();
    let members = class.child_by_field_name("body").map(children).unwrap_or_default();
    let mut pending = Vec::new();
    for member in members {
        if member.kind() == "decorator" {
            pending.extend(code.call(member));
            continue;
        }
        let mut marks = std::mem::take(&mut pending);
        marks.extend(self::decorators(code, member));
        let Some(property) = code.field(member, "name") else { continue };
        let has = |name: &str| marks.iter().find(|mark| mark.name == name);
        let column = marks.iter().find(|mark| mark.name.ends_with("Column") && mark.name != "JoinColumn");
        let Some(column) = column else {
            if has("PrimaryColumn").is_some() || marks.iter().any(|mark| mark.has(code, "primary")) {
                // A relation is a part of the key: under which columns is not said here.
                return None;
            }
            continue;
        };
        let columns = match column.option(code, "name") {
            Some(name) => code.name(name).map(|name| vec![name]),
            None => Some(spellings(property)),
        };
        let Some(columns) = columns else { continue };
        columns.iter().for_each(|column| draft.column(column.clone()));
        if matches!(column.name, "PrimaryColumn" | "PrimaryGeneratedColumn") || column.has(code, "primary") {
            primary.push(columns.clone());
        }
        let unique_index = has("Index").is_some_and(|index| index.has(code, "unique"));
        let partial = has("Index").is_some_and(|index| index.option(code, "where").is_some());
        if column.has(code, "unique") || unique_index {
            let partial = partial && !column.has(code, "unique");
            columns.iter().for_each(|column| draft.unique(None, vec![column.clone()], partial));
        }
        known.insert(property, columns);
    }
    let inherits = children(class).iter().any(|child| child.kind() == "class_heritage");
    if let [first, rest @ ..] = primary.as_slice()
        && (rest.is_empty() || !inherits)
    {
        combine(first, rest, &mut |columns| draft.unique(None, columns, false));
    }
    for mark in
        decorators.iter().filter(|mark| mark.name == "Unique" || mark.name == "Index" && mark.has(code, "unique"))
    {
        let columns = mark
            .arguments
            .iter()
            .find_map(|argument| code.list(argument.value).and_then(|_| code.names(argument.value)));
        let Some(columns) = columns else { continue };
        let columns: Vec<Vec<String>> = columns
            .into_iter()
            .map(|name| known.get(name.as_str()).cloned().unwrap_or_else(|| spellings(&name)))
            .collect();
        if let [first, rest @ ..] = columns.as_slice() {
            let partial = mark.option(code, "where").is_some();
            combine(first, rest, &mut |columns| draft.unique(None, columns, partial));
        }
    }
    Some(draft.create())
}

/// A key in each spelling: all columns as they stand, and all in the other one.
fn combine(first: &[String], rest: &[Vec<String>], add: &mut dyn FnMut(Vec<String>)) {
    let all = || std::iter::once(first).chain(rest.iter().map(Vec::as_slice));
    let spelt = |other: bool| -> Vec<String> {
        all().filter_map(|names| if other { names.last() } else { names.first() }).cloned().collect()
    };
    let plain = spelt(false);
    let other = spelt(true);
    if other != plain {
        add(other);
    }
    add(plain);
}
