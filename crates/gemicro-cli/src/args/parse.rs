//! Reads the arguments; the short form `gemicro "question"` becomes `gemicro research "question"`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use super::Cli;
use crate::output;

/// Every command by name; a first argument that is none of them is a question.
pub(super) const COMMANDS: [&str; 32] = [
    "research",
    "ask",
    "chat",
    "batch",
    "ooda",
    "run",
    "demo",
    "init",
    "workflow",
    "mcp",
    "serve",
    "runs",
    "show",
    "diff",
    "events",
    "resume",
    "retry",
    "answer",
    "cancel",
    "dead-letters",
    "conversations",
    "prune",
    "doctor",
    "config",
    "guard",
    "payload",
    "schema",
    "store",
    "worker",
    "sim",
    "completions",
    "man",
];

/// What the arguments ask for.
pub(crate) enum Parsed {
    /// A command to carry out.
    Command(Cli),
    /// Help, the version or a usage error: already printed.
    Done(ExitCode),
}

/// Reads the arguments, the program's name included.
pub(crate) fn parse(arguments: Vec<OsString>) -> Parsed {
    // The version must come at once, without the tree of commands.
    if let [_, first] = arguments.as_slice()
        && (first == "--version" || first == "-V")
    {
        let _ = output::print(concat!("gemicro ", env!("CARGO_PKG_VERSION"), "\n"));
        return Parsed::Done(ExitCode::SUCCESS);
    }
    if let Some(meant) = misspelt_command(&arguments) {
        let typed = arguments[1].to_string_lossy();
        output::say(&format!(
            "error: there is no command `{typed}`\n  hint: did you mean `gemicro {meant}`? A question of one word: `gemicro research {typed}`"
        ));
        return Parsed::Done(ExitCode::from(2));
    }
    match Cli::try_parse_from(with_research(arguments)) {
        Ok(cli) => Parsed::Command(cli),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                // A reader that went away has seen enough.
                let _ = output::print(&error.render().to_string());
                Parsed::Done(ExitCode::SUCCESS)
            }
            _ => {
                output::say(error.render().to_string().trim_end());
                Parsed::Done(ExitCode::from(2))
            }
        },
    }
}

/// Puts `research` in where the arguments begin with a question or one of its options.
pub(super) fn with_research(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_short_form = arguments.get(1).is_some_and(|first| {
        let first = first.to_string_lossy();
        !COMMANDS.contains(&first.as_ref())
            && !["help", "-h", "--help", "-V", "--version"].contains(&first.as_ref())
    });
    // `gemicro -v runs`: options that every command takes may come first.
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    let names_command = loop {
        match words.next().as_deref() {
            Some("-v" | "--verbose") => {}
            Some("--store") => drop(words.next()),
            Some(word) if word.starts_with("--store=") => {}
            Some(word) => break COMMANDS.contains(&word),
            None => break false,
        }
    };
    drop(words);
    if is_short_form && !names_command {
        arguments.insert(1, "research".into());
    }
    arguments
}

/// A single word that is nearly a command was hardly meant as a question.
pub(super) fn misspelt_command(arguments: &[OsString]) -> Option<&'static str> {
    let [_, typed] = arguments else { return None };
    let typed = typed.to_str()?;
    if COMMANDS.contains(&typed) || typed == "help" || !typed.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let distance = |command: &&str| strsim::damerau_levenshtein(command, typed);
    let nearest = COMMANDS.into_iter().min_by_key(distance)?;
    (distance(&nearest) <= 2).then_some(nearest)
}
