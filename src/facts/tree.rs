//! Whether something stands anywhere in the code of a tree.

use crate::finding::FileId;
use crate::language::{Language, is_test};
use crate::prefilter;
use crate::project::{Project, ProjectFile};
use rayon::prelude::*;

/// Whether no code that is no test, and no setting, has to do with transactions. What cannot be read may have.
pub fn begins_nowhere(project: &dyn Project) -> bool {
    let may_begin = |buffer: &mut Vec<u8>, index: usize, file: &ProjectFile| {
        let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        matches!(file.language, Language::Host(_) | Language::Config(_))
            && !is_test(&file.path)
            && project.read_into(id, buffer).map_or(true, prefilter::may_begin)
    };
    let files = project.files().par_iter().enumerate();
    !files.map_init(Vec::new, |buffer, (index, file)| may_begin(buffer, index, file)).any(|begins| begins)
}
