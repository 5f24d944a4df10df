//! Decides whether the words of `gemicro WORDS` are a question or a mistyped command.
//!
//! A question costs money, so only what cannot be a command counts as one: a single argument of several words, with a
//! question mark, or in a script that writes no spaces. `gemicro research WORDS` takes any words.

use std::ffi::OsString;

use gemicro_event::redact::Redactor;

use super::cli::{command_names, nested_command_names};
use crate::screen::text;

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Scripts from here on (Thai, Khmer, Chinese, Japanese) write whole sentences without spaces.
const FIRST_UNSPACED: char = '\u{e00}';

/// Words of other tools, and the commands that do the same here.
const SYNONYMS: [(&[&str], &[&str]); 13] = [
    (&["status", "state", "info", "view"], &["show", "runs", "doctor"]),
    (
        &["list", "ls", "ps", "history", "jobs", "tasks"],
        &["runs", "conversations", "batch"],
    ),
    (&["stop", "kill", "abort", "suspend", "end"], &["pause", "cancel"]),
    (&["continue", "restart", "again", "attach"], &["resume", "retry"]),
    (&["log", "logs", "tail", "trace"], &["events", "show"]),
    (
        &["delete", "remove", "rm", "clean", "gc", "clear"],
        &["prune", "store"],
    ),
    (&["start", "exec", "pipeline", "build", "fix"], &["run", "ask"]),
    (
        &["talk", "session", "sessions", "repl"],
        &["chat", "conversations"],
    ),
    (&["cost", "costs", "usage", "spent"], &["show", "runs", "budget"]),
    (
        &["settings", "setup", "login", "auth", "set", "get"],
        &["config", "doctor"],
    ),
    (&["queue"], &["batch"]),
    (&["approve", "reject", "reply", "yes", "no"], &["answer", "inbox"]),
    (&["version", "update", "upgrade"], &["--version", "doctor"]),
];

/// The words that come first, up to the first option; shared options may come before them.
pub(super) fn leading_words(arguments: &[OsString]) -> Vec<String> {
    let mut rest = arguments
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy())
        .peekable();
    while let Some(word) = rest.peek() {
        match word.as_ref() {
            "-v" | "--verbose" => drop(rest.next()),
            "--store" | "--day-budget" => {
                rest.next();
                rest.next();
            }
            word if word.starts_with("--store=") || word.starts_with("--day-budget=") => drop(rest.next()),
            _ => break,
        }
    }
    rest.take_while(|word| word == "-" || !word.starts_with('-'))
        .map(std::borrow::Cow::into_owned)
        .collect()
}

/// Whether words given without `research` are certainly a question.
pub(crate) fn is_question(words: &[String]) -> bool {
    match words {
        [] => true,
        // An empty question is refused later, in words of its own; `-` is a question on stdin.
        [only] => only.trim().is_empty() || only == "-" || is_sentence(only),
        [_, _, ..] => false,
    }
}

fn is_sentence(argument: &str) -> bool {
    let words: Vec<&str> = argument.split_whitespace().collect();
    match words.as_slice() {
        [] => false,
        [only] => {
            let is_unspaced = |letter: char| letter >= FIRST_UNSPACED && letter.is_alphabetic();
            only.chars().any(is_unspaced) || (asks(only) && suggestions(only).is_empty())
        }
        [first, rest @ ..] => !is_command_line(first, rest),
    }
}

/// Whether words in one argument are a command with what it is about, such as `show last`.
fn is_command_line(first: &str, rest: &[&str]) -> bool {
    let names_command = first == "gemicro" || !suggestions(first).is_empty();
    let is_about_last = |word: &&str| word.trim_end_matches(QUESTION_MARKS) == "last";
    let is_about = rest.first().is_some_and(is_about_last) || rest.iter().any(|word| word.starts_with('-'));
    names_command && (is_about || matches!(rest, [only] if !asks(only)))
}

fn asks(word: &str) -> bool {
    word.ends_with(QUESTION_MARKS)
}

