//! Whether something stands anywhere in the code of a tree.

use crate::finding::FileId;
use crate::language::{Language, is_test};
use crate::project::{Project, ProjectFile};
use rayon::prelude::*;

/// Whether a file of host code, or with `settings` of configuration, that is no test has what is asked for. What cannot be read
/// may have it.
pub fn any(project: &dyn Project, settings: bool, has: fn(&[u8]) -> bool) -> bool {
    let one = |buffer: &mut Vec<u8>, index: usize, file: &ProjectFile| {
        let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        let is_asked = match file.language {
            Language::Host(_) => true,
            Language::Config(_) => settings,
            _ => false,
        };
        is_asked && !is_test(&file.path) && project.read_into(id, buffer).map_or(true, has)
    };
    let files = project.files().par_iter().enumerate();
    files.map_init(Vec::new, |buffer, (index, file)| one(buffer, index, file)).any(|found| found)
}
