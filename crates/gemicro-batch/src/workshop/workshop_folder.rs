//! The workshop: runs commands and writes files in its folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{CommandExit, Launcher, Profile, Tier, plan_supervised};
use tokio_util::sync::CancellationToken;

use crate::shell::{ProcessEnding, WaitingCommand};

/// Number of bytes kept of each stream of a command, from its end.
const KEPT: usize = 16 * 1024;
/// Maximum time for writing one file.
const WRITING: Duration = Duration::from_secs(60);

/// A folder in which commands run inside the sandbox.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// The gemicro binary, used as the launcher.
    pub launcher: Launcher,
    /// The sandbox level that commands run in.
    pub tier: Tier,
    /// The sandbox profile of commands.
    pub profile: Profile,
    /// The project: the profile's workspace, or a folder in it.
    pub folder: PathBuf,
    /// Removes secrets from output.
    pub redactor: Redactor,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// Its exit code, or 128 plus the signal number; `None` if it timed out.
    pub exit_code: Option<i32>,
    /// The end of its output, first stdout, then stderr.
    pub output: String,
    /// Its duration.
    pub took: Duration,
}

impl CommandRun {
    /// Whether it exited with 0.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.exit_code == Some(0)
    }
}

impl Workshop {
    /// Runs a user's command in the project's folder until it ends or its time is up.
    ///
    /// # Errors
    /// When it cannot be started, or was cancelled.
    pub async fn run(
        &self,
        command: &str,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<CommandRun, Failure> {
        let words = [
            "bash".into(),
            "-c".into(),
            r#"cd -- "$1" && exec bash -c "$2""#.into(),
            "bash".into(),
            self.folder.clone().into_os_string(),
            OsString::from(command),
        ];
        self.start(&words, None, limit, cancel).await
    }

    /// Runs one of gemicro's own commands in the sandbox.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and when the command fails.
    pub async fn run_own(&self, words: &[OsString], cancel: &CancellationToken) -> Result<(), Failure> {
        let ran = self.start(words, None, WRITING, cancel).await?;
        self.went_well(words, &ran)
    }

    /// Writes a file of the project, creating missing folders.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn write(&self, path: &str, text: &str, cancel: &CancellationToken) -> Result<(), Failure> {
        let words: [OsString; 6] = [
            "bash".into(),
            "-c".into(),
            r#"cd -- "$1" && mkdir -p -- "$(dirname -- "$2")" && cat > "$2""#.into(),
            "bash".into(),
            self.folder.clone().into_os_string(),
            // The `./` protects names that begin with a dash.
            format!("./{path}").into(),
        ];
        let ran = self.start(&words, Some(text.to_owned()), WRITING, cancel).await?;
        self.went_well(&[format!("writing {path}").into()], &ran)
    }

    /// Removes a file of the project.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub async fn remove(&self, path: &str, cancel: &CancellationToken) -> Result<(), Failure> {
        let file = self.folder.join(path).into_os_string();
        self.run_own(&["rm".into(), "-f".into(), "--".into(), file], cancel)
            .await
    }

    /// The project's folder, in which commands start.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn went_well(&self, words: &[OsString], ran: &CommandRun) -> Result<(), Failure> {
        if ran.is_good() {
            return Ok(());
        }
        let name: Vec<String> = words
            .iter()
            .take(3)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let message = format!("{} failed in the sandbox: {}", name.join(" "), ran.output.trim());
        Err(Failure::new(ErrorKind::PermissionDenied, message))
    }

    async fn start(
        &self,
        words: &[OsString],
        stdin: Option<String>,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<CommandRun, Failure> {
        let stopped = || Failure::new(ErrorKind::Cancelled, "stopped while a command ran");
        let plan = plan_supervised(&self.launcher, self.tier, &self.profile, words)
            .map_err(|error| Failure::new(ErrorKind::from(&error), error.to_string()))?;
        let waiting = tokio::select! {
            waiting = WaitingCommand::start(&plan) => waiting?,
            () = cancel.cancelled() => return Err(stopped()),
        };
        let began = Instant::now();
        let ran = waiting.run(stdin, limit, cancel).await?;
        let took = began.elapsed();
        let exit_code = match ran.ending {
            ProcessEnding::Exited(CommandExit::Code(code)) => Some(code),
            ProcessEnding::Exited(CommandExit::Signal(signal)) => Some(128 + signal),
            ProcessEnding::Late => None,
            ProcessEnding::Cancelled => return Err(stopped()),
            ProcessEnding::Failed(failure) => return Err(failure),
        };
        let (stdout, _) = ran.stdout.finish(&self.redactor);
        let (stderr, _) = ran.stderr.finish(&self.redactor);
        Ok(CommandRun {
            exit_code,
            output: format!("{}{}", ending(&stdout), ending(&stderr)),
            took,
        })
    }
}

/// The end of a text, starting at a line.
fn ending(text: &str) -> &str {
    let cut = text.ceil_char_boundary(text.len().saturating_sub(KEPT));
    match (cut, text[cut..].find('\n')) {
        (0, _) | (_, None) => &text[cut..],
        (_, Some(line)) => &text[cut + line + 1..],
    }
}
