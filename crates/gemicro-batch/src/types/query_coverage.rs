//! `query_coverage`: reads which code the tests of the project reach, from its coverage reports.

use gemicro_core::flow::Step;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folder::inside;
use super::parameters::{ParameterError, read, require_text};
use super::task_type::{TaskContext, TaskType, as_it_is};
use crate::coverage::{COVERAGE_STEP, CoverageSummary, FileScope, MAX_REPORTS, OutputFormat, ReportSeen};

pub(super) const TYPE: TaskType = TaskType {
    name: "query_coverage",
    description: "Reads the coverage reports of the project and lists what its tests cover and what they miss.",
    step_kind: COVERAGE_STEP,
    bound: None,
    schema: || schema_for!(CoverageParameters).to_value(),
    make,
    shape: as_it_is,
    granted: None,
};

/// Parameters of a task of type `query_coverage`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverageParameters {
    /// The languages: `all` (default), `cpp` or `rust`.
    #[serde(default)]
    pub scope: FileScope,
    /// The output format: `json` (default), `minizinc_dzn` or `text_summary`.
    #[serde(default)]
    pub format: OutputFormat,
    /// Reports inside the folder of the batch; by default those in the settings, or else in the usual places.
    #[serde(default)]
    pub reports: Vec<String>,
}

/// Input of a step of kind `coverage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageInput {
    /// The folder of the project; an absolute path.
    pub directory: String,
    /// The languages to include.
    pub scope: FileScope,
    /// The output format.
    pub format: OutputFormat,
    /// Reports; empty for those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

/// Output of a step of kind `coverage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoverageOutput {
    /// The coverage in the requested format: an object for `json`, otherwise a string.
    pub coverage_data: Value,
    /// The totals of all files.
    pub summary: CoverageSummary,
    /// The reports that were read.
    pub reports: Vec<ReportSeen>,
    /// Problems found on the way.
    pub warnings: Vec<String>,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: CoverageParameters = read(parameters)?;
    if it.reports.len() > MAX_REPORTS {
        return Err(ParameterError::new(
            "/reports",
            format!("at most {MAX_REPORTS} reports"),
        ));
    }
    let directory = &making.settings.directory;
    for (idx, report) in it.reports.iter().enumerate() {
        let place = format!("/reports/{idx}");
        require_text(report, &place)?;
        inside(directory, Some(report), &place)?;
    }
    let reports = match it.reports.is_empty() {
        true => making.settings.coverage_reports.clone(),
        false => it.reports,
    };
    let input = CoverageInput {
        directory: directory.clone(),
        scope: it.scope,
        format: it.format,
        reports,
    };
    Ok(making.free_step(COVERAGE_STEP, &input))
}
