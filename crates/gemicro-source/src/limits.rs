//! How much research reads at most: [`ReadLimits`].
//!
//! What is over a limit is skipped with a reason and never opened; nothing here touches a file.

/// Limits on what is read from the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of one file; a larger one is skipped unread.
    pub max_file_bytes: u64,
    /// Bytes of all files together, counted in reading order.
    pub max_total_bytes: u64,
    /// Number of files, counted in reading order.
    pub max_files: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 16 << 20,
            max_total_bytes: 1 << 30,
            max_files: 200_000,
        }
    }
}
