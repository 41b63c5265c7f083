//! Keys of advisory calls in host code: the arguments that a call binds to the placeholders of its SQL.

use super::changes::Stands;
use super::value::Query;
use super::{Run, names};
use crate::host::code::{Argument, ExprId, Value, integer};
use crate::language::HostLanguage;
use crate::sql::value::Value as Sql;
use crate::statement::{LockCall, Statement};
use std::cell::Cell;

/// How far a constant is followed.
const MAX_DEPTH: usize = 4;

impl<'s> Run<'_, 's, '_> {
    /// What an expression of host code is in a key: a constant, or the text of it.
    pub(super) fn key_value(&self, expr: ExprId, depth: usize) -> Sql {
        let code = self.program.code;
        let Some(node) = code.exprs.get(expr) else { return Sql::Unknown(String::new()) };
        match &node.value {
            Value::Constant(text) => integer(text).map_or_else(|| text_key(text), Sql::Integer),
            Value::Name(name) => self.named_key(name, depth).unwrap_or_else(|| text_key(name)),
            Value::Member { of, name, .. } => {
                let function = self.function();
                let class = if self.names.is_this(function, *of) {
                    self.names.class_of(function).map(|class| class.name)
                } else {
                    self.names.qualified(*of).map(|_| self.last_name(*of))
                };
                let class = class.filter(|class| !self.names.is_field_changed(class, name));
                let constant = class.and_then(|class| self.names.field(class, name));
                let constant = constant.and_then(|declared| self.constant(declared.value?, depth));
                constant.unwrap_or_else(|| text_key(self.slice(node.span)))
            }
            Value::Text(holes) if holes.is_empty() => {
                Sql::Text(self.slice(node.span).trim_matches(['"', '\'', '`']).to_owned())
            }
            Value::Other(parts) if parts.len() == 1 => self.key_value(parts[0], depth + 1),
            _ => text_key(self.slice(node.span)),
        }
    }

