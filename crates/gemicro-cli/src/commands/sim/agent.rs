//! `gemicro sim agent`: a process that plays an agent CLI.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gemicro_event::ErrorKind;
use gemicro_sim::agent::{AgentIdentity, AgentScript, Pause, ScriptError, ScriptStage, install, run};

use crate::command_error::CommandError;
use crate::output;

/// Arguments of `gemicro sim agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// The script to play: a YAML or JSON file of steps
    #[arg(
        long,
        visible_alias = "scenario",
        value_name = "FILE",
        env = "GEMICRO_SIM_AGENT_SCRIPT",
        conflicts_with_all = ["play", "steps"]
    )]
    script: Option<PathBuf>,
    /// Print the lines of this file, then exit
    #[arg(long, value_name = "CAPTURE", conflicts_with = "steps")]
    play: Option<PathBuf>,
    /// Wait this long before each line of the capture, such as 20ms
    #[arg(long, value_name = "TIME", requires = "play", value_parser = pause)]
    delay: Option<Pause>,
    /// The script itself, as JSON: how an agent starts its children
    #[arg(long, value_name = "JSON", hide = true)]
    steps: Option<String>,
    /// The CLI to imitate, unless the script names one
    #[arg(long = "as", value_enum, value_name = "CLI")]
    identity: Option<CliName>,
    /// Write a program DIR/gemini (or claude, codex) that plays the script, then exit
    #[arg(long, value_name = "DIR", requires = "script", requires = "identity")]
    install: Option<PathBuf>,
    /// The arguments of the imitated CLI
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

/// The CLIs that can be played.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CliName {
    Gemini,
    Claude,
    Codex,
}

/// Plays an agent in place of this process, or installs one.
pub(super) fn play(args: &AgentArgs) -> Result<(), CommandError> {
    let identity = args.identity.map(|name| match name {
        CliName::Gemini => AgentIdentity::Gemini,
        CliName::Claude => AgentIdentity::Claude,
        CliName::Codex => AgentIdentity::Codex,
    });
    let script = script(args)?;
    let myself = myself()?;
    if let (Some(folder), Some(identity), Some(file)) = (&args.install, identity, &args.script) {
        let program =
            install(folder, identity, file, &myself).map_err(|error| cannot_install(folder, &error))?;
        return output::print(&format!("{}\n", program.display()));
    }
    let variables = std::env::vars_os();
    let environment: BTreeMap<String, String> = variables
        .map(|(name, value)| (lossy(name), lossy(value)))
        .collect();
    let stage = ScriptStage::new(
        myself,
        args.arguments.clone(),
        environment,
        (
            Box::new(BufReader::new(io::stdin())),
            Box::new(io::stdout()),
            Box::new(io::stderr()),
        ),
    );
    // Exits with the script's code: no other command of this program ends like this.
    std::process::exit(i32::from(run(&script, identity, stage)));
}

fn script(args: &AgentArgs) -> Result<AgentScript, CommandError> {
    let read = match (&args.script, &args.play, &args.steps) {
        (_, _, Some(steps)) => AgentScript::parse("--steps", steps),
        (_, Some(capture), None) => Ok(AgentScript::of_capture(
            capture.clone(),
            args.delay.unwrap_or_default(),
        )),
        (Some(file), None, None) => AgentScript::load(file),
        (None, None, None) => {
            return Err(CommandError::usage(
                "there is no script to play",
                "give --script FILE or --play CAPTURE, or set GEMICRO_SIM_AGENT_SCRIPT",
            ));
        }
    };
    read.map_err(|error| match error {
        ScriptError::Unreadable { .. } => CommandError::usage(error.to_string(), "choose a readable file"),
        _ => CommandError::usage(
            error.to_string(),
            "fix the script; docs/simulator.md describes every step",
        ),
    })
}

/// The command that starts this program as an agent.
fn myself() -> Result<Vec<OsString>, CommandError> {
    let program = std::env::current_exe().map_err(|error| {
        CommandError::new_failure(
            ErrorKind::Internal,
            format!("cannot find the gemicro program file: {error}"),
            "start it by its full path",
        )
    })?;
    Ok(vec![program.into(), "sim".into(), "agent".into()])
}

fn cannot_install(folder: &Path, error: &io::Error) -> CommandError {
    CommandError::new_failure(
        ErrorKind::StorageError,
        format!("cannot write to {}: {error}", folder.display()),
        "choose a writable folder",
    )
}

fn pause(text: &str) -> Result<Pause, String> {
    Pause::try_from(text.to_owned())
}

fn lossy(text: OsString) -> String {
    text.to_string_lossy().into_owned()
}
