//! Coverage: which code the tests of a project reach, read from coverage reports.
//!
//! # Theory of operation
//!
//! [`gather`] finds the reports of a project (`find`), parses each by its content (`read`: LCOV, the JSON of
//! `llvm-cov export`, Cobertura), maps its paths to the project, and merges all into one [`ProjectCoverage`].
//! [`render`] writes it as JSON, as a table or as MiniZinc data. [`CoverageExecutor`] does both for a step.
//! Nothing here measures coverage: no program is started, and no source file is opened.

mod bounds;
mod counted_lines;
mod error;
mod executor;
mod file_coverage;
mod find;
mod gather;
mod language;
mod line_range;
mod project_coverage;
mod read;
mod render;
mod totals;

pub use bounds::MAX_REPORTS;
pub use error::CoverageError;
pub use executor::{COVERAGE_STEP, CoverageExecutor};
pub use file_coverage::{FileCoverage, FunctionCoverage};
pub use find::{ReportNames, USUAL_PLACES};
pub use gather::{CoverageRequest, GatheredCoverage, ReportSeen, gather, gather_until};
pub use language::{CodeLanguage, FileScope};
pub use line_range::{LineRange, LineRangeError};
pub use project_coverage::ProjectCoverage;
pub use read::{CoverageReport, ReportFormat, read_report};
pub use render::{OutputFormat, render};
pub use totals::{CoverageSummary, Totals};
