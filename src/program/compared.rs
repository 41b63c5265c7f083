//! Texts that a name stands for, alone or in a list, of which everything that uses the name only asks whether they are
//! something, or shows them: they look like SQL, and nobody runs them.

use crate::host::Literal;
use crate::pattern::ascii;
use crate::span::Span;
use regex::Regex;
use std::sync::LazyLock;

/// How many uses of a name are looked at.
const MAX_USES: usize = 64;

/// How far before a use the call stands that it is an argument of, in bytes.
const NEAR: usize = 160;

/// The name that a declaration gives to a text, or to the list in which it stands.
fn name<'t>(text: &'t str, literal: &Literal<'_>) -> Option<&'t str> {
    static DECLARES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // `static readonly string[] Noise = {`, `NOISE: &[&str] = &[`, `var noise = []string{`, `val Noise = Set(`, `@noise [`
        ascii(
            r"(?s)(?:\A|[^\w.])\$?([A-Za-z_]\w*)(?:\s*:[^=;]{1,60})?\s*(?::=|=)\s*(?:&|new\b|[\w.<>\[\], ]{0,40}?(?:Set|set|List|list|Array|Of|of|array)\b\.?(?:of|Of)?(?:<[^>]*>)?|\w*\[\w*\]\w*(?:\{\})?)?\s*[\[({]?[^=;()]*\z|\A@([a-z_]\w*)\s+\[[^\]]*\z",
        )
        .ok()
    });
    static ANOTHER: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"[\])}]\s*,\s*\w+\s*(?::[^=]*)?=").ok());
    let before = text.get(literal.statement.start..literal.span.start)?;
    // What stands in a list before it has its own brackets.
    let (before, list) = before.split_at(before.find(['"', '\'', '`']).unwrap_or(before.len()));
    if !before.contains('=') && !before.starts_with('@') || ANOTHER.as_ref()?.is_match(list) {
        return None;
    }
    let found = DECLARES.as_ref()?.captures(before)?;
    found.get(1).or(found.get(2)).map(|name| name.as_str())
}

/// Whether nothing runs a text, since all that uses its name compares or shows it. `is_text` says of a place that it lies in a
/// comment or in a literal.
pub(super) fn is_only_compared(text: &str, literal: &Literal<'_>, is_text: impl Fn(Span) -> bool) -> bool {
    let Some(name) = name(text, literal) else { return false };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let uses = text.match_indices(name).map(|(at, _)| Span::new(at, at + name.len())).filter(|at| {
        let around = (text[..at.start].chars().next_back(), text[at.end..].chars().next());
        !literal.statement.contains(*at)
            && !around.0.is_some_and(is_part)
            && !around.1.is_some_and(is_part)
            && !is_text(*at)
    });
    let mut count = 0;
    for at in uses {
        count += 1;
        if count > MAX_USES || !asks(text, at) {
            return false;
        }
    }
    count > 0
}

/// Whether what stands around a name asks whether something is it, or in it, or shows it.
fn asks(text: &str, at: Span) -> bool {
    static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"\A\??\.(?:iter\(\)\.|stream\(\)\.)?(?i:any|contains|containskey|equals|has|include|includes|indexof|index|ismatch|key|matches|member|some)\b")
            .ok()
    });
    static COMPARES: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?:[=!]==?|=~|\bin|\bis)\s*(?:[\w.]+(?:\.|::|->))?[@$&]?\z").ok());
    static LOOP: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"\bfor(?:each)?\b[^\n]*\bin\s*[\w.@$&]*\z").ok());
    static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(
            r"(?i)\b(?:array_search|array_key_exists|arraycontains|assert\w*|contains|equals|in_array|include\?|includes|indexof|log|member\?|print\w*|puts|strcmp|warn|debug|info|error)\(\s*(?:[^(){};]|\([^()]*\))*\z",
        )
        .ok()
    });
    let start =
        (0..=at.start).rev().take(NEAR).filter(|&start| text.is_char_boundary(start)).last().unwrap_or(at.start);
    let (before, after) = (&text[start..at.start], &text[at.end..]);
    let holds = |pattern: &LazyLock<Option<Regex>>, text: &str| pattern.as_ref().is_some_and(|one| one.is_match(text));
    holds(&METHOD, after)
        || ["==", "!=", " ==", " !="].iter().any(|operator| after.starts_with(operator))
        || !holds(&LOOP, before) && (holds(&COMPARES, before) || holds(&CALL, before))
}
