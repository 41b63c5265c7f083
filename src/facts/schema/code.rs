//! Syntax trees of host code in the few terms that declarations need: calls with arguments and options, lists, names.
//! One set of terms for all grammars, since each has its own names for kinds. Nothing recurses; chains are followed so
//! far and no further.

use super::is_undoing;
use crate::sql::ddl::{Change, Column, CreateTable, Key, Name};
use tree_sitter::Node;

/// How many calls of a chain are followed: `t.string('a').notNullable().unique()` has three.
const CHAIN: usize = 24;

/// A file and its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<'s> {
    /// Its path from the root.
    pub(super) path: &'s str,
    /// What the tree is of.
    pub(super) text: &'s str,
}

/// A call, an annotation or a decorator.
#[derive(Debug)]
pub(super) struct Call<'t, 's> {
    /// The last name.
    pub(super) name: &'s str,
    /// What stands before it.
    pub(super) receiver: Option<Node<'t>>,
    /// What stands in its brackets, in order.
    pub(super) arguments: Vec<Argument<'t, 's>>,
    /// `do … end`
    pub(super) block: Option<Node<'t>>,
}

/// An argument, an element of a list, or an entry of a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument<'t, 's> {
    /// Its keyword or key.
    pub(super) key: Option<&'s str>,
    /// Its value.
    pub(super) value: Node<'t>,
}

const LISTS: &[&str] = &[
    "array",
    "array_creation_expression",
    "collection_literal",
    "element_value_array_initializer",
    "list",
    "set",
    "string_array",
    "symbol_array",
    "tuple",
];

const MAPS: &[&str] = &["array_creation_expression", "dictionary", "hash", "keywords", "list", "object"];

const STRINGS: &[&str] = &[
    "atom",
    "bare_string",
    "bare_symbol",
    "delimited_symbol",
    "encapsed_string",
    "quoted_atom",
    "simple_symbol",
    "string",
    "string_literal",
    "template_string",
];

/// Every node below `root` and itself, parents first. What `enter` answers with `false` for is not looked into.
pub(super) fn visit<'t>(root: Node<'t>, mut enter: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The named children, comments left out.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

impl<'s> Code<'s> {
    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field.
    pub(super) fn field(&self, node: Node<'_>, field: &str) -> Option<&'s str> {
        node.child_by_field_name(field).map(|node| self.text(node))
    }

    /// Visits what runs when a migration is applied.
    pub(super) fn visit_applied<'t>(&self, root: Node<'t>, mut enter: impl FnMut(Node<'t>) -> bool) {
        visit(root, |node| !self.undoes(node) && enter(node));
    }

    /// Whether a node is the way back of a migration.
    fn undoes(&self, node: Node<'_>) -> bool {
        let name = match node.kind() {
            "method"
            | "singleton_method"
            | "function_definition"
            | "method_declaration"
            | "function_declaration"
            | "method_definition"
            | "variable_declarator" => self.field(node, "name"),
            "pair" => self.field(node, "key"),
            "assignment_expression" => self.field(node, "left").and_then(|left| left.rsplit('.').next()),
            "call" => match (self.field(node, "method"), node.child_by_field_name("block")) {
                (Some(method), Some(_)) => Some(method),
                _ if self.field(node, "target") == Some("def") => child(node, "arguments")
                    .map(|arguments| self.text(arguments))
                    .and_then(|text| text.split(|c: char| !is_name(c)).next()),
                _ => None,
            },
            _ => None,
        };
        name.is_some_and(is_undoing)
    }

    /// The call that a node is.
    pub(super) fn call<'t>(&self, node: Node<'t>) -> Option<Call<'t, 's>> {
        let field = |name: &str| node.child_by_field_name(name);
        let mut arguments = field("arguments");
        let (name, receiver) = match node.kind() {
            "decorator" => {
                let inner = node.named_child(0)?;
                return self.call(inner).filter(|_| inner.kind() != "decorator").or_else(|| self.bare(inner));
            }
            "call" => match field("method") {
                Some(method) => (self.text(method), field("receiver")),
                None => {
                    arguments = arguments.or_else(|| child(node, "arguments"));
                    self.callee(field("function").or_else(|| field("target"))?)?
                }
            },
            "call_expression" => match field("function") {
                Some(function) => self.callee(function)?,
                None => {
                    let callee = node.named_child(0)?;
                    arguments = child(node, "call_suffix").and_then(|suffix| child(suffix, "value_arguments"));
                    (self.last_name(callee)?, None)
                }
            },
            "function_call_expression" => self.callee(field("function")?)?,
            "member_call_expression" | "nullsafe_member_call_expression" => {
                (self.text(field("name")?), field("object"))
            }
            "scoped_call_expression" => (self.text(field("name")?), field("scope")),
            "annotation" | "marker_annotation" => match field("name") {
                Some(name) => (self.last_name(name)?, None),
                None => {
                    let invoked = child(node, "constructor_invocation").unwrap_or(node);
                    arguments = child(invoked, "value_arguments");
                    (self.last_name(child(invoked, "user_type")?)?, None)
                }
            },
            _ => return None,
        };
        let block = field("block").or_else(|| child(node, "do_block"));
        let arguments = arguments.map(|list| self.arguments(list)).unwrap_or_default();
        Some(Call { name, receiver, arguments, block })
    }

