//! The words of locks in host code. One expression for all of them has no literal that can be searched for, and goes byte
//! by byte; so rare words are searched for, several at once, and what stands around each is read here.

use crate::driver::SCRIPT;
use crate::language::HostLanguage;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Words that mean something by themselves or by what stands before them. Not so many that they are no longer searched for
/// at once.
static LOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i-u)advisory_|pg_locks|locked|lock:|pessimistic_|update|share|clause\.locking|\.lock\.").ok()
});

/// Words of a queue claim that has no locking clause.
static BOUNDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)limit|fetch").ok());

/// Words that begin a transaction as the first in a string.
static BEGINS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)begin|transaction").ok());

/// Words that end one.
static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)commit|rollback").ok());

/// How far an option goes that names a lock's mode.
const MODE: usize = 1 << 6;

/// How long a line of a comment is.
const LINE: usize = 1 << 9;

/// How far from each other two words of one statement stand in host code, where its end does not show.
const STATEMENT: usize = 1 << 13;

/// How far from `UPDATE` its `SET` stands.
const TARGET: usize = 1 << 10;

/// Whether the content of a file in a host language may hold a lock: the words of an advisory function, of SKIP LOCKED, of
/// a locking clause, of a queue claim without one, or the beginning of a transaction in a string. `limit`, `fetch` and
/// `for` are words of every day: they count with what follows them in a query, and a limit counts where rows are updated,
/// the beginning of a transaction where one ends.
pub fn may_lock_in_host(content: &[u8], language: HostLanguage) -> bool {
    let any = |words| any(words, content, language);
    any(&LOCKS) || claims(content, language) || any(&BEGINS) && any(&ENDS) || hints(content, language)
}

/// Whether an annotation of JPA may ask for SKIP LOCKED, by a lock timeout of -2.
fn hints(content: &[u8], language: HostLanguage) -> bool {
    let has = |word: &str| memchr::memmem::find(content, word.as_bytes()).is_some();
    matches!(language, HostLanguage::Java | HostLanguage::Kotlin) && has("QueryHint(") && has("\"-2\"")
}

/// Whether a limit stands near an update.
fn claims(content: &[u8], language: HostLanguage) -> bool {
    let near = |at: usize| {
        let around = at.saturating_sub(STATEMENT)..content.len().min(at + STATEMENT);
        updates(&content[around]).next().is_some()
    };
    BOUNDS.as_ref().is_none_or(|words| {
        let mut found = words.find_iter(content);
        found.any(|word| counts_at(content, word.range(), language) && near(word.start()))
    })
}

/// Whether one of the words counts somewhere.
fn any(words: &LazyLock<Option<Regex>>, content: &[u8], language: HostLanguage) -> bool {
    words.as_ref().is_none_or(|words| {
        let mut found = words.find_iter(content);
        found.any(|word| counts_at(content, word.range(), language))
    })
}

/// Whether a word that was found counts where it stands.
fn counts_at(content: &[u8], word: Range<usize>, language: HostLanguage) -> bool {
    let (before, after) = (&content[..word.start], &content[word.end..]);
    let counts = match &content[word] {
        // Rails' `lock` between two calls is a mutex elsewhere.
        [b'.', ..] => language == HostLanguage::Ruby && after.first().is_some_and(u8::is_ascii_alphabetic),
        [.., b':'] => !ends_in_word(before) && SCRIPT.contains(&language) && is_mode(after),
        word => counts(before, word, after),
    };
    counts && !is_remarked(before, after, language)
}

/// Whether an option `lock` is Sequelize's: `true`, or one of its modes, `t.LOCK.UPDATE`.
fn is_mode(after: &[u8]) -> bool {
    let value = space_first(after).unwrap_or(after);
    let line = value[..value.len().min(MODE)].split(|&byte| byte == b'\n').next().unwrap_or_default();
    without_first(value, "true").is_some_and(|rest| !begins_in_word(rest))
        || memchr::memmem::find(line, b"LOCK.").is_some()
}

/// Whether a line begins as a comment does, and as no line of SQL: nothing is said of `* FROM jobs FOR UPDATE`.
fn is_remarked(before: &[u8], after: &[u8], language: HostLanguage) -> bool {
    use HostLanguage::{Elixir, Php, Python, Ruby};
    let near = &before[before.len().saturating_sub(LINE)..];
    let Some(start) = memchr::memrchr(b'\n', near) else { return false };
    let line = near[start + 1..].trim_ascii_start();
    match line {
        [b'#', rest @ ..] => matches!(language, Elixir | Php | Python | Ruby) && !rest.starts_with(b"{"),
        _ if matches!(language, Elixir | Python | Ruby) => false,
        [b'/', b'/', ..] => true,
        [b'*', rest @ ..] => {
            static FROM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bfrom\b").ok());
            let from = |text: &[u8]| FROM.as_ref().is_none_or(|from| from.is_match(text));
            let end = after.iter().take(LINE).position(|&byte| byte == b'\n');
            // A `*/` on the line ends the comment.
            !from(rest) && !rest.contains(&b'/') && end.is_some_and(|end| !from(&after[..end]))
        }
        _ => false,
    }
}

