//! Input and output of the check of a proposed test.

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
    /// The model's answer.
    pub answer: String,
    /// Paths that may be changed although they are not named like tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
    /// How to build and run the test; `None` to skip that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trying: Option<TestTrial>,
}

impl ProposalCheckInput {
    /// The step that checks the test. It works on a copy, so a retry starts clean.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step {
            purpose: Purpose::Last,
            retry: RetryPolicy::attempts(2),
            ..Step::free(key, CHECK_STEP, self)
        }
    }
}

/// The command that tries a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestTrial {
    /// The command that builds and runs the tests, for `bash -c`, in the project's folder.
    pub command: String,
    /// Time after which it is killed, in milliseconds.
    pub timeout_ms: u64,
    /// Outputs of other tasks, passed to the command as environment variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<(String, String)>,
}

/// Output of a step of kind `test_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub struct ProposalChecked {
    /// The patch in git's format; empty if none was found.
    pub patch: String,
    /// The files that it changes.
    #[serde(default)]
    pub files: Vec<PatchedFile>,
    /// Why it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<PatchProblem>,
    /// The result of the tests; absent if they were not requested or the patch does not apply.
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
    /// Number of added lines.
    pub insertions: u64,
    /// Number of removed lines.
    pub deletions: u64,
}

/// Why a patch cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatchProblem {
    /// The rule it breaks: `no_patch`, `does_not_apply` or `not_a_test`.
    pub kind: ProblemKind,
    /// The problem and its position.
    pub message: String,
}

/// The rules that a patch can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The answer contains no readable patch, or one of a kind that is never accepted.
    NoPatch,
    /// It does not apply to the files.
    DoesNotApply,
    /// It changes more than tests.
    NotATest,
}

/// The result of the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tried")]
pub struct TriedTest {
    /// The exit code; absent if the command timed out.
    pub exit_code: Option<i32>,
    /// The end of the output of both streams.
    pub output: String,
}

impl TriedTest {
    /// Whether build and tests succeeded.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// Describes the failure.
    #[must_use]
    pub fn failure(&self) -> String {
        match self.exit_code {
            None => format!("The tests did not end in time.\n{}", self.output),
            Some(code) => format!("The tests ended with exit code {code}.\n{}", self.output),
        }
    }
}

impl ProposalChecked {
    /// The problem with the test; `None` if it can be used.
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
