//! Files that are SQL in part: templates of it, and documents in Markdown. What is not SQL is left out, what is stays where it is.

mod markdown;
mod template;

use crate::language::Language;
use crate::region::Region;
use crate::source::Source;

/// The SQL of a source that is no host code, in the order of the text; each is a script of its own.
pub fn texts(source: &Source) -> Vec<Region<'_>> {
    match source.language() {
        Language::Markdown => markdown::regions(source),
        _ => vec![template::region(source)],
    }
}