    /// A decorator without brackets.
    fn bare<'t>(&self, node: Node<'t>) -> Option<Call<'t, 's>> {
        let (name, receiver) = self.callee(node)?;
        Some(Call { name, receiver, arguments: Vec::new(), block: None })
    }

    fn callee<'t>(&self, node: Node<'t>) -> Option<(&'s str, Option<Node<'t>>)> {
        let parts = match node.kind() {
            "attribute" => ("attribute", "object"),
            "member_expression" => ("property", "object"),
            "dot" => ("right", "left"),
            _ => return self.last_name(node).map(|name| (name, None)),
        };
        Some((self.field(node, parts.0)?, node.child_by_field_name(parts.1)))
    }

    /// The last name of a dotted one.
    pub(super) fn last_name(&self, node: Node<'_>) -> Option<&'s str> {
        let name = self.text(node);
        let name = name.split(['<', '[', '(']).next()?.rsplit(['.', ':', '\\']).next()?.trim();
        (!name.is_empty() && name.chars().all(is_name)).then_some(name)
    }

    /// What stands in brackets: arguments, the elements of a list, the entries of a map.
    pub(super) fn arguments<'t>(&self, list: Node<'t>) -> Vec<Argument<'t, 's>> {
        let mut found = Vec::new();
        for node in children(list) {
            match node.kind() {
                "keywords" => found.extend(children(node).into_iter().filter_map(|pair| self.entry(pair))),
                _ => found.extend(self.entry(node)),
            }
        }
        found
    }

    fn entry<'t>(&self, node: Node<'t>) -> Option<Argument<'t, 's>> {
        let keyed = |key: Option<Node<'t>>, value: Option<Node<'t>>| {
            Some(Argument { key: Some(key_text(self.text(key?))), value: value? })
        };
        match node.kind() {
            "pair" | "element_value_pair" => keyed(node.child_by_field_name("key"), node.child_by_field_name("value")),
            "keyword_argument" => keyed(node.child_by_field_name("name"), node.child_by_field_name("value")),
            "argument" | "array_element_initializer" | "value_argument" => {
                let parts = children(node);
                match parts.as_slice() {
                    [value] => Some(Argument { key: None, value: *value }),
                    [key, value] => keyed(Some(*key), Some(*value)),
                    _ => None,
                }
            }
            _ => Some(Argument { key: None, value: node }),
        }
    }

    /// The elements of a list.
    pub(super) fn list<'t>(&self, node: Node<'t>) -> Option<Vec<Argument<'t, 's>>> {
        match node.kind() {
            // `arrayOf("a", "b")`
            "call_expression" => self.call(node).filter(|call| call.name == "arrayOf").map(|call| call.arguments),
            kind => LISTS.contains(&kind).then(|| self.arguments(node)),
        }
    }

    /// The entries of a map.
    pub(super) fn map<'t>(&self, node: Node<'t>) -> Option<Vec<Argument<'t, 's>>> {
        MAPS.contains(&node.kind()).then(|| self.arguments(node))
    }

    /// The identifier that a string or a symbol says. One that says anything else, or is not constant, says none.
    pub(super) fn name(&self, node: Node<'_>) -> Option<String> {
        if !STRINGS.contains(&node.kind()) {
            return None;
        }
        let text = key_text(self.text(node));
        (!text.is_empty() && text.chars().all(|c| is_name(c) || matches!(c, '.' | '-'))).then(|| text.to_owned())
    }

    /// The name of a table, its schema left out.
    pub(super) fn table(&self, node: Node<'_>) -> Option<String> {
        self.name(node).and_then(|name| name.rsplit('.').next().map(str::to_owned))
    }

    /// One name or a list of them.
    pub(super) fn names(&self, node: Node<'_>) -> Option<Vec<String>> {
        if let Some(name) = self.name(node) {
            return Some(vec![name]);
        }
        let names: Option<Vec<String>> = self.list(node)?.iter().map(|element| self.name(element.value)).collect();
        names.filter(|names| !names.is_empty())
    }

    /// The calls of a chain, the first one first.
    pub(super) fn chain<'t>(&self, node: Node<'t>) -> Vec<Call<'t, 's>> {
        let mut calls = Vec::new();
        let mut next = Some(node);
        while let Some(call) = next.and_then(|node| self.call(node)) {
            if calls.len() == CHAIN {
                return Vec::new();
            }
            next = call.receiver;
            calls.push(call);
        }
        calls.reverse();
        calls
    }

    /// Whether a node says that something is so.
    pub(super) fn is_true(&self, node: Node<'_>) -> bool {
        self.text(node).eq_ignore_ascii_case("true")
    }
}

