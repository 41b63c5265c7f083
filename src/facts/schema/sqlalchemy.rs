//! SQLAlchemy tables and models, SQLModel, and Alembic migrations.

use super::Reader;
use super::code::{Call, Code, Draft, named};
use super::python::{Class, Classes, value};
use crate::language::HostLanguage;
use crate::sql::ddl::Change;
use std::collections::HashMap;
use tree_sitter::Node;

pub(super) const READER: Reader = Reader {
    languages: &[HostLanguage::Python],
    marker: r"__tablename__|mapped_column\(|\bTable\(|op\.(?:create|drop|add|alter|rename|execute)|table\s*=\s*True",
    // The names of Alembic's files say nothing of their order.
    unordered: true,
    in_parts: false,
    read,
};

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let classes = Classes::of(code, root);
    let mut changes: Vec<Change> = classes.iter().filter_map(|class| model(code, &classes, class)).collect();
    code.visit_applied(root, |node| {
        if let Some(call) = (node.kind() == "call").then(|| code.call(node)).flatten() {
            statement(code, &call, &mut changes);
        }
        true
    });
    changes
}

fn model<'t, 's>(code: &Code<'s>, classes: &Classes<'t, 's>, class: &Class<'t, 's>) -> Option<Change> {
    let is_sqlmodel = class.bases.iter().any(|base| base.key == Some("table") && code.is_true(base.value));
    let table = match value(&class.assigned, "__tablename__") {
        Some(name) => code.table(name)?,
        None if is_sqlmodel => class.name.to_lowercase(),
        None => return None,
    };
    let inherited = classes.inherited(code, class);
    let mut draft = Draft::new(table);
    let mut columns = HashMap::new();
    for assigned in &inherited.assigned {
        let call = assigned.value.and_then(|value| code.call(value));
        let column = match &call {
            Some(call) if matches!(call.name, "Column" | "mapped_column") => {
                call.at(0).and_then(|first| code.name(first)).unwrap_or_else(|| assigned.name.to_owned())
            }
            Some(call) if is_sqlmodel && call.name == "Field" => assigned.name.to_owned(),
            None if is_sqlmodel => {
                draft.column(assigned.name);
                continue;
            }
            _ => continue,
        };
        columns.insert(assigned.name, column.clone());
        if let Some(call) = call {
            declare(code, &call, column, &mut draft);
        }
    }
    let arguments = value(&inherited.assigned, "__table_args__");
    for call in arguments.and_then(|list| code.list(list)).unwrap_or_default().iter().filter_map(|a| code.call(a.value))
    {
        constraint(code, &call, &columns, &mut draft);
    }
    // A base that is elsewhere may bring columns, and a part of the primary key.
    draft.open = !inherited.unknown.is_empty();
    let plain = |base: &str| ["Base", "Model", "object"].iter().any(|ending| base.ends_with(ending));
    if !inherited.unknown.iter().all(|base| plain(base)) {
        draft.forget_primary();
    }
    Some(draft.create())
}

/// A column, with the keys that its options say.
fn declare(code: &Code<'_>, call: &Call<'_, '_>, column: String, draft: &mut Draft) {
    if call.has(code, "primary_key") {
        draft.primary([column.clone()]);
    }
    if call.has(code, "unique") {
        let name = call.has(code, "index").then(|| format!("ix_{}_{column}", draft.table()));
        draft.unique(name, vec![column.clone()], false);
    }
    draft.column(column);
}

/// A constraint or index among the arguments of a table. Models say attributes where tables say columns.
fn constraint(code: &Code<'_>, call: &Call<'_, '_>, columns: &HashMap<&str, String>, draft: &mut Draft) {
    let all: Vec<Option<String>> = call
        .arguments
        .iter()
        .filter(|argument| argument.key.is_none())
        .map(|argument| {
            let name = code
                .name(argument.value)
                .or_else(|| (argument.value.kind() == "identifier").then(|| code.text(argument.value).to_owned()))?;
            Some(columns.get(name.as_str()).cloned().unwrap_or(name))
        })
        .collect();
    let names = |from: usize| all.iter().skip(from).cloned().collect::<Option<Vec<_>>>().filter(|all| !all.is_empty());
    let name = call.option(code, "name").map(|name| code.name(name).unwrap_or_default());
    match call.name {
        "PrimaryKeyConstraint" => match names(0) {
            Some(names) => draft.primary(names),
            None => draft.open = true,
        },
        "UniqueConstraint" => {
            if let Some(names) = names(0) {
                draft.unique(name, names, false);
            }
        }
        "Index" if call.has(code, "unique") => {
            if let Some(names) = names(1) {
                draft.unique(Some(all[0].clone().unwrap_or_default()), names, is_partial(code, call));
            }
        }
        _ => {}
    }
}

