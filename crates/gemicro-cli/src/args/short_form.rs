//! Decides whether the words of `gemicro WORDS` are a question or a mistyped command.
//!
//! A question costs money, so only what cannot be a command counts as one: a single argument of several words, with a
//! question mark, or in a script that writes no spaces. `gemicro research WORDS` takes any words.

use std::ffi::OsString;

use clap::CommandFactory as _;
use gemicro_event::redact::Redactor;

use super::cli::{Cli, command_names, nested_command_names, tree};
use crate::screen::text;

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Scripts from here on (Thai, Khmer, Chinese, Japanese) write whole sentences without spaces.
const FIRST_UNSPACED: char = '\u{e00}';

/// Words of other tools, and the commands that do the same here.
const SYNONYMS: [(&[&str], &[&str]); 14] = [
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
    (&["search"], &["research"]),
    (&["approve", "reject", "reply", "yes", "no"], &["answer", "inbox"]),
    (&["version", "update", "upgrade"], &["--version", "doctor"]),
];

/// Words that say nothing about what is asked.
const FILLERS: [&str; 32] = [
    "a", "again", "all", "an", "and", "any", "every", "for", "from", "id", "in", "it", "its", "latest", "me",
    "my", "new", "newest", "now", "of", "old", "on", "one", "our", "please", "recent", "that", "the",
    "these", "this", "to", "with",
];

