//! Runs one of gemicro's own commands inside a task's sandbox, to completion.
//!
//! For short commands whose whole output is needed; agents are run by the runner. The agent can control everything
//! inside, so this output is not trusted.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsFd;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use gemicro_event::text;

use super::error::RepositoryError;
use crate::sandbox::{CommandExit, Control, Launcher, Notice, Profile, SandboxError, Tier, plan_supervised};

/// Maximum number of bytes kept of each stream; the rest is read and dropped.
const KEPT_BYTES: u64 = 1 << 20;
/// Time for all processes inside to end after they were asked to.
const GRACE: Duration = Duration::from_secs(20);

/// The sandbox in which gemicro runs its own git for a task, with the agent's profile and permissions.
#[derive(Debug, Clone)]
pub struct InsideCommand {
    /// How gemicro itself is started inside the sandbox.
    pub launcher: Launcher,
    /// The sandbox tier that runs the command.
    pub tier: Tier,
    /// The agent's profile, in mode `workspace-write`.
    pub profile: Profile,
    /// Maximum duration of a command.
    pub time_limit: Duration,
}

impl InsideCommand {
    /// Runs a command; see [`run_inside`].
    ///
    /// # Errors
    /// The same as for [`run_inside`].
    pub fn run(&self, command: &[OsString]) -> Result<InsideOutput, RepositoryError> {
        run_inside(&self.launcher, self.tier, &self.profile, command, self.time_limit)
    }
}

/// The output of a command inside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsideOutput {
    /// Its exit code, or the signal that ended it.
    pub exit: CommandExit,
    /// The first mebibyte of its output.
    pub stdout: Vec<u8>,
    /// The first mebibyte of its stderr.
    pub stderr: Vec<u8>,
}

impl InsideOutput {
    /// Whether it succeeded.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.exit == CommandExit::Code(0)
    }
}

/// Runs a command in a sandbox until all its processes have ended, and returns its output. Its input is empty.
///
/// # Errors
/// When the sandbox or the command cannot be started, or the command takes too long; then it is killed.
pub fn run_inside(
    launcher: &Launcher,
    tier: Tier,
    profile: &Profile,
    command: &[OsString],
    time_limit: Duration,
) -> Result<InsideOutput, RepositoryError> {
    let until = Instant::now() + time_limit;
    let plan = plan_supervised(launcher, tier, profile, command)?;
    let refused = |source: std::io::Error| {
        let source = Box::new(source);
        RepositoryError::Sandbox(SandboxError::Refused {
            wall: "the supervising process",
            source,
        })
    };
    let (mut starting, control) = plan.supervised_command().map_err(refused)?;
    let mut child = starting
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(refused)?;
    // This process must not keep its copy of the channel open.
    drop(starting);
    let (tx, rx) = mpsc::channel();
    collect(child.stdout.take(), InsideStream::Output, &tx);
    collect(child.stderr.take(), InsideStream::Words, &tx);
    drop(tx);
    let exit = follow(&control, until);
    control.end();
    drop(control);
    reap(&mut child);
    let mut output = InsideOutput {
        exit: CommandExit::Code(-1),
        stdout: Vec::new(),
        stderr: Vec::new(),
    };
    while let Ok((stream, bytes)) = rx.recv_timeout(GRACE) {
        match stream {
            InsideStream::Output => output.stdout = bytes,
            InsideStream::Words => output.stderr = bytes,
        }
    }
    let name = name_of(command);
    match exit {
        FollowedProcess::Ended(exit) => Ok(InsideOutput { exit, ..output }),
        FollowedProcess::Late => Err(RepositoryError::InsideTimeout {
            command: name,
            limit: time_limit,
        }),
        FollowedProcess::Failed(line) => {
            let words = super::call::last_line(&output.stderr);
            Err(RepositoryError::Inside {
                command: name,
                line: line.unwrap_or(words),
            })
        }
    }
}

/// The program and its subcommand, to name a command in messages.
pub(super) fn name_of(command: &[OsString]) -> String {
    let mut words = command.iter().map(|word| word.to_string_lossy());
    let mut name = words.next().unwrap_or_default().into_owned();
    while let Some(word) = words.next() {
        if word == "-c" {
            words.next();
        } else if !word.starts_with('-') {
            name = format!("{name} {word}");
            break;
        }
    }
    text::plain(&name, 200)
}

enum FollowedProcess {
    Ended(CommandExit),
    Late,
    Failed(Option<String>),
}

/// Follows the command until it ends.
fn follow(control: &Control, until: Instant) -> FollowedProcess {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match control.wait(left) {
            Ok(Notice::Ready { .. }) => {
                let nothing = std::fs::File::open("/dev/null");
                let handed = nothing.and_then(|nothing| control.hand_over(nothing.as_fd()));
                if let Err(error) = handed {
                    return FollowedProcess::Failed(Some(error.to_string()));
                }
            }
            Ok(Notice::Ended(exit)) => return FollowedProcess::Ended(exit),
            Ok(Notice::Failed { message, .. }) => return FollowedProcess::Failed(Some(message)),
            Ok(Notice::Gone) => return FollowedProcess::Failed(None),
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => return FollowedProcess::Late,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return FollowedProcess::Failed(Some(error.to_string())),
        }
    }
}

/// Waits for the keeper, which kills everything first.
fn reap(child: &mut Child) {
    let until = Instant::now() + GRACE;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Ok(Some(_)) | Err(_) => return,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[derive(Debug, Clone, Copy)]
enum InsideStream {
    Output,
    Words,
}

fn collect(
    stream: Option<impl Read + Send + 'static>,
    which: InsideStream,
    tx: &mpsc::Sender<(InsideStream, Vec<u8>)>,
) {
    let tx = tx.clone();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            // A stream that fails is treated as ended.
            let _ = stream.by_ref().take(KEPT_BYTES).read_to_end(&mut kept);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        let _ = tx.send((which, kept));
    });
}
