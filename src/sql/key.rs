//! The key of an advisory call: its arguments folded to constants, or in one spelling.

use super::advisory::{Key, KeyPart};
use super::functions;
use super::value::Value;

/// Functions whose result is NULL if an argument is.
const STRICT: &[&str] =
    &["abs", "ascii", "crc32", "hashtext", "hashtextextended", "length", "lower", "md5", "mod", "trim", "upper"];

/// The key that folded arguments name; `Unknown` where they fit neither form.
pub fn of_arguments(arguments: &[Value]) -> Key {
    match arguments {
        [key] => Key::Bigint(part(key)),
        [class, key] => Key::Pair(part(class), part(key)),
        _ => Key::Unknown,
    }
}

/// One argument, folded.
fn part(folded: &Value) -> KeyPart {
    if is_null(folded) {
        return KeyPart::Null;
    }
    if let Value::Integer(integer) = folded.uncast()
        && let Ok(constant) = i64::try_from(*integer)
    {
        return KeyPart::Constant(constant);
    }
    KeyPart::Expression {
        text: spelling(folded),
        constant: !folded.any(&mut |value| is_variable(value)),
        opaque: folded.any(&mut |value| is_opaque(value)),
    }
}

/// Whether the value is NULL whatever the parameters are.
fn is_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Cast { value, .. } => is_null(value),
        Value::Call { name, args } => STRICT.contains(&name.as_str()) && args.iter().any(is_null),
        Value::Operator { symbol, args } => {
            matches!(symbol.as_str(), "||" | "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "&" | "|" | "#")
                && args.iter().any(is_null)
        }
        _ => false,
    }
}

/// Whether a part is known only at run time.
fn is_variable(value: &Value) -> bool {
    match value {
        Value::Parameter(_) | Value::Name { .. } | Value::Query(_) | Value::Unknown(_) => true,
        Value::Call { name, .. } => functions::moves(name).is_some(),
        _ => false,
    }
}

/// Whether the same text may be another value elsewhere in the unit.
fn is_opaque(value: &Value) -> bool {
    match value {
        // Placeholders without a name stand for the next argument each time.
        Value::Parameter(text) => text == "?" || text.starts_with('%') && !text.starts_with("%("),
        Value::Query(_) | Value::Unknown(_) => true,
        Value::Call { name, .. } => functions::moves(name).is_some(),
        _ => false,
    }
}

/// One spelling for expressions that are the same: no casts, no white space, names folded.
fn spelling(value: &Value) -> String {
    let list = |parts: &[Value]| parts.iter().map(spelling).collect::<Vec<_>>().join(", ");
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(integer) => integer.to_string(),
        Value::Numeric(text) | Value::Parameter(text) | Value::Unknown(text) => text.clone(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Bits(bits) => format!("B'{bits}'"),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Name { qualifier: Some(qualifier), name } => format!("{qualifier}.{name}"),
        Value::Name { qualifier: None, name } => name.clone(),
        Value::Call { name, args } => format!("{name}({})", list(args)),
        Value::Cast { value, .. } => spelling(value),
        Value::Operator { symbol, args } => match args.as_slice() {
            [only] => format!("{symbol} {}", spelling(only)),
            _ => args.iter().map(spelling).collect::<Vec<_>>().join(&format!(" {symbol} ")),
        },
        Value::Case { conditions, results } => format!("CASE({}; {})", list(conditions), list(results)),
        Value::Row(parts) => format!("({})", list(parts)),
        Value::Array(parts) => format!("ARRAY[{}]", list(parts)),
        Value::Query(_) => "(SELECT …)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::advisory::Sameness;
    use crate::sql::clause::{Entry, Tree};
    use crate::sql::lex::lex;
    use crate::sql::value::value;

    fn key(call: &str) -> Key {
        let text = format!("SELECT pg_advisory_lock({call})");
        let tree = Tree::build(&text, &lex(&text), Entry::Statement);
        let calls = tree.calls();
        of_arguments(&calls[0].args.iter().map(|arg| value(&tree, arg).fold()).collect::<Vec<_>>())
    }

    #[test]
    fn spellings_of_one_key_are_equal() {
        for (a, b) in [
            ("42", "42::bigint"),
            ("(1::bigint << 32) | 5", "4294967301"),
            ("-7", "- 7"),
            ("0x10", "16"),
            ("1_000", "1000"),
            ("'12'::int", "12"),
            ("hashtext('a')", "hashtext( 'a' )::bigint"),
            ("$1", "$1::int8"),
            (":id", ":id"),
            ("7, hashtext(p_name)", "7, HASHTEXT(p_name::text)"),
        ] {
            assert_eq!(key(a).compare(&key(b)), Sameness::Equal, "{a} and {b}");
        }
    }

    #[test]
    fn other_keys_are_different_and_some_are_unknown() {
        for (a, b) in [("1", "2"), ("1", "0, 1"), ("hashtext('a')", "hashtext('b')"), ("7, $1", "8, $1")] {
            assert_eq!(key(a).compare(&key(b)), Sameness::Different, "{a} and {b}");
        }
        for (a, b) in [("?", "?"), ("%s", "%s"), ("$1", "$2"), ("1", "$1"), ("a.id", "b.id"), ("random()", "random()")]
        {
            assert_eq!(key(a).compare(&key(b)), Sameness::Unknown, "{a} and {b}");
        }
    }

    #[test]
    fn null_is_seen_through_strict_functions() {
        for null in ["NULL", "NULL::bigint", "1, NULL", "hashtext(NULL)", "hashtext('a' || NULL)"] {
            assert!(key(null).has_null(), "{null}");
        }
        for other in ["coalesce(NULL, 1)", "$1", "hashtext($1)"] {
            assert!(!key(other).has_null(), "{other}");
        }
    }
}
