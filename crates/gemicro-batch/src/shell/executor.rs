//! Executes steps of kind `shell`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Again, AttemptCost, Step, StepFailure, StepOutput};
use gemicro_event::{Charge, ErrorKind, Failure, Json};
use gemicro_guard::policy::{GuardedCall, PolicyConfig, PolicyDecision, check};
use gemicro_guard::sandbox::{
    CommandExit, LaunchPlan, Network, PinnedPath, ProcessHandle, Profile, ResourceLimits, Shells, Tier,
    WriteMode, end_leftover, plan_supervised, show_program_hint,
};
use serde_json::json;

use super::process::{FinishedCommand, ProcessEnding, WaitingCommand};
use super::setup::ShellSetup;
use crate::types::{ShellInput, ShellOutput};
use crate::workshop::hold_new;

/// The name of this tool in the policy.
const TOOL: &str = "execute_shell_command";
/// Maximum length of the output line that an error quotes, in characters.
const MAX_REASON_CHARS: usize = 200;

/// Runs the shell commands of tasks in the sandbox.
#[derive(Debug, Clone)]
pub struct ShellExecutor {
    setup: Arc<ShellSetup>,
}

impl ShellExecutor {
    /// An executor with this setup.
    #[must_use]
    pub fn new(setup: ShellSetup) -> Self {
        Self {
            setup: Arc::new(setup),
        }
    }
}

impl Executor for ShellExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let setup = self.setup.clone();
        Box::pin(async move { run(&setup, call).await })
    }

    /// A command ends with the driver.
    fn survives_driver(&self) -> bool {
        false
    }

    fn may_begin_again(&self, step: &Step) -> bool {
        may_begin_again(step)
    }
}

/// Whether a command that may have started can be run again: only if it is read-only, or its author declared it
/// idempotent.
#[must_use]
pub fn may_begin_again(step: &Step) -> bool {
    let input = step.input.parse::<ShellInput>();
    input.is_ok_and(|input| input.may_be_repeated())
}

async fn run(setup: &ShellSetup, call: StepCall) -> Result<StepOutput, StepFailure> {
    let input: ShellInput = call.step.read_input()?;
    if let Some(handle) = &call.handle {
        end_rest(handle.parse().ok()).await;
        if !input.may_be_repeated() {
            let message = "interrupted; its changes so far are kept. Check them, then run \
                           `gemicro batch retry ID --only interrupted`";
            return Err(never_again(Failure::new(ErrorKind::Interrupted, message)));
        }
    }
    let (workspace, cwd) = (Path::new(&input.workspace), Path::new(&input.cwd));
    check_policy(&setup.policy, &input.command, workspace, cwd).map_err(StepFailure::free)?;
    let name = format!("{}-{}", call.run, gemicro_event::StreamId::random());
    let folders = Folders::make(&setup.scratch.join(name)).map_err(StepFailure::free)?;
    let (profile, plan) = plan_launch(setup, &input, &folders).map_err(StepFailure::free)?;
    let waiting = tokio::select! {
        waiting = WaitingCommand::start(&plan) => waiting.map_err(StepFailure::free)?,
        () = call.cancel.cancelled() => return Err(StepFailure::free(before_it_began())),
    };
    let handle = waiting.handle().and_then(|handle| Json::of(&handle).ok());
    let handle = handle.ok_or_else(|| {
        let message = "cannot identify the command's process, so the command was not started";
        StepFailure::free(Failure::new(ErrorKind::SandboxUnavailable, message))
    })?;
    // Start only once the handle is durable, so that after a crash it is known that the command may have started.
    tokio::select! {
        noted = call.reporter.handle_noted(handle) => noted?,
        () = call.cancel.cancelled() => return Err(StepFailure::free(before_it_began())),
    }
    let limit = Duration::from_millis(input.timeout_ms);
    let ran = waiting.run(input.stdin.clone(), limit, &call.cancel).await;
    // What did not exist could not be protected.
    for path in plan.unpinned.iter().filter(|path| path.exists()) {
        let message = format!(
            "the command made {}, which runs code later: look at it",
            path.display()
        );
        call.reporter.alarm(message);
    }
    let result = ran.and_then(|ran| judge_exit(setup, &input, (&profile, plan.tier), ran));
    result.map_err(|failure| {
        let is_tried_again = failure.kind != ErrorKind::CommandFailed || input.retry_on_exit;
        match input.may_be_repeated() && is_tried_again {
            true => StepFailure::free(failure),
            false => never_again(failure),
        }
    })
}

fn before_it_began() -> Failure {
    Failure::new(ErrorKind::Cancelled, "the command was stopped before it began")
}

/// Checks a command against the policy.
///
/// # Errors
/// With the rule that denies it.
pub(crate) fn check_policy(
    policy: &PolicyConfig,
    command: &str,
    workspace: &Path,
    cwd: &Path,
) -> Result<(), Failure> {
    let call = GuardedCall {
        cwd: cwd.to_owned(),
        ..GuardedCall::shell(TOOL, command, workspace)
    };
    match check(policy, &call) {
        PolicyDecision::Allow => Ok(()),
        PolicyDecision::Deny(denial) => Err(Failure {
            detail: Json::of(&denial).ok(),
            ..Failure::new(ErrorKind::PermissionDenied, denial.message())
        }),
    }
}

