//! sqlparser's expressions as ours.

use super::literal::literal;
use super::{SqlType, Value};
use crate::sql::clause::{Tokens, Tree};
use crate::sql::lex::TokenKind;
use crate::sql::mask::{Parsed, expression};
use sqlparser::ast::{
    AccessExpr, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, InTarget, ObjectName, ObjectNamePart,
    Subscript, Value as Constant,
};
use sqlparser::tokenizer::Span;

/// The expression that a range of tokens is.
pub fn value(tree: &Tree<'_>, tokens: &Tokens) -> Value {
    if tokens.len() == 1 {
        match tree.kind(tokens.start) {
            Some(TokenKind::Param | TokenKind::Hole) => {
                return Value::Parameter(tree.raw(tokens.start).to_owned());
            }
            Some(kind) if kind == TokenKind::Number || kind.is_string() => {
                return literal(tree, tokens.start);
            }
            _ => {}
        }
    }
    match expression(tree, tokens) {
        Some(parsed) => Reader { tree, parsed: &parsed }.value(&parsed.node),
        None => Value::Unknown(tree.slice(tokens).to_owned()),
    }
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    parsed: &'a Parsed<Expr>,
}

impl Reader<'_, '_> {
    fn token(&self, span: Span) -> Option<usize> {
        self.parsed.token(self.tree, span)
    }