/// Where an UPDATE statement may be: after the word, before what may name a table, and SET after it.
pub(super) fn updates(content: &[u8]) -> impl Iterator<Item = usize> {
    static UPDATE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bupdate\b").ok());
    static SET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bset\b").ok());
    let sets = move |after: &[u8]| SET.as_ref().is_none_or(|set| set.is_match(&after[..after.len().min(TARGET)]));
    let updates = move |after: &[u8]| match target(after) {
        Target::Table => true,
        Target::Open(rest) => sets(rest),
        Target::None => false,
    };
    let words = UPDATE.as_ref().into_iter().flat_map(move |update| update.find_iter(content));
    words.map(|word| word.end()).filter(move |&end| updates(&content[end..]))
}

/// What stands after `UPDATE`.
enum Target<'t> {
    /// A table, perhaps with another name, and SET.
    Table,
    /// What may go on to be that: a quoted name, a hole, a comment, the end of a string.
    Open(&'t [u8]),
    /// Prose, or code.
    None,
}

/// How many words stand at most between `UPDATE` and `SET`: `ONLY`, the table, `AS`, its other name.
const NAMES: usize = 4;

fn target(after: &[u8]) -> Target<'_> {
    let goes_on = |rest: &[u8], first: &[u8]| rest.first().is_some_and(|byte| first.contains(byte));
    let Some(mut rest) = space_first(after) else {
        return if goes_on(after, b"\\/$#{%") { Target::Open(after) } else { Target::None };
    };
    for count in 0..=NAMES {
        let is_name = |byte: &u8| is_word(byte) || *byte == b'.' || !byte.is_ascii();
        let end = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            return if goes_on(rest, b"\"'`$#{%@:?[<*\\/-") { Target::Open(rest) } else { Target::None };
        }
        if count > 0 && word.eq_ignore_ascii_case(b"set") {
            return Target::Table;
        }
        match space_first(after) {
            Some(next) => rest = next,
            None if goes_on(after, b"\"'`$#{%[*\\/-") => return Target::Open(after),
            None => return Target::None,
        }
    }
    Target::None
}

/// Words that may follow a locking clause on its line; after another word it is prose.
const AFTER_CLAUSE: &[&str] = &[
    "of",
    "nowait",
    "skip",
    "wait",
    "for",
    "limit",
    "offset",
    "fetch",
    "as",
    "into",
    "loop",
    "union",
    "intersect",
    "except",
    "order",
    "returning",
    "then",
    "where",
];

/// Words that may follow `BEGIN` on its line.
const AFTER_BEGIN: &[&str] =
    &["transaction", "work", "isolation", "read", "not", "deferrable", "immediate", "exclusive", "deferred", "atomic"];

/// What follows `advisory_` in the names of functions.
const ADVISORY: &[&str] = &["lock", "unlock", "xact", "try", "share", "transaction"];

