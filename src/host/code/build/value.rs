//! Expressions: names, members, calls, operators.

use super::{Builder, Lowered, span_of};
use crate::host::code::language::{Place, Shape};
use crate::host::code::{Argument, Call, CallId, ExprId, Flow, StmtId, Value};
use crate::span::Span;
use tree_sitter::Node;

/// Operators of which the second operand runs only if the first does not decide, and whether both must hold.
const LOGIC: &[(&str, bool)] =
    &[("&&", true), ("and", true), ("||", false), ("or", false), ("??", false), ("?:", false)];

impl<'s, 't> Builder<'s, 't> {
    pub(in crate::host::code) fn value(&mut self, node: Node<'t>, shape: Shape) -> Lowered<'s> {
        let value = match shape {
            Shape::Await(place) => {
                let Some(part) = self.part(node, place) else { return Lowered::Nothing };
                let expr = self.expr(part);
                self.awaited(expr);
                return Lowered::Expr(expr);
            }
            Shape::Member(of, name) => match (self.part(node, of), self.part(node, name)) {
                (Some(of), Some(name)) => {
                    let of = self.expr(of);
                    let text = self.slice(name).trim_start_matches('$');
                    let types = if name.kind() == "generic_name" { text.find('<') } else { None };
                    Value::Member { of, name: &text[..types.unwrap_or(text.len())], at: span_of(name) }
                }
                _ => return self.unknown(node, false),
            },
            Shape::Call(callee, arguments) | Shape::Construct(callee, arguments) => {
                let Some(callee) = self.part(node, callee) else { return self.unknown(node, false) };
                let callee = self.expr(callee);
                let arguments = match self.part(node, arguments) {
                    Some(arguments) => self.arguments(arguments),
                    None => Vec::new(),
                };
                let types = self.part(node, "type_arguments").map_or("", |types| self.slice(types));
                let call = self.call(node, callee, types, arguments);
                self.code.calls[call].constructs = matches!(shape, Shape::Construct(..));
                return Lowered::Expr(self.code.calls[call].expr);
            }
            Shape::Binary => return self.binary(node),
            Shape::Unary(place) => {
                let Some(part) = self.part(node, place) else { return self.unknown(node, false) };
                let operator = node.child(0).map_or("", |operator| self.slice(operator));
                let operand = self.expr(part);
                match operator {
                    "!" | "not" => Value::Not(operand),
                    "&" | "*" => return Lowered::Expr(operand),
                    "-" | "+" if matches!(self.code.exprs[operand].value, Value::Constant(_)) => {
                        Value::Constant(self.slice(node))
                    }
                    _ => Value::Other(vec![operand]),
                }
            }
            Shape::Items => match self.part(node, "").filter(|_| node.kind() == "expression_list") {
                // A list of one that has no brackets is none.
                Some(only) if node.named_child_count() == 1 => return Lowered::Expr(self.expr(only)),
                _ => Value::Items(self.arguments(node)),
            },
            Shape::Choice(condition, then, otherwise) => {
                let places = [condition, then, otherwise].map(|place| self.part(node, place));
                let [Some(condition), Some(then), Some(otherwise)] = places else { return self.unknown(node, false) };
                let condition = self.expr(condition);
                let then = self.gives(then);
                let otherwise = Some(self.gives(otherwise));
                return Lowered::Flow(Flow::If { condition, binds: Vec::new(), then, otherwise });
            }
            // Where it stands by itself the value counts.
            Shape::Keyword(..) => match self.argument(node) {
                Some(argument) => return Lowered::Expr(argument.value),
                None => return self.unknown(node, false),
            },
            Shape::Default(_, value) => match self.part(node, value) {
                Some(value) => return Lowered::Expr(self.expr(value)),
                None => return self.unknown(node, false),
            },
            _ => return self.unknown(node, false),
        };
        Lowered::Value(value)
    }

    /// An expression as the statement that gives its value.
    pub(in crate::host::code) fn gives(&mut self, node: Node<'t>) -> StmtId {
        let expr = self.expr(node);
        self.run(expr, span_of(node))
    }

    /// The call that an expression is, if it is one, is waited for.
    pub(in crate::host::code) fn awaited(&mut self, expr: ExprId) {
        if let Value::Call(call) = self.code.exprs[expr].value {
            let call = &mut self.code.calls[call];
            call.awaited = true;
            if std::mem::take(&mut call.elsewhere) {
                // It was started and is waited for.
                let arguments: Vec<ExprId> = call.arguments.iter().map(|argument| argument.value).collect();
                for argument in arguments {
                    if let Value::Call(call) = self.code.exprs[argument].value {
                        self.code.calls[call].elsewhere = false;
                    }
                }
            }
        }
    }

    /// A call of `callee` in all of `node`. Its expression is there afterwards; types may have their brackets.
    pub(in crate::host::code) fn call(
        &mut self,
        node: Node<'t>,
        callee: ExprId,
        types: &'s str,
        arguments: Vec<Argument<'s>>,
    ) -> CallId {
        self.call_at(span_of(node), callee, types, arguments)
    }

    /// The same where no node is all of it.
    pub(in crate::host::code) fn call_at(
        &mut self,
        span: Span,
        callee: ExprId,
        types: &'s str,
        arguments: Vec<Argument<'s>>,
    ) -> CallId {
        let (name, at) = match self.code.exprs[callee].value {
            Value::Name(name) => (last_part(name), self.code.exprs[callee].span),
            Value::Member { name, at, .. } => (name, at),
            _ => ("", self.code.exprs[callee].span),
        };
        // Of a name with parts the last one is the name.
        let start = at.end.saturating_sub(name.len()).max(at.start);
        let id = self.code.calls.len();
        let expr = self.push(span, Value::Call(id));
        self.code.calls.push(Call {
            expr,
            callee,
            name,
            from_name: Span::new(start, span.end.max(start)),
            types: inside_brackets(types),
            arguments,
            constructs: false,
            awaited: false,
            elsewhere: false,
        });
        if let Some((_, work)) = self.syntax.starts.iter().find(|(start, _)| *start == name) {
            self.elsewhere(id, *work);
        }
        id
    }

    /// What a call does happens at another time, or what the calls do that are its arguments.
    fn elsewhere(&mut self, call: CallId, work: bool) {
        self.code.calls[call].elsewhere = true;
        if !work {
            return;
        }
        let started: Vec<CallId> = self.code.calls[call]
            .arguments
            .iter()
            .filter_map(|argument| match self.code.exprs[argument.value].value {
                Value::Call(call) => Some(call),
                _ => None,
            })
            .collect();
        for call in started {
            self.code.calls[call].elsewhere = true;
        }
    }

    /// The children of a node as arguments, entries or elements.
    pub(in crate::host::code) fn arguments(&mut self, node: Node<'t>) -> Vec<Argument<'s>> {
        // A text in the place of the arguments: a tag's template, or a text that functions join.
        if let Some(value) = self.as_text(node) {
            return vec![Argument { name: None, value }];
        }
        if matches!(self.shape(node), Shape::Own) {
            return self.argument(node).into_iter().collect();
        }
        let children = self.named(node);
        children.into_iter().filter_map(|child| self.argument(child)).collect()
    }

    /// One argument; `None` for what is a type.
    pub(in crate::host::code) fn argument(&mut self, node: Node<'t>) -> Option<Argument<'s>> {
        match self.shape(node) {
            Shape::Skip => None,
            Shape::Keyword(name, value) => {
                let (name, value) = (self.part(node, name), self.part(node, value));
                let (name, value) = match (name, value) {
                    (Some(name), Some(value)) if name != value => (name, value),
                    (_, Some(value)) => return Some(Argument { name: None, value: self.expr(value) }),
                    (Some(name), None) => {
                        // The value of what has the key's name.
                        let key = self.key(name);
                        let value = self.push(span_of(name), Value::Name(key));
                        return Some(Argument { name: Some(key), value });
                    }
                    (None, None) => return None,
                };
                let key = self.expr(name);
                let value = self.expr(value);
                let computed = match &self.code.exprs[key].value {
                    Value::Name(_) | Value::Constant(_) => false,
                    Value::Text(parts) | Value::Other(parts) => !parts.is_empty(),
                    _ => true,
                };
                if computed {
                    return Some(Argument {
                        name: None,
                        value: self.push(span_of(node), Value::Other(vec![key, value])),
                    });
                }
                let name = Some(self.key(name));
                self.names_closure(value, name);
                Some(Argument { name, value })
            }
            Shape::Shorthand => Some(Argument { name: Some(self.slice(node)), value: self.name(node) }),
            Shape::Function(parts) => {
                // A method in an object literal.
                let name = self.part(node, parts.name);
                self.computed_name(name);
                let name = name.map(|name| self.key(name));
                let function = self.closure(node, parts);
                let value = self.push(span_of(node), Value::Function(function));
                self.names_closure(value, name);
                Some(Argument { name, value })
            }
            _ => Some(Argument { name: None, value: self.expr(node) }),
        }
    }

    /// A key without the marks of its language.
    pub(in crate::host::code) fn key(&self, node: Node<'_>) -> &'s str {
        self.slice(node).trim().trim_matches(['"', '\'', ':', '`'])
    }

    /// `a + b + c + …` is put together from the left, without recursion.
    fn binary(&mut self, node: Node<'t>) -> Lowered<'s> {
        let mut chain = Vec::new();
        let mut at = node;
        let first = loop {
            let (left, right) = match (self.part(at, "left"), self.part(at, "right")) {
                (Some(left), Some(right)) => (left, right),
                _ => match self.named(at).as_slice() {
                    [left, right] => (*left, *right),
                    _ => break at,
                },
            };
            chain.push((at, right));
            let is_text = self.texts.contains_key(&(left.start_byte(), left.end_byte()));
            if !matches!(self.shape(left), Shape::Binary) || is_text {
                break left;
            }
            at = left;
        };
        if chain.is_empty() {
            return self.unknown(node, false);
        }
        let mut value = self.expr(first);
        while let Some((at, right)) = chain.pop() {
            let operator = at
                .child_by_field_name("operator")
                .or_else(|| at.child_by_field_name("operators"))
                .or_else(|| at.child(1))
                .map_or("", |operator| self.slice(operator));
            let right = self.expr(right);
            let operands = [value, right];
            let value_here = match LOGIC.iter().find(|(word, _)| *word == operator) {
                Some((_, and)) => Value::Logic { and: *and, operands },
                None => Value::Binary { operator, operands },
            };
            value = self.push(span_of(at), value_here);
        }
        Lowered::Expr(value)
    }

    /// A part that decides, in whatever brackets.
    pub(super) fn condition(&mut self, node: Node<'t>, place: Place) -> ExprId {
        match self.part(node, place) {
            Some(part) => self.expr(part),
            None => self.push(Span::new(node.start_byte(), node.start_byte()), Value::Other(Vec::new())),
        }
    }
}

/// `C` of `a.b.C`, `a::C`, `\a\C`.
pub(in crate::host::code) fn last_part(name: &str) -> &str {
    let base = name.split(['<', '[']).next().unwrap_or_default().trim_end();
    let start = base.rfind(['.', ':', '\\', '/']).map_or(0, |at| at + 1);
    base[start..].trim()
}

/// `T` of `<T>`, `[T]`, `::<T>`.
fn inside_brackets(types: &str) -> &str {
    let types = types.trim().trim_start_matches("::");
    let open = types.strip_prefix(['<', '[']);
    open.and_then(|inside| inside.strip_suffix(['>', ']'])).unwrap_or(types)
}
