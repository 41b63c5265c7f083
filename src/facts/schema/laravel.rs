//! Laravel migrations.

use super::Reader;
use super::code::{Call, Code, Draft, named, visit};
use crate::language::HostLanguage;
use crate::sql::ddl::Change;
use tree_sitter::Node;

pub(super) const READER: Reader =
    Reader { languages: &[HostLanguage::Php], marker: "Schema::", unordered: false, in_parts: false, read };

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    code.visit_applied(root, |node| {
        if !matches!(node.kind(), "scoped_call_expression" | "member_call_expression") {
            return true;
        }
        let Some(call) = code.call(node) else { return true };
        let is_schema = code
            .chain(node)
            .first()
            .and_then(|first| first.receiver)
            .is_some_and(|of| code.last_name(of) == Some("Schema"));
        let Some(table) = call.at(0).filter(|_| is_schema).and_then(|name| code.table(name)) else { return true };
        match call.name {
            "create" | "table" => {
                let mut draft = Draft::new(table);
                match call.at(1).and_then(|closure| closure.child_by_field_name("body")) {
                    Some(body) => blueprint(code, body, &mut draft, &mut changes),
                    None => draft.open = true,
                }
                match call.name {
                    "create" => changes.push(draft.create()),
                    _ => changes.extend(draft.alter()),
                }
            }
            "drop" | "dropIfExists" => changes.push(Change::DropTable(named(&table))),
            "rename" => {
                let to = call.at(1).and_then(|name| code.table(name));
                changes.extend(to.map(|to| Change::RenameTable { table: named(&table), to }));
            }
            _ => {}
        }
        false
    });
    changes
}

/// What the closure does with `$table`.
fn blueprint(code: &Code<'_>, body: Node<'_>, draft: &mut Draft, changes: &mut Vec<Change>) {
    visit(body, |node| {
        if node.kind() != "member_call_expression" {
            return true;
        }
        let calls = code.chain(node);
        match calls.split_first() {
            Some((first, rest)) if first.receiver.is_some_and(|of| of.kind() == "variable_name") => {
                statement(code, first, rest, draft, changes);
            }
            _ => draft.open = true,
        }
        false
    });
}

/// `$table->string('email')->unique()`
fn statement(
    code: &Code<'_>,
    first: &Call<'_, '_>,
    rest: &[Call<'_, '_>],
    draft: &mut Draft,
    changes: &mut Vec<Change>,
) {
    let argument = first.at(0);
    let names = argument.and_then(|names| code.names(names));
    let given = || first.at(1).and_then(|name| code.name(name));
    let table = draft.table().to_owned();
    let index_name = |columns: &[String], kind: &str| format!("{table}_{}_{kind}", columns.join("_")).to_lowercase();
    let drop = |kind: &str| match argument.and_then(|node| code.name(node)) {
        Some(name) => Some(name),
        None => names.as_ref().map(|columns| index_name(columns, kind)),
    };
    match first.name {
        "unique" => {
            if let Some(columns) = names {
                let name = given().unwrap_or_else(|| index_name(&columns, "unique"));
                draft.unique(Some(name), columns, false);
            }
        }
        "primary" => match names {
            Some(columns) => draft.primary(columns),
            None => draft.open = true,
        },
        "index" | "foreign" | "fullText" | "spatialIndex" | "rawIndex" | "comment" | "dropIndex" | "dropForeign" => {}
        "dropUnique" => changes.extend(drop("unique").map(|name| Change::DropIndex(named(&name)))),
        "dropPrimary" => {
            changes.push(Change::DropKey { table: named(&table), constraint: format!("{table}_pkey") });
        }
        "dropColumn" => {
            let all = first.arguments.iter().filter_map(|argument| code.names(argument.value)).flatten();
            changes.extend(all.map(|column| Change::DropColumn { table: named(&table), column }));
        }
        "renameColumn" => {
            if let (Some(column), Some(to)) = (argument.and_then(|node| code.name(node)), given()) {
                changes.push(Change::RenameColumn { table: named(&table), column, to });
            }
        }
        "renameIndex" => {
            if let (Some(key), Some(to)) = (argument.and_then(|node| code.name(node)), given()) {
                changes.push(Change::RenameKey { key, to });
            }
        }
        "timestamps" | "timestampsTz" | "nullableTimestamps" => {
            ["created_at", "updated_at"].into_iter().for_each(|name| draft.column(name));
        }
        "softDeletes" | "softDeletesTz" if argument.is_none() => draft.column("deleted_at"),
        "rememberToken" => draft.column("remember_token"),
        _ => {
            let column = match (argument, first.name) {
                (None, "id" | "uuid" | "ulid") => Some(if first.name == "id" { "id" } else { first.name }.to_owned()),
                (Some(node), _) => code.name(node).filter(|_| !first.name.to_lowercase().ends_with("morphs")),
                _ => None,
            };
            let Some(column) = column else {
                draft.open = true;
                return;
            };
            if first.name == "id" || first.name.to_lowercase().ends_with("increments") {
                draft.primary([column.clone()]);
            }
            for call in rest {
                let off = call.at(0).is_some_and(|node| code.text(node).eq_ignore_ascii_case("false"));
                match call.name {
                    "primary" if !off => draft.primary([column.clone()]),
                    "unique" if !off => {
                        let name = call.at(0).and_then(|node| code.name(node));
                        let name = name.unwrap_or_else(|| index_name(std::slice::from_ref(&column), "unique"));
                        draft.unique(Some(name), vec![column.clone()], false);
                    }
                    _ => {}
                }
            }
            draft.column(column);
        }
    }
}