/// Words that begin a question, whatever command they resemble.
const QUESTION_WORDS: [&str; 9] = [
    "what", "who", "whose", "when", "where", "why", "which", "how", "whom",
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

/// Whether words in one argument are a command with what it is about, such as `show last` or `list all runs`: a second
/// word alone, an option, or nothing but words about runs.
fn is_command_line(first: &str, rest: &[&str]) -> bool {
    let names_command = first == "gemicro" || !suggestions(first).is_empty();
    let is_about = rest.first().is_some_and(|word| is_run(bare(word)))
        || rest.iter().any(|word| word.starts_with('-'))
        || rest.iter().all(|word| is_own_word(&bare(word).to_lowercase()));
    names_command && (is_about || matches!(rest, [only] if !asks(only)))
}

fn asks(word: &str) -> bool {
    word.ends_with(QUESTION_MARKS)
}

/// A word without the punctuation at its end.
fn bare(word: &str) -> &str {
    let word = word.trim_end_matches(QUESTION_MARKS);
    word.trim_end_matches(['!', '.', ':', ','])
}

/// Whether a word names a run: `last`, or the beginning of an id as lists show it.
fn is_run(word: &str) -> bool {
    let has = |is_kind: fn(&char) -> bool| word.chars().any(|letter| is_kind(&letter));
    let is_id = word.len() >= 8
        && word
            .chars()
            .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
        && has(char::is_ascii_digit)
        && has(char::is_ascii_lowercase);
    word == "last" || is_id
}

/// Whether a word is about gemicro itself: a run, a command, a word of other tools for one, or a word that adds nothing.
fn is_own_word(word: &str) -> bool {
    let is_named = |word: &str| {
        FILLERS.contains(&word)
            || synonyms(word).next().is_some()
            || command_names().any(|name| name == word)
            || nested_command_names().iter().any(|(_, name)| name == word)
    };
    let singular = word.strip_suffix("es").filter(|it| is_named(it));
    is_run(word) || is_named(word) || singular.or(word.strip_suffix('s')).is_some_and(is_named)
}

/// What to say about words that are no question, among all arguments of the call.
pub(super) fn refusal(words: &[String], arguments: &[OsString]) -> String {
    let redactor = Redactor::new(std::iter::empty::<&str>());
    let safe = |words: &str| text::one_line(&redactor.redact(words));
    let joined = words.join(" ");
    let mut asking = vec!["gemicro research".to_owned()];
    asking.extend(
        research_options(arguments)
            .iter()
            .map(|it| text::shell_quoted(it)),
    );
    asking.push(text::shell_quoted(&joined));
    let mut meant: Vec<&str> = joined.split_whitespace().collect();
    if meant.len() > 1 && meant[0] == "gemicro" {
        meant.remove(0);
    }
    let (first, rest) = meant
        .split_first()
        .map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let commands: Vec<String> = commands_meant(first, rest)
        .iter()
        .map(|command| format!("`gemicro {}`", safe(command)))
        .collect();
    let commands = match commands.as_slice() {
        [] => "`gemicro --help` lists the commands.".to_owned(),
        [only] => format!("Did you mean {only}?"),
        [others @ .., last] => format!("Did you mean {} or {last}?", others.join(", ")),
    };
    let happened = match command_names().any(|name| name == first) {
        true => format!("`{}` begins with a command", safe(&joined)),
        false => format!("unknown command `{}`", safe(first)),
    };
    let asking = safe(&asking.join(" "));
    format!(
        "error: {happened}; no model was asked\n  hint: {commands} To ask it as a question, run: {asking}"
    )
}

/// The command lines that words may have meant, the likeliest first.
fn commands_meant(first: &str, rest: &[&str]) -> Vec<String> {
    let is_command = |word: &str| command_names().any(|name| name == word);
    let whole = |command: &str| [&[command], rest].concat().join(" ");
    let nested = match is_command(first) {
        true => Vec::new(),
        false => nested_commands(first),
    };
    match nested.as_slice() {
        _ if is_run(first) => return vec![format!("show {first}")],
        _ if is_command(first) && rest.iter().any(|word| word.starts_with('-')) => return vec![whole(first)],
        // Nothing else was meant: the whole command can be pasted.
        [(0, command)] if synonyms(&first.to_lowercase()).next().is_none() => return vec![whole(command)],
        _ => {}
    }
    let mut meant = suggestions(first);
    // What the other words name comes first: `gemicro runs` for `list all runs`.
    meant.sort_by_key(|command| !rest.contains(command));
    let mut meant: Vec<String> = meant.into_iter().map(str::to_owned).collect();
    let run = rest.iter().map(|word| bare(word)).find(|word| is_run(word));
    if let Some(run) = run.filter(|_| meant.iter().any(|command| takes_run(command))) {
        meant.retain(|command| takes_run(command));
        return meant.iter().map(|command| format!("{command} {run}")).collect();
    }
    let named = rest
        .iter()
        .filter(|word| is_command(word))
        .map(|word| (*word).to_owned());
    for command in named.chain(nested.into_iter().map(|(_, command)| command)) {
        if !meant.contains(&command) {
            meant.push(command);
        }
    }
    meant.truncate(MAX_SUGGESTIONS);
    meant
}

/// Whether a command is about one run.
fn takes_run(command: &str) -> bool {
    let tree = Cli::command();
    let found = tree.find_subcommand(command);
    found.is_some_and(|it| it.get_positionals().any(|it| it.get_id() == "run"))
}

/// The options among the arguments of a call that `gemicro research` takes, with their values.
fn research_options(arguments: &[OsString]) -> Vec<String> {
    let tree = tree();
    let research = tree.find_subcommand("research").expect("research is a command");
    let find = |argument: &str| {
        research
            .get_arguments()
            .find(|it| match argument.strip_prefix("--") {
                Some(long) => it.get_long() == long.split('=').next(),
                None => argument
                    .strip_prefix('-')
                    .is_some_and(|short| it.get_short() == short.chars().next()),
            })
    };
    let mut options = Vec::new();
    let mut arguments = arguments.iter().skip(1).map(|it| it.to_string_lossy());
    while let Some(argument) = arguments.next() {
        let Some(option) = find(&argument) else { continue };
        let has_value_beside = match argument.starts_with("--") {
            true => !argument.contains('='),
            false => argument.chars().count() == 2,
        };
        options.push(argument.into_owned());
        if option.get_action().takes_values() && has_value_beside {
            options.extend(arguments.next().map(|value| value.into_owned()));
        }
    }
    options
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
    let typed = bare(typed).to_lowercase().replace('_', "-");
    if QUESTION_WORDS.contains(&typed.as_str()) {
        return Vec::new();
    }
    if let Some(command) = command_names().find(|command| *command == typed) {
        return vec![command];
    }
    // Of a short word, two changed letters leave nothing.
    let most_changed = if typed.chars().count() < 7 { 1 } else { 2 };
    let mut near: Vec<(usize, &'static str)> = command_names()
        .filter_map(|command| {
            let distance = strsim::damerau_levenshtein(command, &typed);
            let shares_beginning = typed.len() >= 3
                && (command.starts_with(&typed) || typed.starts_with(&format!("{command}-")));
            (distance <= most_changed || shares_beginning).then_some((distance, command))
        })
        .collect();
    near.sort_unstable();
    let near = near.into_iter().map(|(_, command)| command);
    let mistyped = SYNONYMS.iter().filter(|(words, _)| {
        let is_near = |word: &str| word.len() > 5 && strsim::damerau_levenshtein(word, &typed) == 1;
        words.iter().any(|word| is_near(word))
    });
    let mistyped = mistyped.flat_map(|(_, commands)| commands.iter().copied());
    let mut found: Vec<&'static str> = Vec::new();
    for command in synonyms(&typed).chain(near).chain(mistyped) {
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
