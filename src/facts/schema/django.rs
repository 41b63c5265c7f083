//! Django models.

use super::Reader;
use super::code::{Argument, Call, Code, Draft};
use super::python::{Class, Classes, Inherited, value};
use crate::language::HostLanguage;
use crate::sql::ddl::Change;
use std::collections::HashMap;
use tree_sitter::Node;

pub(super) const READER: Reader = Reader {
    languages: &[HostLanguage::Python],
    marker: r"models\.\w*(?:Field|Key)\(",
    unordered: false,
    in_parts: true,
    read,
};

/// Bases outside the file that are known not to bring a primary key.
const BASES: &[&str] = &["Model", "AbstractBaseUser", "AbstractUser", "PermissionsMixin", "object"];

fn read(code: &Code<'_>, root: Node<'_>) -> Vec<Change> {
    let classes = Classes::of(code, root);
    classes.iter().filter_map(|class| model(code, &classes, class)).collect()
}

fn model<'t, 's>(code: &Code<'s>, classes: &Classes<'t, 's>, class: &Class<'t, 's>) -> Option<Change> {
    let inherited = classes.inherited(code, class);
    let mut fields: Vec<(&str, Call<'_, '_>)> = inherited
        .assigned
        .iter()
        .filter_map(|assigned| Some((assigned.name, code.call(assigned.value?)?)))
        .filter(|(_, call)| ["Field", "Key"].iter().any(|ending| call.name.ends_with(ending)))
        .collect();
    let is_set = |name: &str| value(&class.meta, name).is_some_and(|value| code.is_true(value));
    let is_model = inherited.unknown.contains(&"Model") || !fields.is_empty() && !class.bases.is_empty();
    if !is_model || is_set("abstract") || is_set("proxy") || inherits_table(code, classes, class) {
        return None;
    }
    let mut draft = Draft::new(table(code, class)?);
    if inherited.unknown.contains(&"AbstractUser") {
        draft.column("username");
        draft.unique(None, vec!["username".to_owned()], false);
    }
    fields.retain(|(_, call)| call.name != "ManyToManyField" && !call.name.starts_with("Generic"));
    let columns: HashMap<&str, String> =
        fields.iter().filter_map(|(name, call)| Some((*name, column(code, name, call)?))).collect();
    for (name, call) in &fields {
        let Some(column) = columns.get(name) else {
            draft.open = true;
            continue;
        };
        draft.column(column.clone());
        if call.has(code, "primary_key") {
            draft.primary([column.clone()]);
        } else if call.has(code, "unique") || call.name == "OneToOneField" {
            draft.unique(None, vec![column.clone()], false);
        }
    }
    primary(&inherited, &mut draft);
    let named = |name: String| columns.get(name.as_str()).cloned().or_else(|| (name == "id").then_some(name));
    let resolve = |names: Vec<String>| names.into_iter().map(named).collect::<Option<Vec<_>>>();
    for together in unique_together(code, class) {
        if let Some(columns) = resolve(together) {
            draft.unique(None, columns, false);
        }
    }
    let constraints = value(&class.meta, "constraints").and_then(|list| code.list(list)).unwrap_or_default();
    for call in constraints.iter().filter_map(|element: &Argument<'_, '_>| code.call(element.value)) {
        let fields = call.option(code, "fields").and_then(|fields| code.names(fields));
        if let ("UniqueConstraint", Some(columns)) = (call.name, fields.and_then(resolve)) {
            let name = call.option(code, "name").and_then(|name| code.name(name));
            draft.unique(Some(name.unwrap_or_default()), columns, call.option(code, "condition").is_some());
        }
    }
    if value(&class.meta, "managed").is_some_and(|managed| code.text(managed) == "False") {
        // Somebody else makes the table, and what such a model says of its keys is never put to the test.
        draft.forget_keys();
    }
    Some(draft.create())
}

/// The primary key `id` that a model gets where it declares none.
fn primary(inherited: &Inherited<'_, '_>, draft: &mut Draft) {
    draft.open |= !inherited.unknown.iter().all(|base| BASES.contains(base));
    if !draft.has_primary() && !draft.open {
        draft.column("id");
        draft.primary(["id".to_owned()]);
    }
}

/// Whether a base in the file has a table of its own: the columns are then spread over two.
fn inherits_table<'t, 's>(code: &Code<'s>, classes: &Classes<'t, 's>, class: &Class<'t, 's>) -> bool {
    let bases = class.bases.iter().filter_map(|base| classes.get(code.last_name(base.value)?));
    bases.into_iter().any(|base| {
        let is_abstract = value(&base.meta, "abstract").is_some_and(|value| code.is_true(value));
        !is_abstract && base.bases.iter().any(|base| code.last_name(base.value).is_some_and(|name| name != "object"))
    })
}

/// The table: as said, or application and model, as the path gives them.
fn table(code: &Code<'_>, class: &Class<'_, '_>) -> Option<String> {
    if let Some(table) = value(&class.meta, "db_table") {
        return code.table(table);
    }
    let app = match value(&class.meta, "app_label") {
        Some(label) => code.name(label)?,
        None => {
            let mut directories = code.path.rsplit('/');
            let file = directories.next()?;
            let application = if file == "models.py" {
                directories.next()
            } else {
                directories.find(|name| *name == "models").and_then(|_| directories.next())
            };
            application?.to_owned()
        }
    };
    Some(format!("{app}_{}", class.name).to_lowercase())
}

/// The column of a field; `None` where its name is not constant.
fn column(code: &Code<'_>, field: &str, call: &Call<'_, '_>) -> Option<String> {
    match call.option(code, "db_column") {
        Some(column) => code.name(column),
        None if matches!(call.name, "ForeignKey" | "OneToOneField") => Some(format!("{field}_id")),
        None => Some(field.to_owned()),
    }
}

/// `unique_together`: one tuple of names, or tuples in a tuple.
fn unique_together(code: &Code<'_>, class: &Class<'_, '_>) -> Vec<Vec<String>> {
    let Some(value) = value(&class.meta, "unique_together") else { return Vec::new() };
    if let Some(names) = code.names(value) {
        return vec![names];
    }
    let elements = code.list(value).unwrap_or_default();
    elements.iter().filter_map(|element| code.names(element.value)).collect()
}
