//! Advisory functions that a query builder calls by name: `func.pg_advisory_lock(1)`, `fn('pg_advisory_lock', [1])`.

#[cfg(test)]
mod tests;

use crate::language::HostLanguage;
use crate::language::SCRIPT;
use crate::pattern::ascii;
use crate::program::Program;
use crate::program::expression::after_brackets;
use crate::span::Span;
use regex::Regex;
use std::sync::OnceLock;

use HostLanguage::{Java, Kotlin, Python, Ruby, Scala};

/// A call of a function that is named like one of the family.
#[derive(Clone, Copy, Debug)]
pub struct Call<'s> {
    /// The function's name.
    pub name: &'s str,
    /// From the name to the closing bracket.
    pub at: Span,
    /// How many keys it is given, where that can be counted.
    pub keys: Option<usize>,
    /// The function around it.
    pub function: Option<usize>,
}

/// How a library spells a call: the first group is where its place begins, the second the name.
struct Spelling {
    languages: &'static [HostLanguage],
    pattern: &'static str,
    keys: Keys,
}

/// Where the keys are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// All arguments.
    All,
    /// Those after the name.
    Rest,
    /// The elements of a list after the name.
    List,
}

/// Sources: the reference pages of the libraries named.
const SPELLINGS: &[Spelling] = &[
    // SQLAlchemy; peewee's `fn`.
    Spelling { languages: &[Python], pattern: r"\b(?:func|fn)\.((pg_\w*advisory\w*)\()", keys: Keys::All },
    // Kysely.
    Spelling {
        languages: SCRIPT,
        pattern: r#"\bfn(?:<[^<>()]*>)?(\(\s*["'`](pg_\w*advisory\w*)["'`])"#,
        keys: Keys::List,
    },
    // Sequel.
    Spelling { languages: &[Ruby], pattern: r"\bSequel\.(function\(\s*:(pg_\w*advisory\w*))", keys: Keys::Rest },
    // jOOQ's takes a type before the arguments, JPA's likewise.
    Spelling {
        languages: &[Java, Kotlin, Scala],
        pattern: r#"\b(function\(\s*"(pg_\w*advisory\w*)")"#,
        keys: Keys::List,
    },
];

/// The calls in a source.
pub fn calls<'s>(text: &'s str, language: HostLanguage, program: &Program<'_>) -> Vec<Call<'s>> {
    static PATTERNS: [OnceLock<Option<Regex>>; SPELLINGS.len()] = [const { OnceLock::new() }; SPELLINGS.len()];
    let mut found = Vec::new();
    for (index, spelling) in SPELLINGS.iter().enumerate().filter(|(_, row)| row.languages.contains(&language)) {
        let pattern = PATTERNS[index].get_or_init(|| ascii(spelling.pattern).ok());
        for captures in pattern.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let (Some(said), Some(name)) = (captures.get(1), captures.get(2)) else { continue };
            if program.is_text(Span::new(said.start(), said.start())) {
                continue;
            }
            let Some(open) = text[said.start()..].find('(').map(|at| said.start() + at) else { continue };
            let Some(after) = after_brackets(&text[open..]) else { continue };
            let close = text.len() - after.len();
            let arguments = text.get(open + 1..close - 1).unwrap_or_default();
            let start = if said.as_str().starts_with('(') {
                captures.get(0).map_or(open, |all| all.start())
            } else {
                said.start()
            };
            let at = Span::new(start, close);
            found.push(Call {
                name: name.as_str(),
                at,
                keys: count(arguments, spelling.keys),
                function: program.function_around(at),
            });
        }
    }
    found
}

/// How many keys there are; none where an argument may be several.
fn count(arguments: &str, keys: Keys) -> Option<usize> {
    let arguments = match keys {
        Keys::All => arguments,
        Keys::Rest => arguments.split_once(',').map_or("", |(_, rest)| rest),
        Keys::List => {
            let (_, list) = arguments.split_once('[').filter(|(before, _)| before.matches(',').count() == 1)?;
            list.trim_end().trim_end_matches(',').trim_end().strip_suffix(']')?
        }
    };
    let parts = parts(arguments);
    let spreads = |part: &&str| part.starts_with(['*', '&']) || part.starts_with("...");
    (!parts.iter().any(spreads)).then_some(parts.len())
}

/// What commas outside of brackets and strings part.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut from = 0;
    let mut parts = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b',') if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}
