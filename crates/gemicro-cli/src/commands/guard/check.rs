//! `gemicro guard check`: answers the hook of an agent's CLI.
//!
//! CLIs allow a call if their hook fails with any exit code but 2. So any failure here, even a panic, becomes a denial
//! on stdout, a reason on stderr and that exit code.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, ValueEnum};
use gemicro_guard::hook::{EXIT_DENY, HookAnswer, HookError, HookFormat, HookRequest, judge, refusal};
use gemicro_guard::policy::PolicyConfig;

use super::requests::HookRequests;
use crate::command_error::CommandError;
use crate::config::GuardSettings;
use crate::environment::Environment;
use crate::output;

/// The end of `gemicro guard check --help`.
pub(super) const AFTER_HELP: &str = "\
Examples:
  gemicro guard check < request.json
  gemicro guard check --jsonl < requests.jsonl
  gemicro guard check --cli claude --worktree /srv/task

A request in the neutral format:
  {\"tool\": \"shell\", \"command\": \"git push\", \"worktree\": \"/srv/task\"}
Its answer: {\"decision\": \"allow\" or \"deny\", \"rule\", \"segment\", \"hint\"}.

Exit codes:
  0    every request was decided; the answers are on stdout
  2    the guard failed: the answer is a denial, and stderr says why";

/// Arguments of `gemicro guard check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The format of the request [default: detected]
    #[arg(long, value_enum)]
    cli: Option<CliFormat>,
    /// The folder the agent may change [default: from the request]
    #[arg(long, value_name = "DIR")]
    worktree: Option<PathBuf>,
    /// Read one request per line and print one answer per line
    #[arg(long)]
    jsonl: bool,
    /// Use the `guard` section of this file instead of your settings
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
}

/// The formats by the names of their CLIs.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CliFormat {
    /// Gemini CLI, BeforeTool
    Gemini,
    /// Claude Code, PreToolUse
    Claude,
    /// Codex, PreToolUse
    Codex,
    /// gemicro's own format
    Neutral,
}

// A separate parser, because building the tree of all commands takes longer than the answer.
/// Decide on a tool call from stdin, in the format of an agent's hook
#[derive(Debug, Parser)]
#[command(name = "gemicro guard check", after_help = AFTER_HELP, max_term_width = 80)]
struct CheckCommand {
    #[command(flatten)]
    args: CheckArgs,
}

/// Answers `gemicro guard check` before the program is set up; `None` for other commands.
pub(crate) fn early(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, first, second, rest @ ..] = arguments else {
        return None;
    };
    if first != "guard" || second != "check" {
        return None;
    }
    let name = OsString::from("gemicro guard check");
    let code = deny_on_panic(|| {
        match CheckCommand::try_parse_from(std::iter::once(&name).chain(rest)) {
            Ok(alone) => answer_all(&alone.args),
            Err(error) if error.exit_code() == 0 => {
                // The user asked for help.
                let _ = output::print(&error.render().to_string());
                0
            }
            Err(error) => {
                let why = error.render().to_string();
                tell(&refusal(
                    HookFormat::Neutral,
                    &HookError::Arguments(why.trim_end().to_owned()),
                ))
            }
        }
    });
    Some(ExitCode::from(code))
}

/// Answers the requests of stdin; returns the exit code.
pub(super) fn run(args: &CheckArgs) -> u8 {
    deny_on_panic(|| answer_all(args))
}

/// Turns a panic into a denial.
fn deny_on_panic(work: impl FnOnce() -> u8) -> u8 {
    // Stderr is reserved for the reason that the agent reads.
    std::panic::set_hook(Box::new(|_| {}));
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| tell(&refusal(HookFormat::Neutral, &HookError::Fault)))
}