fn is_partial(code: &Code<'_>, call: &Call<'_, '_>) -> bool {
    call.option(code, "postgresql_where").is_some()
}

/// `Table("x", metadata, Column("a", …))`, `op.create_table("x", sa.Column("a", …))`
fn table(code: &Code<'_>, call: &Call<'_, '_>) -> Option<Draft> {
    let mut draft = Draft::new(code.table(call.at(0)?)?);
    let columns = HashMap::new();
    let mut parts = 0;
    for argument in call.arguments.iter().filter(|argument| argument.key.is_none()).skip(1) {
        let Some(part) = code.call(argument.value) else {
            draft.open |= argument.value.kind() == "list_splat";
            continue;
        };
        match (part.name, part.at(0).and_then(|name| code.name(name))) {
            ("Column", Some(column)) => {
                parts += 1;
                declare(code, &part, column, &mut draft);
            }
            ("Column", None) => draft.open = true,
            _ => constraint(code, &part, &columns, &mut draft),
        }
    }
    draft.open |= parts == 0;
    Some(draft)
}

fn statement(code: &Code<'_>, call: &Call<'_, '_>, changes: &mut Vec<Change>) {
    let name = |place: usize| call.at(place).and_then(|node| code.name(node));
    let is_op = call.receiver.is_some_and(|of| matches!(code.text(of), "op" | "batch_op"));
    match call.name {
        "Table" => {
            // `Table("x", metadata)` alone refers to one.
            changes.extend(table(code, call).filter(|draft| !draft.open || draft.has_primary()).map(Draft::create));
        }
        "create_table" if is_op => changes.extend(table(code, call).map(Draft::create)),
        "create_index" | "create_unique_constraint" | "create_primary_key" if is_op => {
            let columns = call.at(2).or_else(|| call.option(code, "columns")).and_then(|list| code.names(list));
            let table = call.at(1).or_else(|| call.option(code, "table_name")).and_then(|node| code.table(node));
            let (Some(table), Some(columns)) = (table, columns) else { return };
            let mut draft = Draft::new(table);
            match call.name {
                "create_primary_key" => draft.primary(columns),
                "create_index" if !call.has(code, "unique") => {}
                _ => {
                    let name = call.at(0).map(|node| code.index(node));
                    draft.unique(name, columns, is_partial(code, call));
                }
            }
            changes.extend(draft.alter());
        }
        "add_column" if is_op => {
            let column = call.at(1).and_then(|node| code.call(node)).filter(|column| column.name == "Column");
            if let (Some(table), Some(column)) = (name(0), column)
                && let Some(name) = column.at(0).and_then(|node| code.name(node))
            {
                let mut draft = Draft::new(table);
                declare(code, &column, name, &mut draft);
                changes.extend(draft.alter());
            }
        }
        "drop_index" | "drop_constraint" if is_op => {
            let name = call.at(0).map(|node| code.index(node)).filter(|name| !name.is_empty());
            changes.extend(name.map(|name| Change::DropIndex(named(&name))));
        }
        "drop_table" if is_op => changes.extend(name(0).map(|table| Change::DropTable(named(&table)))),
        "drop_column" if is_op => {
            if let (Some(table), Some(column)) = (name(0), name(1)) {
                changes.push(Change::DropColumn { table: named(&table), column });
            }
        }
        "rename_table" if is_op => {
            if let (Some(table), Some(to)) = (name(0), name(1)) {
                changes.push(Change::RenameTable { table: named(&table), to });
            }
        }
        "alter_column" if is_op => {
            let to = call.option(code, "new_column_name").and_then(|node| code.name(node));
            if let (Some(table), Some(column), Some(to)) = (name(0), name(1), to) {
                changes.push(Change::RenameColumn { table: named(&table), column, to });
            }
        }
        _ => {}
    }
}

impl Code<'_> {
    /// The name of an index, or of what `op.f("…")` says is one.
    fn index(&self, node: Node<'_>) -> String {
        let inner = self.call(node).filter(|call| call.name == "f").and_then(|call| call.at(0));
        self.name(inner.unwrap_or(node)).unwrap_or_default()
    }
}
