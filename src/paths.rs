//! How paths relative to the root are shown: to a person, and to a service that has the repository.

/// The places from which a path is seen.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The working directory relative to the root, with a `/` at its end; empty where it is the root or lies elsewhere.
    working: String,
    /// The root relative to its git work tree, with a `/` at its end; empty where it is one or there is none.
    repository: String,
}

impl Paths {
    /// For a working directory relative to the root, and a root relative to its git work tree; both may be empty.
    pub fn new(working: String, repository: String) -> Self {
        let ended = |mut path: String| {
            if !path.is_empty() {
                path.push('/');
            }
            path
        };
        Self { working: ended(working), repository: ended(repository) }
    }

    /// As a person in the working directory knows the file: relative to it where it lies below, else to the root.
    pub fn shown<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(&self.working).unwrap_or(path)
    }

    /// As a service that has the repository knows the file.
    pub fn in_repository(&self, path: &str) -> String {
        format!("{}{path}", self.repository)
    }
}
