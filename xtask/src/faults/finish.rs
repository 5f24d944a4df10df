//! Runs commands with a time limit, and resumes a disturbed run until it ends, as a user would.

use std::fs::File;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::fold::RunJournal;
use super::kind::{MESSAGES, RunKind};
use super::world::FaultWorld;

/// A command that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(90);
/// Attempts to bring a run to its end.
const ATTEMPTS: usize = 6;

/// Retries of a run that failed.
const RETRIES: usize = 2;

/// The output of a command that ended.
#[derive(Debug)]
pub(crate) struct EndedCommand {
    /// Exit code; -1 after a signal.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A run at its end.
pub(crate) struct FinishedRun {
    pub(crate) journal: RunJournal,
    /// Whether it failed and was retried in a new run.
    pub(crate) is_retry: bool,
}

/// Starts a command whose output goes to files.
pub(crate) fn spawn(world: &FaultWorld, command: &mut Command) -> Result<Child> {
    command
        .stdout(File::create(world.path("stdout"))?)
        .stderr(File::create(world.path("stderr"))?);
    command.spawn().context("cannot start gemicro")
}

/// Waits for a command of [`spawn`].
pub(crate) fn wait(world: &FaultWorld, child: &mut Child) -> Result<EndedCommand> {
    let started_at = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started_at.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            bail!("a command of gemicro hung: {}", last_line(world));
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    let read = |name: &str| -> Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(world.path(name))?).into_owned())
    };
    Ok(EndedCommand {
        code: status.code().unwrap_or(-1),
        stdout: read("stdout")?,
        stderr: read("stderr")?,
    })
}

fn last_line(world: &FaultWorld) -> String {
    let text = std::fs::read_to_string(world.path("stderr")).unwrap_or_default();
    text.lines().last().unwrap_or_default().to_owned()
}

pub(crate) fn call(world: &FaultWorld, mut command: Command) -> Result<EndedCommand> {
    wait(world, &mut spawn(world, &mut command)?)
}

/// Calls gemicro and expects success.
pub(crate) fn must(world: &FaultWorld, arguments: &[&str]) -> Result<String> {
    let ended = call(world, world.command(arguments))?;
    if ended.code != 0 {
        bail!(
            "`gemicro {}` failed: {}",
            arguments.join(" "),
            ended.stderr.trim()
        );
    }
    Ok(ended.stdout)
}

/// The command that starts the run, or that continues the chat.
pub(crate) fn start(world: &FaultWorld, kind: RunKind) -> Result<Command> {
    let mut arguments = kind.start();
    if kind != RunKind::Chat {
        return Ok(world.command(&arguments));
    }
    let id = conversation(world)?;
    let answered = match &id {
        Some(id) => answered_messages(&journal(world, id)?),
        None => Vec::new(),
    };
    let open = MESSAGES
        .iter()
        .filter(|message| !answered.iter().any(|it| it == *message));
    world.write(
        "messages",
        &open.map(|message| format!("{message}\n")).collect::<String>(),
    )?;
    arguments.extend(id.as_deref());
    let mut command = world.command(&arguments);
    command.stdin(File::open(world.path("messages"))?);
    Ok(command)
}

/// Brings a run to its end: starts it if nothing of it was stored, and resumes it otherwise.
///
/// A run that failed because of the model's server or the agent is retried.
pub(crate) fn finish(world: &FaultWorld, kind: RunKind, may_retry: bool) -> Result<FinishedRun> {
    let (mut is_retry, mut n_retries) = (false, 0);
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        if kind == RunKind::Chat {
            if let Some(id) = conversation(world)? {
                let journal = journal(world, &id)?;
                let answered = answered_messages(&journal);
                if MESSAGES
                    .iter()
                    .all(|message| answered.iter().any(|it| it == message))
                {
                    return Ok(FinishedRun { journal, is_retry });
                }
            }
            last = call(world, start(world, kind)?)?.stderr;
            continue;
        }
        let ended = match status(world)?.as_deref() {
            None => call(world, start(world, kind)?)?,
            Some("failed") if may_retry && n_retries < RETRIES => {
                n_retries += 1;
                is_retry = true;
                call(world, world.command(&["retry", "last"]))?
            }
            Some("completed" | "failed" | "cancelled" | "interrupted" | "partial") => {
                let journal = journal(world, "last")?;
                return Ok(FinishedRun { journal, is_retry });
            }
            Some(_) => call(world, world.command(&["resume", "last", "--format", "jsonl"]))?,
        };
        last = ended.stderr;
    }
    bail!("the run did not end: {}", last.trim())
}

/// The status of the newest run.
fn status(world: &FaultWorld) -> Result<Option<String>> {
    let rows: Value = serde_json::from_str(&must(world, &["runs", "--format", "json"])?)?;
    Ok(rows[0]["status"].as_str().map(str::to_owned))
}

pub(crate) fn journal(world: &FaultWorld, stream: &str) -> Result<RunJournal> {
    RunJournal::parse(&must(world, &["events", stream])?)
}

fn conversation(world: &FaultWorld) -> Result<Option<String>> {
    if !world.store_folder().exists() {
        return Ok(None);
    }
    let list = must(world, &["conversations", "list", "--format", "json"])?;
    let list: Value = serde_json::from_str(&list)?;
    Ok(list[0]["id"].as_str().map(str::to_owned))
}

/// The messages of the chat that have an answer.
pub(crate) fn answered_messages(journal: &RunJournal) -> Vec<String> {
    let answers = journal.chat_answers();
    answers.into_iter().map(|(message, _)| message).collect()
}
