//! Pools of one connection, anywhere in the tree.

use crate::driver::share;
use crate::driver::size::pools_of_one;
use crate::finding::FileId;
use crate::flow::{Session, Size};
use crate::language::{HostLanguage, Language, is_test};
use crate::prefilter;
use crate::project::{Project, ProjectFile};
use rayon::prelude::*;
use std::collections::HashSet;

/// The languages that have one.
#[derive(Debug, Default)]
pub struct Pools {
    /// Made by code: it may be any that is handed on.
    made: HashSet<HostLanguage>,
    /// By a setting, which may be that of any pool whose size code does not say.
    set: HashSet<HostLanguage>,
}

impl Pools {
    /// Reads the settings of a project, and the code that `asking` share.
    pub fn read(project: &dyn Project, asking: &[HostLanguage]) -> Self {
        if asking.is_empty() {
            return Self::default();
        }
        let of_file = |buffer: &mut Vec<u8>, (index, file): (usize, &ProjectFile)| {
            let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
            let (is_host, asks) = match file.language {
                Language::Host(language) => (true, asking.iter().any(|&asking| share(asking, language))),
                _ => (false, matches!(file.language, Language::Config(_) | Language::Prisma)),
            };
            if !asks || is_test(&file.path) || is_of_tests(&file.path) {
                return None;
            }
            let content = without_tests(project.read_into(id, buffer).ok()?, file.language);
            let found = pools_of_one(content, file.language);
            (!(found.is_empty() || is_host && prefilter::is_for_another(content))).then_some((is_host, found))
        };
        let all: Vec<(bool, Vec<HostLanguage>)> =
            project.files().par_iter().enumerate().map_init(Vec::new, of_file).flatten().collect();
        let mut pools = Self::default();
        for (is_host, languages) in all {
            if is_host { &mut pools.made } else { &mut pools.set }.extend(languages);
        }
        pools
    }

    /// Whether the pool of a session in code of a language may have one connection, so that all of its calls meet.
    pub fn may_be_one(&self, session: &Session, language: Language) -> bool {
        let Language::Host(language) = language else { return false };
        match session.size {
            Size::One => true,
            Size::Many => false,
            Size::Default => self.set.contains(&language),
            Size::Unknown => self.set.contains(&language) || self.made.contains(&language),
        }
    }
}

/// A content up to the tests at its end, which Rust has in the file of what they test.
fn without_tests(content: &[u8], language: Language) -> &[u8] {
    const MARK: &[u8] = b"#[cfg(test)]";
    let is_module = |at: &usize| content[at + MARK.len()..].trim_ascii_start().starts_with(b"mod ");
    let mut marks = memchr::memmem::find_iter(content, MARK).filter(|_| language == Language::Host(HostLanguage::Rust));
    marks.find(is_module).map_or(content, |at| &content[..at])
}

/// Whether settings are for tests, by the name of their file: `config/test.exs`, `.env.test`.
fn is_of_tests(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.split('.').any(|part| part == "test"))
}
