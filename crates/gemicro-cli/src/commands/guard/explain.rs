//! `gemicro guard explain`: shows people how the guard judges a command.

use std::path::PathBuf;

use clap::Args;
use gemicro_event::ErrorKind;
use gemicro_guard::policy::{Denial, GuardedCall, PolicyDecision, check};
use serde_json::{Map, Value, json};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::GuardSettings;
use crate::output;
use crate::screen::{Screen, text};
use crate::session::Context;

/// The exit code of a denied command.
const DENIED: u8 = 1;

/// The end of `gemicro guard explain --help`.
pub(super) const AFTER_HELP: &str = "\
Examples:
  gemicro guard explain \"git -C .. checkout main\"
  gemicro guard explain --worktree /srv/task \"cargo test 2>&1 | tail\"
  gemicro guard explain --tool write_file '{\"file_path\":\".git/config\"}'

Exit codes:
  0    the call is allowed
  1    the call is denied
  2    the guard failed";

/// Arguments of `gemicro guard explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The command line, or a JSON object with the tool's arguments
    call: String,
    /// The folder the agent may change [default: this folder]
    #[arg(long, value_name = "DIR")]
    worktree: Option<PathBuf>,
    /// The tool to call
    #[arg(long, value_name = "NAME", default_value = "shell")]
    tool: String,
    /// Use the `guard` section of this file instead of your settings
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DataFormat,
}

pub(crate) fn run(ctx: &Context, args: &ExplainArgs) -> Result<(), CommandError> {
    let policy = match &args.settings {
        Some(path) => GuardSettings::of_file(path)?,
        None => GuardSettings::of_user(&ctx.environment)?,
    };
    let call = call(ctx, args)?;
    let decision = check(&policy, &call);
    let text = match args.format {
        DataFormat::Text => screen(&ctx.screen, args, &decision),
        DataFormat::Json | DataFormat::Jsonl => format!("{}\n", object(&call, &decision)),
    };
    output::print(&text)?;
    match decision {
        PolicyDecision::Allow => Ok(()),
        PolicyDecision::Deny(_) => Err(CommandError::AlreadyReported(DENIED)),
    }
}

fn call(ctx: &Context, args: &ExplainArgs) -> Result<GuardedCall, CommandError> {
    let worktree = match &args.worktree {
        Some(folder) => ctx.environment.folder.join(folder),
        None => ctx.environment.folder.clone(),
    };
    if !worktree.is_dir() {
        return Err(CommandError::new_failure(
            ErrorKind::NotFound,
            format!("there is no folder {}", worktree.display()),
            "set the agent's folder with --worktree",
        ));
    }
    // Canonical, as a shell in that folder would report it.
    let worktree = worktree.canonicalize()?;
    let arguments = serde_json::from_str::<Map<String, Value>>(&args.call);
    Ok(match arguments {
        Ok(arguments) => GuardedCall {
            tool: args.tool.clone(),
            args: arguments,
            cwd: worktree.clone(),
            worktree,
        },
        Err(_) => GuardedCall::shell(args.tool.clone(), args.call.clone(), worktree),
    })
}

fn screen(screen: &Screen, args: &ExplainArgs, decision: &PolicyDecision) -> String {
    let paint = screen.on_stdout();
    let call = text::one_line(&args.call);
    match decision {
        PolicyDecision::Allow => format!(
            "{} {call}\n  No guard rule denies it. The sandbox still limits what it can do.\n",
            paint.good("Allowed:")
        ),
        PolicyDecision::Deny(denial) => {
            let Denial { rule, segment, hint } = denial;
            let line = |name: &str, text: &str| {
                let name = text::pad(name, "protects".len());
                format!("  {}  {}\n", paint.faint(&name), text::one_line(text))
            };
            let lines = [
                line("part", segment),
                line("rule", &format!("{rule}: {}", rule.meaning())),
                line("protects", rule.protects()),
                line("instead", hint),
            ];
            format!("{} {call}\n{}", paint.bad("Denied:"), lines.concat())
        }
    }
}

fn object(call: &GuardedCall, decision: &PolicyDecision) -> Value {
    let denial = match decision {
        PolicyDecision::Allow => None,
        PolicyDecision::Deny(denial) => Some(denial),
    };
    json!({
        "decision": if denial.is_none() { "allow" } else { "deny" },
        "rule": denial.map(|denial| denial.rule),
        "meaning": denial.map(|denial| denial.rule.meaning()),
        "protects": denial.map(|denial| denial.rule.protects()),
        "segment": denial.map(|denial| &denial.segment),
        "hint": denial.map(|denial| &denial.hint),
        "tool": call.tool,
        "args": call.args,
        "worktree": call.worktree.display().to_string(),
    })
}
