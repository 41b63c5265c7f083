use super::*;
use crate::language::Language;
use crate::program;
use crate::source::Source;

#[test]
fn advisory_functions_by_name() {
    let found = |path: &str, text: &str| -> Vec<(String, String, Option<usize>)> {
        let Some(language @ Language::Host(host)) = Language::of(path) else { panic!("{path}") };
        let source = Source::new(path.into(), language, text.as_bytes().to_vec()).unwrap();
        let (program, ..) = program::read(&source);
        let calls = calls(text, host, &program);
        calls.iter().map(|call| (call.name.to_owned(), text[call.at.range()].to_owned(), call.keys)).collect()
    };
    for (path, text, name, at, keys) in [
        (
            "a.py",
            "select(func.pg_advisory_xact_unlock(A, b))",
            "pg_advisory_xact_unlock",
            "pg_advisory_xact_unlock(A, b)",
            Some(2),
        ),
        (
            "a.py",
            "select(func.pg_advisory_lock(f(1, 2), *rest))",
            "pg_advisory_lock",
            "pg_advisory_lock(f(1, 2), *rest)",
            None,
        ),
        (
            "a.ts",
            "eb.fn<boolean>('pg_try_advisory_lock', [a, b, c])",
            "pg_try_advisory_lock",
            "fn<boolean>('pg_try_advisory_lock', [a, b, c])",
            Some(3),
        ),
        (
            "a.rb",
            "DB.get(Sequel.function(:pg_advisory_lock, 1, 2))",
            "pg_advisory_lock",
            "function(:pg_advisory_lock, 1, 2)",
            Some(2),
        ),
        (
            "A.java",
            "class A { Object f = function(\"pg_advisory_lock\", Void.class, val(1)); }",
            "pg_advisory_lock",
            "function(\"pg_advisory_lock\", Void.class, val(1))",
            None,
        ),
    ] {
        assert_eq!(found(path, text), [(name.to_owned(), at.to_owned(), keys)], "{text}");
    }
    assert_eq!(found("a.py", "# func.pg_advisory_xact_unlock(1)\nx = 'func.pg_advisory_xact_unlock(1)'\n"), []);
}
