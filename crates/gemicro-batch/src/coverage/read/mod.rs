//! Reads one report. The format is detected from the content, not from the file name.
//!
//! Each format has its own module (`lcov`, `llvm_json` with `segments`, `cobertura`) and gives the same
//! [`CoverageReport`]. Bytes are streamed into `collected_report` within limits; no report is in memory as a whole.

mod cobertura;
mod collected_report;
mod count;
mod lcov;
mod llvm_json;
mod read_error;
mod read_report;
mod report_format;
mod segments;
mod stoppable_reader;

pub use collected_report::CoverageReport;
pub use read_report::read_report;
pub(super) use read_report::read_watched;
pub use report_format::ReportFormat;
pub(super) use stoppable_reader::StoppableReader;
