//! Input and output of the trial of one proposed test.

use gemicro_core::budget::Purpose;
use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_event::StepKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observation::{Observation, ObserveInput, UncoveredLines};
use crate::proposal::PatchedFile;
use crate::strategy::CoverageGap;

/// The step kind of trials.
pub const TRIAL_STEP: &str = "ooda_trial";

/// Input of a step of kind `ooda_trial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialInput {
    /// The project, branch and commands.
    pub place: ObserveInput,
    /// The model's answer.
    pub answer: String,
    /// The gap to cover.
    pub gap: CoverageGap,
    /// The lines that were uncovered before.
    pub uncovered: Vec<UncoveredLines>,
    /// Number of covered lines of the program before.
    pub covered: u64,
    /// Duration of the tests before, in milliseconds.
    pub test_ms: u64,
    /// Number of mutants to try.
    pub mutants: u32,
}

impl TrialInput {
    /// The step that tries it. A test that was committed before a crash is recognised by its trailer.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step {
            // A test that is already paid for is tried, even if the budget is used up.
            purpose: Purpose::Last,
            retry: RetryPolicy::attempts(2),
            ..Step::free(key, TRIAL_STEP, self)
        }
    }
}

/// Output of a step of kind `ooda_trial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// The patch in git's format; empty if none was found.
    pub patch: String,
    /// The files that the patch changes.
    #[serde(default)]
    pub files: Vec<PatchedFile>,
    /// Why it was rejected; absent if it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
    /// Number of lines of the program that only this test covers.
    #[serde(default)]
    pub newly_covered: u64,
    /// Whether it notices broken code.
    #[serde(default)]
    pub mutations: Mutations,
    /// The measurement with the test; absent if it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Observation>,
    /// The commit of the test; absent if it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<LandedTrial>,
}

/// Mutants of the covered lines, and how many the test noticed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutations {
    /// Mutants that build and that the older tests do not notice.
    pub tried: u32,
    /// Those on which the new test fails.
    pub noticed: u32,
    /// Why none of them proves anything: the test also fails with working code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd: Option<String>,
    /// One line for each mutant: the change, and whether it was noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

/// The commit of an accepted test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Landed")]
pub struct LandedTrial {
    /// Name of the branch, without `refs/heads/`.
    pub branch: String,
    /// Full id of the commit.
    pub commit: String,
    /// A worktree of the branch, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Things to check before merging it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

/// The reason for rejecting a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The rule that the test breaks.
    pub reason: RejectionKind,
    /// Why the test was rejected, for the model.
    pub message: String,
    /// The end of the command output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// The rules for a test, in the order in which they are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RejectionKind {
    /// There is no answer: the model call failed.
    NoAnswer,
    /// The answer contains no readable patch.
    NoPatch,
    /// The patch does not apply to the files.
    DoesNotApply,
    /// It changes more than tests.
    NotATest,
    /// The tests fail with it.
    TestsFail,
    /// The tests do not end in time with it.
    TestsHang,
    /// Coverage cannot be measured with it.
    NotMeasured,
    /// It covers no further line of the program.
    CoverageNotRaised,
    /// It still passes when the lines that it covers are broken.
    BrokenCodeNotNoticed,
    /// Its commit was refused.
    NotLanded,
}

impl Rejection {
    /// The text of the rejection for the model.
    #[must_use]
    pub fn for_model(&self) -> String {
        match self.output.trim() {
            "" => self.message.clone(),
            output => format!("{}\n{output}", self.message),
        }
    }
}
