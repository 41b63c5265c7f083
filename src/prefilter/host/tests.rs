use super::*;
use proptest::prelude::*;

#[test]
fn lines_of_comments_hold_no_lock() {
    use HostLanguage::{Go, Php, Python, Ruby};
    for (text, language) in [
        ("\n// check for update\n", Go),
        ("/**\n   * Check for update.\n   */", Go),
        ("\n  # for update, skip locked\n", Python),
        ("\n # see pg_advisory_lock\n", Php),
        ("\n // see pg_advisory_lock\n", Php),
    ] {
        assert!(!host_words(text.as_bytes(), language).locks, "{text:?}");
    }
    for (text, language) in [
        ("`SELECT\n  * FROM jobs FOR UPDATE`\n", Go),
        ("\n #{select} FOR UPDATE\n", Ruby),
        ("\n */ f(\" FOR UPDATE\")\n", Go),
        ("\n x // FOR UPDATE\n", Go),
    ] {
        assert!(host_words(text.as_bytes(), language).locks, "{text:?}");
    }
}

#[test]
fn an_update_names_a_table_and_sets() {
    for text in [
        "UPDATE jobs SET",
        "update only s.jobs as j\n set",
        "UPDATE \"jobs\" SET",
        "UPDATE ${table} SET",
        "UPDATE jobs\\n SET",
        "\"UPDATE \" + table + \" SET",
        "'UPDATE jobs ' 'SET",
        "UPDATE jobs -- now\nSET",
        "UPDATE/**/jobs SET",
        "update %s set",
        "UPDATE :tbl SET",
        "UPDATE jobs * SET",
        "UPDATE größe SET",
        "UPDATE\\n  jobs SET",
        "UPDATE a.#{b} SET",
    ] {
        assert!(updates(text.as_bytes()).next().is_some(), "{text}");
    }
    for text in [
        "update: function () { set }",
        "update('a'); set",
        "update = set",
        "update the whole state with a set",
        "emit('update', set)",
        "update of all that is to be set, update set",
        "UPDATE jobs",
        "updated a set",
    ] {
        assert!(updates(text.as_bytes()).next().is_none(), "{text}");
    }
}

#[test]
fn prose_about_updates_is_no_lock() {
    for text in
        ["'ready for update operations'", "for update management", "checkForUpdate()", "'Begin a change', 'commit'"]
    {
        assert!(!host_words(text.as_bytes(), HostLanguage::Go).locks, "{text}");
    }
    for text in [
        "for update\nof a",
        "FOR UPDATE OF a",
        "FOR SHARE NOWAIT",
        "' FOR UPDATE'",
        "for update;",
        "FOR UPDATE ${nowait}",
        "with_for_update(",
        ".forUpdate()",
        "selectForUpdate(",
        "'BEGIN', 'COMMIT'",
        "`BEGIN ISOLATION LEVEL x` 'rollback'",
    ] {
        assert!(host_words(text.as_bytes(), HostLanguage::Go).locks, "{text}");
    }
}

/// The same as one expression each.
fn by_expression(content: &[u8], language: HostLanguage) -> bool {
    static ALL: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        // What follows on the line is no word, or one of these.
        let then = |words: &[&str]| format!(r"(?:[ \t]*(?:[^ \t\w]|\z)|[ \t]+(?:{})(?:\W|\z))", words.join("|"));
        let clause = then(AFTER_CLAUSE);
        let patterns = [
            r"advisory_(?:[^a-z]|\z|lock|unlock|xact|try|share|transaction)|skip(?:\s+|_)?locked|pg_locks|pessimistic_".to_owned(),
            format!(r"\bfor\s+(?:key\s+share|(?:no\s+key\s+update|update|share){clause})"),
            r"(?:\A|\W|(?:with|select|lock)_?|(?:\A|\W)_)for_?(?:no_?key_?)?(?:update|share)\b|shared_?lock\(|clause\.locking"
                .to_owned(),
            r#"\bfor\(\s*["'`](?:no\s+key\s+)?(?:update|share)"#.to_owned(),
            r#"\blimit\s+(?:[0-9$:?%@#{]|all\b)|\blimit\s+["'`]|(?:\A|[^\w"'`])limit["'`]|\bfetch\s+(?:first|next)\b"#
                .to_owned(),
            format!(r#"["'`](?:begin{}|start\s+transaction\b)"#, then(AFTER_BEGIN)),
            r#"["'`](?:commit|rollback)\b"#.to_owned(),
            r"\.lock\.[a-z]".to_owned(),
            format!(r"(?:\A|\W)lock:\s*(?:true(?:\W|\z)|[^\n]{{0,{}}}(?-i:LOCK\.))", MODE - "LOCK.".len()),
        ];
        patterns.iter().map(|pattern| Regex::new(&format!("(?i-u){pattern}")).unwrap()).collect()
    });
    let holds = |index: usize| ALL[index].is_match(content);
    (0..4).any(holds)
        || holds(4) && updates(content).next().is_some()
        || holds(5) && holds(6)
        || holds(7) && language == HostLanguage::Ruby
        || holds(8) && SCRIPT.contains(&language)
}

proptest! {
    #[test]
    fn words_and_what_is_around_them_are_as_in_one_expression(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "for", "FOR", "no", "key", "update", "Update", "share", "skip", "LOCKED", "locked", "limit", "LIMIT", "all",
            "fetch", "first", "next", "begin", "start", "transaction", "pg_locks", "advisory", "set", "commit", "_", "a", "(",
            "d", "lock", "LOCK", ".", ":", "true", "clause.locking", "pessimistic_",
            "1", "$", "{", "\"", "'", "`", " ", " ", " ", "\n", "\t", "\u{b}", "\u{c}", "é",
        ]), 0..16)
    ) {
        let text = parts.concat();
        for language in [HostLanguage::Ruby, HostLanguage::Go, HostLanguage::TypeScript] {
            let found = host_words(text.as_bytes(), language).locks;
            prop_assert_eq!(found, by_expression(text.as_bytes(), language), "{}", text);
        }
    }
}
