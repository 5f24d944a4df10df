//! `execute_shell_command`: a shell command, checked by the guard and run in the sandbox.
//!
//! References to other tasks become variables in the command (`${GEMICRO_REF_1}`), with their values in the
//! environment, so the output of a model or another command is always data, never code.

use std::collections::BTreeMap;

use gemicro_core::flow::Step;
use gemicro_event::{Failure, Json};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::expected_exit::ExpectedExit;
use super::folder::inside;
use super::parameters::{ParameterError, milliseconds, read, require_text};
use super::task_type::{TaskContext, TaskType, as_it_is};

/// The step kind of shell commands.
pub const SHELL_STEP: &str = "shell";
/// Default time limit of a command, in seconds.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 120;
/// Maximum time limit of a command, in seconds.
pub const MAX_TIMEOUT_SECONDS: u64 = 4 * 3_600;
/// Maximum size of one variable in bytes, close to the limit of the operating system.
const MAX_VARIABLE_BYTES: usize = 120 * 1024;
/// Maximum size of all variables together, in bytes.
const MAX_VARIABLES_BYTES: usize = 1 << 20;

pub(super) const TYPE: TaskType = TaskType {
    name: "execute_shell_command",
    description: "Runs a shell command in the sandbox and returns its output and exit code.",
    step_kind: SHELL_STEP,
    bound: Some("command"),
    schema: || schema_for!(ShellParameters).to_value(),
    make,
    shape: as_it_is,
    granted: None,
};

/// Parameters of a task of type `execute_shell_command`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShellParameters {
    /// The command, run with `bash -c`.
    pub command: String,
    /// Its purpose, in a few words; goes into the journal.
    #[serde(default)]
    pub description: Option<String>,
    /// Its working folder, inside the folder of the batch; by default that folder.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Time after which it is killed, in seconds; default 120.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
    /// Text for its standard input.
    #[serde(default)]
    pub stdin: Option<String>,
    /// Additional environment variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether the folder of the batch is read-only for it.
    #[serde(default)]
    pub read_only: bool,
    /// Exit codes that count as success: a code, a list of them, or "any"; 0 by default. Any other code is a failure.
    #[serde(default)]
    pub expect_exit: ExpectedExit,
}

/// Input of a step of kind `shell`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellInput {
    /// The command line that is run.
    pub command: String,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The folder that it may change; an absolute path.
    pub workspace: String,
    /// Its working folder: the workspace or a folder in it.
    pub cwd: String,
    /// Time after which it is killed, in milliseconds.
    pub timeout_ms: u64,
    /// Text for its standard input; empty if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Whether the workspace is read-only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Running it twice does no harm, so it may be repeated after it may have started.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
    /// Exit codes that count as success.
    #[serde(default, skip_serializing_if = "ExpectedExit::is_default")]
    pub expect_exit: ExpectedExit,
    /// Whether an unexpected exit code is retried, if the command may be repeated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry_on_exit: bool,
}

impl ShellInput {
    /// Whether it may be run again although an earlier run may have started. Only these two flags decide.
    #[must_use]
    pub fn may_be_repeated(&self) -> bool {
        self.read_only || self.idempotent
    }
}

/// Output of a step of kind `shell`. If it failed by its exit code, its failure has the same as its detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellOutput {
    /// Its standard output, redacted; the middle is omitted if it was too long.
    pub stdout: String,
    /// Its standard error, likewise.
    pub stderr: String,
    /// Its exit code; 128 plus the signal number if a signal ended it.
    pub exit_code: i32,
    /// Number of omitted bytes of both streams.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_dropped: u64,
    /// The sandbox level it ran in.
    pub tier: String,
}

/// The output of a command that ran and failed.
pub(crate) fn output_of_failure(failure: &Failure) -> Option<&Json> {
    let detail = failure.detail.as_ref()?;
    detail.get("stdout").map(|_| detail)
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: ShellParameters = read(parameters)?;
    require_text(&it.command, "/command")?;
    let no_zero = |text: &str, place: &str| match text.contains('\0') {
        true => Err(ParameterError::new(place, "must not hold a zero byte")),
        false => Ok(()),
    };
    no_zero(&it.command, "/command")?;
    let workspace = making.settings.directory.clone();
    let cwd = inside(&workspace, it.cwd.as_deref(), "/cwd")?;
    no_zero(&cwd, "/cwd")?;
    let seconds = it.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS);
    let timeout_ms = milliseconds(seconds, MAX_TIMEOUT_SECONDS, "/timeout_seconds")?;
    let mut environment = it.environment;
    for (name, value) in &environment {
        let place = format!("/environment/{name}");
        no_zero(value, &place)?;
        if !is_variable(name) {
            let message = "is not the name of a variable that can be set here";
            return Err(ParameterError::new(&place, message));
        }
    }
    let retry = making.retry();
    environment.extend(making.variables);
    check_size(&environment)?;
    let input = ShellInput {
        command: it.command,
        description: it.description,
        workspace,
        cwd,
        timeout_ms,
        stdin: it.stdin,
        environment,
        read_only: it.read_only,
        idempotent: making.idempotent,
        expect_exit: it.expect_exit,
        // Most commands would fail again in the same way, so retries must be requested.
        retry_on_exit: making.max_attempts.is_some(),
    };
    // The executor enforces the time limit itself, so that it can return the output so far.
    Ok(Step {
        retry,
        ..Step::free(making.key, SHELL_STEP, &input)
    })
}

/// Whether a variable may be set: a plain name that does not affect which programs are started or loaded.
fn is_variable(name: &str) -> bool {
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    let decides = [
        "PATH",
        "HOME",
        "TMPDIR",
        "IFS",
        "ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "PROMPT_COMMAND",
    ];
    let families = ["LD_", "DYLD_", "BASH_", "GIT_", "GEMICRO_"];
    is_plain && !decides.contains(&name) && !families.iter().any(|family| name.starts_with(family))
}

fn check_size(environment: &BTreeMap<String, String>) -> Result<(), ParameterError> {
    let sizes = || environment.iter().map(|(name, value)| name.len() + value.len());
    if environment.values().any(|value| value.contains('\0')) {
        let message = "a value put in holds a zero byte; use `stdin` for it";
        return Err(ParameterError::new("/command", message));
    }
    if sizes().any(|n_bytes| n_bytes > MAX_VARIABLE_BYTES) || sizes().sum::<usize>() > MAX_VARIABLES_BYTES {
        let message =
            format!("a variable has at most {MAX_VARIABLE_BYTES} bytes; use `stdin` for longer values");
        return Err(ParameterError::new("/environment", message));
    }
    Ok(())
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
