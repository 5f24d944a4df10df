//! The plan of a loop.

use gemicro_core::llm::LlmConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::FileScope;
use crate::proposal::TestPrompts;

/// Everything that decisions depend on; frozen when the loop starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OodaPlan {
    /// The project in the user's checkout; an absolute path. Only its commits are read, and it is not changed.
    pub directory: String,
    /// The branch for accepted tests; it begins with `task/`.
    pub branch: String,
    /// The commands that test the project and measure its coverage.
    pub commands: Commands,
    /// Line coverage at which the loop ends, in percent.
    pub target: f64,
    /// Whether the policy or a person chooses the gaps.
    pub decider: Decider,
    /// Maximum number of gaps to work on.
    pub max_rounds: u32,
    /// Maximum number of questions to the model about one gap.
    pub max_attempts: u32,
    /// Number of gaps in a row without a test after which the loop ends.
    pub patience: u32,
    /// Number of mutants of the covered lines that a test is tried on; 0 skips this check.
    pub mutants: u32,
    /// The user's notes about the project.
    #[serde(default)]
    pub context: String,
    /// Model settings.
    pub llm: LlmConfig,
    /// Prompts for the model.
    pub prompts: TestPrompts,
    /// Changes made while the request became a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The commands run in the project, always inside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// Builds and runs the tests; exits with 0 when they pass.
    pub test: TimedCommand,
    /// Measures coverage and writes the reports.
    pub coverage: TimedCommand,
    /// The reports; empty for those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The languages whose coverage counts.
    #[serde(default)]
    pub scope: FileScope,
    /// Paths that may be changed although they are not named like tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

/// A command and its time limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedCommand {
    /// The command, run with `bash -c`.
    pub command: String,
    /// Time after which it is killed, in milliseconds.
    pub timeout_ms: u64,
}

/// The chooser of the next gap: the policy or a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The policy: the first gap of the ranking that was not given up.
    Auto,
    /// A person, by an answer to the run.
    Human,
}
