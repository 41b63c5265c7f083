//! Functions, classes and their fields.

use super::{Builder, Lowered, span_of};
use crate::host::code::language::{Parts, Place, Shape};
use crate::host::code::{Binding, Class, ClassId, ExprId, Flow, Function, FunctionId, Parameter, StmtId, Value};
use crate::span::Span;
use std::collections::HashSet;
use tree_sitter::Node;

/// What is around a function, for when it is left.
pub(in crate::host::code) struct Around<'s> {
    function: FunctionId,
    class: Option<ClassId>,
    breaks: Vec<super::flow::Leaves<'s>>,
    label: Option<&'s str>,
    /// What a closure knows its function knows.
    locals: Option<HashSet<&'s str>>,
}

impl<'s, 't> Builder<'s, 't> {
    /// A function begins; what is read until [`Self::end_function`] is in it.
    pub(in crate::host::code) fn begin_function(&mut self, node: Node<'t>, name: &'s str, at: Span) -> Around<'s> {
        let id = self.code.functions.len();
        let body = self.empty(node.start_byte());
        let annotations = std::mem::take(&mut self.pending);
        self.code.functions.push(Function {
            name,
            span: if id == 0 { at } else { span_of(node) },
            at: if id == 0 { Self::before(at) } else { at },
            outer: (id > 0).then_some(self.function),
            class: self.class,
            this: None,
            parameters: Vec::new(),
            returns: None,
            annotations,
            body,
            is_async: false,
            is_block: false,
            has_error: node.has_error(),
        });
        Around {
            function: std::mem::replace(&mut self.function, id),
            class: self.class.take(),
            breaks: std::mem::take(&mut self.breaks),
            label: self.label.take(),
            locals: (!name.is_empty()).then(|| std::mem::take(&mut self.locals)),
        }
    }

    /// The function that was begun last ends. Its index.
    pub(in crate::host::code) fn end_function(&mut self, around: Around<'s>) -> FunctionId {
        let Around { function, class, breaks, label, locals } = around;
        if let Some(locals) = locals {
            self.locals = locals;
        }
        self.class = class;
        self.breaks = breaks;
        self.label = label;
        std::mem::replace(&mut self.function, function)
    }

    /// The function that is being read.
    pub(in crate::host::code) fn current(&mut self) -> &mut Function<'s> {
        &mut self.code.functions[self.function]
    }

    /// A function with a name, at its place.
    pub(in crate::host::code) fn declare_function(&mut self, node: Node<'t>, parts: &Parts) -> FunctionId {
        self.own_annotations(node);
        let name = self.part(node, parts.name);
        self.computed_name(name);
        let at = name.map_or(Self::before(span_of(node)), span_of);
        let around = self.begin_function(node, name.map_or("", |name| self.slice(name)), at);
        self.inside(node, parts);
        self.end_function(around)
    }

    /// A name that is found out when it is declared has calls in it: `[Symbol.for('x')]() {}`.
    pub(super) fn computed_name(&mut self, name: Option<Node<'t>>) {
        if let Some(name) = name.filter(|name| name.kind() == "computed_property_name") {
            self.expr(name);
        }
    }

    /// A function as a value.
    pub(in crate::host::code) fn closure(&mut self, node: Node<'t>, parts: &Parts) -> FunctionId {
        self.block(node, parts, false)
    }

    /// A function as a value; whether `return` in it leaves the function around.
    pub(in crate::host::code) fn block(&mut self, node: Node<'t>, parts: &Parts, is_block: bool) -> FunctionId {
        let pending = std::mem::take(&mut self.pending);
        let around = self.begin_function(node, "", Self::before(span_of(node)));
        self.current().is_block = is_block;
        if let Some(name) = self.part(node, parts.name).filter(|_| !parts.name.is_empty()) {
            let text = self.slice(name);
            let function = self.current();
            function.name = text;
            function.at = span_of(name);
        }
        self.inside(node, parts);
        let id = self.end_function(around);
        self.pending = pending;
        id
    }

    /// Parameters, result and body of the function that was begun.
    fn inside(&mut self, node: Node<'t>, parts: &Parts) {
        // Of one without brackets the field has another name.
        let parameters = self.part(node, parts.parameters).or_else(|| self.part(node, "parameter"));
        if let Some(parameters) = parameters.filter(|_| !parts.parameters.is_empty()) {
            let parameters = self.parameters(parameters);
            self.current().parameters = parameters;
        }
        let returns = self.part(node, parts.returns).filter(|_| !parts.returns.is_empty());
        let returns = returns.map(|returns| self.type_of(returns).trim_start_matches("->").trim());
        let is_async = self.has_modifier(node, "async") || self.has_modifier(node, "suspend");
        let function = self.current();
        function.returns = returns;
        function.is_async = is_async;
        if let Some(body) = self.part(node, parts.body) {
            let stmt = self.function_body(body);
            self.current().body = stmt;
        }
    }

    /// A body: statements, or an expression that is given.
    pub(in crate::host::code) fn function_body(&mut self, body: Node<'t>) -> StmtId {
        let is_block = matches!(self.shape(body), Shape::Sequence);
        let stmt = self.body(Some(body), body.start_byte());
        if !is_block || self.syntax.gives_last {
            self.give_last(stmt);
        }
        stmt
    }

    /// Parameters in a node, or one without brackets.
    pub(in crate::host::code) fn parameters(&mut self, node: Node<'t>) -> Vec<Parameter<'s>> {
        if matches!(self.shape(node), Shape::Name) {
            return vec![self.parameter(node, None, None)];
        }
        let mut parameters = Vec::new();
        for child in self.named(node) {
            let (names, ty, default) = match self.shape(child) {
                Shape::Parameter(name, ty, default) => {
                    let plain = name.is_empty() || name.starts_with(['#', '$']);
                    let names =
                        if plain { self.part(child, name).into_iter().collect() } else { self.fields(child, name) };
                    (names, self.part(child, ty), self.part(child, default))
                }
                Shape::Default(name, default) => {
                    (self.part(child, name).into_iter().collect(), None, self.part(child, default))
                }
                Shape::Skip | Shape::Annotation(_) => continue,
                _ => (vec![child], None, None),
            };
            // The last child is the default, where it is nothing else.
            let default = default.filter(|default| !names.contains(default) && ty != Some(*default));
            let ty = ty.map(|ty| self.type_of(ty));
            if names.is_empty() {
                let (name, parts, annotations) = ("", Vec::new(), Vec::new());
                parameters.push(Parameter { name, parts, ty, default: None, annotations });
            }
            let before = std::mem::take(&mut self.pending);
            self.own_annotations(child);
            let mut annotations = std::mem::replace(&mut self.pending, before);
            let promoted = child.kind().contains("promotion")
                || self.part(child, "#accessibility_modifier").is_some()
                || self.has_word(child, "readonly");
            if let Some(class) = self.code.functions[self.function].class.filter(|_| promoted) {
                for name in &names {
                    let field = Binding { ty, ..self.binding(*name, None, true) };
                    self.code.classes[class].fields.push(field);
                }
            }
            for (index, name) in names.into_iter().enumerate() {
                let default = default.filter(|_| index == 0).map(|default| self.expr(default));
                let parameter = self.parameter(name, ty, default);
                parameters.push(Parameter { annotations: std::mem::take(&mut annotations), ..parameter });
            }
        }
        parameters
    }

    /// One parameter: a name, or a pattern.
    pub(in crate::host::code) fn parameter(
        &mut self,
        pattern: Node<'t>,
        ty: Option<&'s str>,
        default: Option<ExprId>,
    ) -> Parameter<'s> {
        let mut targets = Vec::new();
        self.targets(pattern, None, &mut targets);
        let mut defaults = self.take_defaults();
        let default = match (default, defaults.is_empty()) {
            (default, true) => default,
            (default, false) => {
                defaults.extend(default);
                Some(self.push(span_of(pattern), Value::Other(defaults)))
            }
        };
        let (name, parts) = match targets.as_slice() {
            [only] if only.part.is_none() => (only.name, Vec::new()),
            _ => ("", targets.iter().map(|target| target.name).collect()),
        };
        Parameter { name, parts, ty, default, annotations: Vec::new() }
    }

    /// Annotations among the children, and among those of `modifiers`, belong to what is declared.
    pub(in crate::host::code) fn own_annotations(&mut self, node: Node<'t>) {
        for child in self.named(node) {
            match self.shape(child) {
                Shape::Annotation(place) => self.annotation(child, place),
                _ if child.kind() == "modifiers" || child.kind() == "attribute_list" => self.own_annotations_in(child),
                _ => {}
            }
        }
    }

    fn own_annotations_in(&mut self, node: Node<'t>) {
        for child in self.named(node) {
            if let Shape::Annotation(place) = self.shape(child) {
                self.annotation(child, place);
            }
        }
    }

    /// What comes next has an annotation.
    pub(super) fn annotation(&mut self, node: Node<'t>, place: Place) {
        // Its arguments may have functions, which it does not belong to.
        let pending = std::mem::take(&mut self.pending);
        let expr = match (
            self.part(node, place),
            self.part(node, "arguments").or_else(|| self.part(node, "#attribute_argument_list")),
        ) {
            (Some(name), Some(arguments)) => {
                let callee = self.expr(name);
                let arguments = self.arguments(arguments);
                let call = self.call(node, callee, "", arguments);
                Some(self.code.calls[call].expr)
            }
            (Some(name), None) => Some(self.expr(name)),
            (None, _) => None,
        };
        self.pending = pending;
        if let Some(Value::Call(call)) = expr.map(|expr| &self.code.exprs[expr].value) {
            self.code.calls[*call].constructs = false;
        }
        self.pending.extend(expr);
    }

    /// A class with the places of its parts.
    pub(super) fn class(&mut self, node: Node<'t>, name: Place, bases: Place, body: Place) -> Lowered<'s> {
        let bases = self.part(node, bases).map(|bases| self.named(bases)).unwrap_or_default();
        let name = self.part(node, name).map_or("", |name| self.slice(name));
        let body = self.part(node, body);
        self.class_of(node, name, bases, body)
    }

    /// A class; what it extends is evaluated where it is no name.
    pub(in crate::host::code) fn class_of(
        &mut self,
        node: Node<'t>,
        name: &'s str,
        bases: Vec<Node<'t>>,
        body: Option<Node<'t>>,
    ) -> Lowered<'s> {
        let computed = self.exprs(bases.clone());
        let bases = bases.into_iter().map(|base| self.slice(base)).collect();
        let runs = |expr: &ExprId| !matches!(self.code.exprs[*expr].value, Value::Name(_) | Value::Member { .. });
        let computed: Vec<ExprId> = computed.into_iter().filter(runs).collect();
        let defined = self.define_class(node, name, bases, body);
        if computed.is_empty() {
            return defined;
        }
        // What it extends is found out when it is declared.
        let mut stmts: Vec<StmtId> =
            computed.into_iter().map(|expr| self.run(expr, Self::before(span_of(node)))).collect();
        if let Lowered::Stmt(stmt) = defined {
            stmts.push(stmt);
        }
        Lowered::Flow(Flow::Sequence(stmts))
    }

    /// A class. What its body runs when it is declared is a statement at its place.
    pub(in crate::host::code) fn define_class(
        &mut self,
        node: Node<'t>,
        name: &'s str,
        bases: Vec<&'s str>,
        body: Option<Node<'t>>,
    ) -> Lowered<'s> {
        self.own_annotations(node);
        let id = self.class_named(name, span_of(node));
        self.code.classes[id].span = span_of(node);
        self.code.classes[id].bases.extend(bases);
        let annotations = std::mem::take(&mut self.pending);
        self.code.classes[id].annotations.extend(annotations);
        let around = self.class.replace(id);
        let stmt = body.map(|body| self.members(body));
        self.class = around;
        match stmt {
            Some(stmt) if !self.is_empty(stmt) => Lowered::Stmt(stmt),
            _ => Lowered::Nothing,
        }
    }

    /// What runs when a class or an object is made, as a function of the class.
    pub(in crate::host::code) fn initializer(&mut self, node: Node<'t>, name: &'s str, body: Option<Node<'t>>) {
        let around = self.begin_function(node, name, Self::before(span_of(node)));
        let body = self.body(body, node.end_byte());
        self.current().body = body;
        self.end_function(around);
    }

    /// The members of a class.
    fn members(&mut self, body: Node<'t>) -> StmtId {
        let nodes = self.named(body);
        let mut stmts = Vec::new();
        for node in nodes {
            // A bare block runs when an object is made.
            if matches!(self.shape(node), Shape::Sequence) {
                self.initializer(node, "", Some(node));
            } else {
                stmts.extend(self.stmt(node));
            }
        }
        self.pending.clear();
        self.push_stmt(span_of(body), Flow::Sequence(stmts))
    }

    fn is_empty(&self, stmt: StmtId) -> bool {
        matches!(&self.code.stmts[stmt].flow, Flow::Sequence(stmts) if stmts.is_empty())
    }

    /// A new class.
    pub(in crate::host::code) fn class_named(&mut self, name: &'s str, span: Span) -> ClassId {
        let id = self.code.classes.len();
        self.code.classes.push(Class { name, span, bases: Vec::new(), annotations: Vec::new(), fields: Vec::new() });
        id
    }

    /// The class of a method that is declared apart, which comes before or after.
    pub(in crate::host::code) fn class_apart(&mut self, name: &'s str, span: Span) -> ClassId {
        if let Some(id) = self.classes.get(name) {
            return *id;
        }
        let id = self.class_named(name, span);
        self.classes.insert(name, id);
        id
    }

    /// A field of the class whose body this is.
    pub(in crate::host::code) fn field(&mut self, binding: Binding<'s>) {
        if let Some(class) = self.class {
            self.code.classes[class].fields.push(binding);
        }
    }
}
