//! `propose_test`: a child run in which a model writes a test for uncovered code.

use gemicro_core::ask::TaskGrant;
use gemicro_core::flow::Step;
use gemicro_core::llm::LlmConfig;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child_run::{RUN_STEP, RunInput, RunRequest, run_step, shape, with_grant};
use super::execute_shell_command::MAX_TIMEOUT_SECONDS;
use super::folder::inside;
use super::parameters::{ParameterError, milliseconds, read, require_text};
use super::settings::BatchSettings;
use super::task_type::{TaskContext, TaskType};
use crate::coverage::LineRange;
use crate::proposal::{EarlierTest, ProposalAim, TestTrial};

/// Default number of questions to the model.
pub(super) const DEFAULT_ROUNDS: u32 = 2;
/// Maximum number of questions to the model.
const MAX_ROUNDS: u32 = 10;
/// Default time for build and tests, in seconds.
const DEFAULT_SECONDS: u64 = 600;
/// Minimum output limit in tokens: a test with its patch is longer than a text answer.
const LEAST_OUTPUT_TOKENS: u64 = 8_192;

pub(super) const TYPE: TaskType = TaskType {
    name: "propose_test",
    description: "Lets a model write a test for uncovered lines and returns a patch that is checked to apply.",
    step_kind: RUN_STEP,
    bound: Some("test_command"),
    schema: || schema_for!(ProposeTestParameters).to_value(),
    make,
    shape,
    granted: Some(with_grant),
};

/// Parameters of a task of type `propose_test`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposeTestParameters {
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

/// A request for a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalRequest {
    /// The file, relative to the folder of the batch.
    pub target: String,
    /// The lines that the test should cover.
    pub aim: ProposalAim,
    /// Notes about this part of the program.
    pub context: String,
    /// Paths of coverage reports; empty for those in the usual places.
    pub reports: Vec<String>,
    /// An earlier test to improve.
    pub earlier: Option<EarlierTest>,
    /// How to try the test; `None` to skip that.
    pub trying: Option<TestTrial>,
    /// Paths that may be changed although they are not named like tests.
    pub leave: Vec<String>,
    /// Maximum number of questions to the model.
    pub max_rounds: u32,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: ProposeTestParameters = read(parameters)?;
    let request = it.request(making.settings, None, &making.variables)?;
    let input = RunInput {
        request: RunRequest::Proposal(Box::new(request)),
        directory: making.settings.directory.clone(),
        llm: writer(&making.llm(), it.model.as_ref()),
        grant: TaskGrant::default(),
    };
    Ok(run_step(&input, making))
}

/// Model settings for writing tests.
pub(super) fn writer(usual: &LlmConfig, model: Option<&String>) -> LlmConfig {
    LlmConfig {
        model: model.unwrap_or(&usual.model).clone(),
        max_output_tokens: usual.max_output_tokens.max(LEAST_OUTPUT_TOKENS),
        ..usual.clone()
    }
}

impl ProposeTestParameters {
    /// Checks the parameters and builds the request.
    pub(super) fn request(
        &self,
        settings: &BatchSettings,
        earlier: Option<EarlierTest>,
        variables: &[(String, String)],
    ) -> Result<ProposalRequest, ParameterError> {
        let directory = settings.directory.as_str();
        let (target, place) = match (&self.target_cpp_file, &self.target_file) {
            (Some(target), None) => (target, "/target_cpp_file"),
            (None, Some(target)) => (target, "/target_file"),
            (None, None) => {
                return Err(ParameterError::new(
                    "/target_file",
                    "the file to be tested must be named",
                ));
            }
            (Some(_), Some(_)) => {
                let message = "the file is named twice: give it here or as `target_cpp_file`";
                return Err(ParameterError::new("/target_file", message));
            }
        };
        require_text(target, place)?;
        let whole = inside(directory, Some(target), place)?;
        let target = whole
            .strip_prefix(directory)
            .unwrap_or(&whole)
            .trim_start_matches('/');
        for (idx, report) in self.reports.iter().enumerate() {
            inside(directory, Some(report), &format!("/reports/{idx}"))?;
        }
        let max_rounds = self.max_rounds.unwrap_or(DEFAULT_ROUNDS);
        if !(1..=MAX_ROUNDS).contains(&max_rounds) {
            return Err(ParameterError::new(
                "/max_rounds",
                format!("between 1 and {MAX_ROUNDS}"),
            ));
        }
        Ok(ProposalRequest {
            target: target.to_owned(),
            aim: aim(self.target_line_range.as_deref())?,
            context: self.semantic_context.clone().unwrap_or_default(),
            reports: match self.reports.is_empty() {
                true => settings.coverage_reports.clone(),
                false => self.reports.clone(),
            },
            earlier,
            trying: self.test_trial(variables)?,
            leave: self.allowed_paths.clone(),
            max_rounds,
        })
    }

    fn test_trial(&self, variables: &[(String, String)]) -> Result<Option<TestTrial>, ParameterError> {
        let seconds = self.timeout_seconds.unwrap_or(DEFAULT_SECONDS);
        let timeout_ms = milliseconds(seconds, MAX_TIMEOUT_SECONDS, "/timeout_seconds")?;
        let Some(command) = &self.test_command else {
            return Ok(None);
        };
        require_text(command, "/test_command")?;
        if command.contains('\0') {
            return Err(ParameterError::new("/test_command", "must not hold a zero byte"));
        }
        Ok(Some(TestTrial {
            command: command.clone(),
            timeout_ms,
            variables: variables.to_vec(),
        }))
    }
}

/// Parses the target lines.
fn aim(given: Option<&str>) -> Result<ProposalAim, ParameterError> {
    match given.map(str::trim) {
        None | Some("uncovered" | "") => Ok(ProposalAim::Uncovered),
        Some(range) => match range.parse::<LineRange>() {
            Ok(range) => Ok(ProposalAim::Within(range)),
            Err(error) => {
                let message = format!("`uncovered`, or lines such as `100-150`: {error}");
                Err(ParameterError::new("/target_line_range", message))
            }
        },
    }
}
