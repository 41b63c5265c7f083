//! Classes of a Python file with what their bodies assign.

use super::code::{Argument, Code, children, visit};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// How many classes of one file are followed from a class to its bases.
const BASES: usize = 32;

/// How many assignments of a class and its bases are looked at. PostgreSQL's tables have at most 1600 columns.
const ASSIGNED: usize = 2000;

/// A class.
#[derive(Debug)]
pub(super) struct Class<'t, 's> {
    /// Its name.
    pub(super) name: &'s str,
    /// Its bases and keywords.
    pub(super) bases: Vec<Argument<'t, 's>>,
    /// What its body assigns, in order.
    pub(super) assigned: Vec<Assigned<'t, 's>>,
    /// What the class `Meta` in it assigns.
    pub(super) meta: Vec<Assigned<'t, 's>>,
}

/// `name: ty = value`
#[derive(Clone, Copy, Debug)]
pub(super) struct Assigned<'t, 's> {
    /// What is assigned to.
    pub(super) name: &'s str,
    /// What is assigned.
    pub(super) value: Option<Node<'t>>,
}

/// The classes of a file by their names.
#[derive(Debug)]
pub(super) struct Classes<'t, 's> {
    all: Vec<Class<'t, 's>>,
    index: HashMap<&'s str, usize>,
}

/// What a class and its bases in the file assign, the nearest first, and the bases that are not in the file.
#[derive(Debug, Default)]
pub(super) struct Inherited<'t, 's> {
    pub(super) assigned: Vec<Assigned<'t, 's>>,
    pub(super) unknown: Vec<&'s str>,
}

impl<'t, 's> Classes<'t, 's> {
    /// The classes below `root`.
    pub(super) fn of(code: &Code<'s>, root: Node<'t>) -> Self {
        let mut all: Vec<Class<'t, 's>> = Vec::new();
        visit(root, |node| {
            if node.kind() == "class_definition"
                && let Some(name) = code.field(node, "name")
                && name != "Meta"
            {
                let bases = node.child_by_field_name("superclasses").map(|list| code.arguments(list));
                let body = node.child_by_field_name("body");
                let meta = body
                    .map(children)
                    .unwrap_or_default()
                    .into_iter()
                    .find(|inner| inner.kind() == "class_definition" && code.field(*inner, "name") == Some("Meta"));
                all.push(Class {
                    name,
                    bases: bases.unwrap_or_default(),
                    assigned: body.map(|body| assigned(code, body)).unwrap_or_default(),
                    meta: meta
                        .and_then(|meta| meta.child_by_field_name("body"))
                        .map(|body| assigned(code, body))
                        .unwrap_or_default(),
                });
            }
            true
        });
        let index = all.iter().enumerate().map(|(index, class)| (class.name, index)).collect();
        Self { all, index }
    }

    /// All of them, in the order of the file.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Class<'t, 's>> {
        self.all.iter()
    }

    /// The class of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Class<'t, 's>> {
        self.index.get(name).and_then(|&at| self.all.get(at))
    }

    /// What a class has, with what it inherits inside the file.
    pub(super) fn inherited(&self, code: &Code<'s>, class: &Class<'t, 's>) -> Inherited<'t, 's> {
        let mut found = Inherited::default();
        let mut names = HashSet::new();
        let mut seen = vec![class.name];
        let mut next = vec![class];
        while let Some(class) = next.pop() {
            for assigned in class.assigned.iter().take(ASSIGNED) {
                if names.len() < ASSIGNED && names.insert(assigned.name) {
                    found.assigned.push(*assigned);
                }
            }
            for base in class.bases.iter().filter(|base| base.key.is_none()) {
                let Some(name) = code.last_name(base.value) else {
                    found.unknown.push("");
                    continue;
                };
                match self.get(name) {
                    Some(base) if seen.len() < BASES => {
                        if !seen.contains(&name) {
                            seen.push(name);
                            next.push(base);
                        }
                    }
                    _ => found.unknown.push(name),
                }
            }
        }
        found
    }
}

/// What a block assigns.
fn assigned<'t, 's>(code: &Code<'s>, block: Node<'t>) -> Vec<Assigned<'t, 's>> {
    let statements = children(block).into_iter().filter(|node| node.kind() == "expression_statement");
    let assignments = statements.filter_map(|node| node.named_child(0)).filter(|node| node.kind() == "assignment");
    assignments
        .filter_map(|node| {
            let left = node.child_by_field_name("left").filter(|left| left.kind() == "identifier")?;
            Some(Assigned { name: code.text(left), value: node.child_by_field_name("right") })
        })
        .collect()
}

/// The value that a name was last assigned.
pub(super) fn value<'t>(assigned: &[Assigned<'t, '_>], name: &str) -> Option<Node<'t>> {
    assigned.iter().rev().find(|one| one.name == name).and_then(|one| one.value)
}
