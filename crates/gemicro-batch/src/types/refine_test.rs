//! `refine_test`: improves an earlier test, given its failure.

use gemicro_core::ask::TaskGrant;
use gemicro_core::flow::Step;
use gemicro_event::StreamId;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child_run::{RUN_STEP, RunInput, RunRequest, run_step, shape, with_grant};
use super::parameters::{ParameterError, read, require_text};
use super::propose_test::{ProposeTestParameters, writer};
use super::task_type::{TaskContext, TaskType};
use crate::proposal::EarlierTest;

pub(super) const TYPE: TaskType = TaskType {
    name: "refine_test",
    description: "Lets a model improve an earlier test, with its failure, and returns a patch that applies.",
    step_kind: RUN_STEP,
    bound: Some("test_command"),
    schema: || schema_for!(RefineTestParameters).to_value(),
    make,
    shape,
    granted: Some(with_grant),
};

/// Parameters of `refine_test`: the run of an earlier test, or its patch and the file under test.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefineTestParameters {
    /// The `run_id` of an earlier `propose_test` or `refine_test`, whose settings are used again.
    #[serde(default)]
    pub run_id: Option<String>,
    /// The earlier test as a diff, if there is no `run_id`.
    #[serde(default)]
    pub patch: Option<String>,
    /// The failure: output of the build or the test, or a request for changes.
    #[serde(default)]
    pub failure_output: Option<String>,
    /// The file to test, in any language, inside the folder of the batch.
    #[serde(default)]
    pub target_cpp_file: Option<String>,
    /// The same as `target_cpp_file`, under a better name.
    #[serde(default)]
    pub target_file: Option<String>,
    /// Its lines, such as `100-150`, or `uncovered`, the default.
    #[serde(default)]
    pub target_line_range: Option<String>,
    /// Notes about this part of the program.
    #[serde(default)]
    pub semantic_context: Option<String>,
    /// Coverage reports inside the folder of the batch; by default those in the usual places.
    #[serde(default)]
    pub reports: Vec<String>,
    /// A command that builds and runs the tests. If given, the test is tried in the sandbox, on a copy.
    #[serde(default)]
    pub test_command: Option<String>,
    /// Time limit of that command, in seconds; default 600.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
    /// Paths that the patch may change although they are not named like tests.
    #[serde(default)]
    pub allowed_paths: Vec<String>,
    /// Maximum number of questions to the model, each with the failure of the last answer; default 2.
    #[serde(default)]
    pub max_rounds: Option<u32>,
    /// The model; by default that of the batch.
    #[serde(default)]
    pub model: Option<String>,
}

/// A request to improve the test of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefinementRequest {
    /// The run that proposed the earlier test.
    pub run_id: StreamId,
    /// The failure; by default the one that the run reports.
    pub failure: Option<String>,
    /// The model; by default that of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: RefineTestParameters = read(parameters)?;
    let llm = writer(&making.llm(), it.model.as_ref());
    let directory = making.settings.directory.clone();
    let request = match (&it.run_id, &it.patch) {
        (Some(run_id), None) => {
            let run_id = StreamId::new(run_id.as_str())
                .map_err(|error| ParameterError::new("/run_id", error.to_string()))?;
            it.nothing_else()?;
            RunRequest::Refinement(RefinementRequest {
                run_id,
                failure: it.failure_output,
                model: it.model,
            })
        }
        (None, Some(patch)) => {
            require_text(patch, "/patch")?;
            let failure = it.failure_output.clone().unwrap_or_default();
            require_text(&failure, "/failure_output")?;
            let earlier = EarlierTest {
                patch: patch.clone(),
                failure,
            };
            RunRequest::Proposal(Box::new(it.like_a_proposal().request(
                making.settings,
                Some(earlier),
                &making.variables,
            )?))
        }
        (None, None) => {
            let message = "the earlier test must be given: its `run_id`, or its `patch` and `failure_output`";
            return Err(ParameterError::new("/patch", message));
        }
        (Some(_), Some(_)) => {
            return Err(ParameterError::new("/patch", "cannot be combined with `run_id`"));
        }
    };
    let input = RunInput {
        request,
        directory,
        llm,
        grant: TaskGrant::default(),
    };
    Ok(run_step(&input, making))
}

impl RefineTestParameters {
    /// Refuses parameters that a `run_id` already determines.
    fn nothing_else(&self) -> Result<(), ParameterError> {
        let said = [
            ("/target_cpp_file", self.target_cpp_file.is_some()),
            ("/target_file", self.target_file.is_some()),
            ("/target_line_range", self.target_line_range.is_some()),
            ("/semantic_context", self.semantic_context.is_some()),
            ("/reports", !self.reports.is_empty()),
            ("/test_command", self.test_command.is_some()),
            ("/timeout_seconds", self.timeout_seconds.is_some()),
            ("/allowed_paths", !self.allowed_paths.is_empty()),
            ("/max_rounds", self.max_rounds.is_some()),
        ];
        match said.iter().find(|(_, is_said)| *is_said) {
            None => Ok(()),
            Some((place, _)) => Err(ParameterError::new(
                place,
                "cannot be combined with `run_id`: it is the same as in that run",
            )),
        }
    }

    fn like_a_proposal(self) -> ProposeTestParameters {
        ProposeTestParameters {
            target_cpp_file: self.target_cpp_file,
            target_file: self.target_file,
            target_line_range: self.target_line_range,
            semantic_context: self.semantic_context,
            reports: self.reports,
            test_command: self.test_command,
            timeout_seconds: self.timeout_seconds,
            allowed_paths: self.allowed_paths,
            max_rounds: self.max_rounds,
            model: self.model,
        }
    }
}
