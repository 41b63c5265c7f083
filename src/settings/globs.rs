//! Path globs as ignore files have them: without a slash at any depth, and a directory takes in all that is below it.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A set of path globs.
#[derive(Clone, Debug, Default)]
pub struct Globs(GlobSet);

impl Globs {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The index of the first pattern that is none, and why.
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, (usize, String)> {
        let mut set = GlobSetBuilder::new();
        let mut count = 0;
        for (index, pattern) in patterns.into_iter().enumerate() {
            let pattern = pattern.as_ref().trim_end_matches('/');
            if pattern.is_empty() {
                return Err((index, "an empty glob matches nothing".to_owned()));
            }
            let anchored = match pattern.strip_prefix("./").or(pattern.strip_prefix('/')) {
                Some(anchored) => anchored.to_owned(),
                None if pattern.contains('/') => pattern.to_owned(),
                None => format!("**/{pattern}"),
            };
            for glob in [&anchored, &format!("{anchored}/**")] {
                set.add(
                    GlobBuilder::new(glob)
                        .literal_separator(true)
                        .build()
                        .map_err(|error| (index, error.kind().to_string()))?,
                );
            }
            count = index;
        }
        set.build().map(Self).map_err(|error| (count, error.kind().to_string()))
    }

    /// Whether one of them matches the path, which has `/` and no leading `./`.
    pub fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}
