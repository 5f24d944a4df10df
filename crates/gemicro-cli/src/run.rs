//! The whole program on one page: arguments, command, error, exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use gemicro_guard::sandbox::launcher;

use crate::agents;
use crate::args::{self, Command, DataFormat, ParsedArguments, PrintFormat};
use crate::command_error::CommandError;
use crate::commands::{
    answer, ask, batch, budget, cancel, chat, completions, config, conversations, dead_letters, demo, diff,
    doctor, events, export, guard, inbox, init, instruct, man, mcp, memory, merge, notify, ooda, pause,
    payload, prune, recording, replay, research, resume, retry, run as pipeline, runs, schema, serve, show,
    sim, skills, store, test_recordings, worker, workflow,
};
use crate::config::state_folder::{DAY_BUDGET_VARIABLE, STORE_VARIABLE};
use crate::document_reader;
use crate::environment::Environment;
use crate::logging::{self, Readers};
use crate::output;
use crate::screen::Screen;
use crate::session::Context;
use crate::view::failure_json;

/// Runs the program with the arguments and the environment of this process.
pub(crate) fn run() -> ExitCode {
    if let Some(code) = launch() {
        return code;
    }
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = document_reader::early(&arguments).or_else(|| guard::early(&arguments)) {
        return code;
    }
    let cli = match args::parse(arguments.clone()) {
        ParsedArguments::Command(cli) => *cli,
        ParsedArguments::Done(code) => return code,
    };
    let mut environment = Environment::of_process();
    if let Some(store) = cli.options.store {
        environment.set_by_flag(STORE_VARIABLE, store);
    }
    if let Some(day_budget) = cli.options.day_budget {
        environment.set(DAY_BUDGET_VARIABLE, day_budget);
    }
    let screen = Screen::of_process(&environment);
    let is_worker = matches!(&cli.command, Command::Worker(args) if args.command.is_none());
    let readers = if is_worker {
        Readers::Later
    } else {
        Readers::Caller
    };
    logging::start(&environment, cli.options.verbose, readers);
    let ctx = Context {
        environment,
        screen,
        verbose: cli.options.verbose,
    };
    let wants_json = wants_json(&cli.command, &ctx.screen);
    match execute(&ctx, cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stopped) => {
            let stopped = stopped.of_command(|| args::named_command(&arguments));
            if let CommandError::Report(report) = &stopped {
                // A failure of a run is reported by its view; any other one here.
                let as_json = wants_json && report.run.is_none();
                if as_json {
                    let _ = output::print(&format!("{}\n", failure_json(report)));
                }
                let is_seen = as_json && ctx.screen.stdout_is_terminal;
                if !is_seen {
                    output::say(&report.text(&ctx.screen));
                }
            }
            ExitCode::from(stopped.exit_code())
        }
    }
}

/// Inside a sandbox this program is its launcher or stands for a shell, and nothing else.
fn launch() -> Option<ExitCode> {
    let error = match launcher::shell(std::env::var_os("HOME").as_deref()) {
        Some(error) => error,
        None => {
            let mut arguments = std::env::args_os().skip(1);
            if arguments.next()? != agents::LAUNCH {
                return None;
            }
            launcher::run(arguments)
        }
    };
    output::say(&error.to_string());
    Some(ExitCode::from(agents::LAUNCH_FAILED))
}

