//! How large a report may be, so that none fills the memory.

/// Bytes of one report.
pub(super) const MAX_REPORT_BYTES: u64 = 1 << 30;
/// The highest line of a source file.
pub(super) const MAX_LINE: u32 = 10_000_000;
/// The highest count. JSON and MiniZinc keep it exactly; whatever is more counts as this.
pub(super) const MAX_COUNT: u64 = (1 << 53) - 1;
/// Bytes of one line of LCOV, and of one element of XML.
pub(super) const MAX_RECORD_BYTES: usize = 1 << 20;
/// Elements inside each other.
pub(super) const MAX_DEPTH: usize = 64;
/// Reports that are read at once.
pub const MAX_REPORTS: usize = 256;
/// Bytes of an answer.
pub(super) const MAX_ANSWER_BYTES: usize = 16 << 20;

/// How much one report may name.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportBounds {
    pub(super) files: usize,
    /// Lines with code of all files.
    pub(super) lines: usize,
    /// Functions of all files.
    pub(super) functions: usize,
}

impl Default for ReportBounds {
    fn default() -> Self {
        Self {
            files: 500_000,
            lines: 20_000_000,
            functions: 5_000_000,
        }
    }
}
