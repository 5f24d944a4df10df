//! The check of a proposed test, as data.

use gemicro_core::budget::Purpose;
use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_event::StepKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The step kind that checks a patch.
pub const CHECK_STEP: &str = "test_check";

/// Input of a step of kind `test_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalCheckInput {
    /// The project; an absolute path. It is not changed.
    pub directory: String,
    /// What the model answered.
    pub answer: String,
    /// Paths that may be changed although their names are none of tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
    /// How the test is built and run, where that is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trying: Option<TestTrial>,
}

impl ProposalCheckInput {
    /// The step that checks it. It works on a copy, so another attempt meets nothing of the first.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step {
            purpose: Purpose::Last,
            retry: RetryPolicy::attempts(2),
            ..Step::free(key, CHECK_STEP, self)
        }
    }
}

/// How a test is tried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestTrial {
    /// The command that builds and runs the tests, for `bash -c`, in the project's folder.
    pub command: String,
    /// Time after which it is ended, in milliseconds.
    pub timeout_ms: u64,
    /// Values of other tasks, which the command finds as variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<(String, String)>,
}

/// Output of a step of kind `test_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub struct ProposalChecked {
    /// The patch as git takes it; empty where none was found.
    pub patch: String,
    /// What it changes.
    #[serde(default)]
    pub files: Vec<PatchedFile>,
    /// Why it cannot be used as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<PatchProblem>,
    /// How the tests went with it, where that was wanted and it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<TriedTest>,
}

/// A file that a patch changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatchedFile {
    /// Path in the project, with forward slashes.
    pub path: String,
    /// Whether it is new.
    pub is_new: bool,
    /// Lines that come.
    pub insertions: u64,
    /// Lines that go.
    pub deletions: u64,
}

/// Why a patch cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatchProblem {
    /// Which rule it breaks: `no_patch`, `does_not_apply` or `not_a_test`.
    pub kind: ProblemKind,
    /// In words, with the place.
    pub message: String,
}

/// Which rule a patch breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The answer contains no readable patch, or one of a kind that is never accepted.
    NoPatch,
    /// It does not fit the files as they are.
    DoesNotApply,
    /// It changes more than tests.
    NotATest,
}

/// How the tests went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tried")]
pub struct TriedTest {
    /// The exit code; none where the command did not end in time.
    pub exit_code: Option<i32>,
    /// What was printed, both streams, the end of it.
    pub output: String,
}

impl TriedTest {
    /// Whether build and tests went well.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// The text that describes a failure.
    #[must_use]
    pub fn failure(&self) -> String {
        match self.exit_code {
            None => format!("The tests did not end in time.\n{}", self.output),
            Some(code) => format!("The tests ended with exit code {code}.\n{}", self.output),
        }
    }
}

impl ProposalChecked {
    /// What is wrong with the test; nothing where it can be used.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let problem = self.problem.as_ref().map(|problem| problem.message.clone());
        let tried = || {
            self.tried
                .as_ref()
                .filter(|tried| !tried.is_good())
                .map(TriedTest::failure)
        };
        problem.or_else(tried)
    }
}
