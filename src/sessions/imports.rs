//! Handles that a file imports from another one of the tree: which it asks for, and what the other file declares by that
//! name.

use super::names::Names;
use super::value::Origin;
use crate::driver::{Driver, Kind};
use crate::host;
use crate::language::{HostLanguage, Language};
use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// A name that a file runs SQL on, of which it does not say more than where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// How the file writes it: `db`, `db.pool`.
    pub local: String,
    /// The module as the file names it; empty for its own package.
    pub module: String,
    /// The name there; empty for what the module is as a whole.
    pub part: String,
}

/// A handle that a file declares for others.
#[derive(Clone, Copy, Debug)]
pub struct Exported {
    pub(super) driver: &'static Driver,
    pub(super) kind: &'static Kind,
}

/// The handles that a file imports, by how it writes them.
pub type Imported = BTreeMap<String, Exported>;

/// The handles that nothing in the file itself explains, by the sessions that it works on.
pub(super) fn wanted<'o>(
    names: &Names<'_, '_>,
    language: HostLanguage,
    origins: impl Iterator<Item = &'o Origin>,
) -> BTreeSet<Wanted> {
    let mut found = BTreeSet::new();
    for origin in origins {
        let Origin::Text(text) = origin else { continue };
        let mut parts = text.split(['.', '(', '?', '!']);
        let (Some(first), second) = (parts.next(), parts.next().unwrap_or_default()) else { continue };
        let qualified = if second.is_empty() { first.to_owned() } else { format!("{first}.{second}") };
        let mut want = |local: &str, module: &str, part: &str| {
            found.insert(Wanted { local: local.to_owned(), module: module.to_owned(), part: part.to_owned() });
        };
        match (names.import(first), language) {
            (None, HostLanguage::Go) => want(first, "", first),
            (None, _) => {}
            (Some(path), HostLanguage::Go) => want(&qualified, path, second),
            (Some(path), HostLanguage::Python) => {
                if let Some((module, part)) = path.rsplit_once('.') {
                    want(first, if module.is_empty() { "." } else { module }, part);
                }
                want(&qualified, path, second);
            }
            (Some(path), _) => {
                let file = path.rsplit('/').next().unwrap_or(path);
                let (file, part) = named_part(file);
                let module = &path[..path.len() - path.rsplit('/').next().unwrap_or(path).len() + file.len()];
                if part.is_empty() {
                    want(&qualified, module, second);
                }
                want(first, module, part);
            }
        }
    }
    found
}

/// The file that a path's last part names, and what is imported from it by name: `db.js.pool`.
fn named_part(last: &str) -> (&str, &str) {
    for ending in [".js", ".mjs", ".cjs", ".ts"] {
        if let Some(at) = last.find(&format!("{ending}.")) {
            return (&last[..at + ending.len()], &last[at + ending.len() + 1..]);
        }
        if last.ends_with(ending) {
            return (last, "");
        }
    }
    match last.rsplit_once('.') {
        Some((file, part)) if !file.trim_matches('.').is_empty() => (file, part),
        _ => (last, ""),
    }
}

/// What a file declares by a name for others; by no name what it is as a whole.
pub fn exported(source: &Source, part: &str) -> Option<Exported> {
    let Language::Host(language) = source.language() else { return None };
    let code = host::code(source)?;
    let nothing = Imported::new();
    let names = Names::new(&code, source.text(), language, &nothing);
    let handle = if part.is_empty() { names.only_handle() } else { names.handle_of_name(part, 0, 0) }?;
    Some(Exported { driver: handle.driver, kind: handle.kind })
}
