//! The input of the loop: coverage of the program, and its gaps.

use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_event::StepKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Commands;
use crate::coverage::{LineRange, Totals};
use crate::strategy::RankedGap;

/// The step kind that measures.
pub const OBSERVE_STEP: &str = "ooda_observe";

/// Input of a step of kind `ooda_observe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObserveInput {
    /// The project in the user's checkout.
    pub directory: String,
    /// The branch that is measured.
    pub branch: String,
    /// The commands that test the project and measure its coverage.
    pub commands: Commands,
}

impl ObserveInput {
    /// The step that measures. It changes nothing permanent, so it can be retried.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step {
            retry: RetryPolicy::attempts(2),
            ..Step::free(key, OBSERVE_STEP, self)
        }
    }
}

/// One measurement of a branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Totals of the program, without its tests.
    pub totals: Totals,
    /// The same for every file.
    pub files: Vec<FileFigures>,
    /// Every line that is not covered.
    pub uncovered: Vec<UncoveredLines>,
    /// Total number of gaps.
    pub n_gaps: u64,
    /// The gaps worth most, in rank order.
    pub gaps: Vec<RankedGap>,
    /// The commit that was measured.
    pub commit: String,
    /// The private folder that was measured.
    pub folder: String,
    /// How long the tests took, in milliseconds.
    pub test_ms: u64,
    /// Problems that did not stop the measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Figures of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileFigures {
    /// Path in the project, with forward slashes.
    pub path: String,
    /// Executable lines, as the report counts them.
    pub lines: u64,
    /// Lines that ran.
    pub covered: u64,
}

/// Uncovered lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Uncovered")]
pub struct UncoveredLines {
    /// Path in the project, with forward slashes.
    pub path: String,
    /// Ranges of lines that no test ran.
    pub ranges: Vec<LineRange>,
}
