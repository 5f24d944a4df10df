//! Size limits of coverage reports, so that none can fill the memory.

/// Maximum size of a report, in bytes.
pub(super) const MAX_REPORT_BYTES: u64 = 1 << 30;
/// Maximum line number of a source file.
pub(super) const MAX_LINE: u32 = 10_000_000;
/// Maximum execution count; higher ones are clamped. JSON and MiniZinc represent it exactly.
pub(super) const MAX_COUNT: u64 = (1 << 53) - 1;
/// Maximum size of an LCOV line or an XML element, in bytes.
pub(super) const MAX_RECORD_BYTES: usize = 1 << 20;
/// Maximum nesting of XML elements.
pub(super) const MAX_DEPTH: usize = 64;
/// Maximum number of reports that are merged.
pub const MAX_REPORTS: usize = 256;
/// Maximum size of an answer, in bytes.
pub(super) const MAX_ANSWER_BYTES: usize = 16 << 20;

/// Limits on the contents of one report.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportBounds {
    pub(super) files: usize,
    /// Lines with code, in all files together.
    pub(super) lines: usize,
    /// Functions, in all files together.
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
