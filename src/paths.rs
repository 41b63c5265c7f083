//! How paths relative to the root are shown: to a person, and to a service that has the repository.

use std::borrow::Cow;

/// The places from which a path is seen.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The working directory relative to the root, with a `/` at its end; empty where it is the root or lies elsewhere.
    working: String,
    /// The root relative to the working directory, with a `/` at its end; empty where it does not lie below.
    below: String,
    /// The root relative to its git work tree, with a `/` at its end; empty where it is one or there is none.
    repository: String,
}

impl Paths {
    /// For a working directory relative to the root, a root relative to the working directory, and a root relative to
    /// its git work tree; each may be empty.
    pub fn new(working: String, below: String, repository: String) -> Self {
        let ended = |mut path: String| {
            if !path.is_empty() {
                path.push('/');
            }
            path
        };
        Self { working: ended(working), below: ended(below), repository: ended(repository) }
    }

    /// As a person in the working directory knows the file: relative to it where it lies below, else to the root.
    pub fn shown<'p>(&self, path: &'p str) -> Cow<'p, str> {
        match path.strip_prefix(&self.working) {
            Some(inside) if !self.below.is_empty() => Cow::Owned(format!("{}{inside}", self.below)),
            Some(inside) => Cow::Borrowed(inside),
            None => Cow::Borrowed(path),
        }
    }

    /// As a service that has the repository knows the file.
    pub fn in_repository(&self, path: &str) -> String {
        format!("{}{path}", self.repository)
    }
}