    fn value(&self, expr: &Expr) -> Value {
        match expr {
            Expr::Nested(inner) => self.value(inner),
            Expr::Collate { expr, .. } => self.value(expr),
            Expr::Identifier(name) => self.leaf(name.span),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [.., qualifier, name] => match (self.name(qualifier.span), self.name(name.span)) {
                    (qualifier, Some(name)) => Value::Name { qualifier, name },
                    _ => unknown(expr),
                },
                _ => unknown(expr),
            },
            Expr::Value(constant) => match &constant.value {
                Constant::Null => Value::Null,
                Constant::Boolean(value) => Value::Boolean(*value),
                _ => self.leaf(constant.span),
            },
            Expr::TypedString(string) => cast(self.leaf(string.value.span), &string.data_type.to_string()),
            Expr::Interval(interval) => cast(self.value(&interval.value), "interval"),
            Expr::Prefixed { value, .. } => self.value(value),
            Expr::Cast { expr, data_type, .. } => cast(self.value(expr), &data_type.to_string()),
            Expr::Function(function) => self.call(function),
            Expr::Tuple(values) => Value::Row(self.values(values)),
            Expr::Array(array) => Value::Array(self.values(&array.elem)),
            Expr::Case { operand, conditions, else_result, .. } => Value::Case {
                conditions: operand
                    .iter()
                    .map(|operand| self.value(operand))
                    .chain(conditions.iter().map(|when| self.value(&when.condition)))
                    .collect(),
                results: conditions
                    .iter()
                    .map(|when| self.value(&when.result))
                    .chain(else_result.iter().map(|result| self.value(result)))
                    .collect(),
            },
            _ => self.operator(expr).or_else(|| self.special_call(expr)).unwrap_or_else(|| unknown(expr)),
        }
    }

    fn values<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Value> {
        exprs.into_iter().map(|expr| self.value(expr)).collect()
    }

    /// A name, a hole, a placeholder, a constant, or a query, by the token that stands there.
    fn leaf(&self, span: Span) -> Value {
        let Some(index) = self.token(span) else {
            return Value::Unknown(String::new());
        };
        let query = self.tree.opened(index).or_else(|| self.tree.opened(index.checked_sub(1)?));
        if let Some(query) = query {
            return Value::Query(query);
        }
        match self.tree.kind(index) {
            Some(TokenKind::Param | TokenKind::Hole) => Value::Parameter(self.tree.raw(index).to_owned()),
            Some(TokenKind::Word | TokenKind::QuotedIdent) => match self.name(span) {
                Some(name) => Value::Name { qualifier: None, name },
                None => Value::Unknown(String::new()),
            },
            _ => literal(self.tree, index),
        }
    }

    fn name(&self, span: Span) -> Option<String> {
        self.tree.ident(self.token(span)?).map(|name| name.into_owned())
    }

    fn call(&self, function: &Function) -> Value {
        let name = self.function_name(&function.name);
        let args = match &function.args {
            FunctionArguments::List(list) => list.args.iter().map(|arg| self.argument(arg)).collect(),
            FunctionArguments::None | FunctionArguments::Subquery(_) => Vec::new(),
        };
        if name == "row" { Value::Row(args) } else { Value::Call { name, args } }
    }

    fn function_name(&self, name: &ObjectName) -> String {
        match name.0.last() {
            Some(ObjectNamePart::Identifier(name)) => {
                self.name(name.span).unwrap_or_else(|| name.value.to_ascii_lowercase())
            }
            _ => String::new(),
        }
    }

    fn argument(&self, arg: &FunctionArg) -> Value {
        match arg {
            FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } | FunctionArg::Unnamed(arg) => {
                match arg {
                    FunctionArgExpr::Expr(expr) => self.value(expr),
                    _ => Value::Unknown("*".to_owned()),
                }
            }
        }
    }

    fn operator(&self, expr: &Expr) -> Option<Value> {
        let not = |negated: bool, symbol: &str| {
            if negated { format!("not {symbol}") } else { symbol.to_owned() }
        };
        let (symbol, args): (String, Vec<&Expr>) = match expr {
            Expr::BinaryOp { left, op, right } => (op.to_string().to_ascii_lowercase(), vec![left, right]),
            Expr::UnaryOp { op, expr } => (op.to_string().trim().to_ascii_lowercase(), vec![expr]),
            Expr::IsNull(x) => ("is null".into(), vec![x]),
            Expr::IsNotNull(x) => ("is not null".into(), vec![x]),
            Expr::IsTrue(x) => ("is true".into(), vec![x]),
            Expr::IsNotTrue(x) => ("is not true".into(), vec![x]),
            Expr::IsFalse(x) => ("is false".into(), vec![x]),
            Expr::IsNotFalse(x) => ("is not false".into(), vec![x]),
            Expr::IsUnknown(x) => ("is unknown".into(), vec![x]),
            Expr::IsNotUnknown(x) => ("is not unknown".into(), vec![x]),
            Expr::IsDistinctFrom(a, b) => ("is distinct from".into(), vec![a, b]),
            Expr::IsNotDistinctFrom(a, b) => ("is not distinct from".into(), vec![a, b]),
            Expr::IsJson { expr, .. } => ("is json".into(), vec![expr]),
            Expr::IsNormalized { expr, .. } => ("is normalized".into(), vec![expr]),
            Expr::In { expr, target: InTarget::List(list), negated, .. } => {
                (not(*negated, "in"), std::iter::once(&**expr).chain(list).collect())
            }
            Expr::Between { expr, negated, low, high } => (not(*negated, "between"), vec![expr, low, high]),
            Expr::Like { negated, expr, pattern, .. } => (not(*negated, "like"), vec![expr, pattern]),
            Expr::ILike { negated, expr, pattern, .. } => (not(*negated, "ilike"), vec![expr, pattern]),
            Expr::SimilarTo { negated, expr, pattern, .. } => (not(*negated, "similar to"), vec![expr, pattern]),
            Expr::AnyOp { left, compare_op, right, .. } => (format!("{compare_op} any"), vec![left, right]),
            Expr::AllOp { left, compare_op, right } => (format!("{compare_op} all"), vec![left, right]),
            Expr::AtTimeZone { timestamp, time_zone } => ("at time zone".into(), vec![timestamp, time_zone]),
            Expr::CompoundFieldAccess { root, access_chain } => {
                let mut args = vec![&**root];
                for access in access_chain {
                    match access {
                        AccessExpr::Subscript(Subscript::Index { index }) => args.push(index),
                        AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, .. }) => {
                            args.extend(lower_bound.iter().chain(upper_bound));
                        }
                        AccessExpr::Dot(_) => {}
                    }
                }
                ("[]".into(), args)
            }
            _ => return None,
        };
        Some(Value::Operator { symbol, args: self.values(args) })
    }

    /// Functions with a grammar of their own.
    fn special_call(&self, expr: &Expr) -> Option<Value> {
        let (name, args): (&str, Vec<&Expr>) = match expr {
            Expr::Extract { expr, .. } => ("extract", vec![expr]),
            Expr::Ceil { expr, .. } => ("ceil", vec![expr]),
            Expr::Floor { expr, .. } => ("floor", vec![expr]),
            Expr::Position { expr, r#in } => ("position", vec![expr, r#in]),
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let bounds = [substring_from, substring_for];
                let bounds = bounds.into_iter().flatten().map(|bound| &**bound);
                ("substring", std::iter::once(&**expr).chain(bounds).collect())
            }
            Expr::Trim { expr, trim_what, .. } => {
                ("trim", std::iter::once(&**expr).chain(trim_what.iter().map(|what| &**what)).collect())
            }
            Expr::Overlay { expr, overlay_what, overlay_from, .. } => {
                ("overlay", vec![expr, overlay_what, overlay_from])
            }
            _ => return None,
        };
        Some(Value::Call { name: name.to_owned(), args: self.values(args) })
    }
}

fn cast(value: Value, ty: &str) -> Value {
    Value::Cast { value: Box::new(value), ty: SqlType::from_name(ty) }
}

fn unknown(expr: &Expr) -> Value {
    Value::Unknown(expr.to_string())
}
