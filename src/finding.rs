//! What the linter says: findings, and the report that carries them to an emitter.

use crate::source::Source;
use crate::span::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth a look.
    Note,
    /// Wrong unless something outside the file makes it right.
    Warning,
    /// Wrong whatever the context.
    Error,
}

impl Level {
    /// The word for it in every output format that has no word of its own.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "note" => Ok(Self::Note),
            "warning" => Ok(Self::Warning),
            "error" => Ok(Self::Error),
            _ => Err(format!("`{word}` is no level; the levels are note, warning and error")),
        }
    }
}

/// A file of the project: its index there. Files are sorted by path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A span in a file of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes.
    pub span: Span,
}

impl Place {
    /// `span` in `file`.
    pub const fn new(file: FileId, span: Span) -> Self {
        Self { file, span }
    }
}

/// A second place that a finding's story needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub at: Place,
    /// What is there: lower case, no full stop.
    pub message: String,
}

/// Replace `span` by `text`, in the file of the finding's primary span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub text: String,
}

/// A change that removes the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, for a menu: an imperative phrase.
    pub title: String,
    /// Whether it keeps the meaning that the author must have had; an unsafe one wants a reader.
    pub safe: bool,
    /// Disjoint edits, sorted by position.
    pub edits: Vec<Edit>,
}

/// One defect. Lines and columns are not here: emitters compute them from the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the rule.
    pub rule: &'static str,
    /// How sure.
    pub level: Level,
    /// One sentence: lower case, no full stop.
    pub message: String,
    /// The primary span.
    pub at: Place,
    /// The rest of the story, in the order to tell it.
    pub related: Vec<Related>,
    /// What to write instead.
    pub help: Option<String>,
    /// A change that mends it.
    pub fix: Option<Fix>,
    /// The statement that holds the primary span: a suppression comment goes before it, at its end or inside.
    pub statement: Span,
    /// The enclosing unit's name, empty for a script: part of the fingerprint.
    pub unit: String,
    /// Rule, path, unit, normalised statement and ordinal as 32 hex digits; never a line. Set by `lint`.
    pub fingerprint: String,
    /// The same without path and ordinal, by which a finding is known after its file was renamed. Set by `lint`.
    pub identity: String,
}

/// Something about a file, or the run, that is no finding but must not be silent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// The file, relative to the root; empty where it is about the run.
    pub path: Arc<str>,
    /// What happened: lower case, no full stop.
    pub message: String,
    /// Whether something asked for was not done, which ends the run with exit code 2.
    pub trouble: bool,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Target files in a language that is linted.
    pub files: usize,
    /// Advisory calls and row-lock clauses in the target files' SQL.
    pub lock_sites: usize,
    /// Those whose statement and key were read in full.
    pub understood: usize,
    /// Findings by level, after selection and suppression.
    pub errors: usize,
    /// See `errors`.
    pub warnings: usize,
    /// See `errors`.
    pub notes: usize,
}

/// The outcome of a run: findings sorted by path, offset, rule.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What was not done or not as it stands, sorted.
    pub notices: Vec<Notice>,
    /// The figures.
    pub summary: Summary,
    /// Findings in test code, which are left out unless asked for.
    pub in_tests: usize,
    /// The files that are test code, of those that may hold a lock.
    pub tests: BTreeSet<FileId>,
    /// Findings known from before, which are left out where only new ones are asked for.
    pub known: usize,
    /// The source of every file that a finding points into.
    pub sources: BTreeMap<FileId, Arc<Source>>,
}

impl Report {
    /// Keeps the findings that `wanted` chooses, and counts them anew.
    pub fn retain(&mut self, wanted: impl FnMut(&Finding) -> bool) {
        self.findings.retain(wanted);
        self.count();
    }

    /// Sets the figures of the findings by level.
    pub fn count(&mut self) {
        let of = |level| self.findings.iter().filter(|finding| finding.level == level).count();
        let (errors, warnings, notes) = (of(Level::Error), of(Level::Warning), of(Level::Note));
        self.summary = Summary { errors, warnings, notes, ..self.summary };
    }

    /// The source that a place lies in.
    ///
    /// # Panics
    /// If the place is of no finding of this report.
    pub fn source(&self, at: Place) -> &Source {
        &self.sources[&at.file]
    }
}
