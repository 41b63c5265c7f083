use super::*;
use crate::sql::clause::{Entry, Tree};
use crate::sql::lex::lex;
use proptest::prelude::*;

fn read(text: &str) -> Value {
    let tree = Tree::build(text, &lex(text), Entry::SelectList);
    value(&tree, &tree.all())
}

fn name(name: &str) -> Value {
    Value::Name { qualifier: None, name: name.into() }
}

#[test]
fn kinds_of_values() {
    let parameter = |text: &str| Value::Parameter(text.into());
    let call = |name: &str, args| Value::Call { name: name.into(), args };
    for (text, expected) in [
        ("NULL", Value::Null),
        ("42", Value::Integer(42)),
        ("1_000", Value::Integer(1000)),
        ("0xFf", Value::Integer(255)),
        ("0b101", Value::Integer(5)),
        ("0o17", Value::Integer(15)),
        ("1.5e3", Value::Numeric("1.5e3".into())),
        ("'it''s'", Value::Text("it's".into())),
        ("('a'\n  'b')", Value::Text("ab".into())),
        ("E'\\n\\x41\\u00e9\\'\\101'", Value::Text("\nAé'A".into())),
        ("U&'d\\0061t\\+000061'", Value::Text("data".into())),
        ("$x$a'b$x$", Value::Text("a'b".into())),
        ("(b'101')", Value::Bits("101".into())),
        ("X'1f'", Value::Bits("00011111".into())),
        ("true", Value::Boolean(true)),
        ("(((false)))", Value::Boolean(false)),
        ("$1", parameter("$1")),
        ("(?)", parameter("?")),
        ("(%(key)s)", parameter("%(key)s")),
        ("({a.b})", parameter("{a.b}")),
        ("Foo", name("foo")),
        ("\"Føø\"", name("Føø")),
        ("U&\"\\0066oo\"", name("foo")),
        ("a.\"B\".c", Value::Name { qualifier: Some("B".into()), name: "c".into() }),
        ("{t}.id", Value::Name { qualifier: Some("{t}".into()), name: "id".into() }),
        (
            "pg_catalog.HashText('é' || $1)",
            call(
                "hashtext",
                vec![Value::Operator { symbol: "||".into(), args: vec![Value::Text("é".into()), parameter("$1")] }],
            ),
        ),
        ("now()", call("now", vec![])),
        ("count(*)", call("count", vec![Value::Unknown("*".into())])),
        ("f(a => 1, b := ?)", call("f", vec![Value::Integer(1), parameter("?")])),
        ("(1, a)", Value::Row(vec![Value::Integer(1), name("a")])),
        ("ROW(1)", Value::Row(vec![Value::Integer(1)])),
        ("ARRAY[1]", Value::Array(vec![Value::Integer(1)])),
        (
            "CASE WHEN a THEN 1 ELSE 2 END",
            Value::Case { conditions: vec![name("a")], results: vec![Value::Integer(1), Value::Integer(2)] },
        ),
        ("a COLLATE \"C\"", name("a")),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    assert!(matches!(read("(SELECT 1)"), Value::Query(_)));
    assert!(matches!(read("( ((SELECT 1)) )"), Value::Query(_)));
    assert!(matches!(read("EXISTS (SELECT 1)"), Value::Call { name, args } if name == "exists" && args.len() == 1));
    assert!(matches!(read("ARRAY(SELECT 1)"), Value::Call { name, .. } if name == "array"));
    assert_eq!(read("a b c"), Value::Unknown("a b c".into()));
}

#[test]
fn constants_are_computed() {
    let integer = Value::Integer;
    for (text, expected) in [
        ("1::bigint", integer(1)),
        ("'12'::int8", integer(12)),
        ("int8 ' -12 '", integer(-12)),
        ("CAST(1 + 2 * 3 AS bigint)", integer(7)),
        ("-5", integer(-5)),
        ("-(-5)", integer(5)),
        ("7 / 2", integer(3)),
        ("-7 % 3", integer(-1)),
        ("1 << 4", integer(16)),
        ("1::bigint << 32 | 5", integer((1 << 32) | 5)),
        ("(1::bigint << 32) + x'ff'::bigint", integer((1 << 32) + 255)),
        ("1 << 32", integer(1)),
        ("(-1)::bigint << 63", integer(i128::from(i64::MIN))),
        ("6 & 3", integer(2)),
        ("6 # 3", integer(5)),
        ("~0", integer(-1)),
        ("x'ffffffff'::int", integer(-1)),
        ("x'ffffffff'::bigint", integer(0xffff_ffff)),
        ("b'101'::int", integer(5)),
        ("1.5::int", integer(2)),
        ("(-2.5)::int", integer(-3)),
        ("'a' || 'b' || 1", Value::Text("ab1".into())),
        ("12::text", Value::Text("12".into())),
        ("true::int", integer(1)),
        ("-9223372036854775808", integer(i128::from(i64::MIN))),
    ] {
        assert_eq!(read(text).fold(), expected, "{text}");
    }
    for text in
        ["1 / 0", "2147483647 + 1", "'x'::int", "3000000000::int", "x'fffffffff'::int", "1 + $1", "a + 1", "'7 7'::int"]
    {
        assert!(!matches!(read(text).fold(), Value::Integer(_)), "{text}");
    }
    let Value::Call { args, .. } = read("f(1 + 1, 'a'::text)").fold() else { panic!() };
    assert_eq!(args, [integer(2), Value::Text("a".into())]);
}

#[test]
fn types_are_known_from_constants_casts_and_functions() {
    use SqlType::*;
    for (text, ty) in [
        ("1", Some(Int4)),
        ("2147483647", Some(Int4)),
        ("2147483648", Some(Int8)),
        ("9223372036854775808", Some(Numeric)),
        ("1.0", Some(Numeric)),
        ("'1'", Some(Unknown)),
        ("NULL", Some(Unknown)),
        ("$1", None),
        ("?::bigint", Some(Int8)),
        ("a::integer", Some(Int4)),
        ("a::pg_catalog.int8", Some(Int8)),
        ("'t'::regclass", Some(Oid)),
        ("CAST(a AS character varying(10))", Some(Text)),
        ("a::int[]", Some(Other("int[]".into()))),
        ("hashtext($1)", Some(Int4)),
        ("hashtextextended($1, 0)", Some(Int8)),
        ("abs(hashtext($1))", Some(Int4)),
        ("md5('x')", Some(Text)),
        ("count(*)", Some(Int8)),
        ("hashtext('a') + 1::bigint", Some(Int8)),
        ("1 << 40", Some(Int4)),
        ("1::bigint << 40", Some(Int8)),
        ("-1", Some(Int4)),
        ("a + 1", None),
        ("'a' || b", Some(Text)),
        ("a = b", Some(Boolean)),
        ("a IS NULL", Some(Boolean)),
        ("CASE WHEN a THEN 1 ELSE 2::bigint END", Some(Int8)),
        ("x'ff'", Some(Bits)),
        ("coalesce($1, 1)", None),
        ("extract(epoch FROM now())", Some(Numeric)),
        // The sign belongs to the constant.
        ("-2147483648", Some(Int4)),
        ("-2147483649", Some(Int8)),
        ("-9223372036854775808", Some(Int8)),
        ("2 ^ 31", Some(Float)),
        ("2.5 ^ 2", Some(Numeric)),
        ("floor(3)", Some(Float)),
        ("round(2.5)", Some(Numeric)),
        ("round(a)", None),
        ("coalesce(NULL, 'x')", Some(Text)),
        ("CASE WHEN a THEN 'x' END", Some(Text)),
        ("now()", Some(Other("timestamp with time zone".into()))),
        // The difference of two dates is an integer.
        ("date '2020-01-01' - date '2000-01-01'", None),
    ] {
        assert_eq!(read(text).ty(), ty, "{text}");
    }
}

#[test]
fn constants_hold_no_names() {
    assert!(read("1 + 2::bigint").is_constant());
    for text in ["a + 1", "f()", "$1 + 1", "(SELECT 1)", "CASE WHEN a THEN 1 END"] {
        assert!(!read(text).is_constant(), "{text}");
    }
}

#[test]
fn bounds_hold() {
    for text in [
        "(".repeat(10_000) + "1" + &")".repeat(10_000),
        "1".to_owned() + &" + 1".repeat(50_000),
        "1".to_owned() + &"::int".repeat(50_000),
        "f(".repeat(150) + "1" + &")".repeat(150),
        "- ".repeat(5_000) + "1",
        "NOT ".repeat(5_000) + "a",
        "a".to_owned() + &" || 'b'".repeat(400) + " || 'c'",
    ] {
        assert!(matches!(read(&text), Value::Unknown(_)));
    }
    let Value::Operator { .. } = read(&("a".to_owned() + &" || b".repeat(400))) else { panic!() };
    let folded = read(&("1".to_owned() + &" + 1".repeat(400))).fold();
    assert_eq!(folded, Value::Integer(401));
}

proptest! {
    #[test]
    fn nothing_panics(words in prop::collection::vec(prop::sample::select(vec![
        "a", ".", "'s'", "E'\\", "e'\\x'", "U&'\\0061'", "x'f'", "1", "0x", "1e", "$1", "?", "{x}", "(", ")", "[", "]",
        ",", "+", "-", "<<", "::", "int", "cast(", "as", "row", "array", "case", "when", "then", "end", "in", "any",
        "select", "exists", "between", "and", "is", "not", "distinct", "from", "é", "\"q\"", "U&\"\\00\"", "$$", "true",
        "99999999999999999999999999999999999999999999", "interval", "collate", "~", "%",
    ]), 0..30)) {
        let value = read(&words.join(" "));
        value.fold();
        value.ty();
    }
}
