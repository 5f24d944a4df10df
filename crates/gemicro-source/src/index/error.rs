//! Why an index could not be built or opened: [`IndexError`].

use std::path::PathBuf;

/// The index is not usable.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is no index in that folder.
    #[error("no index in {folder}")]
    NotFound {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The folder holds something that is no whole index of this version. Remove it and build again.
    #[error("the index in {folder} is damaged: {reason}")]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused, for example because the disk is full.
    #[error("cannot write the index in {folder}: {source}")]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
}
