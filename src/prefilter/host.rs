//! The words of locks in host code. One expression for all of them has no literal that can be searched for, and goes byte
//! by byte; so rare words are searched for, several at once, and what stands around each is read here.

#[cfg(test)]
mod tests;

use super::fold::Folded;
use crate::driver::SCRIPT;
use crate::language::HostLanguage;
use regex::bytes::Regex;
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

/// Words that mean something by themselves or by what stands before them, of a queue claim that has no locking clause, and
/// of the end of a transaction.
static WORDS: LazyLock<Option<Folded>> = LazyLock::new(|| {
    Folded::new(&[
        "advisory_",
        "pg_locks",
        "locked",
        "lock:",
        "pessimistic_",
        "update",
        "share",
        "clause.locking",
        ".lock.",
        "limit",
        "fetch",
        "commit",
        "rollback",
        "locklint",
    ])
});

/// Words that begin a transaction as the first in a string.
static BEGINS: LazyLock<Option<Folded>> = LazyLock::new(|| Folded::new(&["begin", "transaction"]));

/// How far an option goes that names a lock's mode.
const MODE: usize = 1 << 6;

/// How long a line of a comment is.
const LINE: usize = 1 << 9;

/// How far from each other two words of one statement stand in host code, where its end does not show.
const STATEMENT: usize = 1 << 13;

/// How far from `UPDATE` its `SET` stands.
const TARGET: usize = 1 << 10;

/// What the words of a file in a host language may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostWords {
    /// There may be a lock: the words of an advisory function, of SKIP LOCKED, of a locking clause, of a queue claim without
    /// one, or the beginning of a transaction in a string.
    pub locks: bool,
    /// There may be a comment to this program; always where there may be a lock.
    pub speaks_to_us: bool,
}

/// What the words of the content of a file in a host language may mean. `limit`, `fetch` and `for` are words of every day: they
/// count with what follows them in a query, and a limit counts where rows are updated, the beginning of a transaction
/// where one ends.
pub fn host_words(content: &[u8], language: HostLanguage) -> HostWords {
    let all = HostWords { locks: true, speaks_to_us: true };
    let (Some(words), Some(begins)) = (WORDS.as_ref(), BEGINS.as_ref()) else { return all };
    let (mut ends, mut speaks_to_us) = (false, false);
    let locks = words.find(content, |word| {
        let kind = Kind::of(&content[word.clone()]);
        if kind == Kind::Us {
            speaks_to_us = true;
        } else if counts_at(content, word.clone(), language) {
            ends |= kind == Kind::End;
            if kind == Kind::Lock || kind == Kind::Bound && is_near_update(content, word.start) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    let begin =
        |word| if counts_at(content, word, language) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    if locks.is_break() || ends && begins.find(content, begin).is_break() || hints(content, language) {
        return all;
    }
    HostWords { locks: false, speaks_to_us }
}

/// What one of the words is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lock,
    /// How many rows a claim takes.
    Bound,
    /// The end of a transaction.
    End,
    /// This program.
    Us,
}

impl Kind {
    fn of(word: &[u8]) -> Self {
        let is = |other: &str| word.eq_ignore_ascii_case(other.as_bytes());
        match word[0].to_ascii_lowercase() {
            b'f' => Self::Bound,
            b'l' if is("limit") => Self::Bound,
            b'l' if is("locklint") => Self::Us,
            b'r' => Self::End,
            b'c' if is("commit") => Self::End,
            _ => Self::Lock,
        }
    }
}

/// Whether an annotation of JPA may ask for SKIP LOCKED, by a lock timeout of -2.
fn hints(content: &[u8], language: HostLanguage) -> bool {
    let has = |word: &str| memchr::memmem::find(content, word.as_bytes()).is_some();
    matches!(language, HostLanguage::Java | HostLanguage::Kotlin) && has("QueryHint(") && has("\"-2\"")
}

/// Whether rows are updated near a place.
fn is_near_update(content: &[u8], at: usize) -> bool {
    let around = at.saturating_sub(STATEMENT)..content.len().min(at + STATEMENT);
    updates(&content[around]).next().is_some()
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
        b'c' if Kind::of(word) == Kind::Lock => true,
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
        b'l' if Kind::of(word) == Kind::Bound => {
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
