//! On the way up: texts grow, or are whole.

use super::Walk;
use super::enter::binds;
use super::frame::{Context, Frame, Mode};
use super::names::{last_name, method_after};
use crate::host::join::{Draft, Piece, Statement};
use crate::host::spec::Role;
use crate::host::{Argument, CallSite, Position};
use crate::span::Span;

impl<'s> Walk<'s, '_> {
    pub(super) fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if let Some(parent) = self.frames.last_mut().filter(|_| frame.node.is_named()) {
            parent.last = frame.span.end;
        }
        let Some(text) = frame.text else {
            self.pieces.truncate(frame.first);
            self.no_text(&frame);
            return;
        };
        if !self.accepts(&frame) {
            self.whole(&frame, text);
        } else if let Some(parent) = self.frames.last_mut() {
            let joins = matches!(parent.mode, Mode::Concat | Mode::Join(_));
            parent.text = Some(if joins { parent.span } else { text });
        }
    }

    /// What is no text is a hole where one is put together, and may be the value of a constant.
    fn no_text(&mut self, frame: &Frame<'_>) {
        let Some(parent) = self.frames.last() else { return };
        match parent.mode {
            // Comments and operators are no operands; Scala's operators are nodes with a name.
            Mode::Concat | Mode::Join(_)
                if frame.node.is_named()
                    && frame.role != Role::Comment
                    && !self.spec.concatenates.contains(&self.slice(frame.span)) =>
            {
                self.pieces.push(Piece::Hole(frame.span));
            }
            _ if frame.role == Role::Number => {
                let passes = |above: &&Frame<'_>| {
                    above.role == Role::Wrap || above.role == Role::Arguments && above.call.is_none()
                };
                let holder = self.frames.iter().rev().take(4).find(|above| !passes(above));
                if let Some(holder) = holder.filter(|holder| holder.role == Role::Binding)
                    && let Some(name) = holder.name
                {
                    let scope = self.scope(holder.context);
                    self.constants.number(scope, last_name(self.slice(name)), frame.span);
                }
            }
            _ => {}
        }
    }

    /// Whether the text of a node becomes that of its parent.
    fn accepts(&mut self, frame: &Frame<'_>) -> bool {
        let Some(parent) = self.frames.last() else { return false };
        let free = parent.text.is_none();
        let first = parent.children == 1;
        match parent.mode {
            Mode::Apart => false,
            Mode::Concat | Mode::Join(_) => true,
            Mode::First => free,
            Mode::Member => free && first && self.keeps_text(frame),
            Mode::Call => {
                let template = frame.role == Role::Literal && !first;
                if free && template {
                    self.tag(Span::new(parent.span.start, frame.span.start));
                }
                free && (template || frame.role == Role::Arguments || first && self.keeps_text(frame))
            }
            Mode::Tagged => {
                let before = self.slice(Span::new(parent.span.start, frame.span.start));
                let generic = free && !first && before.ends_with('>') && frame.role == Role::Literal;
                if generic {
                    let end = before.find('<').unwrap_or(before.len());
                    self.tag(Span::new(parent.span.start, parent.span.start + end));
                }
                generic
            }
        }
    }

    /// Whether what follows a text leaves it as it is.
    fn keeps_text(&mut self, frame: &Frame<'_>) -> bool {
        let Some(method) = method_after(self.after(frame.span.end)) else {
            return frame.role == Role::Member;
        };
        let keeps = self.spec.same_text.contains(&method);
        if keeps && matches!(method, "trimMargin" | "stripMargin") {
            for piece in &self.pieces[frame.first..] {
                if let Piece::Literal(literal) = piece {
                    self.lits[*literal].margin = true;
                }
            }
        }
        keeps
    }

    /// The literal on top has a tag.
    fn tag(&mut self, span: Span) {
        let callee = self.callee(span);
        if let Some(Piece::Literal(literal)) = self.pieces.last() {
            let raw = callee.name == "raw" && callee.receiver == Some("String");
            self.lits[*literal].raw = raw;
            self.lits[*literal].tag = Some(callee).filter(|_| !raw);
        }
    }

    /// The text of a node is whole.
    fn whole(&mut self, frame: &Frame<'_>, text: Span) {
        let pieces: Vec<Piece> = self.pieces.drain(frame.first..).collect();
        let Some(parent) = self.frames.last() else { return };
        let mut context = parent.context;
        // Of several names at once it is not said which one gets it.
        let one = |name: &Span| !self.slice(*name).contains(',');
        let binding = if binds(parent.role) { parent.name.filter(one) } else { None };
        let declares = parent.role == Role::Binding;
        let documents = self.grammar.is_documentation(parent.node.kind_id());
        if frame.context.statement == Some(self.frames.len()) {
            // It is a statement by itself.
            context.statement = None;
        }
        let statement = self.statement(context, frame.span);
        let argument = context.arguments.map(|arguments| self.argument(arguments));
        let annotation = context.annotation.map(|annotation| self.annotation(annotation));
        if let Some(name) = binding.filter(|_| declares) {
            let scope = self.scope(context);
            self.constants.text(scope, last_name(self.slice(name)), self.drafts.len());
        }
        let attribute = binding.is_some_and(|name| self.spec.documentation.contains(&self.slice(name)));
        self.drafts.push(Draft {
            pieces,
            span: text,
            statement,
            function: context.function,
            class: context.class,
            argument,
            binding: binding.map(|name| last_name(self.slice(name))),
            documentation: documents || attribute || annotation == Some("doc"),
            annotation,
        });
    }

    /// The statement around, as an index.
    fn statement(&mut self, context: Context, literal: Span) -> usize {
        let next = self.statements.len();
        let Some(frame) = context.statement.and_then(|statement| self.frames.get_mut(statement)) else {
            self.statements.push(Statement { span: literal, head: None });
            return next;
        };
        if let Some(record) = frame.record {
            return record;
        }
        frame.record = Some(next);
        self.statements.push(Statement { span: frame.span, head: None });
        next
    }

    /// The place in the call of a frame of arguments, where the walk is now.
    fn argument(&mut self, arguments: usize) -> Argument<'s> {
        // Of calls in calls the outer ones come first.
        let mut missing = Vec::new();
        let mut at = Some(arguments);
        while let Some(frame) = at.filter(|frame| self.frames[*frame].record.is_none()) {
            missing.push(frame);
            at = self.frames[frame].outer;
        }
        for frame in missing.into_iter().rev() {
            let outer = self.frames[frame].outer.and_then(|outer| self.known_argument(outer));
            let call = self.frames[frame].call.unwrap_or(frame);
            let span = self.frames[call].span;
            let callee = self.callee(Span::new(span.start, self.frames[frame].span.start.max(span.start)));
            self.frames[frame].record = Some(self.calls.len());
            let awaited = self.slice(Span::new(0, span.start)).trim_end().ends_with("await")
                || self.slice(span).starts_with("await ")
                || self.after(span.end).starts_with(".await");
            self.calls.push(CallSite { callee, span, awaited, outer });
        }
        self.known_argument(arguments).unwrap_or(Argument { call: 0, position: Position::Index(0) })
    }

    fn known_argument(&self, arguments: usize) -> Option<Argument<'s>> {
        let frame = self.frames.get(arguments)?;
        let position = match frame.keyword {
            Some(keyword) => Position::Keyword(self.slice(keyword)),
            None => Position::Index(frame.children.saturating_sub(1)),
        };
        Some(Argument { call: frame.record?, position })
    }

    fn annotation(&self, frame: usize) -> &'s str {
        let text = self.slice(self.frames[frame].span);
        let text = text.trim_start_matches(['@', '#', '[', '!']);
        let end = text.find(['(', '=', ' ', '\n']).unwrap_or(text.len());
        last_name(&text[..end])
    }
}