/// What to say about words that are no question, among all arguments of the call.
pub(super) fn refusal(words: &[String], arguments: &[OsString]) -> String {
    let redactor = Redactor::new(std::iter::empty::<&str>());
    let joined = words.join(" ");
    let first = joined.split_whitespace().next().unwrap_or_default();
    let mut words = words.iter().peekable();
    let options = arguments.iter().skip(1).map(|it| it.to_string_lossy());
    let mut asking = vec!["gemicro research".to_owned()];
    for option in options.filter(|it| words.next_if(|word| *word == it).is_none() && it != "--") {
        asking.push(text::shell_quoted(&option));
    }
    asking.push(text::shell_quoted(&joined));
    let asking = text::one_line(&redactor.redact(&asking.join(" ")));
    let meant: Vec<String> = match nested_commands(first).as_slice() {
        // Nothing else was meant: the whole command can be pasted.
        [(0, command)] if synonyms(first).next().is_none() => {
            let rest = joined.split_whitespace().skip(1);
            let whole: Vec<&str> = std::iter::once(command.as_str()).chain(rest).collect();
            let whole = text::one_line(&redactor.redact(&whole.join(" ")));
            vec![format!("`gemicro {whole}`")]
        }
        nested => {
            let nested = nested.iter().map(|(_, command)| command.clone());
            let commands = suggestions(first).into_iter().map(str::to_owned).chain(nested);
            let commands = commands.take(MAX_SUGGESTIONS);
            commands.map(|command| format!("`gemicro {command}`")).collect()
        }
    };
    let meant = match meant.as_slice() {
        [] => "`gemicro --help` lists the commands.".to_owned(),
        [only] => format!("Did you mean {only}?"),
        [others @ .., last] => format!("Did you mean {} or {last}?", others.join(", ")),
    };
    format!(
        "error: unknown command `{}`; no model was asked\n  hint: {meant} To ask it as a question, run: {asking}",
        text::one_line(&redactor.redact(first)),
    )
}

/// The commands of groups that a word may have meant, each with how many letters differ: `batch wait` for `wait`. Where
/// one has exactly this name, only such ones.
fn nested_commands(typed: &str) -> Vec<(usize, String)> {
    let typed = typed.to_lowercase();
    let near = nested_command_names().into_iter().filter_map(|(group, name)| {
        let distance = strsim::damerau_levenshtein(&name, &typed);
        let is_near = distance <= usize::from(typed.chars().count() > 3);
        is_near.then(|| (distance, format!("{group} {name}")))
    });
    let mut near: Vec<(usize, String)> = near.collect();
    near.sort_unstable();
    let is_exact = near.first().is_some_and(|(distance, _)| *distance == 0);
    near.retain(|(distance, _)| *distance == 0 || !is_exact);
    near
}

/// The commands that a word may have meant, the likeliest first.
fn suggestions(typed: &str) -> Vec<&'static str> {
    let typed = typed
        .trim_end_matches(['?', '!', '.', ':', ','])
        .to_lowercase()
        .replace('_', "-");
    let mut near: Vec<(usize, &'static str)> = command_names()
        .filter_map(|command| {
            let distance = strsim::damerau_levenshtein(command, &typed);
            let shares_beginning = typed.len() >= 3
                && (command.starts_with(&typed) || typed.starts_with(&format!("{command}-")));
            // Of a short word, two changed letters leave nothing.
            let is_near = distance <= if typed.chars().count() <= 3 { 1 } else { 2 };
            (is_near || shares_beginning).then_some((distance, command))
        })
        .collect();
    near.sort_unstable();
    let mut found: Vec<&'static str> = Vec::new();
    for command in synonyms(&typed).chain(near.into_iter().map(|(_, command)| command)) {
        if !found.contains(&command) {
            found.push(command);
        }
    }
    found.truncate(MAX_SUGGESTIONS);
    found
}

/// The commands that do what this word of other tools does.
fn synonyms(typed: &str) -> impl Iterator<Item = &'static str> {
    let rows = SYNONYMS.iter().filter(move |(words, _)| words.contains(&typed));
    rows.flat_map(|(_, commands)| commands.iter().copied())
}
