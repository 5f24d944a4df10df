//! `execute_shell_command`: one command of a shell, judged by the guard and held by the sandbox.
//!
//! References to other tasks stand in the command as variables (`${GEMICRO_REF_1}`), with their values in the
//! environment: what a model or another command printed is data here, whatever it says.

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
/// Seconds that a command can be given.
pub const MAX_TIMEOUT_SECONDS: u64 = 4 * 3_600;
/// Bytes of one variable; the system takes no longer ones.
const MAX_VARIABLE_BYTES: usize = 120 * 1024;
/// Bytes of all variables.
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
    /// The command, for `bash -c`.
    pub command: String,
    /// What it is for, in a few words; goes into the journal.
    #[serde(default)]
    pub description: Option<String>,
    /// Where it runs, inside the folder of the batch; else there.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Time after which it is ended, in seconds; default 120.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
    /// What it reads as its standard input.
    #[serde(default)]
    pub stdin: Option<String>,
    /// Further variables of its environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether the folder of the batch stays as it is.
    #[serde(default)]
    pub read_only: bool,
    /// Exit codes with which it completes: a code, a list of them, or "any"; 0 by default. Any other code is a failure.
    #[serde(default)]
    pub expect_exit: ExpectedExit,
}

/// Input of a step of kind `shell`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellInput {
    /// The command line that is run.
    pub command: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The folder that it may change; an absolute path.
    pub workspace: String,
    /// Where it starts: the workspace or below it.
    pub cwd: String,
    /// Time after which it is ended, in milliseconds.
    pub timeout_ms: u64,
    /// Text for its standard input; without one it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Variables of its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Whether the workspace stays as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Running it twice does no harm, so it may be run again after it may have begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
    /// Exit codes with which it completes.
    #[serde(default, skip_serializing_if = "ExpectedExit::is_default")]
    pub expect_exit: ExpectedExit,
    /// Another exit code is a failure that is tried again, where the command may be repeated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry_on_exit: bool,
}

impl ShellInput {
    /// Whether it may be run again although an earlier run of it may have begun. Nothing else decides this.
    #[must_use]
    pub fn may_be_repeated(&self) -> bool {
        self.read_only || self.idempotent
    }
}

/// Output of a step of kind `shell`. One that failed by its exit code has the same, as the detail of its failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellOutput {
    /// What it printed, redacted; the middle is missing where it was too long.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Its exit code; 128 and the number of the signal where one ended it.
    pub exit_code: i32,
    /// Bytes of both streams that are missing above.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_dropped: u64,
    /// The sandbox that held it.
    pub tier: String,
}

/// What a command printed that failed, where it ran.
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
        // Most commands fail for a reason that stays; who wants more attempts asks for them.
        retry_on_exit: making.max_attempts.is_some(),
    };
    // The executor watches the time itself, so that it can tell what was printed until then.
    Ok(Step {
        retry,
        ..Step::free(making.key, SHELL_STEP, &input)
    })
}

/// A plain name, and none that decides which program is started or what is loaded into it.
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
