//! Errors of building or opening an index: [`IndexError`].

use std::path::PathBuf;

/// The index is not usable.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is no index in that folder.
    #[error("no index in {folder}")]
    NotFound {
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// The folder does not contain a complete index of this version. Remove it and build again.
    #[error("the index in {folder} is damaged: {reason}")]
    Damaged {
        /// The folder of the index.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file system error, for example because the disk is full.
    #[error("cannot write the index in {folder}: {source}")]
    Io {
        /// The folder of the index.
        folder: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}
