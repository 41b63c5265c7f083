use super::*;
use crate::span::Span;
use crate::sql::lex::lex;
use proptest::prelude::*;

fn read(text: &str) -> Option<Routine> {
    routine(text, &lex(text))
}

fn body(text: &str) -> Option<String> {
    let region = Region::verbatim(text, Span::new(0, text.len()));
    let tokens = lex(text);
    let routine = routine(text, &tokens)?;
    body_region(&region, &tokens, &routine).map(|r| r.text().to_owned())
}

#[test]
fn a_function_with_everything() {
    let text = "create or replace function app.\"Lock\"(p_key bigint, INOUT n int = 3, out timestamp with time zone,\n\
        variadic args text[] default array['a,b'], numeric(10,2), a.b%type, double precision)\n\
        returns setof app.job language 'PLpgSQL' stable strict security definer set lock_timeout to '5s'\n\
        set search_path = app, public as $$begin null; end$$;";
    let r = read(text).unwrap();
    assert_eq!((r.kind, r.schema.as_deref(), r.name.as_deref()), (RoutineKind::Function, Some("app"), Some("Lock")));
    assert_eq!(&text[r.name_span.unwrap().range()], "app.\"Lock\"");
    let arguments: Vec<_> =
        r.arguments.iter().map(|a| (a.name.as_deref(), a.ty.as_str(), a.mode, a.has_default)).collect();
    assert_eq!(
        arguments,
        [
            (Some("p_key"), "bigint", ArgumentMode::In, false),
            (Some("n"), "int", ArgumentMode::InOut, true),
            (None, "timestamp with time zone", ArgumentMode::Out, false),
            (Some("args"), "text[]", ArgumentMode::Variadic, true),
            (None, "numeric(10,2)", ArgumentMode::In, false),
            (None, "a.b%type", ArgumentMode::In, false),
            (None, "double precision", ArgumentMode::In, false),
        ]
    );
    assert_eq!(r.returns, Returns::Setof("app.job".to_owned()));
    assert_eq!((r.language, r.volatility, r.strict), (Language::Plpgsql, Volatility::Stable, true));
    let options: Vec<_> = r.set_options.iter().map(|o| (o.name.as_str(), o.value.as_str())).collect();
    assert_eq!(options, [("lock_timeout", "'5s'"), ("search_path", "app, public")]);
    assert_eq!(body(text).as_deref(), Some("begin null; end"));
}

#[test]
fn arguments_with_the_mode_behind_the_name() {
    let r = read("CREATE PROCEDURE p(a IN OUT int, b out text, \"C\" in int, in out x int)").unwrap();
    let arguments: Vec<_> = r.arguments.iter().map(|a| (a.name.as_deref().unwrap(), a.ty.as_str(), a.mode)).collect();
    assert_eq!(
        arguments,
        [
            ("a", "int", ArgumentMode::InOut),
            ("b", "text", ArgumentMode::Out),
            ("C", "int", ArgumentMode::In),
            ("x", "int", ArgumentMode::InOut)
        ]
    );
    assert_eq!((r.kind, r.body), (RoutineKind::Procedure, BodyForm::None));
}

#[test]
fn what_it_returns() {
    let returns = |clause: &str| read(&format!("CREATE FUNCTION f() {clause} AS '' LANGUAGE sql")).unwrap().returns;
    assert_eq!(returns(""), Returns::Nothing);
    assert_eq!(returns("RETURNS trigger"), Returns::Trigger);
    assert_eq!(returns("RETURNS pg_catalog.Trigger"), Returns::Trigger);
    assert_eq!(returns("RETURNS event_trigger"), Returns::EventTrigger);
    assert_eq!(returns("RETURNS VOID"), Returns::Void);
    assert_eq!(returns("RETURNS NULL ON NULL INPUT"), Returns::Nothing);
    assert_eq!(
        returns("RETURNS timestamp  with time zone NOT LEAKPROOF"),
        Returns::Type("timestamp with time zone".to_owned())
    );
    let Returns::Table(columns) = returns("RETURNS TABLE (a int, b numeric(3,1))") else {
        panic!("no table");
    };
    assert_eq!(columns.len(), 2);
    assert_eq!((columns[1].name.as_deref(), columns[1].ty.as_str()), (Some("b"), "numeric(3,1)"));
}

#[test]
fn the_language_stands_anywhere() {
    for (text, language) in [
        ("DO $$ begin end $$", Language::Plpgsql),
        ("DO LANGUAGE plpgsql 'begin end'", Language::Plpgsql),
        ("DO $$ x $$ LANGUAGE \"plperl\"", Language::Other("plperl".to_owned())),
        ("CREATE FUNCTION f() RETURNS int AS $$ $$ LANGUAGE SQL", Language::Sql),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE $x$sql$x$ AS $$ $$", Language::Sql),
        ("CREATE FUNCTION f() RETURNS int RETURN 1", Language::Sql),
        ("CREATE PROCEDURE f() BEGIN ATOMIC END", Language::Sql),
        ("CREATE FUNCTION f() RETURNS int AS $$ $$", Language::Other(String::new())),
    ] {
        assert_eq!(read(text).unwrap().language, language, "{text}");
    }
}

#[test]
fn every_form_of_body() {
    for (text, expected) in [
        ("CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'lib', 'symbol'", "lib"),
        ("CREATE FUNCTION f() AS 'a'\n -- more\n'b' LANGUAGE sql", "ab"),
        ("CREATE FUNCTION f() AS 'x := ''y'';' LANGUAGE plpgsql;", "x := 'y';"),
        ("CREATE FUNCTION f() AS E'a\\nb' LANGUAGE plpgsql", "a\nb"),
        ("DO $a$ $$ $a$;", " $$ "),
        ("CREATE FUNCTION f(a int) RETURNS int RETURN a + (1);", "a + (1)"),
        (
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;",
            "SELECT CASE WHEN true THEN 1 END; SELECT 2;",
        ),
    ] {
        assert_eq!(body(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn other_statements_are_no_routines() {
    for text in [
        "",
        "CREATE TABLE t ()",
        "CREATE OR FUNCTION f()",
        "CREATE FUNCTION",
        "CREATE AGGREGATE a (int) (sfunc = f)",
        "DO NOTHING",
        "DROP FUNCTION f()",
        "CREATE TRIGGER t BEFORE INSERT ON x EXECUTE FUNCTION f()",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_token_soup_is_read(words in proptest::collection::vec(prop_oneof![
        Just("create"), Just("or"), Just("replace"), Just("function"), Just("do"), Just("f"), Just("("), Just(")"), Just(","),
        Just("in"), Just("out"), Just("int"), Just("["), Just("]"), Just("returns"), Just("table"), Just("setof"), Just("language"),
        Just("'x'"), Just("\n"), Just("$$ $$"), Just("as"), Just("set"), Just("to"), Just("="), Just("begin"), Just("atomic"),
        Just("end"), Just("case"), Just("return"), Just(";"), Just("."), Just("default"), Just("time"), Just("E'"),
    ], 0..40)) {
        for head in ["", "create function f(", "create procedure a.b() ", "do "] {
            let text = format!("{head}{}", words.join(" "));
            if let Some(name) = read(&text).and_then(|r| r.name_span) {
                prop_assert!(text.get(name.range()).is_some());
            }
            body(&text);
        }
    }
}
