//! Knex migrations, which Objection has as well.

use super::Reader;
use super::code::{Call, Code, Draft, named, visit};
use crate::language::SCRIPT;
use crate::sql::ddl::Change;
use tree_sitter::Node;

pub(super) const READER: Reader =
    Reader { languages: SCRIPT, marker: "(?:create|alter|drop|rename)Table", unordered: false, in_parts: false, read };

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    code.visit_applied(root, |node| {
        let Some(call) = (node.kind() == "call_expression").then(|| code.call(node)).flatten() else { return true };
        let of_schema = call.receiver.is_some() && KNEX.contains(&call.name);
        let Some(table) = call.at(0).filter(|_| of_schema).and_then(|name| code.table(name)) else { return true };
        match call.name {
            "renameTable" => {
                let to = call.at(1).and_then(|name| code.table(name));
                changes.extend(to.map(|to| Change::RenameTable { table: named(&table), to }));
            }
            "dropTable" | "dropTableIfExists" => changes.push(Change::DropTable(named(&table))),
            creates => {
                let Some(body) = call.at(1).and_then(|closure| closure.child_by_field_name("body")) else {
                    return true;
                };
                let mut draft = Draft::new(table);
                builder(code, body, &mut draft, &mut changes);
                match creates {
                    "createTable" | "createTableIfNotExists" => changes.push(draft.create()),
                    _ => changes.extend(draft.alter()),
                }
            }
        }
        // What is chained before it.
        true
    });
    changes
}

const KNEX: &[&str] =
    &["createTable", "createTableIfNotExists", "alterTable", "table", "renameTable", "dropTable", "dropTableIfExists"];

/// What the callback does with the table builder.
fn builder(code: &Code<'_>, body: Node<'_>, draft: &mut Draft, changes: &mut Vec<Change>) {
    visit(body, |node| {
        if node.kind() != "call_expression" {
            return true;
        }
        let calls = code.chain(node);
        match calls.split_first() {
            Some((first, rest)) if first.receiver.is_some_and(|of| of.kind() == "identifier") => {
                statement(code, first, rest, draft, changes);
            }
            _ => draft.open = true,
        }
        false
    });
}

/// `t.string('a').notNullable().unique()`
fn statement(
    code: &Code<'_>,
    first: &Call<'_, '_>,
    rest: &[Call<'_, '_>],
    draft: &mut Draft,
    changes: &mut Vec<Change>,
) {
    let argument = first.at(0);
    let names = argument.and_then(|names| code.names(names));
    let table = draft.table().to_owned();
    let index_name = |columns: &[String]| format!("{table}_{}_unique", columns.join("_")).to_lowercase();
    // The name is the second argument, or one of its entries.
    let given = || {
        let option = first.option(code, "indexName").or_else(|| first.at(1));
        option.and_then(|name| code.name(name))
    };
    match first.name {
        "unique" => {
            if let Some(columns) = names {
                let name = given().unwrap_or_else(|| index_name(&columns));
                draft.unique(Some(name), columns, first.option(code, "predicate").is_some());
            }
        }
        "primary" => match names {
            Some(columns) => draft.primary(columns),
            None => draft.open = true,
        },
        "index" | "foreign" | "check" | "comment" | "dropForeign" | "dropIndex" | "setNullable" | "dropNullable" => {}
        "dropUnique" => {
            let name = given().or_else(|| names.as_deref().map(index_name));
            changes.extend(name.map(|name| Change::DropIndex(named(&name))));
        }
        "dropPrimary" => {
            changes.push(Change::DropKey { table: named(&table), constraint: format!("{table}_pkey") });
        }
        "dropColumn" | "dropColumns" => {
            let all = first.arguments.iter().filter_map(|argument| code.names(argument.value)).flatten();
            changes.extend(all.map(|column| Change::DropColumn { table: named(&table), column }));
        }
        "renameColumn" => {
            if let (Some(column), Some(to)) = (argument.and_then(|node| code.name(node)), given()) {
                changes.push(Change::RenameColumn { table: named(&table), column, to });
            }
        }
        "timestamps" if first.arguments.iter().all(|argument| code.map(argument.value).is_none()) => {
            ["created_at", "updated_at"].into_iter().for_each(|name| draft.column(name));
        }
        _ => {
            let increments = first.name.ends_with("ncrements");
            let column = match argument {
                None if increments => Some("id".to_owned()),
                Some(node) => code.name(node),
                None => None,
            };
            let Some(column) = column else {
                draft.open = true;
                return;
            };
            let no_key = first.option(code, "primaryKey").is_some_and(|value| code.text(value) == "false");
            if increments && !no_key {
                draft.primary([column.clone()]);
            }
            for call in rest {
                match call.name {
                    "primary" => draft.primary([column.clone()]),
                    "unique" => {
                        let name = call.option(code, "indexName").or_else(|| call.at(0));
                        let name = name.and_then(|name| code.name(name));
                        let name = name.unwrap_or_else(|| index_name(std::slice::from_ref(&column)));
                        draft.unique(Some(name), vec![column.clone()], call.option(code, "predicate").is_some());
                    }
                    _ => {}
                }
            }
            draft.column(column);
        }
    }
}
