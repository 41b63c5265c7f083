use super::*;

const RULES: &[&str] = &["missing-unlock", "session-lock-in-transaction", "skip-locked-single-key"];

fn config(text: &str) -> Config {
    Config::parse("locklint.toml", text, RULES).unwrap()
}

/// The message, the text that the error points at, and the help.
fn error(text: &str) -> (String, String, String) {
    let error = Config::parse("locklint.toml", text, RULES).unwrap_err();
    (error.message, text[error.span].to_owned(), error.help.unwrap_or_default())
}

#[test]
fn levels_come_from_the_nearest_file_and_are_not_merged() {
    let mut settings = Settings::default();
    settings.insert("", config("[rules]\nmissing-unlock = \"off\""));
    settings.insert("db/new", config("[rules]\nskip-locked-single-key = \"error\""));
    let level = |path: &str, rule: &str| settings.of(path).level(rule, Level::Warning);
    assert_eq!(level("db/a.sql", "missing-unlock"), None);
    assert_eq!(level("db/newer/a.sql", "missing-unlock"), None);
    assert_eq!(level("db/new/x/a.sql", "missing-unlock"), Some(Level::Warning));
    assert_eq!(level("db/new/a.sql", "skip-locked-single-key"), Some(Level::Error));
    assert_eq!(level("a.sql", "skip-locked-single-key"), Some(Level::Warning));
}

#[test]
fn overrides_match_relative_to_their_file_and_the_last_one_wins() {
    let mut settings = Settings::default();
    settings.insert(
        "db",
        config(
            "[rules]\nmissing-unlock = \"note\"\n\
             [[overrides]]\npaths = [\"old/**\", \"*.tmp.sql\"]\nrules = { missing-unlock = \"off\" }\n\
             [[overrides]]\npaths = [\"old/keep.sql\"]\nrules = { missing-unlock = \"error\" }\n",
        ),
    );
    let level = |path: &str| settings.of(path).level("missing-unlock", Level::Warning);
    assert_eq!(level("db/a.sql"), Some(Level::Note));
    assert_eq!(level("db/old/a.sql"), None);
    assert_eq!(level("db/x/old/a.sql"), Some(Level::Note));
    assert_eq!(level("db/x/y.tmp.sql"), None);
    assert_eq!(level("db/old/keep.sql"), Some(Level::Error));
    assert_eq!(level("old/a.sql"), Some(Level::Warning));
}

#[test]
fn the_run_has_the_last_word() {
    let mut settings = Settings::new(Run {
        select: BTreeSet::from(["missing-unlock".to_owned(), "skip-locked-single-key".to_owned()]),
        ignore: BTreeSet::from(["skip-locked-single-key".to_owned()]),
        min_level: Level::Warning,
        include_tests: false,
    });
    settings.insert("", config("[[overrides]]\npaths = [\"n.sql\"]\nrules = { missing-unlock = \"note\" }"));
    let file = settings.of("a.sql");
    assert_eq!(file.level("missing-unlock", Level::Warning), Some(Level::Warning));
    assert_eq!(file.level("missing-unlock", Level::Note), None);
    assert_eq!(file.level("skip-locked-single-key", Level::Error), None);
    assert_eq!(file.level("session-lock-in-transaction", Level::Error), None);
    assert_eq!(settings.of("n.sql").level("missing-unlock", Level::Error), None);
}

#[test]
fn everything_else_is_read() {
    let mut settings = Settings::default();
    settings.insert(
        "",
        config(
            "pooling = \"transaction\"\nexclude = [\"vendor\", \"/gen/*.sql\"]\ninclude-tests = true\n\
             [schema]\nunique = [\"job_ledger(job_key)\", \" app.t ( a , b ) \"]\n",
        ),
    );
    let file = settings.of("x.sql");
    assert_eq!(file.pooling(), Pooling::Transaction);
    assert!(file.include_tests());
    let keys: Vec<_> = settings.unique_keys().map(|key| (key.table.as_str(), key.columns.join("+"))).collect();
    assert_eq!(keys, [("job_ledger", "job_key".to_owned()), ("app.t", "a+b".to_owned())]);
    let excluded: Vec<_> = ["vendor/a.sql", "x/vendor/y/a.sql", "gen/a.sql", "gen/x/a.sql", "y/gen/a.sql"]
        .into_iter()
        .filter(|path| settings.of(path).excluded())
        .collect();
    assert_eq!(excluded, ["vendor/a.sql", "x/vendor/y/a.sql", "gen/a.sql"]);
}

#[test]
fn errors_point_at_the_word_that_is_wrong() {
    let (message, at, help) = error("[rules]\nmissing-unlok = \"off\"\n");
    assert_eq!(
        (message.as_str(), at.as_str(), help.as_str()),
        ("unknown rule `missing-unlok`", "missing-unlok", "did you mean `missing-unlock`?")
    );
    let (_, at, help) = error("[[overrides]]\npaths = []\nrules = { \"x\" = \"off\" }");
    assert_eq!((at.as_str(), help.as_str()), ("\"x\"", "`locklint rules` lists the rules"));
    let (message, at, _) = error("# é\npoling = \"none\"\n");
    assert!(message.contains("unknown field `poling`"), "{message}");
    assert_eq!(at, "poling");
    let (_, at, _) = error("[rules]\nmissing-unlock = \"loud\"\n");
    assert_eq!(at, "\"loud\"");
    let (message, at, _) = error("exclude = [\"ok\", \"a[\"]");
    assert!(message.starts_with("no valid glob: "), "{message}");
    assert_eq!(at, "\"a[\"");
    for spec in ["t", "t()", "(a)", "t(a))", "t(a,)"] {
        let (message, at, _) = error(&format!("[schema]\nunique = [\"{spec}\"]"));
        assert_eq!((message.as_str(), at), ("no unique key", format!("\"{spec}\"")));
    }
    let (_, at, _) = error("exclude = [");
    assert!(at.len() <= 1, "{at}");
}

#[test]
fn the_schema_knows_what_the_parser_knows() {
    let schema = schema([("missing-unlock", "Nothing releases this key.")]);
    let valid = jsonschema::validator_for(&schema).unwrap();
    let json = |text: &str| serde_json::to_value(toml::from_str::<toml::Value>(text).unwrap()).unwrap();
    assert!(valid.is_valid(&json(
        "pooling = \"none\"\nrules = { missing-unlock = \"off\" }\n[[overrides]]\npaths = [\"a\"]\nrules = {}"
    )));
    for text in [
        "poling = 1",
        "rules = { x = \"off\" }",
        "rules = { missing-unlock = \"loud\" }",
        "[[overrides]]\npaths = []\nrules = { x = \"off\" }",
        "exclude = 1",
    ] {
        assert!(!valid.is_valid(&json(text)), "{text}");
    }
}
