//! What names are bound to.

use super::{Builder, Lowered, span_of};
use crate::host::code::language::{Place, Shape};
use crate::host::code::{Binding, ExprId, Flow, StmtId, Target, Value};
use crate::span::Span;
use tree_sitter::Node;

/// Places in a value.
pub(in crate::host::code) const PLACES: &[&str] =
    &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];

impl<'s, 't> Builder<'s, 't> {
    /// What a pattern or name binds of a value that is there. Defaults in it are not followed.
    pub(in crate::host::code) fn binding(
        &mut self,
        pattern: Node<'t>,
        value: Option<ExprId>,
        declares: bool,
    ) -> Binding<'s> {
        let binding = self.with_defaults(pattern, value, declares);
        self.defaults.clear();
        binding
    }

    /// The same; its defaults wait in `defaults`.
    fn with_defaults(&mut self, pattern: Node<'t>, value: Option<ExprId>, declares: bool) -> Binding<'s> {
        let mut targets = Vec::new();
        self.targets(pattern, None, &mut targets);
        if let [target] = targets.as_slice()
            && let Some(value) = value
        {
            self.names_closure(value, Some(target.name));
        }
        Binding { targets, ty: None, value, declares }
    }

    /// A declaration or assignment as a statement. Values side by side go to the targets one by one.
    pub(in crate::host::code) fn bind(
        &mut self,
        node: Node<'t>,
        pattern: Node<'t>,
        ty: Option<Node<'t>>,
        value: Option<Node<'t>>,
        declares: bool,
    ) -> StmtId {
        let span = span_of(node);
        let ty = ty.map(|ty| self.type_of(ty));
        let mut stmts = Vec::new();
        let pairs = match value.filter(|value| self.is_list(*value) && self.is_list(pattern)) {
            Some(value) => (self.named(pattern), self.named(value)),
            None => (Vec::new(), Vec::new()),
        };
        if pairs.0.len() == pairs.1.len() && !pairs.0.is_empty() {
            for (pattern, value) in pairs.0.into_iter().zip(pairs.1) {
                stmts.push(self.bind_one(span, &[pattern], ty, Some(value), declares));
            }
        } else {
            stmts.push(self.bind_one(span, &[pattern], ty, value, declares));
        }
        let defaults = std::mem::take(&mut self.defaults);
        let defaults: Vec<StmtId> = defaults.into_iter().map(|default| self.run_at(default)).collect();
        stmts.extend(defaults);
        match stmts.as_slice() {
            [only] => *only,
            _ => self.push_stmt(span, Flow::Sequence(stmts)),
        }
    }

    /// Names side by side that get values side by side, or the parts of one value.
    pub(in crate::host::code) fn bind_names(
        &mut self,
        node: Node<'t>,
        names: &[Node<'t>],
        ty: Option<Node<'t>>,
        values: Option<Node<'t>>,
    ) -> StmtId {
        let span = span_of(node);
        let ty = ty.map(|ty| self.type_of(ty));
        let each = values.map(|values| self.named(values)).unwrap_or_default();
        if each.len() == names.len() && names.len() > 1 {
            let bind = |(name, value): (&Node<'t>, Node<'t>)| self.bind_one(span, &[*name], ty, Some(value), true);
            let stmts = names.iter().zip(each).map(bind).collect();
            return self.push_stmt(span, Flow::Sequence(stmts));
        }
        self.bind_one(span, names, ty, values, true)
    }

    /// `a += b`: the value is made of both.
    pub(in crate::host::code) fn augmented(
        &mut self,
        node: Node<'t>,
        target: Node<'t>,
        value: Node<'t>,
    ) -> Lowered<'s> {
        let span = span_of(node);
        let operator =
            self.part(node, "operator").or_else(|| node.child(1)).map_or("", |operator| self.slice(operator));
        let mut binding = self.binding(target, None, false);
        let first = binding.targets.first().map(|target| target.expr);
        let before = first.map(|first| self.copy(first));
        let value = self.expr(value);
        binding.value = Some(match before {
            Some(before) => self.push(span, Value::Binary { operator, operands: [before, value] }),
            None => value,
        });
        Lowered::Flow(Flow::Bind(binding))
    }

    fn run_at(&mut self, expr: ExprId) -> StmtId {
        let span = self.code.exprs[expr].span;
        self.run(expr, span)
    }

    fn bind_one(
        &mut self,
        span: Span,
        patterns: &[Node<'t>],
        ty: Option<&'s str>,
        value: Option<Node<'t>>,
        declares: bool,
    ) -> StmtId {
        let value = value.map(|value| self.expr(value));
        let binding = match patterns {
            [pattern] => Binding { ty, ..self.with_defaults(*pattern, value, declares) },
            _ => {
                let mut targets = Vec::new();
                for (index, pattern) in patterns.iter().enumerate() {
                    self.targets(*pattern, PLACES.get(index).copied().filter(|_| value.is_some()), &mut targets);
                }
                Binding { targets, ty, value, declares }
            }
        };
        self.push_stmt(span, Flow::Bind(binding))
    }

    /// A type as written, without what stands before it.
    pub(in crate::host::code) fn type_of(&self, node: Node<'_>) -> &'s str {
        self.slice(node).trim_start_matches(':').trim()
    }

    /// `a = b` as a statement binds, in an expression assigns. Several targets of one value get it one after the other.
    pub(super) fn assignment(&mut self, node: Node<'t>, target: Place, value: Place, statement: bool) -> Lowered<'s> {
        let Some(pattern) = self.part(node, target) else { return self.unknown(node, statement) };
        let value = self.part(node, value);
        if !statement {
            let Some(value) = value else { return Lowered::Expr(self.expr(pattern)) };
            let value = self.expr(value);
            let target = self.expr(pattern);
            return Lowered::Value(Value::Assign { target, value });
        }
        let ty = self.part(node, "type");
        Lowered::Stmt(self.bind(node, pattern, ty, value, false))
    }

    /// Whether a node has values or targets side by side, without one that takes several.
    fn is_list(&self, node: Node<'t>) -> bool {
        node.kind().ends_with("list")
            && matches!(self.shape(node), Shape::Items)
            && self.named(node).iter().all(|child| !child.kind().contains("splat"))
    }

    /// The names that a pattern binds.
    pub(in crate::host::code) fn targets(
        &mut self,
        pattern: Node<'t>,
        part: Option<&'s str>,
        targets: &mut Vec<Target<'s>>,
    ) {
        if self.depth == super::DEEPEST {
            return self.too_deep();
        }
        self.depth += 1;
        self.targets_in(pattern, part, targets);
        self.depth -= 1;
    }

    fn targets_in(&mut self, pattern: Node<'t>, part: Option<&'s str>, targets: &mut Vec<Target<'s>>) {
        match self.shape(pattern) {
            Shape::Skip | Shape::Constant => {}
            Shape::Items => {
                let mut index = 0;
                let mut key = None;
                let mut cursor = pattern.walk();
                let alone = pattern.named_child_count() == 1 && pattern.kind().ends_with("list");
                let children: Vec<Node<'t>> = pattern.children(&mut cursor).collect();
                for (at, child) in children.iter().copied().enumerate() {
                    if child.kind() == "," {
                        index += 1;
                    } else if child.is_named() && children.get(at + 1).is_some_and(|next| next.kind() == "=>") {
                        key = Some(self.key(child));
                    } else if child.is_named() && !child.is_extra() {
                        let place = key.take().or(PLACES.get(index).copied().filter(|_| !alone));
                        self.targets(child, part.or(place), targets);
                    }
                }
            }
            Shape::Keyword(key, value) => {
                let key = self.part(pattern, key);
                if let Some(computed) = key.filter(|key| key.kind() == "computed_property_name") {
                    let computed = self.expr(computed);
                    self.defaults.push(computed);
                }
                let key = key.map(|key| self.key(key));
                if let Some(value) = self.part(pattern, value) {
                    // An entry's name says more than its place.
                    let place = part.filter(|part| !part.starts_with(|c: char| c.is_ascii_digit())).or(key).or(part);
                    self.targets(value, place, targets);
                }
            }
            Shape::Shorthand => {
                let name = self.slice(pattern);
                let place = part.filter(|part| !part.starts_with(|c: char| c.is_ascii_digit())).or(Some(name));
                let expr = self.name(pattern);
                targets.push(Target { expr, name, part: place });
            }
            Shape::Variant(head) => {
                let head = self.part(pattern, head);
                let children: Vec<Node<'t>> =
                    self.named(pattern).into_iter().filter(|child| Some(*child) != head).collect();
                let name = head.map(|head| super::last_part(self.slice(head)));
                let alone = children.len() == 1;
                let whole = alone && matches!(name, Some("Some" | "Ok" | "Right" | "Success"));
                for (index, child) in children.into_iter().enumerate() {
                    let place = match self.shape(child) {
                        Shape::Keyword(..) => None,
                        _ if whole => None,
                        _ if alone => name,
                        _ => PLACES.get(index).copied(),
                    };
                    self.targets(child, part.or(place), targets);
                }
            }
            Shape::Default(target, default) => {
                if let Some(target) = self.part(pattern, target) {
                    self.targets(target, part, targets);
                }
                if let Some(default) = self.part(pattern, default) {
                    let default = self.expr(default);
                    self.defaults.push(default);
                }
            }
            Shape::Through(place) => {
                if let Some(inside) = self.part(pattern, place) {
                    self.targets(inside, part, targets);
                }
            }
            _ => {
                let expr = match self.syntax.target {
                    Some(target) => target(self, pattern),
                    None => self.expr(pattern),
                };
                let name = match self.code.exprs[expr].value {
                    Value::Name(name) | Value::Member { name, .. } => name,
                    _ => "",
                };
                if matches!(self.code.exprs[expr].value, Value::Name(_)) {
                    self.locals.insert(name);
                }
                targets.push(Target { expr, name, part });
            }
        }
    }

    /// Defaults of the pattern that was just read.
    pub(in crate::host::code) fn take_defaults(&mut self) -> Vec<ExprId> {
        std::mem::take(&mut self.defaults)
    }

    /// A closure that a name is bound to has that name.
    pub(in crate::host::code) fn names_closure(&mut self, value: ExprId, name: Option<&'s str>) {
        if let Value::Function(function) = self.code.exprs[value].value
            && let Some(name) = name
        {
            let function = &mut self.code.functions[function];
            if function.name.is_empty() {
                function.name = name;
            }
        }
    }
}
