//! Spring Data: a repository's method whose annotations ask for SKIP LOCKED, which JPA spells as a lock timeout of -2
//! (<https://docs.hibernate.org/orm/6.6/userguide/html_single/#locking-LockMode>: `LockOptions.SKIP_LOCKED`).

use super::{Evidence, Lock, Row, STATES};
use crate::language::HostLanguage;
use crate::pattern::ascii;
use crate::program::Program;
use crate::span::Span;
use regex::Regex;
use std::sync::LazyLock;

/// How far a declaration may go, in bytes.
const LONGEST: usize = 1024;

/// Types that hold many rows.
const MANY: &[&str] =
    &["List<", "Page<", "Slice<", "Stream<", "Set<", "Collection<", "Iterable<", "Flux<", "Flow<", "Sequence<"];

/// The locks that annotations of repositories ask for.
pub(super) fn locks(text: &str, language: HostLanguage, program: &Program<'_>) -> Vec<Lock> {
    static HINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r#"\bQueryHint\([^()]*(?:lock\.timeout|LOCK_TIMEOUT)[^()]*(?:"-2"|SKIP_LOCKED)[^()]*\)"#).ok()
    });
    if !matches!(language, HostLanguage::Java | HostLanguage::Kotlin) {
        return Vec::new();
    }
    let hints = HINT.iter().flat_map(|hint| hint.find_iter(text)).map(|hint| Span::new(hint.start(), hint.end()));
    hints.filter(|at| !program.is_text(*at)).map(|at| lock(text, at)).collect()
}

fn lock(text: &str, at: Span) -> Lock {
    static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // Its result, name and arguments: Java has the type before the name, Kotlin after the arguments.
        ascii(r"(?m)^[ \t]*(?:public |fun |default )*(?P<before>[\w.<>?, ]*?)\b(?P<name>\w+)\((?P<args>[^()]*)\)(?P<after>[^\n;{]*)").ok()
    });
    let tail = crate::sql::lex::beginning(&text[at.end..], LONGEST);
    let head_end = text[..at.start].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    let method = METHOD.as_ref().and_then(|method| {
        method
            .captures_iter(tail)
            .find(|found| !found.get(0).is_some_and(|all| all.as_str().trim_start().starts_with('@')))
    });
    let mut lock =
        Lock { at, chain: at, function: None, skips: true, row: None, joined: None, open: false, refused: None };
    let Some(method) = method else { return lock };
    let part = |name: &str| method.name(name).map_or("", |part| part.as_str());
    let end = at.end + method.get(0).map_or(0, |all| all.end());
    let declared = &text[head_end..end];
    let many = MANY.iter().any(|ty| part("before").contains(ty) || part("after").contains(ty));
    lock.chain = Span::new(at.start, end);
    if !many && names_one_row(declared, part("name")) {
        let words = declared.to_ascii_lowercase();
        let state = STATES.iter().any(|word| words.contains(word));
        let key = method.name("name").map_or(at, |name| Span::new(at.end + name.start(), at.end + name.end()));
        lock.row = Some(Row { key, evidence: Evidence::Name, expects_one: true, state, end });
    }
    lock
}

/// Whether a query asks for one row by its identity: by its condition, or by the name that it is derived from.
fn names_one_row(declared: &str, name: &str) -> bool {
    static BY_ID: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?i)\bwhere\s+(?:\w+\.)?(?:id|uuid)\s*=\s*[:?]\w+\s*\x22").ok());
    static DERIVED: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"^(?:find|get|read|load)(?:One)?By(?:Id|Uuid)$").ok());
    let fits =
        |pattern: &LazyLock<Option<Regex>>, text: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    if declared.contains("@Query") { fits(&BY_ID, declared) } else { fits(&DERIVED, name) }
}
