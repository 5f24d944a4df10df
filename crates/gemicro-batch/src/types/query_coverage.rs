//! `query_coverage`: what the tests of the project reach, by its coverage reports.

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
    /// Which files: `all` (default), `cpp` or `rust`.
    #[serde(default)]
    pub scope: FileScope,
    /// What the answer is written in: `json` (default), `minizinc_dzn` or `text_summary`.
    #[serde(default)]
    pub format: OutputFormat,
    /// Reports inside the folder of the batch; else those of the settings, else those in the usual places.
    #[serde(default)]
    pub reports: Vec<String>,
}

/// Input of a step of kind `coverage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageInput {
    /// The folder of the project; an absolute path.
    pub directory: String,
    /// Which languages are asked about.
    pub scope: FileScope,
    /// What the answer is written in.
    pub format: OutputFormat,
    /// Reports; none for those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

/// Output of a step of kind `coverage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoverageOutput {
    /// The coverage in the asked format: an object for `json`, else a text.
    pub coverage_data: Value,
    /// The totals of all files.
    pub summary: CoverageSummary,
    /// The reports that were read.
    pub reports: Vec<ReportSeen>,
    /// What is odd about them.
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
