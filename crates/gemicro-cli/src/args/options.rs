//! Options that several commands share.
//!
//! A command takes one of the groups [`log_options`], [`store_options`] and [`spending_options`], or none. An option may also come before
//! the name of the command (`gemicro --store URL runs`); a command that does not take it refuses it.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::config::state_folder::parse_day_budget;

const VERBOSE: &str = "verbose";
const STORE: &str = "store";
const DAY_BUDGET: &str = "day_budget";

/// The values of the shared options.
#[derive(Debug, Default)]
pub(crate) struct SharedOptions {
    pub(crate) verbose: bool,
    pub(crate) store: Option<String>,
    pub(crate) day_budget: Option<String>,
}

/// The options of a command that writes log lines.
pub(crate) fn log_options() -> [Arg; 1] {
    [Arg::new(VERBOSE)
        .short('v')
        .long("verbose")
        .action(ArgAction::SetTrue)
        .help_heading("Common options")
        .help("Print every step and log lines on stderr")]
}

/// The options of a command that also opens the store.
pub(crate) fn store_options() -> [Arg; 2] {
    let [verbose] = log_options();
    let store = Arg::new(STORE)
        .long("store")
        .value_name("URL")
        .help_heading("Common options")
        .help("Use this store, such as postgres://user@host/database, instead of the state folder");
    [verbose, store]
}

/// The options of a command that also calls models.
pub(crate) fn spending_options() -> [Arg; 3] {
    let [verbose, store] = store_options();
    let day_budget = Arg::new(DAY_BUDGET)
        .long("day-budget")
        .value_name("AMOUNT")
        // Checked here, where the error can name the option; the settings read it again.
        .value_parser(|text: &str| parse_day_budget(text).map(|_| text.to_owned()))
        .help_heading("Common options")
        .help("Limit of all runs started on one UTC day: tokens (2M), money ('$5') or both ('2M,$5')");
    [verbose, store, day_budget]
}

/// Lets the shared options also come before the names of subcommands.
pub(super) fn accept_before_subcommands(command: Command) -> Command {
    if !command.has_subcommands() {
        return command;
    }
    let is_new = |option: &Arg| !takes(&command, option.get_id().as_str());
    let options: Vec<Arg> = spending_options().into_iter().filter(is_new).collect();
    command
        .args(options.into_iter().map(|option| option.hide(true)))
        .mut_subcommands(accept_before_subcommands)
}

impl SharedOptions {
    /// Collects the options from all levels of a call; fails if its command does not take one of them.
    pub(super) fn read(tree: &Command, matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self::default();
        let (mut command, mut level) = (tree, matches);
        loop {
            let text = |id: &str| level.try_get_one::<String>(id).ok().flatten().cloned();
            options.verbose |= matches!(level.try_get_one(VERBOSE), Ok(Some(true)));
            options.store = text(STORE).or(options.store);
            options.day_budget = text(DAY_BUDGET).or(options.day_budget);
            let Some((name, matches)) = level.subcommand() else {
                break;
            };
            command = command.find_subcommand(name).unwrap_or(command);
            level = matches;
        }
        let given = [
            (options.verbose, VERBOSE, "--verbose"),
            (options.store.is_some(), STORE, "--store"),
            (options.day_budget.is_some(), DAY_BUDGET, "--day-budget"),
        ];
        for (is_given, id, flag) in given {
            if is_given && !takes(command, id) {
                let message = format!("`gemicro {}` does not take {flag}", command.get_name());
                return Err(command.clone().error(ErrorKind::UnknownArgument, message));
            }
        }
        Ok(options)
    }
}

/// Whether a command has an option.
fn takes(command: &Command, id: &str) -> bool {
    command.get_arguments().any(|option| option.get_id() == id)
}
