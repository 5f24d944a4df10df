//! The trial of one proposed test, as data.

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
    /// Where, and what is run.
    pub place: ObserveInput,
    /// What the model answered.
    pub answer: String,
    /// The gap that it is about.
    pub gap: CoverageGap,
    /// What was not covered before.
    pub uncovered: Vec<UncoveredLines>,
    /// How many lines of the program were.
    pub covered: u64,
    /// How long the tests took before, in milliseconds.
    pub test_ms: u64,
    /// Broken versions to try.
    pub mutants: u32,
}

impl TrialInput {
    /// The step that tries it. A test that was committed before a crash is recognised by its trailer.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step {
            // What is paid for is tried out, whatever is left of the budget.
            purpose: Purpose::Last,
            retry: RetryPolicy::attempts(2),
            ..Step::free(key, TRIAL_STEP, self)
        }
    }
}

/// Output of a step of kind `ooda_trial`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// The patch as git takes it; empty where none was found.
    pub patch: String,
    /// The files that the patch changes.
    #[serde(default)]
    pub files: Vec<PatchedFile>,
    /// Why it was not taken; nothing where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
    /// Lines of the program that it covers and nothing did before.
    #[serde(default)]
    pub newly_covered: u64,
    /// Whether it notices broken code.
    #[serde(default)]
    pub mutations: Mutations,
    /// What was measured with it, where it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Observation>,
    /// Where it went, where it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<LandedTrial>,
}

/// Broken versions of the covered lines, and whether the test noticed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutations {
    /// Versions that build, and that the older tests let pass.
    pub tried: u32,
    /// Those among them with which the new test fails.
    pub noticed: u32,
    /// Why none of them proves anything: the test also fails with code that is not broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd: Option<String>,
    /// What was changed, and whether it was noticed: one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

/// Where an accepted test went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Landed")]
pub struct LandedTrial {
    /// Name of the branch, without `refs/heads/`.
    pub branch: String,
    /// Full id of the commit.
    pub commit: String,
    /// A folder that shows the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// What should be looked at before it is merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

/// Why a test was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The rule it breaks.
    pub reason: RejectionKind,
    /// Why the test was rejected, for the model.
    pub message: String,
    /// What was printed, the end of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// The rules that a test is held against, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RejectionKind {
    /// The model gave none: its call failed.
    NoAnswer,
    /// The answer holds no patch that can be read.
    NoPatch,
    /// The patch does not fit the files as they are.
    DoesNotApply,
    /// It changes more than tests.
    NotATest,
    /// The tests fail with it.
    TestsFail,
    /// The tests do not end in time with it.
    TestsHang,
    /// Coverage cannot be measured with it.
    NotMeasured,
    /// No further line of the program is covered.
    CoverageNotRaised,
    /// It passes although the lines that it covers are broken.
    BrokenCodeNotNoticed,
    /// Its commit was refused.
    NotLanded,
}

impl Rejection {
    /// What a model is told.
    #[must_use]
    pub fn for_model(&self) -> String {
        match self.output.trim() {
            "" => self.message.clone(),
            output => format!("{}\n{output}", self.message),
        }
    }
}
