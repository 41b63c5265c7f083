//! What belongs together in configuration files: the variables of one service, of one section, of one file.

mod yaml;

use super::lines::lines;
use crate::finding::{FileId, Place};
use crate::language::{Config, Language};
use crate::source::Source;
use crate::span::Span;

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// `DATABASE_URL`, `spring.datasource.url`.
    pub(super) name: String,
    pub(super) name_span: Span,
    /// Name and value, where both stand in one line; else the name.
    pub(super) whole: Span,
    pub(super) value: String,
    /// Where the value stands as it is.
    pub(super) verbatim: Option<Span>,
}

/// The entries of one program.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) file: FileId,
    /// The file's directory, relative to the root.
    pub(super) directory: String,
    /// The service or section; empty where the file is all there is.
    pub(super) owner: String,
    /// The hosts under which others reach it.
    pub(super) hosts: Vec<String>,
    /// Its Kubernetes labels, by which services select it.
    pub(super) labels: Vec<(String, String)>,
    /// What tells programs of one pod apart from others: they reach each other as localhost.
    pub(super) pod: Option<usize>,
    /// The image that it runs, or where that is built from, and what it is called with, lower case.
    pub(super) program: Vec<String>,
    /// The files that are mounted into it or read for it.
    pub(super) mounts: Vec<String>,
    pub(super) entries: Vec<Entry>,
    /// A command line that may hold a connection string.
    pub(super) commands: Vec<Entry>,
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) groups: Vec<Group>,
    /// Kubernetes services: a name and the labels that they select.
    pub(super) services: Vec<Service>,
    /// Whether some of it was not understood.
    pub(super) in_part: bool,
}

/// A Kubernetes service.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) name: String,
    pub(super) selector: Vec<(String, String)>,
}

impl Entry {
    fn new(text: &str, name: &str, name_span: Span, value: String, verbatim: Option<Span>) -> Self {
        let line = verbatim.map(|value| name_span.join(value));
        let is_line = |span: &Span| text.get(span.range()).is_some_and(|words| !words.contains(['\n', '\r']));
        let whole = line.filter(is_line).unwrap_or(name_span);
        Self { name: name.to_owned(), name_span, whole, value, verbatim }
    }
}

impl Group {
    fn new(file: FileId, source: &Source, owner: &str) -> Self {
        let directory = source.path().rsplit_once('/').map_or("", |(directory, _)| directory);
        Self {
            file,
            directory: directory.to_owned(),
            owner: owner.to_owned(),
            hosts: Vec::new(),
            labels: Vec::new(),
            pod: None,
            program: Vec::new(),
            mounts: Vec::new(),
            entries: Vec::new(),
            commands: Vec::new(),
        }
    }

    /// The entry of that name, case aside.
    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// The first of its entries whose name ends so, case aside.
    pub(super) fn ending(&self, end: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.to_ascii_uppercase().ends_with(end))
    }

    /// Whether its image or its command says that it is this program.
    pub(super) fn runs(&self, word: &str) -> bool {
        let is_word = |part: &str| part == word || part.rsplit('/').next() == Some(word);
        self.program.iter().any(|text| {
            text.split(|c: char| c.is_whitespace() || "\"'`;&|()".contains(c))
                .any(|part| is_word(part) || is_word(part.split([':', '@']).next().unwrap_or_default()))
        })
    }

    /// A place in its file.
    pub(super) const fn place(&self, span: Span) -> Place {
        Place::new(self.file, span)
    }
}

/// Reads a file.
pub(super) fn read(file: FileId, source: &Source) -> Read {
    let Language::Config(kind) = source.language() else { return Read::default() };
    if kind == Config::Yaml {
        return yaml::read(file, source);
    }
    let text = source.text();
    let mut read = Read::default();
    for line in lines(text, kind) {
        let entry = entry(text, line.key, line.value, kind);
        match read.groups.last_mut() {
            Some(group) if group.owner == line.section => group.entries.push(entry),
            _ => {
                let mut group = Group::new(file, source, line.section);
                group.entries.push(entry);
                read.groups.push(group);
            }
        }
    }
    read
}

fn entry(text: &str, key: Span, value: Span, kind: Config) -> Entry {
    let raw = &text[value.range()];
    // Tools that write properties escape the colons of a URL.
    let escaped = kind == Config::Properties && raw.contains('\\');
    let name = text[key.range()].trim_matches('"');
    let read = if escaped { raw.replace('\\', "") } else { raw.to_owned() };
    Entry::new(text, name, key, read, (!escaped).then_some(value))
}
