//! From a syntax tree to the shape of code. What is common to all languages is here; see [`super::language`] for what a
//! language adds.
//!
//! It recurses, up to a depth; what is deeper is left out, and the functions around it are marked as those with errors are.

mod bind;
mod cases;
mod define;
mod flow;
mod leave;
mod text;
mod value;

pub(super) use bind::PLACES;
pub(super) use cases::Case;
pub(super) use flow::Way;
pub(super) use value::last_part;

use super::language::{Place, Shape, Syntax};
use super::{ClassId, Code, Expr, ExprId, Flow, FunctionId, Stmt, StmtId, Value};
use crate::host::spec::{Grammar, Spec};
use crate::language::HostLanguage;
use crate::span::Span;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// The deepest nesting that is read.
pub(super) const DEEPEST: usize = 120;

/// What became of a node.
#[derive(Debug)]
pub(super) enum Lowered<'s> {
    /// Nothing that runs: a declaration.
    Nothing,
    /// A value.
    Value(Value<'s>),
    /// An expression that is there already.
    Expr(ExprId),
    /// A statement.
    Flow(Flow<'s>),
    /// A statement that is there already.
    Stmt(StmtId),
}

/// The code so far, and where in the tree the builder is.
pub(super) struct Builder<'s, 't> {
    pub(super) text: &'s str,
    pub(super) code: Code<'s>,
    spec: &'static Spec,
    grammar: &'static Grammar,
    syntax: &'static Syntax,
    kinds: &'static [Shape],
    /// Texts by the span of their node.
    texts: HashMap<(usize, usize), Span>,
    depth: usize,
    /// The function around.
    pub(super) function: FunctionId,
    /// The class whose body this is, in no function of it.
    pub(super) class: Option<ClassId>,
    /// Classes by their name, for methods that are declared apart.
    classes: HashMap<&'s str, ClassId>,
    /// Variables that the function has had so far.
    pub(super) locals: HashSet<&'s str>,
    /// Whether there was a `retry` in the handlers at hand.
    pub(super) retried: bool,
    /// Bodies of heredocs by where their marks are.
    heredocs: HashMap<usize, Node<'t>>,
    /// Annotations that what comes next has.
    pub(super) pending: Vec<ExprId>,
    /// The label of the loop that comes next.
    label: Option<&'s str>,
    /// What a `break` leaves.
    breaks: Vec<flow::Leaves<'s>>,
    /// Bodies of cases that had a `break` at their end.
    ended: HashSet<StmtId>,
    /// Defaults in the pattern at hand.
    defaults: Vec<ExprId>,
}

impl<'s, 't> Builder<'s, 't> {
    pub(super) fn new(
        text: &'s str,
        host: HostLanguage,
        syntax: &'static Syntax,
        texts: impl IntoIterator<Item = (Span, Span)>,
    ) -> Self {
        let spec = host.spec();
        Self {
            text,
            code: Code { throws: syntax.throws, ..Code::default() },
            spec,
            grammar: spec.grammar(host),
            syntax,
            kinds: syntax.kinds(host, spec),
            texts: texts.into_iter().map(|(node, whole)| ((node.start, node.end), whole)).collect(),
            depth: 0,
            function: 0,
            class: None,
            classes: HashMap::new(),
            locals: HashSet::new(),
            retried: false,
            heredocs: HashMap::new(),
            pending: Vec::new(),
            label: None,
            breaks: Vec::new(),
            ended: HashSet::new(),
            defaults: Vec::new(),
        }
    }

    /// The whole file.
    pub(super) fn file(mut self, root: Node<'t>) -> Code<'s> {
        let span = Span::new(0, self.text.len());
        self.begin_function(root, "", span);
        self.find_heredocs(root);
        let children = self.named(root);
        self.code.functions[0].body = self.sequence(children, span);
        self.finish();
        self.code
    }

    // Nodes.

    /// The text of a node.
    pub(super) fn slice(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn shape(&self, node: Node<'_>) -> Shape {
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Shape::Unknown)
    }

    /// The named children, comments left out.
    pub(super) fn named(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).filter(|child| !child.is_extra() || child.is_error()).collect()
    }

    /// All children of a field.
    pub(super) fn fields(&self, node: Node<'t>, field: &str) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.children_by_field_name(field, &mut cursor).filter(|child| child.is_named() && !child.is_extra()).collect()
    }

    /// A part of a node.
    pub(super) fn part(&self, node: Node<'t>, place: Place) -> Option<Node<'t>> {
        match place {
            "" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| !child.is_extra())
            }
            "$" => self.named(node).pop(),
            _ => match place.strip_prefix('#') {
                Some(kind) => {
                    let mut cursor = node.walk();
                    node.named_children(&mut cursor).find(|child| child.kind() == kind)
                }
                None => node.child_by_field_name(place),
            },
        }
    }

    /// Whether a node has this word as a child of its own: `async`, `new`.
    pub(super) fn has_word(&self, node: Node<'t>, word: &str) -> bool {
        let mut cursor = node.walk();
        // What says so stands at the beginning.
        node.children(&mut cursor).take(8).any(|child| !child.is_named() && child.kind() == word)
    }

    /// The same, or in a node for such words.
    pub(super) fn has_modifier(&self, node: Node<'t>, word: &str) -> bool {
        let mut cursor = node.walk();
        let says = |child: Node<'t>| {
            child.kind().starts_with("modifier") && self.slice(child).split_whitespace().any(|part| part == word)
        };
        self.has_word(node, word) || node.children(&mut cursor).take(8).any(says)
    }

    // Arenas.

    pub(super) fn push(&mut self, span: Span, value: Value<'s>) -> ExprId {
        self.code.exprs.push(Expr { span, value });
        self.code.exprs.len() - 1
    }

    pub(super) fn push_stmt(&mut self, span: Span, flow: Flow<'s>) -> StmtId {
        self.code.stmts.push(Stmt { span, flow });
        self.code.stmts.len() - 1
    }

    /// A name that is a node.
    pub(super) fn name(&mut self, node: Node<'t>) -> ExprId {
        self.push(span_of(node), Value::Name(self.slice(node).trim_start_matches('$')))
    }

    pub(super) fn empty(&mut self, at: usize) -> StmtId {
        self.push_stmt(Span::new(at, at), Flow::Sequence(Vec::new()))
    }

    // Nodes to expressions and statements.

    /// A node as an expression.
    pub(super) fn expr(&mut self, node: Node<'t>) -> ExprId {
        let span = span_of(node);
        if let Some(text) = self.as_text(node) {
            return text;
        }
        match self.lower(node, false) {
            Lowered::Nothing => self.push(span, Value::Other(Vec::new())),
            Lowered::Value(value) => self.push(span, value),
            Lowered::Expr(expr) => expr,
            Lowered::Flow(flow) => {
                let stmt = self.push_stmt(span, flow);
                self.push(span, Value::Block(stmt))
            }
            Lowered::Stmt(stmt) => self.push(span, Value::Block(stmt)),
        }
    }

    /// A part that may be missing, as an expression.
    pub(super) fn expr_at(&mut self, node: Node<'t>, place: Place) -> Option<ExprId> {
        let part = self.part(node, place)?;
        Some(self.expr(part))
    }

    /// Nodes as expressions, without those in which nothing is.
    pub(super) fn exprs(&mut self, nodes: Vec<Node<'t>>) -> Vec<ExprId> {
        let exprs: Vec<ExprId> = nodes.into_iter().map(|node| self.expr(node)).collect();
        exprs.into_iter().filter(|expr| !self.is_nothing(*expr)).collect()
    }

    pub(in crate::host::code) fn is_nothing(&self, expr: ExprId) -> bool {
        matches!(&self.code.exprs[expr].value, Value::Other(parts) if parts.is_empty())
    }

    /// A node as a statement; `None` where nothing runs.
    pub(super) fn stmt(&mut self, node: Node<'t>) -> Option<StmtId> {
        let span = span_of(node);
        let expr = match self.as_text(node) {
            Some(text) => text,
            None => match self.lower(node, true) {
                Lowered::Nothing => return None,
                Lowered::Value(value) => self.push(span, value),
                Lowered::Expr(expr) => expr,
                Lowered::Flow(flow) => return Some(self.push_stmt(span, flow)),
                Lowered::Stmt(stmt) => return Some(stmt),
            },
        };
        (!self.is_nothing(expr)).then(|| self.run(expr, span))
    }

    /// An expression as a statement: one that does not come back leaves.
    pub(super) fn run(&mut self, expr: ExprId, span: Span) -> StmtId {
        if let Value::Block(stmt) = self.code.exprs[expr].value {
            return stmt;
        }
        let flow = self.leaving(expr).unwrap_or(Flow::Run(expr));
        self.push_stmt(span, flow)
    }

    /// The statement that a body is.
    pub(super) fn body(&mut self, node: Option<Node<'t>>, at: usize) -> StmtId {
        let Some(node) = node else { return self.empty(at) };
        match self.stmt(node) {
            Some(stmt) => stmt,
            None => self.empty(node.start_byte()),
        }
    }

    /// The statements of a block.
    pub(super) fn sequence(&mut self, nodes: Vec<Node<'t>>, span: Span) -> StmtId {
        // A `using` declaration has what follows as its body: the statements before it wait.
        let mut waiting = Vec::new();
        let mut stmts = Vec::new();
        for node in nodes {
            if matches!(self.shape(node), Shape::Using)
                && let Some(items) = (self.syntax.using)(self, node)
            {
                waiting.push((std::mem::take(&mut stmts), items, node.start_byte()));
            } else {
                stmts.extend(self.stmt(node));
            }
        }
        let mut start = waiting.last().map_or(span.start, |(_, _, start)| *start);
        let mut done = self.push_stmt(Span::new(start.min(span.end), span.end), Flow::Sequence(stmts));
        while let Some((mut before, items, at)) = waiting.pop() {
            let with = self.push_stmt(Span::new(at, span.end), Flow::With { items, body: done });
            before.push(with);
            start = waiting.last().map_or(span.start, |(_, _, start)| *start);
            done = self.push_stmt(Span::new(start, span.end), Flow::Sequence(before));
        }
        done
    }

    /// The statements in a block, whose grammar may have a node for them all.
    pub(super) fn inner(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut nodes = self.named(node);
        while let [only] = nodes.as_slice()
            && matches!(self.shape(*only), Shape::Sequence)
        {
            nodes = self.named(*only);
        }
        nodes
    }

    fn lower(&mut self, node: Node<'t>, statement: bool) -> Lowered<'s> {
        if self.depth == DEEPEST {
            self.too_deep();
            return Lowered::Nothing;
        }
        self.depth += 1;
        let lowered = self.lower_shape(node, statement);
        self.depth -= 1;
        lowered
    }

    fn lower_shape(&mut self, node: Node<'t>, statement: bool) -> Lowered<'s> {
        let shape = self.shape(node);
        match shape {
            Shape::Unknown | Shape::Catch | Shape::Using => self.unknown(node, statement),
            Shape::Skip => Lowered::Nothing,
            Shape::Own => match (self.syntax.own)(self, node, statement) {
                Some(lowered) => lowered,
                None => self.unknown(node, statement),
            },
            Shape::Name | Shape::Shorthand => Lowered::Value(Value::Name(self.slice(node).trim_start_matches('$'))),
            Shape::Constant => Lowered::Value(Value::Constant(self.slice(node))),
            Shape::Through(place) => match self.part(node, place) {
                Some(part) if statement => self.stmt(part).map_or(Lowered::Nothing, Lowered::Stmt),
                Some(part) => Lowered::Expr(self.expr(part)),
                None => self.unknown(node, statement),
            },
            Shape::Sequence => {
                let nodes = self.inner(node);
                Lowered::Stmt(self.sequence(nodes, span_of(node)))
            }
            Shape::Run | Shape::Else("") | Shape::Finally("") => self.statements(node),
            Shape::Else(place) | Shape::Finally(place) => Lowered::Stmt(self.body_at(node, place)),
            Shape::Return(_) | Shape::Throw(_) | Shape::Break(_) | Shape::Continue(_) => self.exit(node, shape),
            Shape::If(..)
            | Shape::While(..)
            | Shape::DoWhile(..)
            | Shape::Each(..)
            | Shape::For(..)
            | Shape::Labeled(..)
            | Shape::Try(_) => self.flow(node, shape),
            Shape::Assign(target, value) => self.assignment(node, target, value, statement),
            Shape::Closure(parts) => Lowered::Value(Value::Function(self.closure(node, parts))),
            Shape::Function(parts) => {
                self.declare_function(node, parts);
                Lowered::Nothing
            }
            Shape::Class(name, bases, body) => self.class(node, name, bases, body),
            Shape::Annotation(place) => {
                self.annotation(node, place);
                Lowered::Nothing
            }
            _ => self.value(node, shape),
        }
    }

    /// One level deeper; `None` where that is too deep.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == DEEPEST {
            self.too_deep();
            return None;
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        Some(read)
    }

    /// A kind that no one knows: its parts, so that nothing is lost.
    fn unknown(&mut self, node: Node<'t>, statement: bool) -> Lowered<'s> {
        let kind = node.kind();
        let is_statement = ["statement", "declaration", "block", "body", "clause", "list", "ERROR"]
            .iter()
            .any(|end| kind.ends_with(end));
        if statement && is_statement {
            return self.statements(node);
        }
        let nodes = self.named(node);
        Lowered::Value(Value::Other(self.exprs(nodes)))
    }

    /// The children as statements; of one child that statement alone.
    fn statements(&mut self, node: Node<'t>) -> Lowered<'s> {
        let nodes = self.named(node);
        match nodes.as_slice() {
            [] => Lowered::Nothing,
            [only] => self.stmt(*only).map_or(Lowered::Nothing, Lowered::Stmt),
            _ => Lowered::Stmt(self.sequence(nodes, span_of(node))),
        }
    }

    fn body_at(&mut self, node: Node<'t>, place: Place) -> StmtId {
        let part = self.part(node, place);
        self.body(part, node.end_byte())
    }

    /// The function here, and those around it, are not read whole.
    pub(super) fn too_deep(&mut self) {
        let mut function = Some(self.function);
        while let Some(id) = function.filter(|id| !self.code.functions[*id].has_error) {
            self.code.functions[id].has_error = true;
            function = self.code.functions[id].outer;
        }
    }
}

/// Where a node is.
pub(super) fn span_of(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}
