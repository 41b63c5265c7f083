//! String literals: where each is whole, as the reader of literals has it, and the expressions in it.

use super::{Builder, span_of};
use crate::host::code::language::Shape;
use crate::host::code::{ExprId, Value};
use crate::host::spec::Role;
use std::collections::VecDeque;
use tree_sitter::Node;

impl<'t> Builder<'_, 't> {
    /// A literal, or an expression that is one text, as that.
    pub(in crate::host::code) fn as_text(&mut self, node: Node<'t>) -> Option<ExprId> {
        let span = span_of(node);
        let role = self.role(node);
        let whole = self.texts.get(&(span.start, span.end)).copied();
        let joins = matches!(role, Role::Adjacent | Role::Binary | Role::List | Role::Arguments);
        let is_text = matches!(role, Role::Literal | Role::HeredocStart) || joins && whole.is_some();
        if !is_text {
            return None;
        }
        if self.depth == super::DEEPEST {
            self.too_deep();
            return None;
        }
        self.depth += 1;
        let holes = self.holes(node);
        self.depth -= 1;
        Some(self.push(whole.unwrap_or(span), Value::Text(holes)))
    }

    /// The bodies of heredocs come after the statements that their marks are in, in the order of these.
    pub(super) fn find_heredocs(&mut self, root: Node<'t>) {
        if !self.spec.roles.iter().any(|(role, _)| *role == Role::HeredocStart) {
            return;
        }
        let mut marks = VecDeque::new();
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            match self.grammar.role(node.kind_id()) {
                Role::HeredocStart => marks.push_back(node.start_byte()),
                Role::HeredocBody => {
                    if let Some(mark) = marks.pop_front() {
                        self.heredocs.insert(mark, node);
                    }
                }
                _ => {}
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn role(&self, node: Node<'t>) -> Role {
        let role = if node.is_named() { self.grammar.role(node.kind_id()) } else { Role::Other };
        self.spec.refine.map_or(role, |refine| refine(node, self.text, role).role)
    }

    /// The expressions in a text, in order. Operands in any number: it does not recurse.
    fn holes(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let mut holes = Vec::new();
        let mut todo = vec![(node, false)];
        while let Some((node, inside)) = todo.pop() {
            let role = self.role(node);
            let literal = matches!(role, Role::Literal | Role::HeredocStart);
            let opens = match role {
                Role::Literal | Role::HeredocStart | Role::Adjacent | Role::List | Role::Arguments | Role::Wrap => true,
                Role::Binary => {
                    let operator = node.child_by_field_name("operator").or_else(|| node.child(1));
                    operator.is_some_and(|operator| self.spec.concatenates.contains(&self.slice(operator)))
                }
                // What is in a literal and no hole is its text.
                _ if inside && role != Role::Hole && self.spec.content.is_empty() => node.named_child_count() > 0,
                // The body of a heredoc is text with holes.
                _ if inside && self.spec.content.contains(&node.kind()) => {
                    if node.named_child_count() == 0 {
                        continue;
                    }
                    true
                }
                _ => false,
            };
            if opens {
                let inside = literal || inside && role == Role::Other;
                let node = match role {
                    Role::HeredocStart => self.heredocs.get(&node.start_byte()).copied().unwrap_or(node),
                    _ => node,
                };
                // Scala's operators are names.
                let operator = node.child_by_field_name("operator").filter(|_| role == Role::Binary);
                let children = self.named(node).into_iter().filter(|child| Some(*child) != operator);
                todo.extend(children.rev().map(|child| (child, inside)));
            } else if role == Role::Hole {
                let children = self.named(node);
                if children.is_empty() && !matches!(self.shape(node), Shape::Skip) {
                    // A name without brackets.
                    holes.push(self.name(node));
                }
                holes.extend(self.exprs(children));
            } else if !inside || !self.spec.content.is_empty() {
                let expr = self.expr(node);
                if !self.is_nothing(expr) {
                    holes.push(expr);
                }
            }
        }
        holes
    }
}
