//! Variables that change what a check runs: options in them, another shell or runner, another search path.

use super::Masked;
use super::options;
use super::table;
use super::word::Word;

/// What a known value of a flag of make's shell is, beside groups of short options.
const SHELL_OPTIONS: &[&str] = &["errexit", "nounset", "pipefail"];

/// Reads `NAME=value`, set for a program or handed to it, as `make` takes it.
pub(super) fn of_assignment(word: &Word) -> Option<Masked> {
    // What is only known later stays as it is written.
    let written = word.source.replace(['"', '\''], "");
    let (name, value) = word.known().unwrap_or(&written).split_once('=')?;
    let adds = name.ends_with('+');
    // `make` takes white space around the sign.
    let name = name.trim_end_matches(['+', ':', '?', '!']).trim();
    let value = value.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let value = if adds {
        value.trim_start_matches(':')
    } else {
        value
    };
    let replaced = |what: &str| {
        let reason = format!("`{name}={value}` puts {what}: leave it out");
        Some(Masked::new(&word.source, reason))
    };
    match name {
        "PATH" => match value.split(':').find(|part| !is_outside(part)) {
            None => None,
            Some(_) => replaced("files of the checkout in the place of programs"),
        },
        "SHELL" | "MAKESHELL" if !is_shell(value) => replaced("something in the place of the shell"),
        ".SHELLFLAGS" if !are_shell_flags(value) => replaced("other options in the place of the shell's"),
        "PYTHONOPTIMIZE" if !value.is_empty() => replaced("statements that assert out of use"),
        "BASH_ENV" if !value.is_empty() => replaced("a script before every other"),
        _ if table::LOADING.contains(&name) && !value.is_empty() => replaced("a library into every program"),
        _ if name.starts_with("CARGO_ALIAS_") => {
            replaced("another meaning in the place of a command of cargo")
        }
        _ if name.starts_with("GIT_CONFIG_") && value.contains("alias.") => {
            replaced("another meaning in the place of a command of git")
        }
        "SHELLOPTS" if value.contains("noexec") => replaced("reading in the place of running"),
        _ if name.to_lowercase().ends_with("script_shell") && !is_shell(value) => {
            replaced("something in the place of the shell")
        }
        _ if does_nothing(value) && (is_tool(name) || value.contains([':', '/'])) => {
            replaced("a program that checks nothing in the place of another")
        }
        _ => options::of_variable(name, value),
    }
}

/// Whether a program with its options checks nothing, whatever it is given.
pub(super) fn does_nothing(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    let only_reads = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('n');
    table::NOTHING.contains(&name) || (table::SHELLS.contains(&name) && words.any(only_reads))
}

/// Whether a value is a shell and nothing else.
pub(super) fn is_shell(value: &str) -> bool {
    let name = value.rsplit('/').next().unwrap_or_default();
    table::SHELLS.contains(&name)
}

/// A folder by its whole path, or the search path as it was. Folders of the checkout have none that is known.
fn is_outside(part: &str) -> bool {
    let beginnings = ["/", "~/", "$HOME/", "${HOME}/", "${PATH"];
    part == "$PATH" || beginnings.iter().any(|begins| part.starts_with(begins))
}

fn are_shell_flags(value: &str) -> bool {
    let is_flag = |word: &str| {
        let flags = word.strip_prefix('-');
        flags.is_some_and(|flags| !flags.contains(['n', '-'])) || SHELL_OPTIONS.contains(&word)
    };
    value.split_whitespace().all(is_flag)
}

/// Whether a variable by its name holds a program: `PYTEST`, `TEST_RUNNER`.
fn is_tool(name: &str) -> bool {
    let name = name.to_lowercase();
    let last = name.rsplit('_').next().unwrap_or_default();
    let tool = name.strip_prefix("cargo_build_").unwrap_or(&name);
    table::TOOLS.contains(&tool)
        || ["cmd", "command", "exec", "linker", "runner", "shell", "wrapper"].contains(&last)
}
