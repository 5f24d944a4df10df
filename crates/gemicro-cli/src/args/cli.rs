//! The tree of commands. What a command takes is declared in its own file.

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use super::options::SharedOptions;
use super::{help, options};
use crate::commands::answer::AnswerArgs;
use crate::commands::ask::AskArgs;
use crate::commands::batch::BatchArgs;
use crate::commands::budget::BudgetArgs;
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
use crate::commands::export::ExportRunArgs;
use crate::commands::guard::GuardArgs;
use crate::commands::inbox::InboxArgs;
use crate::commands::init::InitArgs;
use crate::commands::instruct::InstructArgs;
use crate::commands::man::ManArgs;
use crate::commands::mcp::McpArgs;
use crate::commands::memory::MemoryArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::notify::NotifyArgs;
use crate::commands::ooda::OodaArgs;
use crate::commands::pause::PauseArgs;
use crate::commands::payload::PayloadArgs;
use crate::commands::prune::PruneArgs;
use crate::commands::recording::RecordingArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::research::ResearchArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::retry::RetryArgs;
use crate::commands::run::RunArgs;
use crate::commands::runs::RunsArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::show::ShowArgs;
use crate::commands::sim::SimArgs;
use crate::commands::skills::SkillsArgs;
use crate::commands::store::StoreArgs;
use crate::commands::test_recordings::TestArgs;
use crate::commands::worker::WorkerArgs;
use crate::commands::workflow::WorkflowArgs;

/// Turns Gemini, Claude Code and Codex into dependable workers: cited research, sandboxed coding agents, pipelines and
/// batches, in runs that survive a crash.
#[derive(Debug, Parser)]
#[command(
    name = "gemicro",
    version,
    after_help = help::AFTER_HELP,
    override_usage = "gemicro \"QUESTION\" [OPTIONS]\n       gemicro <COMMAND> [OPTIONS]",
    arg_required_else_help = true,
    max_term_width = 80
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Read from every level of the tree, see [`SharedOptions`].
    #[arg(skip)]
    pub(crate) options: SharedOptions,
}

/// The commands by what they are for, as `gemicro --help` lists them.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Work",
        &["research", "ask", "chat", "run", "batch", "merge", "ooda", "demo"],
    ),
    (
        "Look",
        &[
            "runs",
            "inbox",
            "show",
            "diff",
            "events",
            "dead-letters",
            "export",
            "replay",
        ],
    ),
    (
        "Steer",
        &[
            "answer", "instruct", "budget", "pause", "cancel", "resume", "retry", "memory", "skills",
        ],
    ),
    ("Serve", &["serve", "mcp", "worker"]),
    (
        "Set up",
        &["init", "doctor", "config", "notify", "completions", "man"],
    ),
    (
        "Tools",
        &[
            "guard",
            "workflow",
            "payload",
            "schema",
            "conversations",
            "recording",
            "test",
            "store",
            "prune",
            "sim",
        ],
    ),
];

/// The names of all commands.
pub(super) fn command_names() -> impl Iterator<Item = &'static str> {
    GROUPS.into_iter().flat_map(|(_, names)| names.iter().copied())
}

/// The commands of groups: the group and the command, such as `batch` and `wait`.
pub(super) fn nested_command_names() -> Vec<(String, String)> {
    let tree = Cli::command();
    let groups = tree.get_subcommands();
    let nested = groups.flat_map(|group| group.get_subcommands().map(move |it| (group.get_name(), it)));
    let shown = nested.filter(|(_, it)| !it.is_hide_set() && it.get_name() != "help");
    shown
        .map(|(group, it)| (group.to_owned(), it.get_name().to_owned()))
        .collect()
}

