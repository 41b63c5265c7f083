//! On the way down: what a node is, and what that means for what is in it.

use super::frame::{Context, Frame, Mode};
use super::names::{callee, keyword, last_name, method_after, without_types};
use super::{Walk, span_of};
use crate::host::constants::Scope;
use crate::host::join::{Lit, Piece};
use crate::host::spec::{Refined, Role};
use crate::host::{Callee, Function};
use crate::span::Span;
use tree_sitter::Node;

impl<'s, 't> Walk<'s, 't> {
    pub(super) fn enter(&mut self, node: Node<'t>) {
        let index = self.frames.len();
        let span = span_of(node);
        let around = self.frames.last().map_or_else(Context::default, |parent| parent.context);
        let Refined { role, name } = self.role(node, around);
        if node.is_named() && role != Role::Comment {
            self.next_child(span);
        }
        // Scala writes keywords as assignments.
        let in_arguments = self.frames.last().is_some_and(|parent| parent.role == Role::Arguments);
        let role = if role == Role::Assignment && in_arguments { Role::Argument } else { role };
        let mut frame = Frame {
            node,
            role,
            span,
            mode: Mode::Apart,
            first: self.pieces.len(),
            text: None,
            children: 0,
            last: span.start,
            name,
            context: around,
            keyword: None,
            call: None,
            outer: None,
            record: None,
        };
        if self.is_statement(node, role) {
            frame.context = Context { statement: Some(index), ..around.inside() };
        }
        match role {
            Role::Literal => self.literal(&mut frame),
            Role::Hole => {
                if let Some(literal) = around.literal {
                    self.lits[literal].holes.push(span);
                }
                frame.context = Context { literal: None, ..around.inside() };
            }
            Role::Adjacent => frame.mode = Mode::Concat,
            Role::Binary => frame.mode = self.operator(node),
            Role::Wrap => frame.mode = Mode::First,
            Role::Argument => {
                frame.mode = Mode::First;
                let keyword = keyword(self.slice(span)).map(|word| self.span_in(word));
                if let Some(arguments) = around.arguments {
                    self.frames[arguments].keyword = keyword;
                }
            }
            Role::Member => frame.mode = Mode::Member,
            Role::Call => frame.mode = Mode::Call,
            Role::Arguments => self.arguments(&mut frame, index),
            Role::List => frame.mode = self.separator(span).map_or(Mode::Apart, Mode::Join),
            Role::Binding | Role::Assignment | Role::Pair => self.declare(&mut frame),
            Role::Parameters => frame.context = Context { parameters: true, ..around.inside() },
            Role::Function | Role::Closure => self.function(&mut frame, around),
            Role::Class => {
                let name = frame.name.or_else(|| self.grammar.name(node));
                frame.context = Context { class: name, function: None, ..frame.context.inside() };
                if let Some(name) = name {
                    self.constants.class(last_name(self.slice(name)), name.start);
                }
            }
            Role::Body => {
                if let Some(record) = around.statement.and_then(|statement| self.frames[statement].record) {
                    self.statements[record].head.get_or_insert(span.start);
                }
                frame.context = frame.context.inside();
            }
            Role::Annotation => frame.context.annotation = Some(index),
            Role::Comment => self.comments.push(self.trimmed(span)),
            Role::HeredocStart => {
                let mark = self.slice(span);
                self.heredocs.push_back(self.lits.len());
                self.push_literal(&mut frame, Lit { mark, ..Lit::new(span, "heredoc") });
            }
            Role::HeredocBody => {
                if let Some(literal) = self.heredocs.pop_front() {
                    self.lits[literal].span = span;
                    frame.context = Context { literal: Some(literal), ..around.inside() };
                }
            }
            Role::Number | Role::Statement | Role::Other => {}
        }
        if frame.context.parameters && node.is_named() && node.child_count() == 0 {
            self.constants.bind(self.scope(around), last_name(self.slice(span)));
        }
        self.frames.push(frame);
    }

