//! Why a command was not done, for people.

use std::path::PathBuf;

/// What a command gives.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// netcl's own words.
    #[error(transparent)]
    Netcl(#[from] netcl::Error),
    /// A file.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Standard output.
    #[error("standard output: {0}")]
    Output(#[from] std::io::Error),
    /// Anything else: what was given, what was expected, what to do.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// For `map_err` on what is done with a file.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Failure {
        let path = path.into();
        move |error| Failure::File { path, error }
    }
}
