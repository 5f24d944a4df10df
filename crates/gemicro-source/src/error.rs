//! Errors for sources that could not be read at all: [`SourceError`].
//!
//! A single file that cannot be read is not an error; it is an entry in the snapshot's list of skipped files.

use std::path::PathBuf;

/// The sources as a whole gave no text. All of these are mistakes in the request.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The list of sources was empty.
    #[error("no source was given; name a folder or a file to read")]
    NoSource,
    /// A named source does not exist.
    #[error("source {path} was not found; check the path")]
    NotFound {
        /// The path as it was given.
        path: PathBuf,
    },
    /// A named source exists but cannot be accessed.
    #[error("source {path} cannot be opened: {reason}")]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// The operating system's error.
        reason: String,
    },
    /// Sources exist, but no file in them can be read as text.
    #[error(
        "nothing readable in {sources}: {why}; give a folder with text, Markdown, HTML, office, PDF or code files"
    )]
    NothingReadable {
        /// The sources, as they were given.
        sources: String,
        /// How many files were skipped, and the first reason.
        why: String,
    },
}