    fn role(&self, node: Node<'t>, around: Context) -> Refined {
        if !node.is_named() {
            return Refined { role: Role::Other, name: None };
        }
        if around.literal.is_some() && !self.spec.content.is_empty() {
            let plain = self.spec.content.contains(&node.kind());
            return Refined { role: if plain { Role::Other } else { Role::Hole }, name: None };
        }
        let role = self.grammar.role(node.kind_id());
        match self.spec.refine {
            Some(refine) => refine(node, self.text, role),
            None => Refined { role, name: None },
        }
    }

    /// The parent has one more child.
    fn next_child(&mut self, span: Span) {
        let Some(parent) = self.frames.last_mut() else { return };
        parent.children += 1;
        parent.keyword = None;
        if let Mode::Join(separator) = parent.mode
            && parent.children > 1
        {
            // The comma between two elements stands for the separator.
            self.pieces.push(Piece::Gap { source: Span::new(parent.last.min(span.start), span.start), separator });
        }
    }

    fn is_statement(&self, node: Node<'t>, role: Role) -> bool {
        if role == Role::Statement {
            return true;
        }
        let in_body = self.frames.last().is_some_and(|parent| parent.role == Role::Body);
        in_body && node.is_named() && !matches!(role, Role::Comment | Role::HeredocBody | Role::Body)
    }

    fn literal(&mut self, frame: &mut Frame<'t>) {
        let kind = self.grammar.language.node_kind_for_id(frame.node.kind_id()).unwrap_or_default();
        self.push_literal(frame, Lit::new(frame.span, kind));
    }

    fn push_literal(&mut self, frame: &mut Frame<'t>, literal: Lit<'s>) {
        let index = self.lits.len();
        self.lits.push(literal);
        self.pieces.push(Piece::Literal(index));
        frame.text = Some(frame.span);
        frame.context.literal = Some(index);
    }

    fn operator(&self, node: Node<'t>) -> Mode {
        let operator = node.child_by_field_name("operator").or_else(|| node.child(1));
        let operator = operator.map_or("", |operator| self.slice(span_of(operator)));
        if self.spec.concatenates.contains(&operator) {
            Mode::Concat
        } else if self.spec.formats.contains(&operator) {
            Mode::First
        } else if operator == ">" {
            Mode::Tagged
        } else {
            Mode::Apart
        }
    }

    fn arguments(&mut self, frame: &mut Frame<'t>, index: usize) {
        let mut above = self.frames.iter().enumerate().rev().take(2);
        let parent = above.next();
        if parent.is_some_and(|(_, parent)| parent.role == Role::Arguments && parent.call.is_some()) {
            // Keywords in a node of their own belong to the same call.
            return;
        }
        let calls = |frame: &&(usize, &Frame<'_>)| matches!(frame.1.role, Role::Call | Role::Annotation);
        let call = parent.filter(|frame| calls(&frame)).or_else(|| above.next().filter(|frame| calls(&frame)));
        let Some((call, start)) = call.map(|(call, frame)| (call, frame.span.start)) else {
            frame.context.arguments = None;
            if parent.is_some_and(|(_, parent)| parent.role == Role::Wrap) {
                frame.mode = Mode::First;
            }
            return;
        };
        frame.call = Some(call);
        frame.outer = frame.context.arguments;
        frame.context = Context { arguments: Some(index), ..frame.context };
        let name = self.callee(Span::new(start, frame.span.start)).name;
        if self.spec.joiners.contains(&name) {
            frame.mode = Mode::Concat;
        } else if self.spec.formatters.contains(&name) {
            frame.mode = Mode::First;
        }
    }

    /// The callee whose text is `span`.
    pub(super) fn callee(&self, span: Span) -> Callee<'s> {
        callee(self.slice(span), self.spec.name_marks)
    }

