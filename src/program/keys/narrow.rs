//! Hashes of 32 bits, and numbers without a sign, as the whole of a key.

use super::{Moves, Site, after_brackets};
use std::ops::Range;

/// Calls around a hash that make another type of it, or bind it, and nothing else. Without the part after a point.
const CASTS: &[&str] = &[
    "abs",
    "add",
    "addwithvalue",
    "arg",
    "args",
    "array",
    "arrayof",
    "asuintn",
    "asintn",
    "bigint",
    "bind",
    "bitcount",
    "from",
    "i64",
    "int",
    "int32",
    "int64",
    "integer",
    "list",
    "listof",
    "long",
    "mapof",
    "number",
    "of",
    "ok",
    "param",
    "params",
    "parseint",
    "some",
    "toint64",
    "tolong",
    "tounsignedlong",
    "try_from",
    "u32",
    "uint32",
    "uint64",
    "values",
    "vec",
    "with",
];

impl Site<'_> {
    /// A hash of something that varies: not that of a literal or of a constant, of which there is one, nor a part of a wider
    /// number.
    pub(super) fn of_many(&self, code: &str, found: Range<usize>) -> Option<Moves> {
        let hash = &code[found.clone()];
        let rest = &code[found.end..];
        let open = found.end - usize::from(hash.ends_with('('));
        let subject = if hash.contains("createHash(") {
            hash
        } else if code[open..].starts_with('(') {
            let end = code.len() - after_brackets(&code[open..])?.len();
            code.get(open + 1..end)?.trim_end_matches(')')
        } else if hash.ends_with("32") {
            rest.split(['\n', ';']).next()?
        } else {
            hash.rsplit_once('.').map_or(hash, |(subject, _)| subject)
        };
        let line = code[..found.start].rfind('\n').map_or(0, |at| at + 1);
        let end = rest.find('\n').map_or(code.len(), |at| found.end + at);
        let is_part = ["<<", " * ", "shl"].iter().any(|wide| code[line..end].contains(wide));
        (!is_part && self.varies(subject) && is_plain(&code[..found.start])).then_some(Moves::Narrow)
    }

    /// Whether many values may come from an expression.
    fn varies(&self, subject: &str) -> bool {
        let subject = subject.trim().trim_start_matches(['(', '&', '@', '$']).trim_end_matches(')');
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '?' | '!');
        let name = subject.rsplit(['.', ':']).next().unwrap_or_default();
        let is_constant =
            subject.chars().all(is_name) && !name.is_empty() && !name.contains(|c: char| c.is_lowercase());
        let is_class =
            ["class", "__", "current_database", "nameof(", "typeof("].iter().any(|word| subject.contains(word));
        let quotes = ['"', '\'', '`'];
        let is_text = |text: &str| {
            let inner = text.trim().trim_start_matches(['b', 'r']).strip_prefix(quotes);
            inner.is_some_and(|inner| {
                let inner = inner.trim_end_matches([')', ';', ',']);
                inner.find(quotes).is_some_and(|end| !inner[end + 1..].contains(['+', '%', '#', '$']))
                    && !inner.contains(['{', '$', '%'])
            })
        };
        let declared = || self.declared(subject).is_some_and(|value| is_text(self.slice(value)));
        !is_constant && !is_class && !is_text(subject) && !is_text_in_casts(subject) && !declared()
    }
}

/// Whether an expression is one text in quotes with what makes bytes of it: `[]byte("migrations")`.
fn is_text_in_casts(subject: &str) -> bool {
    const BYTES: &[&str] = &[
        "as_bytes",
        "as_ref",
        "as_str",
        "buffer",
        "byte",
        "bytes",
        "charset",
        "charsets",
        "encode",
        "encoding",
        "from",
        "getbytes",
        "new",
        "standardcharsets",
        "textencoder",
        "tobytearray",
        "utf8",
        "utf_8",
    ];
    let mut parts = subject.split(['"', '\'', '`']);
    let (Some(before), Some(inner), Some(after)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let mut words =
        [before, after].into_iter().flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    let is_fixed = parts.next().is_none() && !inner.contains(['{', '$', '%', '#']) && !subject.contains('+');
    is_fixed && words.all(|word| word.is_empty() || BYTES.contains(&word.to_ascii_lowercase().as_str()))
}

/// Whether no more than casts stand around what follows a piece of code.
pub(super) fn is_plain(before: &str) -> bool {
    let mut closed = 0_usize;
    let mut around = before.char_indices().rev().filter_map(|(at, c)| {
        match c {
            ')' => closed += 1,
            '(' if closed > 0 => closed -= 1,
            '(' => return Some(&before[..at]),
            _ => {}
        }
        None
    });
    around.all(|before| {
        let end = before.trim_end_matches('!');
        let start = end.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = end[start..].to_ascii_lowercase();
        name.is_empty() || CASTS.contains(&name.as_str()) || name.starts_with("set") || name.starts_with("bind")
    })
}

/// Whether the call at a place makes an integer of eight bytes of a digest, without a sign, and nothing makes another one of it:
/// `int.from_bytes(digest[:8], "big")`.
pub(super) fn is_unsigned(code: &str, call: Range<usize>) -> bool {
    const EIGHT: &[&str] = &[
        "[:8]",
        "[0:8]",
        "[-8:]",
        "digest_size=8",
        "[:16], 16",
        "slice(0, 16)",
        "slice(0,16)",
        "substring(0, 16)",
        "substr(0, 16)",
    ];
    let (before, called) = (&code[..call.start], &code[call.clone()]);
    // Of what is no digest the first bit may never be set: a UUID of version 7, a counter.
    let lower = code.to_ascii_lowercase();
    if !["blake", "digest", "hash", "md5", "sha1", "sha2", "sha5"].iter().any(|word| lower.contains(word)) {
        return false;
    }
    // What a row of the table says in full has eight bytes; of other calls the arguments say it.
    let (after, is_eight) = if let Some(name) = called.strip_suffix('(') {
        let Some(after) = after_brackets(&code[call.end - 1..]) else { return false };
        let given = &code[call.end..code.len() - after.len()];
        // `digest = blake2b(…, digest_size=8).digest()` on a line before.
        let variable = given.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let assigned = before.split('\n').find(|line| {
            line.trim_start()
                .strip_prefix(variable)
                .is_some_and(|rest| !variable.is_empty() && rest.trim_start().starts_with('='))
        });
        let is_eight = |code: &str| EIGHT.iter().any(|bytes| code.contains(bytes));
        let is_cut = (is_eight(given) || assigned.is_some_and(is_eight)) && !given.contains("signed");
        (after, name.starts_with('.') || is_cut && (name != "BigInt" || given.contains("0x")))
    } else {
        (&code[call.end..], true)
    };
    let rest = after.split('\n').next().unwrap_or_default().trim();
    let rest = rest.strip_prefix(".toString()").unwrap_or(rest);
    let is_all = rest.chars().all(|c| matches!(c, ')' | ',' | ']' | '}' | ' ' | ';' | '"'));
    is_eight && is_all && !before.contains("asIntN") && is_plain(before)
}

/// Whether a call of a lock function, as code writes it, gives one argument for the key.
pub(super) fn is_of_one_part(call: &str) -> bool {
    let Some(open) = call.find('(') else {
        // `function(:pg_advisory_lock, key)`
        return call.matches(',').count() <= 1;
    };
    let (mut depth, mut commas) = (0_usize, 0_usize);
    for c in call[open..].chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => commas += 1,
            _ => {}
        }
    }
    commas == 0
}
