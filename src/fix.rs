//! Fixes put into a file: edits in bytes, so that every byte outside of them is kept.

#[cfg(test)]
mod tests;

use crate::finding::{Edit, Fix};
use std::collections::BTreeMap;

/// The edits of those fixes that do not meet an earlier one, by position, and how many fixes that are. What is left out may
/// be made in the outcome, if it is still wanted there. `length` is that of the content.
pub fn choose<'f>(length: usize, fixes: impl IntoIterator<Item = &'f Fix>) -> (Vec<&'f Edit>, usize) {
    let mut taken: BTreeMap<usize, &Edit> = BTreeMap::new();
    let mut count = 0;
    for fix in fixes {
        let sound = |edit: &Edit| edit.span.start <= edit.span.end && edit.span.end <= length;
        if fix.edits.is_empty() || !fix.edits.iter().all(|edit| sound(edit) && is_free(&taken, edit)) {
            continue;
        }
        taken.extend(fix.edits.iter().map(|edit| (edit.span.start, edit)));
        count += 1;
    }
    (taken.into_values().collect(), count)
}

/// The content with these edits, which are disjoint and sorted.
pub fn apply<'f>(content: &[u8], edits: impl IntoIterator<Item = &'f Edit>) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(&content[at..edit.span.start]);
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.span.end;
    }
    out.extend_from_slice(&content[at..]);
    out
}

/// Whether an edit neither overlaps nor touches another: of two texts at one place nobody knows which comes first.
fn is_free(taken: &BTreeMap<usize, &Edit>, edit: &Edit) -> bool {
    let before = taken.range(..=edit.span.end).next_back();
    before.is_none_or(|(_, other)| other.span.end < edit.span.start)
}
