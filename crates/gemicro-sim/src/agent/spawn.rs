//! Starts the processes of a fake agent.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child as Process, Command, Stdio};
use std::time::Duration;

use super::script_stage::ScriptStage;
use super::step::{Child, ChildOutput, Daemon, Fork, ScriptStep, ScriptSteps};

/// Wait before the next attempt if no process can be started.
const AGAIN: Duration = Duration::from_millis(5);

/// Runs a shell command and waits for it.
pub(super) fn shell(command: &str) -> io::Result<()> {
    shell_command(command).status().map(drop)
}

/// Starts a shell command without waiting for it.
pub(super) fn background(command: &str) -> io::Result<()> {
    shell_command(command).stdin(Stdio::null()).spawn().map(drop)
}

/// Starts this program with other steps.
pub(super) fn child(stage: &ScriptStage, child: &Child) -> io::Result<()> {
    let mut process = start(stage, &child.steps, child.output)?;
    if let Some(file) = &child.pid_file {
        std::fs::write(file.fill(stage), process.id().to_string())?;
    }
    match child.wait {
        true => process.wait().map(drop),
        false => Ok(()),
    }
}

/// Starts a process that starts another one and exits, so that the second is orphaned.
pub(super) fn daemon(stage: &ScriptStage, daemon: &Daemon) -> io::Result<()> {
    let between = vec![
        ScriptStep::Session(true),
        ScriptStep::Child(Child {
            steps: daemon.steps.clone(),
            wait: false,
            output: daemon.output,
            pid_file: daemon.pid_file.clone(),
        }),
    ];
    start(stage, &between, daemon.output)?.wait().map(drop)
}

/// Starts children until there are enough, or forever. Returns their number.
pub(super) fn fork(stage: &ScriptStage, fork: &Fork) -> io::Result<u64> {
    let mut steps = Vec::new();
    if fork.grow {
        steps.push(ScriptStep::Fork(Fork {
            count_file: None,
            ..fork.clone()
        }));
    }
    steps.push(ScriptStep::Hang(true));
    let count_file = fork.count_file.as_ref().map(|file| file.fill(stage));
    let mut n_started = 0;
    while fork.most.is_none_or(|most| n_started < most) {
        match start(stage, &steps, ChildOutput::Drop) {
            Ok(_) => n_started += 1,
            Err(error) if fork.most.is_some() => return Err(error),
            Err(_) => std::thread::sleep(AGAIN),
        }
        if let Some(file) = &count_file {
            std::fs::write(file, n_started.to_string())?;
        }
    }
    Ok(n_started)
}

/// Replaces this process with a new instance of the program. Returns only on failure.
pub(super) fn exec(stage: &ScriptStage, steps: &ScriptSteps) -> io::Error {
    match myself(stage, steps) {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    }
}

fn shell_command(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell
}

fn start(stage: &ScriptStage, steps: &ScriptSteps, output: ChildOutput) -> io::Result<Process> {
    let mut command = myself(stage, steps)?;
    command.stdin(Stdio::null());
    if output == ChildOutput::Drop {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    command.spawn()
}

fn myself(stage: &ScriptStage, steps: &ScriptSteps) -> io::Result<Command> {
    let (program, before) = stage
        .myself
        .split_first()
        .ok_or_else(|| io::Error::other("the agent does not know its own program"))?;
    let script = serde_json::json!({ "steps": steps }).to_string();
    let mut command = Command::new(program);
    command.args(before).arg("--steps").arg(script).arg("--");
    command.args(&stage.arguments);
    Ok(command)
}
