//! Which definition of a routine counts: of one that migrations create again and again, the last.

use crate::analysis::File;
use crate::finding::FileId;
use crate::span::Span;
use std::collections::HashMap;

/// The definitions that others replace. Files with a version in their path are migrations and run in its order; a file
/// without one is the source that migrations are made from, and goes before them.
pub fn replaced(files: &[File<'_>]) -> Vec<(FileId, Span)> {
    let mut by_identity: HashMap<&str, Vec<Versioned<'_>>> = HashMap::new();
    for file in files {
        let version = version(file.source.path());
        for definition in &file.definitions {
            by_identity.entry(&definition.identity).or_default().push((version.clone(), file.id, definition.statement));
        }
    }
    let mut found = Vec::new();
    for mut definitions in by_identity.into_values().filter(|definitions| definitions.len() > 1) {
        definitions.sort();
        let has_source = definitions.first().is_some_and(|(version, ..)| version.is_none());
        let last = definitions.len() - 1;
        found.extend(
            definitions
                .into_iter()
                .enumerate()
                .filter(|(index, (version, ..))| version.is_some() && (has_source || *index < last))
                .map(|(_, (_, file, statement))| (file, statement)),
        );
    }
    found
}

/// A definition by the version of its file, which comes first in their order.
type Versioned<'p> = (Option<Vec<Part<'p>>>, FileId, Span);

/// A stretch of a path, so that `v0.9` stands before `v0.10`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'p> {
    Number(u128),
    Text(&'p str),
}

/// The path in the order of its numbers; `None` where no component begins with a version.
fn version(path: &str) -> Option<Vec<Part<'_>>> {
    let is_versioned = path.split('/').any(|component| {
        let rest = component.strip_prefix(['v', 'V', 'r', 'R']).unwrap_or(component);
        rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if !is_versioned {
        return None;
    }
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (part, len) = match rest[..digits].parse() {
            Ok(number) => (Part::Number(number), digits),
            Err(_) => {
                let text = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |n| digits + n);
                (Part::Text(&rest[..text]), text)
            }
        };
        parts.push(part);
        rest = &rest[len..];
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        assert!(version("db/v0.9/f.sql") < version("db/v0.10/f.sql"));
        assert!(version("db/000002.sql") < version("db/000010.sql"));
        assert_eq!(version("db/functions/f.sql"), None);
        assert!(version("V1__f.sql").is_some());
    }
}
