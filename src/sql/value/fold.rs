//! Constants computed as PostgreSQL computes them.

use super::literal::integer;
use super::{SqlType, Value};

impl Value {
    /// The same with every part computed that is a constant. What PostgreSQL would refuse stays as it is. The type
    /// goes with the casts: ask for it before.
    pub fn fold(&self) -> Self {
        match self {
            Self::Cast { value, ty } => {
                let value = value.fold();
                cast(&value, ty).unwrap_or_else(|| Self::Cast { value: Box::new(value), ty: ty.clone() })
            }
            Self::Operator { symbol, args } => {
                let folded: Vec<Self> = args.iter().map(Self::fold).collect();
                let computed = match (args.as_slice(), folded.as_slice()) {
                    ([of], [value]) => unary(symbol, of, value),
                    ([_, _], [left, right]) => binary(symbol, self.ty(), left, right),
                    _ => None,
                };
                computed.unwrap_or_else(|| Self::Operator { symbol: symbol.clone(), args: folded })
            }
            Self::Call { name, args } => Self::Call { name: name.clone(), args: args.iter().map(Self::fold).collect() },
            Self::Case { conditions, results } => Self::Case {
                conditions: conditions.iter().map(Self::fold).collect(),
                results: results.iter().map(Self::fold).collect(),
            },
            Self::Row(values) => Self::Row(values.iter().map(Self::fold).collect()),
            Self::Array(values) => Self::Array(values.iter().map(Self::fold).collect()),
            value => value.clone(),
        }
    }
}

fn cast(value: &Value, ty: &SqlType) -> Option<Value> {
    if let Some(bits) = ty.bits() {
        let number = match value {
            Value::Integer(value) => *value,
            Value::Text(text) => signed(text.trim())?,
            Value::Numeric(text) => rounded(text)?,
            Value::Boolean(value) if *ty == SqlType::Int4 => i128::from(*value),
            Value::Bits(digits) => return from_bits(digits, bits),
            Value::Null => return Some(Value::Null),
            _ => return None,
        };
        return ty.holds(number).then_some(Value::Integer(number));
    }
    match (ty, value) {
        (_, Value::Null) => Some(Value::Null),
        (SqlType::Text, Value::Text(text)) => Some(Value::Text(text.clone())),
        (SqlType::Text, Value::Integer(value)) => Some(Value::Text(value.to_string())),
        (SqlType::Text, Value::Boolean(value)) => Some(Value::Text(value.to_string())),
        _ => None,
    }
}

fn signed(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(digits) => integer(digits).map(|value| -value),
        None => integer(text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A decimal fraction as an integer, halves away from zero.
fn rounded(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { integer(whole)? };
    let up = i128::from(fraction.bytes().next().is_some_and(|digit| digit >= b'5'));
    Some(sign * whole.checked_add(up)?)
}

/// A bit string as a signed integer: `x'ffffffff'::int` is -1.
fn from_bits(digits: &str, bits: u32) -> Option<Value> {
    if digits.len() > bits as usize {
        return None;
    }
    let value = if digits.is_empty() { 0 } else { i128::from_str_radix(digits, 2).ok()? };
    Some(Value::Integer(wrapped(value, bits)))
}

/// The lowest `bits` of a number, as a signed integer.
fn wrapped(value: i128, bits: u32) -> i128 {
    value << (128 - bits) >> (128 - bits)
}

fn unary(symbol: &str, of: &Value, value: &Value) -> Option<Value> {
    match (symbol, value) {
        ("-", Value::Integer(value)) => {
            // -9223372036854775808 is numeric there, yet every cast takes it.
            Some(Value::Integer(value.checked_neg()?))
        }
        ("-", Value::Numeric(text)) => Some(Value::Numeric(match text.strip_prefix('-') {
            Some(text) => text.to_owned(),
            None => format!("-{text}"),
        })),
        ("+", Value::Integer(_) | Value::Numeric(_)) => Some(value.clone()),
        ("~", Value::Integer(value)) => of.ty()?.bits().map(|_| Value::Integer(!value)),
        _ => None,
    }
}

fn binary(symbol: &str, ty: Option<SqlType>, left: &Value, right: &Value) -> Option<Value> {
    if symbol == "||" {
        return match (left, right) {
            (Value::Text(a), Value::Text(b)) => Some(Value::Text(format!("{a}{b}"))),
            (Value::Text(a), Value::Integer(b)) => Some(Value::Text(format!("{a}{b}"))),
            (Value::Integer(a), Value::Text(b)) => Some(Value::Text(format!("{a}{b}"))),
            _ => None,
        };
    }
    let (Value::Integer(left), Value::Integer(right)) = (left, right) else {
        return None;
    };
    let ty = ty?;
    let bits = ty.bits()?;
    let value = match symbol {
        "+" => left.checked_add(*right)?,
        "-" => left.checked_sub(*right)?,
        "*" => left.checked_mul(*right)?,
        "/" => left.checked_div(*right)?,
        "%" => left.checked_rem(*right)?,
        "&" => left & right,
        "|" => left | right,
        "#" => left ^ right,
        // The machine takes the count modulo the width.
        "<<" => wrapped(left << right.rem_euclid(i128::from(bits)), bits),
        ">>" => left >> right.rem_euclid(i128::from(bits)),
        _ => return None,
    };
    ty.holds(value).then_some(Value::Integer(value))
}
