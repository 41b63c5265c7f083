//! JPA entities in Java and Kotlin.

use super::Reader;
use super::code::{Call, Code, Draft, children, snake, visit};
use crate::language::HostLanguage;
use crate::sql::ddl::Change;
use tree_sitter::Node;

pub(super) const READER: Reader = Reader {
    languages: &[HostLanguage::Java, HostLanguage::Kotlin],
    marker: r"@(?:\w+\.)*Entity\b",
    unordered: false,
    in_parts: false,
    read,
};

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    visit(root, |node| {
        if node.kind() == "class_declaration" {
            changes.extend(entity(code, node));
        }
        true
    });
    changes
}

/// The annotations of a declaration.
fn annotations<'t, 's>(code: &Code<'s>, node: Node<'t>) -> Vec<Call<'t, 's>> {
    let modifiers = children(node).into_iter().filter(|child| child.kind() == "modifiers").flat_map(children);
    modifiers.filter_map(|annotation| code.call(annotation)).collect()
}

/// The fields, properties, parameters of the constructor and getters: their names and annotations.
fn members<'t, 's>(code: &Code<'s>, class: Node<'t>) -> Vec<(String, Vec<Call<'t, 's>>)> {
    let mut found = Vec::new();
    let inside = children(class).into_iter().filter(|part| matches!(part.kind(), "class_body" | "primary_constructor"));
    for member in inside.flat_map(children) {
        let name = match member.kind() {
            "field_declaration" => member.child_by_field_name("declarator").and_then(|d| code.field(d, "name")),
            "method_declaration" => code.field(member, "name").and_then(|name| name.strip_prefix("get")),
            "class_parameter" => {
                children(member).into_iter().find(|part| part.kind() == "simple_identifier").map(|name| code.text(name))
            }
            "property_declaration" => children(member)
                .into_iter()
                .find(|part| part.kind() == "variable_declaration")
                .and_then(|declared| declared.named_child(0))
                .map(|name| code.text(name)),
            _ => None,
        };
        if let Some(name) = name {
            let mut letters = name.chars();
            let name = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
            found.push((name, annotations(code, member)));
        }
    }
    found
}

fn entity(code: &Code<'_>, class: Node<'_>) -> Option<Change> {
    let of_class = annotations(code, class);
    let entity = of_class.iter().find(|mark| mark.name == "Entity")?;
    let named = of_class.iter().find(|mark| mark.name == "Table").and_then(|mark| mark.option(code, "name"));
    let table = match named.or_else(|| entity.option(code, "name")) {
        Some(name) => snake(&code.table(name)?),
        None => {
            let name = class
                .child_by_field_name("name")
                .or_else(|| children(class).into_iter().find(|part| part.kind() == "type_identifier"))?;
            snake(code.text(name))
        }
    };
    let mut draft = Draft::new(table);
    // Relations, embedded objects and superclasses bring columns.
    draft.open = true;
    let mut ids = Vec::new();
    let mut known = true;
    for (property, marks) in members(code, class) {
        let mark = |name: &str| marks.iter().find(|mark| mark.name == name);
        known &= mark("EmbeddedId").is_none();
        let joined = ["ManyToOne", "OneToOne", "ManyToMany", "OneToMany"].iter().any(|name| mark(name).is_some());
        let of_column = mark("Column").or_else(|| mark("JoinColumn"));
        let column = match of_column.and_then(|column| column.option(code, "name")) {
            Some(name) => code.name(name).map(|name| snake(&name)),
            None if joined => None,
            None => Some(snake(&property)),
        };
        let Some(column) = column else {
            known &= mark("Id").is_none();
            continue;
        };
        if mark("Id").is_some() {
            ids.push(column.clone());
        }
        if of_column.is_some_and(|mark| mark.has(code, "unique")) {
            draft.unique(None, vec![column.clone()], false);
        }
        if of_column.is_some() || mark("Id").is_some() {
            draft.column(column);
        }
    }
    if known && !ids.is_empty() {
        draft.primary(ids);
    }
    constraints(code, &of_class, &mut draft);
    Some(draft.create())
}

/// The keys that `@Table` lists.
fn constraints(code: &Code<'_>, of_class: &[Call<'_, '_>], draft: &mut Draft) {
    let Some(table) = of_class.iter().find(|mark| mark.name == "Table") else { return };
    for list in ["uniqueConstraints", "indexes"] {
        let Some(value) = table.option(code, list) else { continue };
        let all = match code.list(value) {
            Some(elements) => elements.into_iter().map(|element| element.value).collect(),
            None => vec![value],
        };
        for mark in all.into_iter().filter_map(|mark| code.call(mark)) {
            let columns = match mark.name {
                "UniqueConstraint" => mark.option(code, "columnNames").and_then(|names| code.names(names)),
                "Index" if mark.has(code, "unique") => {
                    mark.option(code, "columnList").and_then(|list| column_list(code.text(list)))
                }
                _ => None,
            };
            if let Some(columns) = columns {
                let name = mark.option(code, "name").map(|name| code.name(name).unwrap_or_default());
                draft.unique(name, columns.iter().map(|column| snake(column)).collect(), false);
            }
        }
    }
}

/// `"a, b DESC"`
fn column_list(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let columns = inner.split(',').map(|column| {
        let mut words = column.split_ascii_whitespace();
        let name = words.next().filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
        words.all(|word| ["asc", "desc"].iter().any(|known| word.eq_ignore_ascii_case(known))).then(|| name.to_owned())
    });
    columns.collect()
}
