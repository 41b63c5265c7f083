//! What a finding is recognised by when lines move: rule, path, unit, normalised statement, ordinal.

use crate::analysis::File;
use crate::finding::{Finding, Place};
use crate::sql::lex::{beginning, lex};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::HashMap;
use std::hash::Hash;

/// Sets the fingerprint of every finding; `findings` are sorted.
pub(crate) fn assign(findings: &mut [Finding], files: &[File<'_>]) {
    let mut seen: HashMap<u128, usize> = HashMap::new();
    // One statement may hold a whole dump and many findings, which follow one another.
    let mut last: Option<(Place, String)> = None;
    for finding in findings {
        let Ok(index) = files.binary_search_by_key(&finding.at.file, |file| file.id) else {
            continue;
        };
        let source = files[index].source;
        let at = Place::new(finding.at.file, finding.statement);
        let text = match last.take() {
            Some((place, text)) if place == at => text,
            _ => normalised(source.slice(finding.statement)),
        };
        // Fixed keys: the value is written down and compared for years.
        let mut hasher = SipHasher13::new_with_keys(0, 0);
        for part in [finding.rule, source.path(), &finding.unit, &text] {
            part.hash(&mut hasher);
        }
        let mut anywhere = SipHasher13::new_with_keys(0, 0);
        for part in [finding.rule, &finding.unit, &text] {
            part.hash(&mut anywhere);
        }
        finding.identity = format!("{:032x}", anywhere.finish128().as_u128());
        let base = hasher.finish128().as_u128();
        let ordinal = seen.entry(base).or_default();
        ordinal.hash(&mut hasher);
        *ordinal += 1;
        last = Some((at, text));
        finding.fingerprint = format!("{:032x}", hasher.finish128().as_u128());
    }
}

/// How much of a statement counts, in bytes: there may be a finding for each call in one of any length.
const MAX_LEN: usize = 1 << 16;

/// The statement with one space between tokens, without comments.
fn normalised(statement: &str) -> String {
    let statement = beginning(statement, MAX_LEN);
    let mut out = String::with_capacity(statement.len());
    for token in lex(statement).into_iter().filter(|token| !token.kind.is_trivia()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&statement[token.span().range()]);
    }
    out
}
