//! What ends a run before there is a report.

use crate::settings::ConfigError;
use std::io;
use std::path::PathBuf;

/// Why a command could not do what it was asked. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A configuration file means nothing; a user's mistake.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The command line means nothing; a user's mistake.
    #[error("{0}")]
    Usage(String),
    /// A fault of locklint's own.
    #[error("{0}")]
    Internal(String),
    /// A file that must be read or written cannot be.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Error {
    /// `source` about `path`.
    pub(crate) fn file(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::File { path: path.into(), source }
    }
}
