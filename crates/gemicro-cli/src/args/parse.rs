//! Reads the arguments. The short form `gemicro "question"` becomes `gemicro research "question"`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use super::Command;
use super::cli::{Cli, command_names, nested_command_names, tree};
use super::options::SharedOptions;
use super::short_form::{is_question, leading_words, refusal};
use crate::output;

/// The result of parsing the arguments.
pub(crate) enum ParsedArguments {
    /// A command to run.
    Command(Box<Cli>),
    /// Help, the version or a usage error: already printed.
    Done(ExitCode),
}

/// Parses the arguments, including the program's name.
pub(crate) fn parse(arguments: Vec<OsString>) -> ParsedArguments {
    // The version must be fast, without building the tree of commands.
    if let [_, first] = arguments.as_slice()
        && (first == "--version" || first == "-V")
    {
        let _ = output::print(concat!("gemicro ", env!("CARGO_PKG_VERSION"), "\n"));
        return ParsedArguments::Done(ExitCode::SUCCESS);
    }
    let is_short_form = !names_command(&arguments);
    if is_short_form && let Some(refused) = refuse_words(&leading_words(&arguments), &arguments) {
        return refused;
    }
    match try_parse(with_research(arguments.clone())) {
        Ok(mut cli) => match &mut cli.command {
            // Options may come before the question.
            Command::Research(args) if is_short_form => {
                args.is_short_form = true;
                refuse_words(&args.question, &arguments)
                    .unwrap_or_else(|| ParsedArguments::Command(Box::new(cli)))
            }
            _ => ParsedArguments::Command(Box::new(cli)),
        },
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                // A closed pipe is fine: the reader has seen enough.
                let _ = output::print(&error.render().to_string());
                ParsedArguments::Done(ExitCode::SUCCESS)
            }
            _ => {
                output::say(error.render().to_string().trim_end());
                ParsedArguments::Done(ExitCode::from(2))
            }
        },
    }
}

/// Parses a call that names its command.
pub(super) fn try_parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut tree = tree();
    let matches = tree.try_get_matches_from_mut(arguments)?;
    let options = SharedOptions::read(&tree, &matches)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut tree))?;
    Ok(Cli { options, ..cli })
}

/// The words that name the command of a call: `batch submit`, or `research` for the short form.
pub(crate) fn named_command(arguments: &[OsString]) -> String {
    let words = leading_words(arguments);
    match words.as_slice() {
        [group, name, ..]
            if nested_command_names()
                .iter()
                .any(|it| it.0 == *group && it.1 == *name) =>
        {
            format!("{group} {name}")
        }
        [first, ..] if command_names().any(|name| name == first) => first.clone(),
        _ => "research".to_owned(),
    }
}

/// The result for a call without `research` whose words are not a question.
fn refuse_words(words: &[String], arguments: &[OsString]) -> Option<ParsedArguments> {
    if is_question(words) {
        return None;
    }
    output::say(&refusal(words, arguments));
    Some(ParsedArguments::Done(ExitCode::from(2)))
}

/// Inserts `research` if the arguments begin with a question or one of its options.
pub(super) fn with_research(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if !names_command(&arguments) {
        arguments.insert(1, "research".into());
    }
    arguments
}

/// Whether the arguments name a command; otherwise they are a question, or options of one.
fn names_command(arguments: &[OsString]) -> bool {
    let asks_for_help = |word: &str| ["help", "-h", "--help", "-V", "--version"].contains(&word);
    let Some(first) = arguments.get(1) else {
        return true;
    };
    asks_for_help(&first.to_string_lossy())
        || leading_words(arguments)
            .first()
            .is_some_and(|word| command_names().any(|name| name == word) || word == "help")
}
