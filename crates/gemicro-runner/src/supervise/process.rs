//! A running agent process: asks it to end, kills it, and verifies that it is gone.

use std::net::TcpListener;
use std::os::fd::AsFd;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{
    CommandExit, Control, LaunchPlan, Notice, ProcessHandle, Tier, children, descendants, signal_descendants,
    still_running,
};
use rustix::process::Signal;
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::UnixDatagram;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::time::timeout;

use super::spares::Spares;
use super::spawn::{SpawnedProcess, spawn};
use super::text::plain;

/// Maximum time for a sandbox to start.
const START: Duration = Duration::from_secs(20);
/// Maximum number of bytes shown of a failed sandbox's output.
const WORDS: u64 = 4096;

/// A process that we started, with all its descendants. Dropping it ends them.
#[derive(Debug)]
pub(super) struct Process {
    /// The keeper (our parent process of the sandbox), until it reports the end.
    child: Option<Child>,
    control: Control,
    /// Signals that the channel can be read.
    readiness: UnixDatagram,
    tier: Tier,
    pid: u32,
    handle: Option<ProcessHandle>,
    /// Reports about its end so far.
    heard: ExitReport,
}

/// A started process with its streams.
pub(super) struct StartedProcess {
    pub(super) process: Process,
    pub(super) stdin: pipe::Sender,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
    /// The gateway's listener, if the command has its own network.
    pub(super) listener: Option<TcpListener>,
}

impl Process {
    /// Starts the planned command, which waits for its input until this returns.
    pub(super) async fn start(plan: LaunchPlan, spares: Option<&Spares>) -> Result<StartedProcess, Failure> {
        let program = plan.program.clone();
        let refused = |error: std::io::Error| {
            let message = format!("cannot start {}: {error}", program.display());
            Failure::new(ErrorKind::SandboxUnavailable, message)
        };
        let spare = spares.and_then(|spares| spares.take(&plan));
        let SpawnedProcess { mut child, control } = match spare {
            Some(spare) => spare,
            None => spawn(&plan).map_err(refused)?,
        };
        let (Some(stdout), Some(stderr), Some(pid)) = (child.stdout.take(), child.stderr.take(), child.id())
        else {
            return Err(Failure::new(
                ErrorKind::Internal,
                "the output of the process cannot be read",
            ));
        };
        let readiness = control.readiness().and_then(UnixDatagram::from_std);
        let mut process = Self {
            child: Some(child),
            control,
            readiness: readiness.map_err(refused)?,
            tier: plan.tier,
            pid,
            handle: ProcessHandle::of(pid),
            heard: ExitReport::default(),
        };
        let notice = timeout(START, process.notice()).await;
        let listener = match notice {
            Ok(Ok(Notice::Ready { listener })) => listener,
            Ok(Ok(Notice::Failed { kind, message })) => return Err(Failure::new(kind, message)),
            Ok(Ok(Notice::Gone | Notice::Ended(_)) | Err(_)) => {
                return Err(process.not_started(stderr).await);
            }
            Err(_) => {
                let message = format!("the sandbox did not start within {START:?}");
                return Err(Failure::new(ErrorKind::SandboxUnavailable, message));
            }
        };
        let (stdin, theirs) = pipe::pipe().map_err(refused)?;
        let theirs = theirs.into_blocking_fd().map_err(refused)?;
        process.control.hand_over(theirs.as_fd()).map_err(refused)?;
        Ok(StartedProcess {
            process,
            stdin,
            stdout,
            stderr,
            listener,
        })
    }

    /// Identifies the process, to find it again.
    pub(super) fn handle(&self) -> Option<&ProcessHandle> {
        self.handle.as_ref()
    }

    /// Waits for its end. The keeper's report is enough: it is sent when only the keeper is left, which then exits.
    /// This can be dropped and called again.
    pub(super) async fn wait(&mut self) -> ExitReport {
        while self.heard.exit.is_none() {
            match self.notice().await {
                Ok(Notice::Ended(exit)) => self.heard.exit = Some(exit),
                // The launcher failed; the keeper's report follows.
                Ok(Notice::Failed { kind, message }) => {
                    self.heard.failure = Some(Failure::new(kind, message));
                }
                Ok(Notice::Ready { .. }) => {}
                Ok(Notice::Gone) | Err(_) => {
                    // It sent no final report: it was killed, or could not start anything.
                    if let Some(child) = &mut self.child {
                        let _ = child.wait().await;
                    }
                    break;
                }
            }
        }
        if let Some(mut child) = self.child.take() {
            tokio::spawn(async move { child.wait().await });
        }
        self.heard.clone()
    }

    /// Asks all descendants to end.
    pub(super) fn ask(&self) {
        match self.tier {
            // Not bubblewrap itself: it would exit at once and kill the others without asking them.
            Tier::Full => {
                for bubblewrap in children(self.pid) {
                    signal_descendants(bubblewrap, Signal::TERM);
                }
            }
            Tier::Landlock | Tier::Seatbelt | Tier::None => {
                signal_descendants(self.pid, Signal::TERM);
            }
        }
    }

    /// Kills everything at once.
    pub(super) fn kill(&self) {
        self.control.end();
    }

    /// Kills everything without the keeper's help.
    pub(super) fn force(&mut self) {
        signal_descendants(self.pid, Signal::KILL);
        if let Some(child) = &mut self.child {
            let _ = child.start_kill();
        }
    }

    pub(super) fn descendants(&self) -> Vec<u32> {
        descendants(self.pid)
    }

    /// Number of processes left after the end. `None` if it cannot be determined.
    pub(super) fn survivors(&self, exited: &ExitReport) -> Option<u32> {
        // A keeper only reports the end when it has no descendants.
        if exited.exit.is_some() {
            return Some(0);
        }
        if self.handle.as_ref().is_some_and(still_running) {
            let n_left = descendants(self.pid).len().saturating_add(1);
            return Some(u32::try_from(n_left).unwrap_or(u32::MAX));
        }
        exited.failure.is_some().then_some(0)
    }

    /// Receives the next notice on the channel.
    async fn notice(&self) -> std::io::Result<Notice> {
        loop {
            self.readiness.readable().await?;
            let notice = self
                .readiness
                .try_io(Interest::READABLE, || self.control.receive());
            match notice {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                notice => return notice,
            }
        }
    }

    /// Explains why a sandbox failed to start, with its own output.
    async fn not_started(&mut self, stderr: ChildStderr) -> Failure {
        let mut words = Vec::new();
        let mut stderr = stderr.take(WORDS);
        let _ = timeout(START, stderr.read_to_end(&mut words)).await;
        let words = String::from_utf8_lossy(&words);
        let words: Vec<String> = words.lines().map(plain).filter(|line| !line.is_empty()).collect();
        let message = format!("the sandbox did not start: {}", words.join("; "));
        Failure::new(ErrorKind::SandboxUnavailable, message)
    }
}

/// How a process ended.
#[derive(Debug, Clone, Default)]
pub(super) struct ExitReport {
    pub(super) exit: Option<CommandExit>,
    /// Why the command was never started.
    pub(super) failure: Option<Failure>,
}