    /// The last name of an expression; empty where it has none.
    pub(super) fn last_name(&self, expr: ExprId) -> &'s str {
        match self.program.code.exprs.get(expr).map(|expr| &expr.value) {
            Some(Value::Name(name) | Value::Member { name, .. }) => name,
            _ => "",
        }
    }

    /// What a name is in a key: what the caller gave, or a constant.
    fn named_key(&self, name: &str, depth: usize) -> Option<Sql> {
        let name = names::bare(name);
        let mut at = self.frames.len().checked_sub(1);
        while let Some(index) = at {
            if let Some(known) = self.frames[index].keys.get(name) {
                return Some(known.clone());
            }
            at = self.frames[index].outer;
        }
        let function = self.function();
        let of_class = || {
            let class = self.names.class_of(function)?.name;
            self.names.field(class, name).filter(|_| !self.names.is_field_changed(class, name))
        };
        let declared = match self.names.stands_for(function, name) {
            Stands::Once(local) => local,
            Stands::Unknown => return None,
            Stands::Elsewhere => of_class()?,
        };
        self.constant(declared.value?, depth)
    }

    /// The constant that an expression is.
    fn constant(&self, expr: ExprId, depth: usize) -> Option<Sql> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.key_value(expr, depth + 1) {
            value @ (Sql::Integer(_) | Sql::Text(_)) => Some(value),
            _ => None,
        }
    }

    /// The arguments of a call that follow its SQL, lists taken apart.
    pub(super) fn bound(&self, arguments: &[Argument<'s>], text: Option<ExprId>) -> Vec<(Option<String>, Sql)> {
        let code = self.program.code;
        let after = text.and_then(|text| arguments.iter().position(|argument| argument.value == text));
        let mut found = Vec::new();
        // `["SELECT … ?", key]`: what follows the SQL in its own list.
        if let Some(Value::Items(items)) = text.and_then(|text| code.exprs.get(text)).map(|expr| &expr.value) {
            found
                .extend(items.iter().skip(1).map(|item| (item.name.map(str::to_owned), self.key_value(item.value, 0))));
        }
        for argument in arguments.iter().skip(after.map_or(0, |at| at + 1)) {
            let name = argument.name.map(str::to_owned);
            match code.exprs.get(argument.value).map(|expr| &expr.value) {
                Some(Value::Items(items)) => {
                    for item in items {
                        // A member of an anonymous object has the name of its value.
                        let name = item.name.unwrap_or_else(|| match self.program.language {
                            HostLanguage::CSharp => self.last_name(item.value),
                            _ => "",
                        });
                        let name = Some(name).filter(|name| !name.is_empty()).map(str::to_owned);
                        found.push((name, self.key_value(item.value, 0)));
                    }
                }
                Some(Value::Function(_)) => {}
                Some(Value::Name(_)) if self.names.handle(argument.value, self.function(), 0).is_some() => {}
                // `new { key }`, `new[] { key }`, `array(key)`.
                Some(Value::Call(call)) if code.calls[*call].constructs || code.calls[*call].name == "array" => {
                    for item in &code.calls[*call].arguments {
                        found.push((item.name.map(str::to_owned), self.key_value(item.value, 0)));
                    }
                }
                _ => found.push((name, self.key_value(argument.value, 0))),
            }
        }
        found
    }

    /// The arguments of a lock call with what is bound to their placeholders.
    pub(super) fn arguments_of(&self, statement: &Statement<'_>, lock: &LockCall, query: &Query) -> Vec<Sql> {
        let mut args = Vec::new();
        for (index, arg) in lock.args.iter().enumerate() {
            let before = lock.call.args.get(index).map_or(0, |tokens| statement.placeholders_before(tokens));
            let nth = Cell::new(before);
            let filled = arg.substitute(&|part| {
                // A column is another value for each row.
                if matches!(part, Sql::Name { .. }) {
                    return Some(Sql::Parameter("?".to_owned()));
                }
                let Sql::Parameter(text) = part else { return None };
                let value = self.placeholder(text, &nth, query);
                Some(value.unwrap_or_else(|| Sql::Parameter("?".to_owned())))
            });
            args.push(filled.fold());
        }
        args
    }

    /// What a placeholder stands for.
    fn placeholder(&self, text: &str, nth: &Cell<usize>, query: &Query) -> Option<Sql> {
        let by_name = |name: &str| {
            let found = query.bound.iter().find(|(known, _)| {
                known
                    .as_deref()
                    .is_some_and(|known| known.trim_start_matches([':', '@', '$']).eq_ignore_ascii_case(name))
            });
            found.map(|(_, value)| value.clone())
        };
        if text == "?" || text == "%s" || text == "%d" {
            let value = query.bound.get(nth.get()).map(|(_, value)| value.clone());
            nth.set(nth.get() + 1);
            return value;
        }
        if let Some(number) = text.strip_prefix(['$', '?', ':']).and_then(|number| number.parse::<usize>().ok()) {
            return query.bound.get(number.checked_sub(1)?).map(|(_, value)| value.clone());
        }
        if let Some(name) = text.strip_prefix("%(").and_then(|rest| rest.split(')').next()) {
            return by_name(name);
        }
        if let Some(name) = text.strip_prefix([':', '@']) {
            return by_name(name);
        }
        // A hole, as it stands in the source.
        let inner = text.trim_start_matches(['$', '#', '%', '{', '(']).trim_end_matches(['}', ')']).trim();
        if inner.is_empty() || inner == "?" {
            return None;
        }
        let is_name =
            inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '@' | '$' | '>' | '-'));
        let last = inner.rsplit(['.', ':', '>']).next().unwrap_or(inner);
        let constant = if is_name { self.named_key(last, 0) } else { None };
        Some(constant.unwrap_or_else(|| text_key(inner)))
    }
}

/// An expression by its text, in one spelling; another text may be the same value.
fn text_key(text: &str) -> Sql {
    let mut key: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    while let Some(rest) = key.strip_prefix(['%', '?', '&', '*', '^']) {
        key = rest.to_owned();
    }
    if key.is_empty() { Sql::Parameter("?".to_owned()) } else { Sql::Parameter(key) }
}