/// Whoever asked for JSON gets an object on stdout, also when it fails.
fn wants_json(command: &Command, screen: &Screen) -> bool {
    match command {
        // Lines of a file of questions are answers only.
        Command::Research(args) => match args.format {
            PrintFormat::Json => true,
            PrintFormat::Jsonl => args.questions.is_none(),
            PrintFormat::Text | PrintFormat::Markdown => false,
        },
        Command::Batch(args) => args.format(screen) == DataFormat::Json,
        Command::Ooda(args) => args.format == DataFormat::Json,
        Command::Run(args) => args.format == PrintFormat::Json,
        Command::Merge(args) => args.format == DataFormat::Json,
        Command::Demo(args) => args.format == PrintFormat::Json,
        Command::Show(args) => matches!(args.format, PrintFormat::Json | PrintFormat::Jsonl),
        Command::Resume(args) => matches!(args.format, PrintFormat::Json | PrintFormat::Jsonl),
        Command::Retry(args) => matches!(args.format, PrintFormat::Json | PrintFormat::Jsonl),
        Command::Runs(args) => args.format == DataFormat::Json,
        Command::Inbox(args) => args.format == DataFormat::Json,
        Command::DeadLetters(args) => args.format == DataFormat::Json,
        Command::Conversations(args) => args.format() == DataFormat::Json,
        Command::Memory(args) => args.format() == DataFormat::Json,
        Command::Skills(args) => args.format() == DataFormat::Json,
        Command::Prune(args) => args.format == DataFormat::Json,
        Command::Doctor(args) => args.format == DataFormat::Json,
        Command::Guard(args) => args.format() == DataFormat::Json,
        Command::Sim(args) => args.format() == DataFormat::Json,
        Command::Workflow(args) => args.wants_json(),
        Command::Recording(args) => args.wants_json(),
        Command::Replay(args) => matches!(args.format, PrintFormat::Json | PrintFormat::Jsonl),
        // It has a shape of its own for failures.
        Command::Ask(_)
        | Command::Chat(_)
        | Command::Init(_)
        | Command::Mcp(_)
        | Command::Serve(_)
        | Command::Diff(_)
        | Command::Events(_)
        | Command::Export(_)
        | Command::Test(_)
        | Command::Answer(_)
        | Command::Pause(_)
        | Command::Budget(_)
        | Command::Instruct(_)
        | Command::Cancel(_)
        | Command::Config(_)
        | Command::Notify(_)
        | Command::Payload(_)
        | Command::Schema
        | Command::Store(_)
        | Command::Worker(_)
        | Command::Completions(_)
        | Command::Man(_) => false,
    }
}

fn execute(ctx: &Context, command: Command) -> Result<(), CommandError> {
    match command {
        Command::Research(args) => research::run(ctx, &args),
        Command::Ask(args) => ask::run(ctx, &args),
        Command::Chat(args) => chat::run(ctx, &args),
        Command::Batch(args) => batch::run(ctx, &args),
        Command::Ooda(args) => ooda::run(ctx, &args),
        Command::Run(args) => pipeline::run(ctx, &args),
        Command::Merge(args) => merge::run(ctx, &args),
        Command::Demo(args) => demo::run(ctx, &args),
        Command::Init(args) => init::run(ctx, &args),
        Command::Workflow(args) => workflow::run(ctx, &args),
        Command::Mcp(args) => mcp::run(ctx, &args),
        Command::Serve(args) => serve::run(ctx, &args),
        Command::Runs(args) => runs::run(ctx, &args),
        Command::Inbox(args) => inbox::run(ctx, &args),
        Command::Show(args) => show::run(ctx, &args),
        Command::Diff(args) => diff::run(ctx, &args),
        Command::Events(args) => events::run(ctx, &args),
        Command::Export(args) => export::run(ctx, &args),
        Command::Replay(args) => replay::run(ctx, &args),
        Command::Recording(args) => recording::run(ctx, &args),
        Command::Test(args) => test_recordings::run(ctx, &args),
        Command::Pause(args) => pause::run(ctx, &args),
        Command::Resume(args) => resume::run(ctx, &args),
        Command::Retry(args) => retry::run(ctx, &args),
        Command::Answer(args) => answer::run(ctx, &args),
        Command::Cancel(args) => cancel::run(ctx, &args),
        Command::Budget(args) => budget::run(ctx, &args),
        Command::Instruct(args) => instruct::run(ctx, &args),
        Command::DeadLetters(args) => dead_letters::run(ctx, &args),
        Command::Conversations(args) => conversations::run(ctx, &args),
        Command::Memory(args) => memory::run(ctx, &args),
        Command::Skills(args) => skills::run(ctx, &args),
        Command::Prune(args) => prune::run(ctx, &args),
        Command::Doctor(args) => doctor::run(ctx, &args),
        Command::Config(args) => config::run(ctx, &args),
        Command::Notify(args) => notify::run(ctx, &args),
        Command::Guard(args) => guard::run(ctx, &args),
        Command::Payload(args) => payload::run(&args),
        Command::Schema => schema::run(),
        Command::Store(args) => store::run(ctx, &args),
        Command::Worker(args) => worker::run(ctx, &args),
        Command::Sim(args) => sim::run(ctx, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
