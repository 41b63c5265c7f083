mod csharp;
mod elixir;
mod go;
mod java;
mod javascript;
mod kotlin;
mod php;
mod properties;
mod python;
mod ruby;
mod rust;
mod scala;
mod show;

use super::Code;
use crate::host;
use crate::language::Language;
use crate::source::Source;

fn source(path: &str, text: &str) -> Source {
    Source::new(path.into(), Language::of(path).unwrap(), text.as_bytes().to_vec()).unwrap()
}

/// Asserts what the code of a text is, both without the indentation that all lines have.
#[track_caller]
fn assert_code(path: &str, text: &str, expected: &str) {
    let source = source(path, &dedent(text));
    let code = host::code(&source).unwrap();
    let shown = show::show(source.text(), &code);
    let expected = dedent(expected);
    assert!(shown.trim() == expected.trim(), "shown:\n{shown}\nexpected:\n{expected}");
    properties::assert_holds(&source, &code);
}

fn dedent(text: &str) -> String {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let lines = || text.split('\n').filter(|line| !line.trim().is_empty());
    let margin = lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or_default();
    text.split('\n').map(|line| line.get(margin..).unwrap_or_default().to_owned() + "\n").collect()
}

/// The calls of a code, in order, as they are written.
fn calls(source: &Source, code: &Code<'_>) -> Vec<String> {
    code.calls.iter().map(|call| source.slice(code.exprs[call.expr].span).to_owned()).collect()
}

#[test]
fn integers_are_those_of_the_languages() {
    for (text, want) in [
        ("17", Some(17)),
        ("-1_000L", Some(-1000)),
        ("0x1Fn", Some(31)),
        ("0b101", Some(5)),
        ("0o17", Some(15)),
        ("42i64", Some(42)),
        ("0", Some(0)),
        // Octal in Go, Java and PHP, decimal in C# and Rust.
        ("017", None),
        ("1.5", None),
        ("", None),
    ] {
        assert_eq!(super::integer(text), want, "{text}");
    }
}
