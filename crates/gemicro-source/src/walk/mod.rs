//! Finds the files to read in the source paths, and lists those left out with a reason.

/// Unique ids for files from several sources.
mod doc_id;
mod find;

pub(crate) use find::os_reason;
pub use find::{FoundFile, FoundFiles, SkippedFile, find_files};
