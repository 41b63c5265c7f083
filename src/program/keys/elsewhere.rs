//! Keys that a function of another file makes: which functions are asked for, and what the body of one says.

use super::{Fault, MAX_NAMES, Made, Moves, NEAR, Site, lock_calls};
use crate::host::Function;
use crate::language::HostLanguage;
use crate::pattern::{ascii, words};
use crate::program::Program;
use crate::program::keys::values::rows;
use crate::span::Span;
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// The functions that make keys of a file and are declared in another one, by their names.
pub fn asked(text: &str, program: &Program<'_>) -> BTreeSet<String> {
    let named = super::named(program);
    let mut found = BTreeSet::new();
    for at in lock_calls(text, program) {
        let Some(site) = Site::of(text, program, &named, at) else { continue };
        found.extend(site.parts.iter().flat_map(|part| site.called(*part)).map(str::to_owned));
    }
    found
}

/// What the body of a function says of the key that it makes: the call that gives it, and why it is none.
pub fn of_function(
    text: &str,
    language: HostLanguage,
    functions: &[Function<'_>],
    function: usize,
) -> Vec<(Span, Moves)> {
    let Some(body) = functions.get(function).map(|function| function.span).filter(|span| span.len() <= NEAR) else {
        return Vec::new();
    };
    let named = HashMap::new();
    let site = Site { text, functions, named: &named, lock: body, function: Some(function), parts: Vec::new() };
    let of = |fault| {
        let rows: Vec<(&Regex, Moves)> = rows(language, fault).collect();
        site.moving(body, &rows, language, 1).filter(|found| site.is_key(body, found))
    };
    let signs = super::makes_signs(text);
    [Fault::Moves, Fault::Unsigned]
        .into_iter()
        .filter(|fault| !signs || *fault != Fault::Unsigned)
        .filter_map(of)
        .collect()
}

impl<'p> Site<'p> {
    /// The functions that are called in a part of a key, or where a name in it comes from, and that this file does not have.
    fn called(&self, part: Span) -> Vec<&'p str> {
        static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"[A-Za-z_]\w*").ok());
        let mut found = Vec::new();
        let mut todo = vec![(part, true)];
        while let Some((part, follows)) = todo.pop() {
            let code = self.slice(part);
            for name in NAME.iter().flat_map(|pattern| pattern.find_iter(code)).take(MAX_NAMES) {
                if code[name.end()..].starts_with('(') {
                    if makes_a_key(name.as_str()) && !self.named.contains_key(name.as_str()) {
                        found.push(name.as_str());
                    }
                } else if follows && !code[..name.start()].ends_with(['.', '@', ':']) {
                    todo.extend(self.assigned(name.as_str(), part.start).map(|source| (source, false)));
                }
            }
        }
        found
    }

    /// A value of another file, as far as this part of the key is no more than that.
    pub(super) fn made(&self, part: Span, fault: Fault, made: &dyn Fn(&str) -> Vec<Made>) -> Option<Made> {
        let known = |name: &str| made(name).into_iter().find(|made| made.moves.fault() == fault);
        self.called(part).into_iter().find_map(known)
    }
}

/// Whether a function is named for a key: `room_key`, `advisoryLockId`, `hashOf`.
fn makes_a_key(name: &str) -> bool {
    const WORDS: &[&str] = &["advisory", "digest", "hash", "id", "key", "lock"];
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}
