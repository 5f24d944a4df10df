//! The whole program on one page: arguments, command, error, exit code.

use std::process::ExitCode;

use crate::args::{self, Command, Parsed};
use crate::commands::{
    cancel, completions, config, doctor, events, man, prune, research, resume, runs, schema, show, store,
};
use crate::environment::Environment;
use crate::logging;
use crate::output;
use crate::screen::Screen;
use crate::session::Context;
use crate::trouble::Stopped;

/// Runs the program with the arguments and the environment of this process.
pub(crate) fn run() -> ExitCode {
    let cli = match args::parse(std::env::args_os().collect()) {
        Parsed::Command(cli) => cli,
        Parsed::Done(code) => return code,
    };
    let environment = Environment::of_process();
    let screen = Screen::of_process(&environment);
    logging::start(&environment, cli.verbose);
    let ctx = Context {
        environment,
        screen,
        verbose: cli.verbose,
    };
    match execute(&ctx, cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stopped) => {
            if let Stopped::Trouble(trouble) = &stopped {
                output::say(&trouble.text(&ctx.screen));
            }
            ExitCode::from(stopped.exit_code())
        }
    }
}

fn execute(ctx: &Context, command: Command) -> Result<(), Stopped> {
    match command {
        Command::Research(args) => research::run(ctx, &args),
        Command::Runs(args) => runs::run(ctx, &args),
        Command::Show(args) => show::run(ctx, &args),
        Command::Events(args) => events::run(ctx, &args),
        Command::Resume(args) => resume::run(ctx, &args),
        Command::Cancel(args) => cancel::run(ctx, &args),
        Command::Prune(args) => prune::run(ctx, &args),
        Command::Doctor(args) => doctor::run(ctx, &args),
        Command::Config(args) => config::run(ctx, &args),
        Command::Schema => schema::run(),
        Command::Store(args) => store::run(ctx, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
