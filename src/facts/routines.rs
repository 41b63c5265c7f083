//! Which definition of a routine counts: of one that scripts define, replace and drop again and again, the last.

use crate::analysis::File;
use crate::finding::FileId;
use crate::language::{Language, is_other_database, is_test};
use crate::prefilter;
use crate::project::Project;
use crate::source::Source;
use crate::span::Span;
use crate::sql::lex::lex;
use crate::sql::routine::{Identity, drops, identity, routine};
use crate::sql::script::sections;
use crate::sql::split::split;
use rayon::prelude::*;
use regex::bytes::Regex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A definition or a DROP, and where it stands.
#[derive(Clone, Debug)]
struct Event {
    identity: Identity,
    drops: bool,
    file: FileId,
    path: Arc<str>,
    start: usize,
}

/// The definitions that others replace, and those that a later script drops. Files with a version in their path are
/// migrations and run in its order; a file without one is the source that migrations are made from, and has the last word.
pub fn replaced(project: &dyn Project, files: &[File<'_>]) -> Vec<(FileId, Span)> {
    let earlier = |file: &&File<'_>| version(file.source.path()).is_some();
    // Of a routine without a word of a lock nothing is told, whichever definition counts.
    let matters = |file: &File<'_>, at: Span| prefilter::may_lock(file.source.slice(at).as_bytes());
    let names: BTreeSet<&str> = files
        .iter()
        .filter(earlier)
        .flat_map(|file| file.definitions.iter().filter(|definition| matters(file, definition.statement)))
        .map(|definition| definition.identity.name.as_str())
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let mut events: HashMap<String, Vec<Event>> = HashMap::new();
    let in_host = files.iter().filter(|file| file.is_host()).flat_map(|file| {
        file.definitions.iter().map(|definition| Event {
            identity: definition.identity.clone(),
            drops: false,
            file: file.id,
            path: Arc::clone(file.source.path()),
            start: definition.statement.start,
        })
    });
    for event in read(project, &names).into_iter().chain(in_host) {
        events.entry(event.identity.name.clone()).or_default().push(event);
    }
    let mut found = Vec::new();
    for file in files.iter().filter(earlier) {
        let Some(order) = version(file.source.path()) else { continue };
        let in_tests = is_test(file.source.path());
        for definition in &file.definitions {
            let replaces = |event: &Event| {
                let later = version(&event.path);
                let same = event.identity.matches(&definition.identity);
                (in_tests || !is_test(&event.path))
                    && match &later {
                        // The source of a routine has all of that name that there still are.
                        None => {
                            !event.drops && event.file != file.id && event.identity.matches_name(&definition.identity)
                        }
                        Some(_) if event.file == file.id => {
                            same && !event.drops && event.start > definition.statement.start
                        }
                        Some(later) => same && *later > order,
                    }
            };
            if events.get(&definition.identity.name).is_some_and(|events| events.iter().any(replaces)) {
                found.push((file.id, definition.statement));
            }
        }
    }
    found
}

/// What the SQL files define and drop of the routines of those names, ways back left out.
fn read(project: &dyn Project, names: &BTreeSet<&str>) -> Vec<Event> {
    let escaped: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    let Ok(named) = Regex::new(&format!("(?i)(?:{})", escaped.join("|"))) else { return Vec::new() };
    let files = project.files().par_iter().enumerate();
    files
        .filter(|(_, file)| file.language == Language::Sql && !is_other_database(&file.path) && !goes_back(&file.path))
        .flat_map_iter(|(index, file)| {
            let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
            let content = project.read(id).ok();
            let content = content.filter(|content| prefilter::may_define_routine(content) && named.is_match(content));
            let source = content
                .and_then(|content| Source::new(Arc::clone(&file.path), Language::Sql, content.into_owned()).ok());
            source.map(|source| events(id, &source)).unwrap_or_default()
        })
        .collect()
}

fn events(file: FileId, source: &Source) -> Vec<Event> {
    let text = &source.text()[source.bom()..];
    let path = Arc::clone(source.path());
    let tokens = lex(text);
    let sections = sections(&path, text, &tokens, None);
    let mut found = Vec::new();
    for piece in split(text, &tokens) {
        let statement = &tokens[piece.tokens.clone()];
        let Some(first) = statement.first() else { continue };
        let at = first.span().start;
        if sections.iter().any(|s| s.name == "down" && (s.span.start..s.span.end).contains(&at)) {
            continue;
        }
        let defined = routine(text, statement).as_ref().and_then(identity);
        let dropped = drops(text, statement);
        let all = defined.into_iter().map(|one| (one, false)).chain(dropped.into_iter().map(|one| (one, true)));
        found.extend(all.map(|(identity, drops)| Event {
            identity,
            drops,
            file,
            path: Arc::clone(&path),
            start: source.bom() + at,
        }));
    }
    found
}

/// Whether a file takes back what others do: it is run on bad days alone.
fn goes_back(path: &str) -> bool {
    const WAYS_BACK: &[&str] = &["down", "downgrade", "revert", "rollback", "teardown", "undo", "uninstall"];
    let lower = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_undo = name.contains("__") && name.strip_prefix('U').is_some_and(|rest| rest.starts_with(digit));
    is_undo || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WAYS_BACK.contains(&word))
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A stretch of a path, so that `v0.9` stands before `v0.10`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'p> {
    Number(u128),
    Text(&'p str),
}

/// The path in the order of its numbers; `None` where no component begins with a version. The scripts of an extension
/// (`name--1.1.sql`, `name--1.0--1.1.sql`) come in the order of the versions that they lead to, wherever they lie.
fn version(path: &str) -> Option<Vec<Part<'_>>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.get(..name.len().saturating_sub(4)).unwrap_or_default();
    if let Some((extension, versions)) = stem.split_once("--")
        && let target = versions.rsplit("--").next().unwrap_or(versions)
        && target.starts_with(digit)
    {
        return Some([Part::Text(extension)].into_iter().chain(parts(target)).collect());
    }
    let is_versioned = path.split('/').any(|component| {
        let rest = component.strip_prefix(['v', 'V', 'r', 'R']).unwrap_or(component);
        rest.starts_with(digit)
    });
    is_versioned.then(|| parts(path))
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(digit).len();
        let (part, len) = match rest[..digits].parse() {
            Ok(number) => (Part::Number(number), digits),
            Err(_) => {
                let text = rest[digits..].find(digit).map_or(rest.len(), |n| digits + n);
                (Part::Text(&rest[..text]), text)
            }
        };
        parts.push(part);
        rest = &rest[len..];
    }
    parts
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
        assert!(version("updates/p--4.9.0--4.10.0.sql") < version("sql/p--4.10.1.sql"));
        assert_eq!(version("updates/p--4.9.0--4.10.0.sql"), version("sql/p--4.10.0.sql"));
        assert!(version("a--b.sql").is_none());
    }

    #[test]
    fn ways_back_by_path() {
        for path in ["m/001_x.down.sql", "rollback/1.sql", "U1__x.sql", "uninstall_p.sql"] {
            assert!(goes_back(path), "{path}");
        }
        for path in ["m/001_x.up.sql", "m/002_countdown.sql", "Ux__y.sql", "V2__x.sql"] {
            assert!(!goes_back(path), "{path}");
        }
    }
}