/// The tree of commands, with the help that groups them.
pub(crate) fn tree() -> clap::Command {
    let tree = options::accept_before_subcommands(Cli::command());
    let mut listing = String::new();
    for (group, names) in GROUPS {
        listing.push_str(&format!("\n{group}:\n"));
        for name in names {
            let about = tree.find_subcommand(name).and_then(clap::Command::get_about);
            listing.push_str(&format!("  {name:<15}{}\n", about.cloned().unwrap_or_default()));
        }
    }
    tree.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listing}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// One command, one file in `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a question from sources or the web, with checked quotes
    #[command(after_help = help::RESEARCH_EXAMPLES, args = options::spending_options())]
    Research(Box<ResearchArgs>),
    /// Give one task to Gemini CLI, Claude Code or Codex, in a sandbox
    #[command(after_help = help::ASK_EXAMPLES, args = options::spending_options())]
    Ask(Box<AskArgs>),
    /// Talk with an agent or a model; continue the conversation later
    #[command(after_help = help::CHAT_EXAMPLES, args = options::spending_options())]
    Chat(Box<ChatArgs>),
    /// Turn a task into a planned, tested and reviewed branch
    #[command(after_help = help::RUN_EXAMPLES, args = options::spending_options())]
    Run(Box<RunArgs>),
    /// Submit many tasks at once and collect their results
    Batch(BatchArgs),
    /// Merge finished branches into main; each must pass the checks
    #[command(after_help = help::MERGE_EXAMPLES, args = options::store_options())]
    Merge(MergeArgs),
    /// Raise the test coverage of a project, one gap at a time
    #[command(after_help = help::OODA_EXAMPLES, args = options::spending_options())]
    Ooda(Box<OodaArgs>),
    /// Watch a pipeline fix a bug in a sample project, without a key
    #[command(args = options::log_options())]
    Demo(DemoArgs),
    /// List runs, newest first
    #[command(args = options::store_options())]
    Runs(RunsArgs),
    /// List the questions that wait for your answer, newest first
    #[command(args = options::store_options())]
    Inbox(InboxArgs),
    /// Show one run: its request, steps, result, cost and next command
    #[command(args = options::store_options())]
    Show(ShowArgs),
    /// Show what a pipeline changed on its branch
    #[command(args = options::store_options())]
    Diff(DiffArgs),
    /// Print the events of a run, or follow them live
    #[command(args = options::store_options())]
    Events(EventsArgs),
    /// List steps that failed permanently, newest first
    #[command(args = options::store_options())]
    DeadLetters(DeadLettersArgs),
    /// Write a run or conversation to one file that can be replayed
    #[command(args = options::store_options())]
    Export(ExportRunArgs),
    /// Run a recording again, without network, keys or agents
    #[command(after_help = help::REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// Answer the question that a run is waiting for
    #[command(args = options::store_options())]
    Answer(AnswerArgs),
    /// Give the agents of a pipeline an instruction for the next steps
    #[command(args = options::store_options())]
    Instruct(InstructArgs),
    /// Raise or lower the limits of a run
    #[command(args = options::store_options())]
    Budget(BudgetArgs),
    /// Stop a run for now; `gemicro resume` continues it
    #[command(args = options::store_options())]
    Pause(PauseArgs),
    /// End a run permanently
    #[command(args = options::store_options())]
    Cancel(CancelArgs),
    /// Continue a run that was stopped or lost its process
    #[command(args = options::spending_options())]
    Resume(ResumeArgs),
    /// Repeat the failed steps of a run, or restart it from a phase
    #[command(args = options::spending_options())]
    Retry(RetryArgs),
    /// List, add and approve notes that agents are given
    Memory(MemoryArgs),
    /// List and approve skills that agents propose
    Skills(SkillsArgs),
    /// Serve batches, runs and conversations over HTTP
    #[command(after_help = help::SERVE_EXAMPLES, args = options::spending_options())]
    Serve(ServeArgs),
    /// Serve agents, research and runs as tools over MCP
    #[command(after_help = help::MCP_EXAMPLES, args = options::spending_options())]
    Mcp(McpArgs),
    /// Run or inspect the background worker
    #[command(args = options::spending_options())]
    Worker(WorkerArgs),
    /// Write an editable workflow and its prompts into a project
    #[command(after_help = help::INIT_EXAMPLES)]
    Init(InitArgs),
    /// Check the installation and say how to fix what is missing
    #[command(args = options::store_options())]
    Doctor(DoctorArgs),
    /// Show the settings and where each one comes from
    Config(ConfigArgs),
    /// Test where notifications about runs go
    Notify(NotifyArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the manual page of gemicro or of one command
    Man(ManArgs),
    /// Check what an agent may do, and explain a denial
    Guard(GuardArgs),
    /// Check or show the workflow of a project
    #[command(after_help = help::WORKFLOW_EXAMPLES)]
    Workflow(WorkflowArgs),
    /// Extract the payload from an agent's answer
    Payload(PayloadArgs),
    /// Print the JSON Schemas of all events
    Schema,
    /// Manage saved conversations and preview their prompts
    Conversations(ConversationsArgs),
    /// Show what is in a recording
    Recording(RecordingArgs),
    /// Replay recordings and report which ones differ
    Test(TestArgs),
    /// Check the store, rebuild its lists, or accept lost events
    Store(StoreArgs),
    /// Delete old runs and their data
    #[command(args = options::store_options())]
    Prune(PruneArgs),
    /// Simulate a model API on this machine, or record a real one
    Sim(SimArgs),
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PrintFormat {
    /// Readable text.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// Only the answer, as Markdown.
    Markdown,
}

/// How lists and facts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DataFormat {
    /// Readable text.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value per line.
    Jsonl,
}

impl From<PrintFormat> for DataFormat {
    fn from(format: PrintFormat) -> Self {
        match format {
            PrintFormat::Json => Self::Json,
            PrintFormat::Jsonl => Self::Jsonl,
            PrintFormat::Text | PrintFormat::Markdown => Self::Text,
        }
    }
}
