//! The tree of commands. What a command takes is declared in its own file.

use clap::{Arg, Parser, Subcommand, ValueEnum};

use super::help;
use crate::commands::answer::AnswerArgs;
use crate::commands::ask::AskArgs;
use crate::commands::batch::BatchArgs;
use crate::commands::cancel::CancelArgs;
use crate::commands::chat::ChatArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::config::ConfigArgs;
use crate::commands::conversations::ConversationsArgs;
use crate::commands::dead_letters::DeadLettersArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::events::EventsArgs;
use crate::commands::guard::GuardArgs;
use crate::commands::init::InitArgs;
use crate::commands::man::ManArgs;
use crate::commands::mcp::McpArgs;
use crate::commands::ooda::OodaArgs;
use crate::commands::pause::PauseArgs;
use crate::commands::payload::PayloadArgs;
use crate::commands::prune::PruneArgs;
use crate::commands::research::ResearchArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::retry::RetryArgs;
use crate::commands::run::RunArgs;
use crate::commands::runs::RunsArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::show::ShowArgs;
use crate::commands::sim::SimArgs;
use crate::commands::store::StoreArgs;
use crate::commands::worker::WorkerArgs;
use crate::commands::workflow::WorkflowArgs;
use crate::config::state_folder::parse_day_budget;

/// Deep research you can prove: cited answers, a durable journal, runs that survive a crash.
#[derive(Debug, Parser)]
#[command(
    name = "gemicro",
    version,
    after_help = help::AFTER_HELP,
    override_usage = "gemicro \"QUESTION\" [OPTIONS]\n       gemicro <COMMAND> [OPTIONS]",
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say more on stderr: every step, and log lines
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Keep runs in this store, such as postgres://user@host/database, instead of the state folder
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// As [`DAY_BUDGET_HELP`] says; only the commands that can spend show it.
    #[arg(long, global = true, hide = true, value_name = "AMOUNT", value_parser = day_budget)]
    pub(crate) day_budget: Option<String>,
}

/// What `--day-budget` means.
const DAY_BUDGET_HELP: &str =
    "Limit for all runs started on one UTC day: tokens (2M), money ('$5') or both ('2M,$5')";

/// `--day-budget` of a command that can spend; its value is that of the global flag.
pub(crate) fn day_budget_flag() -> Arg {
    Arg::new("day_budget")
        .long("day-budget")
        .value_name("AMOUNT")
        .value_parser(day_budget)
        .help(DAY_BUDGET_HELP)
}

/// Checks the text here, where the error can name the flag; the settings read it again.
fn day_budget(text: &str) -> Result<String, String> {
    parse_day_budget(text).map(|_| text.to_owned())
}

/// One command, one file in `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a question from sources (what `gemicro "question"` does)
    #[command(after_help = help::RESEARCH_EXAMPLES, arg = day_budget_flag())]
    Research(Box<ResearchArgs>),
    /// Give one prompt to a coding agent (Gemini CLI, Claude Code, Codex), in a sandbox
    #[command(after_help = help::ASK_EXAMPLES, arg = day_budget_flag())]
    Ask(Box<AskArgs>),
    /// Talk with an agent or a model: a conversation that does not forget
    #[command(after_help = help::CHAT_EXAMPLES, arg = day_budget_flag())]
    Chat(Box<ChatArgs>),
    /// Hand in many tasks at once, and poll them by one id
    Batch(BatchArgs),
    /// Raise the coverage of a project: observe, orient, decide, act, again and again
    #[command(after_help = help::OODA_EXAMPLES, arg = day_budget_flag())]
    Ooda(Box<OodaArgs>),
    /// Run a coding pipeline: from a task in words to a planned, tested, reviewed branch
    #[command(after_help = help::RUN_EXAMPLES, arg = day_budget_flag())]
    Run(Box<RunArgs>),
    /// Watch a whole pipeline mend a bug in a throwaway repository: no key, no network
    Demo(DemoArgs),
    /// Write the workflow of the pipeline and its prompts into a project, to be changed there
    #[command(after_help = help::INIT_EXAMPLES)]
    Init(InitArgs),
    /// Check the workflow of a project before it costs anything, or show it
    #[command(after_help = help::WORKFLOW_EXAMPLES)]
    Workflow(WorkflowArgs),
    /// Serve agents, research and runs as tools over the Model Context Protocol
    #[command(after_help = help::MCP_EXAMPLES, arg = day_budget_flag())]
    Mcp(McpArgs),
    /// Serve batches, runs and conversations to programs over HTTP
    #[command(after_help = help::SERVE_EXAMPLES, arg = day_budget_flag())]
    Serve(ServeArgs),
    /// List runs, the newest first
    Runs(RunsArgs),
    /// Show one run on one screen: what was asked, what happened, what it cost, what to do next
    Show(ShowArgs),
    /// Print what a pipeline changed on its branch
    Diff(DiffArgs),
    /// Print the events of a run
    Events(EventsArgs),
    /// Stop a run for now; `gemicro resume` continues it
    Pause(PauseArgs),
    /// Continue a run that was stopped or whose process died
    #[command(arg = day_budget_flag())]
    Resume(ResumeArgs),
    /// Ask again what failed in a run, or go on from a phase of a pipeline; what was done stays
    #[command(arg = day_budget_flag())]
    Retry(RetryArgs),
    /// Answer the question that a run waits on
    Answer(AnswerArgs),
    /// End a run for good
    Cancel(CancelArgs),
    /// List the steps that failed for good, the newest first
    DeadLetters(DeadLettersArgs),
    /// Keep conversations whole, and see the prompt that would be sent of one
    Conversations(ConversationsArgs),
    /// Delete old runs and what they stored
    Prune(PruneArgs),
    /// Check that everything is in place, and say how to fix what is not
    Doctor(DoctorArgs),
    /// Show the settings and where each comes from
    Config(ConfigArgs),
    /// Ask what an agent may do: answer its hook, or explain a denial
    Guard(GuardArgs),
    /// See what a pipeline reads out of an agent's answer
    Payload(PayloadArgs),
    /// Print the JSON Schemas of all events
    Schema,
    /// Maintain the store
    Store(StoreArgs),
    /// Be the resident worker, which carries on with what outlives its command; or ask what it does
    Worker(WorkerArgs),
    /// Simulate model APIs on this machine, or record a real one: no key, no cost
    Sim(SimArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the manual page, of gemicro or of one command
    Man(ManArgs),
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// The answer's Markdown alone.
    Markdown,
}

/// How lists and facts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DataFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value per line.
    Jsonl,
}

impl From<Format> for DataFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Json => Self::Json,
            Format::Jsonl => Self::Jsonl,
            Format::Text | Format::Markdown => Self::Text,
        }
    }
}
