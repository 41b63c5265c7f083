//! Literals for the runtimes of their languages to read.

use crate::check::Counts;
use locklint::host::Literal;
use locklint::source::Source;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;

/// How many of each kind are kept of a language.
const MOST: usize = 2000;

/// Longer ones show nothing that shorter ones do not.
const LONGEST: usize = 400;

/// Literals as they stand, with what they were read as. Of many, those with the smallest hashes, so that the choice depends
/// neither on what they begin with nor on the order of the files.
#[derive(Default)]
pub(crate) struct Samples {
    escaped: BTreeMap<(u64, String), String>,
    plain: BTreeMap<(u64, String), String>,
}

impl Samples {
    /// Takes a literal if it is one whose value is known.
    pub(crate) fn offer(&mut self, source: &Source, literal: &Literal<'_>, counts: &Counts) {
        let text = literal.region.text();
        let stands = source.slice(literal.span);
        // A word of a list of words has no marks: what looks like such is a part of it.
        let known = literal.span != literal.region.span()
            && counts.holes == 0
            && counts.whole
            && !text.contains(char::REPLACEMENT_CHARACTER);
        if !known || stands.len() > LONGEST || literal.tag.is_some() {
            return;
        }
        let kind = if counts.escapes > 0 { &mut self.escaped } else { &mut self.plain };
        let mut hasher = DefaultHasher::new();
        stands.hash(&mut hasher);
        kind.insert((hasher.finish(), stands.to_owned()), text.to_owned());
        if kind.len() > MOST {
            kind.pop_last();
        }
    }

    /// Those of more files.
    pub(crate) fn add(&mut self, more: Self) {
        for (mine, more) in [(&mut self.escaped, more.escaped), (&mut self.plain, more.plain)] {
            mine.extend(more);
            while mine.len() > MOST {
                mine.pop_last();
            }
        }
    }

    /// Writes them, an array of JSON for each on a line of its own: as it stands, as it was read.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn write(&self, directory: &Path, language: &str) -> std::io::Result<()> {
        let mut file = std::io::BufWriter::new(std::fs::File::create(directory.join(format!("{language}.jsonl")))?);
        for ((_, stands), text) in self.escaped.iter().chain(&self.plain) {
            writeln!(file, "{}", serde_json::json!([stands, text]))?;
        }
        file.flush()
    }
}
