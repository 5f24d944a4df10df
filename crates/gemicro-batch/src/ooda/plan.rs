//! What a loop depends on.

use gemicro_core::llm::LlmConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::FileScope;
use crate::proposal::TestPrompts;

/// Everything that deciding depends on; frozen when the loop starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OodaPlan {
    /// The project in the user's checkout; an absolute path. Only its commits are looked at, and it is not changed.
    pub directory: String,
    /// The branch that accepted tests go to; it begins with `task/`.
    pub branch: String,
    /// The commands that test the project and measure its coverage.
    pub commands: Commands,
    /// The loop ends when this part of the lines is covered, in percent.
    pub target: f64,
    /// Whether the policy or a person chooses the gaps.
    pub decider: Decider,
    /// Gaps that are taken on at most.
    pub max_rounds: u32,
    /// Questions to the model about one gap.
    pub max_attempts: u32,
    /// The loop ends after so many gaps in a row without a test.
    pub patience: u32,
    /// Broken versions of the covered lines on which a test is tried; 0 skips this check.
    pub mutants: u32,
    /// What the user says about the project.
    #[serde(default)]
    pub context: String,
    /// How the model is called.
    pub llm: LlmConfig,
    /// What it is asked.
    pub prompts: TestPrompts,
    /// What was changed while the request became a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// What is run in the project, always inside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// Builds and runs the tests; ends with 0 when they pass.
    pub test: TimedCommand,
    /// Measures coverage and writes the reports.
    pub coverage: TimedCommand,
    /// The reports; else those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The languages whose coverage counts.
    #[serde(default)]
    pub scope: FileScope,
    /// Paths that may be changed although their names are none of tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
    /// Further variables of the environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

/// A command and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedCommand {
    /// The command, run with `bash -c`.
    pub command: String,
    /// Time after which it is ended, in milliseconds.
    pub timeout_ms: u64,
}

/// Who decides which gap is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The policy: the first of the ranking that was not given up.
    Auto,
    /// A person, by an answer to the run.
    Human,
}
