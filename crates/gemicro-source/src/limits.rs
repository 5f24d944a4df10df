//! Limits on how much research reads: [`ReadLimits`].
//!
//! Files over a limit are skipped with a reason and never opened. This module opens no files.

use crate::office::OfficeFormat;

/// Limits on what is read from the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Maximum size of a text file in bytes; a larger one is skipped unread.
    pub max_file_bytes: u64,
    /// Maximum size of a PDF, office file, book or mail in bytes; a larger one is skipped unread.
    pub max_office_bytes: u64,
    /// Maximum size of all files together in bytes, counted in reading order.
    pub max_total_bytes: u64,
    /// Maximum number of files, counted in reading order.
    pub max_files: usize,
}

impl ReadLimits {
    /// Maximum size of a file with this name, in bytes.
    pub(crate) fn max_bytes_of(&self, name: &str) -> u64 {
        match OfficeFormat::of(name) {
            Some(_) => self.max_office_bytes,
            None => self.max_file_bytes,
        }
    }
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 16 << 20,
            max_office_bytes: 50 << 20,
            max_total_bytes: 1 << 30,
            max_files: 200_000,
        }
    }
}

/// The reason reported for a file over its limit.
pub(crate) fn larger_than(limit: u64) -> String {
    match limit >> 20 {
        0 => format!("larger than {limit} bytes"),
        n_megabytes => format!("larger than {n_megabytes} MB"),
    }
}