    /// What `join` puts between the elements of a list, if it is called with it.
    fn separator(&self, list: Span) -> Option<Span> {
        let after = self.after(list.end);
        if method_after(after) == Some("join") {
            let (_, rest) = after.split_once("join")?;
            let inside = rest.trim_start().strip_prefix('(').unwrap_or("").trim_start();
            return match inside.chars().next() {
                Some(quote @ ('"' | '\'' | '`')) => {
                    let text = &inside[1..];
                    let end = text.bytes().take(64).position(|byte| byte == quote as u8)?;
                    Some(self.span_in(&text[..end]))
                }
                _ if rest.starts_with("()") || !rest.starts_with('(') => Some(Span::new(list.end, list.end)),
                _ => None,
            };
        }
        let parent = self.frames.last().filter(|parent| parent.mode == Mode::First)?;
        let call = self.frames.get(parent.call?)?;
        let Callee { name: "join", receiver: Some(text) } = self.callee(Span::new(call.span.start, parent.span.start))
        else {
            return None;
        };
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(self.span_in(inside))
    }

    /// The span of a slice of the text.
    fn span_in(&self, part: &'s str) -> Span {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Span::new(start, start + part.len())
    }

    fn declare(&mut self, frame: &mut Frame<'t>) {
        frame.name = frame.name.or_else(|| self.grammar.name(frame.node));
        let Some(name) = frame.name else { return };
        let text = self.slice(name);
        let scope = self.scope(frame.context);
        match frame.role {
            Role::Binding => {
                for part in text.split(',') {
                    let scope = if is_of_self(part) { self.class_scope(frame.context) } else { scope };
                    self.constants.bind(scope, last_name(part));
                }
            }
            Role::Assignment => text.split(',').for_each(|part| self.constants.reassign(last_name(part))),
            _ => {}
        }
    }

    /// Where a name that is declared here is known.
    pub(super) fn scope(&self, context: Context) -> Scope {
        context.function.map_or_else(|| self.class_scope(context), Scope::Function)
    }

    fn class_scope(&self, context: Context) -> Scope {
        context.class.map_or(Scope::File, |class| Scope::Class(class.start))
    }

    fn function(&mut self, frame: &mut Frame<'t>, around: Context) {
        let parent = self.frames.last();
        let name = match frame.role {
            Role::Function => frame.name.or_else(|| self.grammar.name(frame.node)),
            _ => parent.filter(|parent| binds(parent.role)).and_then(|parent| parent.name),
        };
        frame.context = frame.context.inside();
        if name.is_none() && around.function.is_some() {
            return;
        }
        let receiver = frame.node.child_by_field_name("receiver").map(|receiver| self.slice(span_of(receiver)));
        let class = receiver
            .map(|text| last_name(text.trim_end_matches(')').split('[').next().unwrap_or_default()))
            .or_else(|| around.class.map(|class| without_types(self.slice(class))));
        let index = self.functions.len();
        frame.context.function = Some(index);
        self.constants.function(around.function);
        if let Some(parameter) = frame.node.child_by_field_name("parameter") {
            self.constants.bind(Scope::Function(index), self.slice(span_of(parameter)));
        }
        self.functions.push(Function {
            name: name.map_or("", |name| last_name(self.slice(name))),
            span: frame.span,
            class,
            has_error: frame.node.has_error(),
        });
    }

    /// Without the line end, which some grammars count to a comment.
    fn trimmed(&self, span: Span) -> Span {
        Span::new(span.start, span.start + self.slice(span).trim_end().len())
    }
}

/// Whether a value in a node of this role gets a name.
pub(super) fn binds(role: Role) -> bool {
    matches!(role, Role::Binding | Role::Assignment | Role::Pair)
}

/// Whether what is assigned to belongs to the object: `self.x`, `this.x`, `$this->x`.
fn is_of_self(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches('$');
    ["self.", "this.", "this->", "self::", "cls."].iter().any(|prefix| text.starts_with(prefix))
}
