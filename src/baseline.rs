//! What was found before: the findings of a base tree, or those that a baseline file accepts. Lines are never compared, so
//! that a deleted unlock counts although the lock's line is unchanged, and an edit above a finding does not.

#[cfg(test)]
mod tests;

use crate::finding::{Finding, Notice};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// The version of the file's format.
const SCHEMA: u32 = 1;

/// A finding known from before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry {
    /// Path relative to the root, with `/`.
    path: String,
    rule: String,
    /// [`Finding::identity`].
    identity: String,
}

impl Entry {
    fn of(finding: &Finding, path: &str) -> Self {
        Self { path: path.to_owned(), rule: finding.rule.to_owned(), identity: finding.identity.clone() }
    }
}

/// An entry of the file: equal ones are counted.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    entry: Entry,
    #[serde(default = "one")]
    count: usize,
}

const fn one() -> usize {
    1
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u32,
    findings: Vec<Line>,
}

/// Findings known from before, each with how often it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(BTreeMap<Entry, usize>);

/// Which findings a run could have found: by path and rule.
pub struct Scope<'s> {
    /// Whether a rule was asked about the file at a path.
    pub asked: &'s dyn Fn(&str, &str) -> bool,
    /// Whether the project has a file at a path; `None` where not all of its files are known.
    pub exists: Option<&'s dyn Fn(&str) -> bool>,
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl Scope<'_> {
    /// Whether the entry's file is gone.
    fn gone(&self, entry: &Entry) -> bool {
        self.exists.is_some_and(|exists| !exists(&entry.path))
    }
}

impl Baseline {
    /// The given findings with their paths.
    pub fn of<'f, P: AsRef<str>>(findings: impl IntoIterator<Item = (&'f Finding, P)>) -> Self {
        let mut entries = BTreeMap::new();
        for (finding, path) in findings {
            *entries.entry(Entry::of(finding, path.as_ref())).or_default() += 1;
        }
        Self(entries)
    }

    /// Reads a baseline file.
    ///
    /// # Errors
    /// Why the text is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| format!("no baseline: {error}"))?;
        if file.schema != SCHEMA {
            return Err(format!("no baseline that this version reads: `schema` is {}, not {SCHEMA}", file.schema));
        }
        let mut entries = BTreeMap::new();
        for line in file.findings {
            let count: &mut usize = entries.entry(line.entry).or_default();
            *count = count.saturating_add(line.count);
        }
        Ok(Self(entries))
    }

    /// The text of the file: a line for each entry, so that two branches merge.
    pub fn text(&self) -> String {
        let mut text = format!("{{\n  \"schema\": {SCHEMA},\n  \"findings\": [");
        let json = |word: &str| serde_json::Value::from(word).to_string();
        for (index, (entry, count)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let count = if *count == 1 { String::new() } else { format!(", \"count\": {count}") };
            let (path, rule, identity) = (json(&entry.path), json(&entry.rule), json(&entry.identity));
            let _ =
                write!(text, "{comma}\n    {{ \"path\": {path}, \"rule\": {rule}, \"identity\": {identity}{count} }}");
        }
        text.push_str(if self.0.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" });
        text
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.0.values().sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For each finding, in order, whether it is new; and what is left of the baseline. A finding with no entry at its own
    /// path takes one of a file that is gone: it was renamed.
    pub fn compare<'f>(
        &self,
        findings: impl IntoIterator<Item = (&'f Finding, &'f str)>,
        scope: &Scope<'_>,
    ) -> (Vec<bool>, Self) {
        let mut left = self.0.clone();
        let take = |left: &mut BTreeMap<Entry, usize>, entry: &Entry| match left.get_mut(entry) {
            Some(count) if *count > 1 => {
                *count -= 1;
                true
            }
            Some(_) => left.remove(entry).is_some(),
            None => false,
        };
        let findings: Vec<Entry> = findings.into_iter().map(|(finding, path)| Entry::of(finding, path)).collect();
        let mut new: Vec<bool> = findings.iter().map(|entry| !take(&mut left, entry)).collect();
        let mut moved: HashMap<(String, String), BTreeSet<Entry>> = HashMap::new();
        for entry in left.keys().filter(|entry| scope.gone(entry)) {
            moved.entry((entry.rule.clone(), entry.identity.clone())).or_default().insert(entry.clone());
        }
        for (entry, new) in findings.iter().zip(&mut new).filter(|(_, new)| **new) {
            let Some(from) = moved.get_mut(&(entry.rule.clone(), entry.identity.clone())) else { continue };
            let Some(first) = from.first().cloned() else { continue };
            *new = !take(&mut left, &first);
            if !left.contains_key(&first) {
                from.remove(&first);
            }
        }
        (new, Self(left))
    }

    /// What to say about the entries that [`Baseline::compare`] left: those whose finding is gone.
    pub fn stale(&self, scope: &Scope<'_>) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (entry, count) in &self.0 {
            let why = if scope.gone(entry) {
                "the file is gone"
            } else if (scope.asked)(&entry.path, &entry.rule) {
                "nothing is found there any more"
            } else {
                continue;
            };
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            notices.push(Notice {
                path: entry.path.as_str().into(),
                message: format!("stale in the baseline: `{}`{times}; {why}", entry.rule),
                trouble: false,
            });
        }
        notices
    }

    /// This baseline where the run could not look, and `found` where it could.
    #[must_use]
    pub fn renewed(&self, found: Self, scope: &Scope<'_>) -> Self {
        let mut entries = found.0;
        for (entry, count) in &self.0 {
            if !scope.gone(entry) && !(scope.asked)(&entry.path, &entry.rule) {
                entries.insert(entry.clone(), *count);
            }
        }
        Self(entries)
    }
}
