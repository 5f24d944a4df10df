//! Reading one report, by what it is and not by its name.
//!
//! Each format has its file (`lcov`, `llvm_json` with `segments`, `cobertura`) and gives the same [`CoverageReport`]: files with the
//! paths that the tool wrote. `collected_report` adds them up within bounds while bytes go by; no report is in memory whole.

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