fn plan_launch(
    setup: &ShellSetup,
    input: &ShellInput,
    folders: &Folders,
) -> Result<(Profile, LaunchPlan), Failure> {
    let workspace = real(&input.workspace)?;
    let cwd = real(&input.cwd)?;
    if !cwd.starts_with(&workspace) {
        let message = format!("{} leads out of {}", input.cwd, input.workspace);
        return Err(Failure::new(ErrorKind::PermissionDenied, message));
    }
    let usual = [("PATH", setup.path.as_str()), ("LANG", "C.UTF-8")];
    let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let given = input.environment.clone().into_iter();
    let profile = Profile {
        mode: if input.read_only {
            WriteMode::ReadOnly
        } else {
            WriteMode::WorkspaceWrite
        },
        pinned: Profile::settings_of(&workspace),
        writable: Vec::new(),
        pinning: PinnedPath::Required,
        shells: Shells::Within,
        readable: Vec::new(),
        hidden: setup.hidden.clone(),
        user_home: setup.user_home.clone(),
        home: folders.home.clone(),
        temporary: folders.temporary.clone(),
        network: Network::None,
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: usual.into_iter().chain(given).collect(),
        workspace,
    };
    // The sandbox starts in the workspace; a subfolder is entered inside it.
    let words: [OsString; 6] = [
        "bash".into(),
        "-c".into(),
        r#"cd -- "$1" && exec bash -c "$2""#.into(),
        "bash".into(),
        cwd.into(),
        input.command.clone().into(),
    ];
    let profile = setup.toolchains.open_in(profile);
    let plan = plan_supervised(&setup.launcher, setup.tier, &profile, &words)
        .map_err(|error| Failure::new(ErrorKind::from(&error), error.to_string()))?;
    Ok((profile, plan))
}

/// Turns a finished command into a result: an output if its exit code is expected.
fn judge_exit(
    setup: &ShellSetup,
    input: &ShellInput,
    (profile, tier): (&Profile, Tier),
    ran: FinishedCommand,
) -> Result<StepOutput, Failure> {
    let (stdout, n_dropped) = ran.stdout.finish(&setup.redactor);
    let (stderr, n_more) = ran.stderr.finish(&setup.redactor);
    let exit_code = match ran.ending {
        ProcessEnding::Exited(CommandExit::Code(code)) => code,
        ProcessEnding::Exited(CommandExit::Signal(signal)) => 128 + signal,
        ProcessEnding::Late => {
            let seconds = input.timeout_ms / 1_000;
            return Err(Failure {
                detail: Some(Json::from(json!({ "stdout": stdout, "stderr": stderr }))),
                ..Failure::new(
                    ErrorKind::Timeout,
                    format!("the command did not end within {seconds} s"),
                )
            });
        }
        ProcessEnding::Cancelled => {
            return Err(Failure::new(ErrorKind::Cancelled, "the command was stopped"));
        }
        ProcessEnding::Failed(failure) => return Err(failure),
    };
    let words = last_line(&stderr).or_else(|| last_line(&stdout));
    let hidden = profile
        .hidden_program(&stderr)
        .or_else(|| profile.hidden_program(&stdout));
    let output = ShellOutput {
        stdout,
        stderr,
        exit_code,
        n_dropped: n_dropped + n_more,
        tier: tier.to_string(),
    };
    let output = Json::of(&output).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    if !input.expect_exit.allows(exit_code) {
        let expected = match &input.expect_exit {
            default if default.is_default() => String::new(),
            expected => format!(" instead of {expected} (`expect_exit`)"),
        };
        let message = match words {
            Some(words) => format!("the command ended with exit code {exit_code}{expected}: {words}"),
            None => format!("the command ended with exit code {exit_code}{expected} and printed nothing"),
        };
        let message = match hidden {
            Some(program) => format!("{message}; {}", show_program_hint(&program)),
            None => message,
        };
        return Err(Failure {
            detail: Some(output),
            ..Failure::new(ErrorKind::CommandFailed, message)
        });
    }
    Ok(StepOutput {
        output,
        charge: Charge::ZERO,
        usage: None,
    })
}

/// The last non-empty line, shortened.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().chars().take(MAX_REASON_CHARS).collect())
}

/// A failure that is not retried, because another attempt could meet what this one changed.
fn never_again(failure: Failure) -> StepFailure {
    StepFailure {
        failure,
        spent: AttemptCost::Nothing,
        again: Again::Never,
    }
}

async fn end_rest(handle: Option<ProcessHandle>) {
    if let Some(handle) = handle {
        let _ = tokio::task::spawn_blocking(move || end_leftover(&handle)).await;
    }
}

fn real(path: &str) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path)
        .ok()
        .filter(|path| path.is_dir())
        .ok_or_else(|| Failure::new(ErrorKind::InvalidInput, format!("there is no folder {path}")))
}

/// A home and a temporary folder, removed on drop.
#[derive(Debug)]
struct Folders {
    root: PathBuf,
    home: PathBuf,
    temporary: PathBuf,
    /// The lock that marks them as in use.
    _held: std::fs::File,
}

impl Folders {
    fn make(root: &Path) -> Result<Self, Failure> {
        use std::os::unix::fs::DirBuilderExt;

        let failed = |folder: &Path, error: &std::io::Error| {
            let message = format!("cannot make {}: {error}", folder.display());
            Failure::new(ErrorKind::StorageError, message)
        };
        let folders = Self {
            _held: hold_new(root).map_err(|error| failed(root, &error))?,
            root: root.to_owned(),
            home: root.join("home"),
            temporary: root.join("tmp"),
        };
        for folder in [&folders.home, &folders.temporary] {
            let made = std::fs::DirBuilder::new().mode(0o700).create(folder);
            made.map_err(|error| failed(folder, &error))?;
        }
        Ok(folders)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
