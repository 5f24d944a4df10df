//! Runs one command until nothing of it is left.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{CommandExit, Control, LaunchPlan, Notice, ProcessHandle};
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::UnixDatagram;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::capture::{ShellCapture, read};
use super::spawn::spawn;

/// Maximum time for the sandbox to start.
const START: Duration = Duration::from_secs(20);
/// Maximum time for the supervisor to end everything.
const LAST: Duration = Duration::from_secs(10);

/// A command in its sandbox that waits for its standard input. Dropping it ends it.
pub(crate) struct WaitingCommand {
    child: Child,
    control: Control,
    /// Signals that the channel is readable.
    readiness: UnixDatagram,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

pub(crate) enum ProcessEnding {
    Exited(CommandExit),
    /// Its time limit passed.
    Late,
    /// The caller cancelled it.
    Cancelled,
    /// The end is unknown: its supervisor is gone, or the command could not be started.
    Failed(Failure),
}

/// A finished command and its output.
pub(crate) struct FinishedCommand {
    pub(crate) ending: ProcessEnding,
    pub(crate) stdout: ShellCapture,
    pub(crate) stderr: ShellCapture,
}

impl WaitingCommand {
    /// Starts the sandbox. The command itself starts with [`WaitingCommand::run`].
    pub(crate) async fn start(plan: &LaunchPlan) -> Result<Self, Failure> {
        let (mut child, control) = spawn(plan).map_err(not_started)?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Failure::new(
                ErrorKind::Internal,
                "the output of the process cannot be read",
            ));
        };
        let readiness = control
            .readiness()
            .and_then(UnixDatagram::from_std)
            .map_err(not_started)?;
        let waiting = Self {
            child,
            control,
            readiness,
            stdout,
            stderr,
        };
        match timeout(START, waiting.notice()).await {
            Ok(Ok(Notice::Ready { .. })) => Ok(waiting),
            Ok(Ok(Notice::Failed { kind, message })) => Err(Failure::new(kind, message)),
            Ok(Ok(Notice::Gone | Notice::Ended(_)) | Err(_)) => Err(waiting.words().await),
            Err(_) => {
                let message = format!("the sandbox did not start within {} s", START.as_secs());
                Err(Failure::new(ErrorKind::SandboxUnavailable, message))
            }
        }
    }

    /// The process, to identify it after a crash.
    pub(super) fn handle(&self) -> Option<ProcessHandle> {
        self.child.id().and_then(ProcessHandle::of)
    }

    /// Starts the command and waits for its end.
    pub(crate) async fn run(
        mut self,
        stdin: Option<String>,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<FinishedCommand, Failure> {
        let writer = self.hand_over(stdin.is_some()).map_err(not_started)?;
        let (mut stdout, mut stderr) = (ShellCapture::default(), ShellCapture::default());
        let ending = {
            let written = write(writer, stdin);
            let streams = async {
                tokio::join!(
                    read(&mut self.stdout, &mut stdout),
                    read(&mut self.stderr, &mut stderr),
                    written
                )
            };
            let ended = await_end(&self.control, &self.readiness, limit, cancel);
            tokio::pin!(streams, ended);
            tokio::select! {
                // The output is complete once the streams end, when the last process holding them exits.
                _ = &mut streams => ended.await,
                ending = &mut ended => {
                    let _ = timeout(LAST, streams).await;
                    ending
                }
            }
        };
        tokio::spawn(async move { self.child.wait().await });
        Ok(FinishedCommand {
            ending,
            stdout,
            stderr,
        })
    }

    fn hand_over(&self, has_input: bool) -> std::io::Result<Option<pipe::Sender>> {
        if !has_input {
            self.control.hand_over(File::open("/dev/null")?.as_fd())?;
            return Ok(None);
        }
        let (sender, theirs) = pipe::pipe()?;
        self.control.hand_over(theirs.into_blocking_fd()?.as_fd())?;
        Ok(Some(sender))
    }

    async fn notice(&self) -> std::io::Result<Notice> {
        notice(&self.control, &self.readiness).await
    }

    /// Why a sandbox ended before it was ready, from its stderr.
    async fn words(mut self) -> Failure {
        let mut words = ShellCapture::default();
        let _ = timeout(LAST, read(&mut self.stderr, &mut words)).await;
        let (words, _) = words.finish(&gemicro_event::redact::Redactor::default());
        let words: String = words.trim().chars().take(2_000).collect();
        Failure::new(
            ErrorKind::SandboxUnavailable,
            format!("the sandbox did not start: {words}"),
        )
    }
}

/// Writes the standard input. A command that does not read it is not an error.
async fn write(writer: Option<pipe::Sender>, stdin: Option<String>) {
    if let (Some(mut writer), Some(stdin)) = (writer, stdin) {
        let _ = writer.write_all(stdin.as_bytes()).await;
    }
}

/// Waits for the end, and forces it at the time limit or on cancel.
async fn await_end(
    control: &Control,
    readiness: &UnixDatagram,
    limit: Duration,
    cancel: &CancellationToken,
) -> ProcessEnding {
    let early = tokio::select! {
        exit = last_word(control, readiness) => return exit.map_or_else(ProcessEnding::Failed, ProcessEnding::Exited),
        () = tokio::time::sleep(limit) => ProcessEnding::Late,
        () = cancel.cancelled() => ProcessEnding::Cancelled,
    };
    control.end();
    match timeout(LAST, last_word(control, readiness)).await {
        Ok(_) => early,
        Err(_) => ProcessEnding::Failed(Failure::new(
            ErrorKind::Internal,
            "the supervisor of the command did not stop it in time",
        )),
    }
}

/// The supervisor's report of how the command ended; nothing of it is left by then.
async fn last_word(control: &Control, readiness: &UnixDatagram) -> Result<CommandExit, Failure> {
    let mut failure = None;
    loop {
        match notice(control, readiness).await {
            // A launcher that failed reports that first; the exit code is then not the command's.
            Ok(Notice::Ended(exit)) => return failure.map_or(Ok(exit), Err),
            Ok(Notice::Failed { kind, message }) => failure = Some(Failure::new(kind, message)),
            Ok(Notice::Ready { .. }) => {}
            Ok(Notice::Gone) | Err(_) => {
                let gone = || {
                    Failure::new(
                        ErrorKind::Interrupted,
                        "the supervisor of the command was stopped",
                    )
                };
                return Err(failure.unwrap_or_else(gone));
            }
        }
    }
}

/// The next message from the channel.
async fn notice(control: &Control, readiness: &UnixDatagram) -> std::io::Result<Notice> {
    loop {
        readiness.readable().await?;
        match readiness.try_io(Interest::READABLE, || control.receive()) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            notice => return notice,
        }
    }
}

fn not_started(error: std::io::Error) -> Failure {
    Failure::new(
        ErrorKind::SandboxUnavailable,
        format!("cannot start the sandbox of the command: {error}"),
    )
}