fn answer_all(args: &CheckArgs) -> u8 {
    let prepared = prepare(args);
    let mut requests = HookRequests::new(io::stdin().lock());
    let mut code = 0;
    if args.jsonl {
        while let Some(request) = requests.line() {
            match say(&answer(args, &prepared, request)) {
                Ok(exit_code) => code = code.max(exit_code),
                // The reader of the answers is gone.
                Err(error) => return output_lost(&error),
            }
        }
        code
    } else {
        tell(&answer(args, &prepared, requests.whole()))
    }
}

/// Data shared by all requests of this call.
struct CheckContext {
    policy: PolicyConfig,
    worktree: Option<PathBuf>,
}

fn prepare(args: &CheckArgs) -> Result<CheckContext, String> {
    let said = |stopped: CommandError| match stopped {
        CommandError::Report(report) => report.failure.message,
        CommandError::PipeClosed | CommandError::AlreadyReported(_) => "they cannot be read".to_owned(),
    };
    let policy = match &args.settings {
        Some(path) => GuardSettings::of_file(path),
        None => GuardSettings::of_user(&Environment::of_process()),
    };
    let worktree = args.worktree.as_ref().map(std::path::absolute).transpose();
    Ok(CheckContext {
        policy: policy.map_err(said)?,
        worktree: worktree.map_err(|error| format!("--worktree: {error}"))?,
    })
}

fn answer(
    args: &CheckArgs,
    prepared: &Result<CheckContext, String>,
    request: Result<String, HookError>,
) -> HookAnswer {
    let format = args.cli.map(|cli| match cli {
        CliFormat::Gemini => HookFormat::Gemini,
        CliFormat::Claude => HookFormat::Claude,
        CliFormat::Codex => HookFormat::Codex,
        CliFormat::Neutral => HookFormat::Neutral,
    });
    match (request, prepared) {
        (Ok(text), Ok(prepared)) => judge(&prepared.policy, format, &text, prepared.worktree.as_deref()),
        (Ok(text), Err(why)) => {
            let seen = || HookRequest::parse(&text).map_or(HookFormat::Neutral, |request| request.format());
            refusal(format.unwrap_or_else(seen), &HookError::Settings(why.clone()))
        }
        (Err(error), _) => refusal(format.unwrap_or(HookFormat::Neutral), &error),
    }
}

/// Whether output written there is lost.
fn is_nowhere(stdout: impl AsFd) -> bool {
    let nowhere = std::fs::metadata("/dev/null").map(|about| about.rdev());
    let found = stdout
        .as_fd()
        .try_clone_to_owned()
        .map(File::from)
        .and_then(|file| file.metadata());
    matches!((found, nowhere), (Ok(found), Ok(nowhere)) if found.file_type().is_char_device() && found.rdev() == nowhere)
}

/// Writes an answer; returns the exit code. An answer that cannot be delivered is a denial too.
fn tell(answer: &HookAnswer) -> u8 {
    say(answer).unwrap_or_else(|error| output_lost(&error))
}

fn output_lost(error: &io::Error) -> u8 {
    output::say(&format!(
        "Permission Denied: the answer could not be written: {error}"
    ));
    EXIT_DENY
}

fn say(answer: &HookAnswer) -> io::Result<u8> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{}", answer.stdout).and_then(|()| stdout.flush());
    if !answer.stderr.is_empty() {
        output::say(&answer.stderr);
    }
    written?;
    // If stdout was closed, it leads to /dev/null from the start: only the exit code remains.
    let is_unheard = answer.is_denial && is_nowhere(&stdout);
    Ok(if is_unheard { EXIT_DENY } else { answer.exit_code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_denial() {
        assert_eq!(deny_on_panic(|| panic!("on purpose")), EXIT_DENY);
        assert_eq!(deny_on_panic(|| 0), 0);
    }

    #[test]
    fn only_this_command_is_answered_early() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        for line in [
            "gemicro",
            "gemicro guard",
            "gemicro guard explain x",
            "gemicro check guard",
        ] {
            assert!(early(&words(line)).is_none(), "{line}");
        }
    }
}