impl<'t, 's> Call<'t, 's> {
    /// An argument by its place among those without a keyword.
    pub(super) fn at(&self, place: usize) -> Option<Node<'t>> {
        self.arguments.iter().filter(|argument| argument.key.is_none()).nth(place).map(|argument| argument.value)
    }

    /// An option: a keyword, or an entry of a map among the arguments.
    pub(super) fn option(&self, code: &Code<'s>, key: &str) -> Option<Node<'t>> {
        let named = |argument: &Argument<'t, 's>| (argument.key == Some(key)).then_some(argument.value);
        self.arguments.iter().find_map(named).or_else(|| {
            let maps = self.arguments.iter().filter(|argument| argument.key.is_none());
            maps.filter_map(|argument| code.map(argument.value)).flatten().find_map(|entry| named(&entry))
        })
    }

    /// Whether an option is set.
    pub(super) fn has(&self, code: &Code<'s>, key: &str) -> bool {
        self.option(code, key).is_some_and(|value| code.is_true(value))
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!')
}

/// A key or a simple literal without what delimits it.
fn key_text(text: &str) -> &str {
    text.trim().trim_end_matches(':').trim_start_matches(':').trim_matches(['"', '\'', '`']).trim()
}

/// `orderItem` as `order_item`; a run of capitals is one word.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut chars = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = chars.next() {
        let starts = before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit())
            || before.is_some_and(char::is_uppercase) && chars.peek().is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && starts {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = Some(c);
    }
    out
}

/// A table as it is being read.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    table: String,
    columns: Vec<String>,
    primary: Vec<String>,
    keys: Vec<Key>,
    /// Whether it may have columns that are not understood.
    pub(super) open: bool,
}

impl Draft {
    /// A table of that name.
    pub(super) fn new(table: String) -> Self {
        Self { table, columns: Vec::new(), primary: Vec::new(), keys: Vec::new(), open: false }
    }

    /// Its name.
    pub(super) fn table(&self) -> &str {
        &self.table
    }

    /// Adds a column.
    pub(super) fn column(&mut self, name: impl Into<String>) {
        self.columns.push(name.into());
    }

    /// Adds to the primary key, which is one for the table.
    pub(super) fn primary(&mut self, columns: impl IntoIterator<Item = String>) {
        self.primary.extend(columns);
    }

    /// Adds a unique key.
    pub(super) fn unique(&mut self, name: Option<String>, columns: Vec<String>, partial: bool) {
        self.keys.push(Key::unique(&self.table, name, columns, partial));
    }

    /// Takes the primary key back, where it turns out not to be known.
    pub(super) fn forget_primary(&mut self) {
        self.primary.clear();
    }

    /// Takes all keys back.
    pub(super) fn forget_keys(&mut self) {
        self.primary.clear();
        self.keys.clear();
        self.open = true;
    }

    /// Whether it has a primary key.
    pub(super) fn has_primary(&self) -> bool {
        !self.primary.is_empty()
    }

    fn keys(&mut self) -> Vec<Key> {
        let primary = std::mem::take(&mut self.primary);
        let primary = (!primary.is_empty()).then(|| Key::primary(&self.table, primary));
        primary.into_iter().chain(std::mem::take(&mut self.keys)).collect()
    }

    /// The table, created.
    pub(super) fn create(mut self) -> Change {
        let keys = self.keys();
        let column = |name| Column { name, ty: String::new() };
        Change::CreateTable(CreateTable {
            table: Name { schema: None, name: self.table },
            columns: self.columns.into_iter().map(column).collect(),
            keys,
            like: Vec::new(),
            partition_of: None,
            inherits: Vec::new(),
            derived: self.open,
            if_not_exists: false,
        })
    }

    /// What is added to a table that is there.
    pub(super) fn alter(mut self) -> impl Iterator<Item = Change> {
        let keys = self.keys();
        let table = named(&self.table);
        let of = table.clone();
        let columns = self
            .columns
            .into_iter()
            .map(move |name| Change::AddColumn { table: table.clone(), column: Column { name, ty: String::new() } });
        columns.chain(keys.into_iter().map(move |key| Change::AddKey { table: of.clone(), key }))
    }
}

/// A table's or index's name.
pub(super) fn named(name: &str) -> Name {
    Name { schema: None, name: name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name() {
        for (name, words) in [("OrderItem", "order_item"), ("id", "id"), ("userID", "user_id"), ("HTTPLog", "http_log")]
        {
            assert_eq!(snake(name), words);
        }
    }
}