/// Whether what stands after a word is on its line no word, or one of some.
fn is_followed(after: &[u8], by: &[&str]) -> bool {
    let start = after.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(after.len());
    let (rest, is_spaced) = (&after[start..], start > 0);
    let end = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
    !is_spaced || end == 0 || by.iter().any(|word| rest[..end].eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether one of the words counts between what stands before it and what stands after it.
fn counts(before: &[u8], word: &[u8], after: &[u8]) -> bool {
    match word[0].to_ascii_lowercase() {
        b'u' => {
            let is_clause = || is_for(before, &[]) || is_for(before, &["key", "no"]);
            builds(before, after) || !begins_in_word(after) && is_clause() && is_followed(after, AFTER_CLAUSE)
        }
        b's' => {
            let shared = after.strip_prefix(b"d").or_else(|| after.strip_prefix(b"D"));
            let lock = shared.map(|rest| rest.strip_prefix(b"_").unwrap_or(rest));
            lock.is_some_and(|rest| without_first(rest, "lock(").is_some())
                || builds(before, after)
                || is_for(before, &["key"])
                || !begins_in_word(after) && is_for(before, &[]) && is_followed(after, AFTER_CLAUSE)
        }
        b'c' if word.len() > "commit".len() => true,
        // What a lock function's name goes on with, where it goes on with letters.
        b'a' => {
            let goes_on = |next: &&str| without_first(after, next).is_some();
            !after.first().is_some_and(u8::is_ascii_alphabetic) || ADVISORY.iter().any(goes_on)
        }
        b'f' => {
            let rows = ["first", "next"].into_iter().find_map(|word| without_first(space_first(after)?, word));
            !ends_in_word(before) && rows.is_some_and(|rest| !begins_in_word(rest))
        }
        b'b' => is_quoted(before) && !begins_in_word(after) && is_followed(after, AFTER_BEGIN),
        b'c' | b'r' => is_quoted(before) && !begins_in_word(after),
        b't' => {
            let start = space_last(before).and_then(|before| without_last(before, "start"));
            start.is_some_and(is_quoted) && !begins_in_word(after)
        }
        b'l' if word.eq_ignore_ascii_case(b"limit") => {
            // Alone in a string it is the name of a property.
            let is_alone = is_quoted(before) && after.first().is_some_and(is_quote);
            !is_alone && !ends_in_word(before) && limits(after)
        }
        b'l' => {
            let skip = before.strip_suffix(b"_").or_else(|| space_last(before)).unwrap_or(before);
            without_last(skip, "skip").is_some()
        }
        _ => true,
    }
}

/// Whether a query builder names a locking clause: `forNoKeyUpdate`, `for_update`, `for("update")`.
fn builds(before: &[u8], after: &[u8]) -> bool {
    let loose = |text: &'_ [u8]| text.strip_suffix(b"_").map_or(text.len(), <[u8]>::len);
    let joined = |text: &[u8], word: &str| without_last(&text[..loose(text)], word).map(<[u8]>::len);
    let no_key = joined(before, "key").and_then(|end| joined(&before[..end], "no"));
    // `with_for_update`, but not `checkForUpdate`.
    let begins = |end: usize| {
        let name = &before[..end];
        !ends_in_word(name)
            || ["with", "select", "lock"].iter().any(|word| joined(name, word).is_some())
            || name.ends_with(b"_") && !ends_in_word(&name[..name.len() - 1])
    };
    let is_name =
        [Some(before.len()), no_key].into_iter().flatten().any(|end| joined(&before[..end], "for").is_some_and(begins));
    if is_name && !begins_in_word(after) {
        return true;
    }
    let spaced = |text, word| without_last(space_last(text)?, word);
    let text = spaced(before, "key").and_then(|text| spaced(text, "no")).unwrap_or(before);
    let Some(open) = text.split_last().filter(|(last, _)| is_quote(last)).map(|(_, rest)| rest) else { return false };
    let call = space_last(open).unwrap_or(open).strip_suffix(b"(").and_then(|call| without_last(call, "for"));
    call.is_some_and(|rest| !ends_in_word(rest))
}

/// Whether `FOR` and the given words, the last of them first, stand before.
fn is_for(before: &[u8], words: &[&str]) -> bool {
    let all = words.iter().chain(&["for"]);
    let rest = all.into_iter().try_fold(before, |rest, word| without_last(space_last(rest)?, word));
    rest.is_some_and(|rest| !ends_in_word(rest))
}

/// Whether what stands after `LIMIT` is a number, a stand-in, `ALL`, or the end of a string.
fn limits(after: &[u8]) -> bool {
    let next = space_first(after);
    if next.unwrap_or(after).first().is_some_and(is_quote) {
        return true;
    }
    let Some(next) = next else { return false };
    next.first().is_some_and(|byte| byte.is_ascii_digit() || b"$:?%@#{".contains(byte))
        || without_first(next, "all").is_some_and(|rest| !begins_in_word(rest))
}

fn is_quoted(before: &[u8]) -> bool {
    before.last().is_some_and(is_quote)
}

pub(super) fn is_quote(byte: &u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

pub(super) fn ends_in_word(text: &[u8]) -> bool {
    text.last().is_some_and(is_word)
}

fn begins_in_word(text: &[u8]) -> bool {
    text.first().is_some_and(is_word)
}

pub(super) fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

pub(super) fn is_space(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0B
}

/// What stands before the white space at the end, where there is some.
fn space_last(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last + 1);
    (end < text.len()).then(|| &text[..end])
}

/// What stands after the white space at the beginning, where there is some.
fn space_first(text: &[u8]) -> Option<&[u8]> {
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    (start > 0).then(|| &text[start..])
}

/// What stands before a word at the end, which may be written in any case.
fn without_last<'t>(text: &'t [u8], word: &str) -> Option<&'t [u8]> {
    let (rest, last) = text.split_at_checked(text.len().checked_sub(word.len())?)?;
    last.eq_ignore_ascii_case(word.as_bytes()).then_some(rest)
}

/// What stands after a word at the beginning, which may be written in any case.
fn without_first<'t>(text: &'t [u8], word: &str) -> Option<&'t [u8]> {
    let (first, rest) = text.split_at_checked(word.len())?;
    first.eq_ignore_ascii_case(word.as_bytes()).then_some(rest)
}

#[cfg(test)]
mod tests {
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
            assert!(!may_lock_in_host(text.as_bytes(), language), "{text:?}");
        }
        for (text, language) in [
            ("`SELECT\n  * FROM jobs FOR UPDATE`\n", Go),
            ("\n #{select} FOR UPDATE\n", Ruby),
            ("\n */ f(\" FOR UPDATE\")\n", Go),
            ("\n x // FOR UPDATE\n", Go),
        ] {
            assert!(may_lock_in_host(text.as_bytes(), language), "{text:?}");
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
            assert!(!may_lock_in_host(text.as_bytes(), HostLanguage::Go), "{text}");
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
            assert!(may_lock_in_host(text.as_bytes(), HostLanguage::Go), "{text}");
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
                let found = may_lock_in_host(text.as_bytes(), language);
                prop_assert_eq!(found, by_expression(text.as_bytes(), language), "{}", text);
            }
        }
    }
}
