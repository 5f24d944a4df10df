//! `gemicro workflow`: checks a workflow before it costs anything, or shows it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use gemicro_core::ask::AgentName;
use gemicro_engine::pipeline::found_checks;
use gemicro_pipeline::workflow::{
    MissingTool, Workflow, WorkflowProblem, check_for, show_mermaid, show_text, warnings,
};
use serde_json::{Value, json};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::workflow_file::{self, NotLoaded};

/// The exit code for an invalid workflow: that of every usage error.
const WRONG: u8 = 2;

/// Arguments of `gemicro workflow`.
#[derive(Debug, Args)]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    pub(crate) command: WorkflowCommand,
}

/// What can be done with a workflow.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Report every mistake in a workflow: unreachable phases, missing edges, endless loops, missing tools
    Check {
        /// The workflow file [default: the project's, else the built-in workflow]
        file: Option<PathBuf>,
        /// The agent for roles that name none: gemini, claude or codex
        #[arg(long, value_name = "NAME", value_parser = agent_name, default_value = "gemini")]
        agent: AgentName,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: DataFormat,
    },
    /// Show the modes, phases, roles and limits
    Show {
        /// The workflow file [default: the project's, else the built-in workflow]
        file: Option<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: ShowFormat,
    },
}

/// How a workflow is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Readable text.
    #[default]
    Text,
    /// A flowchart that GitHub and GitLab can draw.
    Mermaid,
    /// One JSON object, prompts included.
    Json,
}

impl WorkflowArgs {
    /// Whether a failure is printed as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.command {
            WorkflowCommand::Check { format, .. } => *format != DataFormat::Text,
            WorkflowCommand::Show { format, .. } => *format == ShowFormat::Json,
        }
    }
}

/// Checks or shows a workflow.
pub(crate) fn run(ctx: &Context, args: &WorkflowArgs) -> Result<(), CommandError> {
    let directory = &ctx.environment.folder;
    match &args.command {
        WorkflowCommand::Check { file, agent, format } => {
            let found = workflow_file::find(file.as_deref(), directory)?;
            // Like a run, which detects missing checks.
            let workflow = workflow_file::read(&found).map(|mut workflow| {
                if workflow.checks.is_empty() {
                    workflow.checks = found_checks(directory);
                }
                workflow
            });
            match format {
                DataFormat::Text => tell(ctx, &found.shown, *agent, &workflow?),
                DataFormat::Json | DataFormat::Jsonl => print_object(&found.shown, *agent, workflow),
            }
        }
        WorkflowCommand::Show { file, format } => {
            let mut workflow = workflow_file::load(file.as_deref(), directory)?;
            let shown = match format {
                ShowFormat::Text => {
                    if workflow.checks.is_empty() {
                        workflow.checks = found_checks(directory);
                        output::say(match workflow.checks.is_empty() {
                            true => "It has no checks, and gemicro found none in this folder.",
                            false => "It has no checks; gemicro found the ones below in this folder.",
                        });
                    }
                    show_text(&workflow)
                }
                ShowFormat::Mermaid => show_mermaid(&workflow),
                ShowFormat::Json => {
                    let json = serde_json::to_string_pretty(&workflow).map_err(std::io::Error::from)?;
                    return output::print(&format!("{json}\n"));
                }
            };
            output::print(&text::neutral(&shown))
        }
    }
}

fn tell(ctx: &Context, shown: &str, agent: AgentName, workflow: &Workflow) -> Result<(), CommandError> {
    for warning in warnings(workflow) {
        let mark = ctx.screen.on_stderr().warn("warning:");
        output::say(&format!("{mark} {}", text::neutral(&warning)));
    }
    let missing = check_for(workflow, agent);
    if missing.is_empty() {
        let able = AgentName::ALL
            .into_iter()
            .filter(|it| check_for(workflow, *it).is_empty());
        let able: Vec<&str> = able.map(|it| it.as_str()).collect();
        return output::print(&format!(
            "{} can be run with {}: {}, {}, {}\n",
            text::one_line(shown),
            able.join(", "),
            numbers::count(workflow.phases.len(), "phase"),
            numbers::count(workflow.roles.len(), "role"),
            numbers::count(workflow.checks.len(), "check")
        ));
    }
    let lines: Vec<String> = missing.iter().map(|missing| format!("\n  {missing}")).collect();
    Err(CommandError::usage(
        format!("{shown} cannot be run with {agent}:{}", lines.concat()),
        "change the roles, or choose another agent with --agent",
    ))
}

/// Prints one object with everything that was found, even if the workflow is invalid.
fn print_object(
    shown: &str,
    agent: AgentName,
    workflow: Result<Workflow, NotLoaded>,
) -> Result<(), CommandError> {
    let (problems, missing, warnings): (Vec<WorkflowProblem>, Vec<MissingTool>, Vec<String>) = match workflow
    {
        Ok(workflow) => (Vec::new(), check_for(&workflow, agent), warnings(&workflow)),
        Err(NotLoaded::Wrong { error, .. }) => (error.problems().to_vec(), Vec::new(), Vec::new()),
        Err(unreadable @ NotLoaded::Unreadable { .. }) => return Err(unreadable.into()),
    };
    let is_sound = problems.is_empty() && missing.is_empty();
    let object: Value = json!({
        "file": shown,
        "agent": agent,
        "ok": is_sound,
        "problems": problems,
        "missing_tools": missing,
        "warnings": warnings,
    });
    output::print(&format!("{object}\n"))?;
    match is_sound {
        true => Ok(()),
        false => Err(CommandError::AlreadyReported(WRONG)),
    }
}

fn agent_name(name: &str) -> Result<AgentName, String> {
    let found = AgentName::ALL.into_iter().find(|agent| agent.as_str() == name);
    found.ok_or_else(|| "write gemini, claude or codex".to_owned())
}
