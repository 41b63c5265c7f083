//! Expressions of host code: what they run, and what they stand for.

use super::answer::Part;
use super::sql::is_runner;
use super::value::{Answer, Query, Val};
use super::{MAX_STEPS, Run, names};
use crate::driver::Does;
use crate::flow::{Exit as Leave, Node};
use crate::host::code::{ExprId, Value};

impl Run<'_, '_, '_> {
    /// Runs an expression; its nodes go to `out`. What a condition has run for the names that it binds does not run again.
    pub(super) fn eval(&mut self, expr: ExprId, out: &mut Vec<Node>) -> Val {
        if let Some(Some(val)) = self.decided.get(&expr) {
            return val.clone();
        }
        let val = self.deeper(|run| run.value(expr, out));
        if let Some(decided) = self.decided.get_mut(&expr) {
            *decided = Some(val.clone());
        }
        val
    }

    fn value(&mut self, expr: ExprId, out: &mut Vec<Node>) -> Val {
        let code = self.program.code;
        let Some(node) = code.exprs.get(expr) else { return Val::Nothing };
        if self.builder.len() >= MAX_STEPS {
            return Val::Nothing;
        }
        match &node.value {
            Value::Name(name) => match *name {
                "self" | "this" | "$this" | "cls" => Val::This,
                name => match self.lookup(name) {
                    Val::Nothing => self.global_of(expr),
                    val => val,
                },
            },
            Value::Constant(text) => match *text {
                "nil" | "null" | "None" | "undefined" | "NULL" | "Nil" => Val::Null,
                "true" | "True" | "TRUE" => Val::Bool(true),
                "false" | "False" | "FALSE" => Val::Bool(false),
                _ => Val::Nothing,
            },
            Value::Member { of, name, .. } => match self.member(expr, *of, name, out) {
                Val::Nothing => self.names.imported(self.slice(node.span)).map_or(Val::Nothing, Val::Handle),
                val => val,
            },
            Value::Call(call) => self.call(*call, out),
            Value::Text(holes) => {
                for hole in holes {
                    let val = self.eval(*hole, out);
                    self.read_val(&val);
                }
                self.text_of(expr).unwrap_or_default()
            }
            Value::Function(function) => Val::Function(*function),
            Value::Not(inner) => match self.eval(*inner, out) {
                Val::Answer(answer) => {
                    self.exists(answer);
                    if answer.part == Part::Text {
                        return Val::Nothing;
                    }
                    Val::Answer(Answer { granted: !answer.granted, ..answer })
                }
                Val::Bool(so) => Val::Bool(!so),
                _ => Val::Nothing,
            },
            Value::Logic { and, operands: [first, second] } => {
                let left = self.eval(*first, out);
                let mut between = Vec::new();
                let right = self.eval(*second, &mut between);
                if !between.is_empty() {
                    let nothing = Node::Sequence(Vec::new());
                    let guard =
                        self.branch(&super::condition::Condition::of_val(&left), Node::Sequence(between), nothing);
                    out.push(guard);
                }
                // `trx || knex`: nobody knows what a caller gives.
                if !*and && matches!((&left, &right), (Val::Nothing, Val::Handle(_))) && self.is_parameter(*first) {
                    return Val::Nothing;
                }
                // `a ?? b`, `a || b` of a value give the first that is one.
                if *and { right.or(left) } else { left.or(right) }
            }
            Value::Binary { operator, operands: [left, right] } => {
                let operands = (self.eval(*left, out), self.eval(*right, out));
                self.compared_with(&operands.0, &operands.1);
                self.compared_with(&operands.1, &operands.0);
                match (*operator, operands) {
                    ("==" | "===" | "is" | "=", (Val::Answer(answer), Val::Bool(so)))
                    | ("==" | "===" | "=", (Val::Bool(so), Val::Answer(answer))) => {
                        Val::Answer(Answer { granted: answer.granted == so, ..answer })
                    }
                    ("!=" | "!==" | "is not", (Val::Answer(answer), Val::Bool(so))) => {
                        Val::Answer(Answer { granted: answer.granted != so, ..answer })
                    }
                    // Texts and numbers by which some drivers give a boolean.
                    ("==" | "===", (Val::Answer(answer), _)) => {
                        let no = matches!(
                            self.slice(code.exprs[*right].span).trim_matches(['"', '\'']),
                            "f" | "false" | "0"
                        );
                        let part = if answer.part == Part::Text { Part::Value } else { answer.part };
                        Val::Answer(Answer { granted: answer.granted != no, part, ..answer })
                    }
                    // SQL put together from pieces: what is known of it.
                    ("+" | "." | "<>" | "%", (Val::Query(query), _)) => Val::Query(query),
                    _ => Val::Nothing,
                }
            }
            Value::Assign { target, value } => {
                let val = self.eval(*value, out);
                if let Some(Value::Name(name) | Value::Member { name, .. }) =
                    code.exprs.get(*target).map(|expr| &expr.value)
                {
                    self.assign(*target, name, val.clone());
                }
                val
            }
            Value::Propagate(inner) => {
                let val = self.eval(*inner, out);
                let step = match &val {
                    Val::Answer(answer) => answer.step,
                    Val::Failure(step) => Some(*step),
                    _ => None,
                };
                let leave = match self.frame().exit.clone() {
                    Some(label) => Node::Exit(Leave::Break(Some(label)), node.span),
                    None => Node::Exit(Leave::Return, node.span),
                };
                let nothing = Box::new(Node::Sequence(Vec::new()));
                if step.is_some() || matches!(val, Val::Nothing) {
                    self.frame().failures.push(step);
                }
                match step {
                    Some(step) => out.push(Node::Failed { step, then: Box::new(leave), otherwise: nothing }),
                    // Any other call may fail as well.
                    None if matches!(val, Val::Nothing) => {
                        out.push(Node::Branch { guard: None, then: Box::new(leave), otherwise: nothing });
                    }
                    None => {}
                }
                // Where it goes on there is no error.
                if matches!(val, Val::Failure(_)) { Val::Nothing } else { val }
            }
            Value::Block(stmt) => self.given(*stmt, out),
            Value::Items(items) => {
                let vals: Vec<Val> = items.iter().map(|item| self.eval(item.value, out)).collect();
                vals.iter().for_each(|val| self.read_val(val));
                match vals.as_slice() {
                    [only] => only.clone(),
                    _ => Val::Tuple(vals),
                }
            }
            Value::Other(parts) => {
                let vals: Vec<Val> = parts.iter().map(|part| self.eval(*part, out)).collect();
                // Sequel's `DB["…", key]`: a query that a later method runs.
                if let [Val::Handle(handle), Val::Query(query), ..] = vals.as_slice()
                    && handle.kind.method("[]") == Some(Does::Run)
                {
                    let bound = parts[2..].iter().map(|part| (None, self.key_value(*part, 0))).collect();
                    return Val::Query(Query { on: Some(Box::new(handle.clone())), bound, ..query.clone() });
                }
                // `rows[0]`, `*result`: a part of the same thing.
                match vals.into_iter().next() {
                    Some(Val::Answer(answer)) if parts.len() > 1 => Val::Answer(self.element(answer)),
                    Some(val @ (Val::Answer(_) | Val::Handle(_) | Val::Query(_) | Val::Lock(_) | Val::Failure(_))) => {
                        val
                    }
                    Some(Val::Tuple(vals)) => vals.into_iter().next().unwrap_or_default(),
                    _ => Val::Nothing,
                }
            }
        }
    }

    /// Whether a name is a parameter, or taken out of one.
    fn is_parameter(&self, expr: ExprId) -> bool {
        let code = self.program.code;
        let Some(Value::Name(name)) = code.exprs.get(expr).map(|expr| &expr.value) else { return false };
        self.names.chain(self.function()).any(|function| {
            code.functions[function].parameters.iter().any(|known| known.name == *name || known.parts.contains(name))
        })
    }

    /// A framework's handle by its name.
    fn global_of(&self, expr: ExprId) -> Val {
        let name = self.names.qualified(expr);
        name.and_then(|name| self.names.global(&name)).map_or(Val::Nothing, Val::Handle)
    }

    fn member(&mut self, expr: ExprId, of: ExprId, name: &str, out: &mut Vec<Node>) -> Val {
        let function = self.function();
        let code = self.program.code;
        if self.names.is_this(function, of) {
            let known = self.lookup(&format!("this.{}", names::bare(name)));
            if !matches!(known, Val::Nothing) {
                return known;
            }
            let Some(class) = self.names.class_of(function) else { return Val::Nothing };
            if let Some(handle) = self.names.handle_of_field(class.name, name, 0) {
                return Val::Handle(handle);
            }
            let value = self.names.field(class.name, name).and_then(|declared| declared.value);
            return value.and_then(|value| self.text_of(value)).unwrap_or_default();
        }
        let val = match self.global_of(expr) {
            Val::Nothing => self.eval(of, out),
            val => return val,
        };
        match val {
            Val::Handle(handle) => match handle.kind.method(name) {
                Some(does) => self.does(&handle, does, &super::call::Asked::property(code.exprs[expr].span), out),
                // A model of an ORM's client works on the same session.
                None if handle.kind.otherwise == Does::Works => Val::Handle(handle),
                None => Val::Nothing,
            },
            Val::Answer(answer) | Val::Query(Query { answer: Some(answer), .. }) => {
                self.part_named(answer, name, false).map_or(Val::Nothing, Val::Answer)
            }
            // Kotlin's getters: `query.singleResult`.
            Val::Query(query @ Query { on: Some(_), .. }) if is_runner(name) => {
                let Some(on) = query.on.clone() else { return Val::Nothing };
                self.run(&on, &query, code.exprs[expr].span, out)
            }
            Val::Query(query) => Val::Query(query),
            Val::Nothing => {
                if let Some(handle) = self.names.member_of_value(of, name, function, 0) {
                    return Val::Handle(handle);
                }
                // `Class.TEXT`
                let class = match code.exprs.get(of).map(|expr| &expr.value) {
                    Some(Value::Name(class)) => Some(*class),
                    _ => None,
                };
                let value = class.and_then(|class| self.names.field(class, name)).and_then(|declared| declared.value);
                value.and_then(|value| self.text_of(value)).unwrap_or_default()
            }
            _ => Val::Nothing,
        }
    }

    /// The SQL that an expression is, if it is a text of the source.
    pub(super) fn text_of(&self, expr: ExprId) -> Option<Val> {
        let node = self.program.code.exprs.get(expr)?;
        let span = match &node.value {
            Value::Text(_) => node.span,
            Value::Block(stmt) => return self.text_of(self.names.alone_in(*stmt)?),
            Value::Call(call) => {
                // `text("…")`, `sql("…").strip()`: the only text among its arguments.
                let call = &self.program.code.calls[*call];
                if self.program.queries.contains_key(&node.span) {
                    node.span
                } else {
                    let of = match self.program.code.exprs.get(call.callee).map(|expr| &expr.value) {
                        Some(Value::Member { of, .. }) => Some(*of),
                        _ => None,
                    };
                    let mut texts =
                        of.into_iter().chain(call.arguments.iter().map(|argument| argument.value)).filter(|value| {
                            matches!(self.program.code.exprs.get(*value).map(|e| &e.value), Some(Value::Text(_)))
                        });
                    match texts.next() {
                        Some(only) => self.program.code.exprs[only].span,
                        // `text("…").bindparams(…)`
                        None => return self.text_of(of.filter(|of| self.is_call(*of))?),
                    }
                }
            }
            Value::Binary { .. } if self.program.queries.contains_key(&node.span) => node.span,
            _ => return None,
        };
        let known = self.program.queries.contains_key(&span);
        known.then(|| Val::Query(Query { text: span, bound: Vec::new(), on: None, answer: None }))
    }
}
