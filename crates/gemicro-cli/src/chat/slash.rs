//! Commands that begin with a slash. Pure code, shared by the screen and the line mode.

use gemicro_chat::Order;

/// A command that can be typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SlashCommand {
    /// Its name, with the slash.
    pub(super) name: &'static str,
    /// Its argument: `FILE` is required, `[NAME]` is optional, empty means none.
    pub(super) takes: &'static str,
    pub(super) does: &'static str,
}

/// All commands, in the order of the help text.
pub(super) const COMMANDS: [SlashCommand; 11] = [
    command(
        "/model",
        "[NAME]",
        "switch to another agent or model; without NAME, show the current one",
    ),
    command("/clear", "", "start a new conversation; this one is saved"),
    command("/compact", "", "compress the prompt now"),
    command(
        "/pin",
        "[TEXT]",
        "keep TEXT in every prompt; without TEXT, your last message",
    ),
    command("/undo", "", "remove the last message and its answer"),
    command("/export", "FILE", "write the conversation to FILE"),
    command("/sessions", "", "list the conversations"),
    command("/open", "ID", "switch to another conversation"),
    command("/cost", "", "show tokens and cost so far"),
    command("/help", "", "list commands and keys"),
    command("/quit", "", "leave"),
];

const fn command(name: &'static str, takes: &'static str, does: &'static str) -> SlashCommand {
    SlashCommand { name, takes, does }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypedLine {
    /// An order for the chat.
    Order(Order),
    /// A request for the list of commands.
    Help,
    /// A command that is wrong as written: the reason, and what to do.
    Wrong(String),
}

/// Reads a message or a command.
pub(super) fn read(text: &str) -> TypedLine {
    if text.starts_with("//") {
        return TypedLine::Order(Order::Say(text[1..].to_owned()));
    }
    if !text.starts_with('/') {
        return TypedLine::Order(Order::Say(text.to_owned()));
    }
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let Some(known) = COMMANDS.iter().find(|known| known.name == name) else {
        return TypedLine::Wrong(unknown(name));
    };
    match (known.takes, rest) {
        ("", rest) if !rest.is_empty() => {
            return TypedLine::Wrong(format!(
                "{name} takes no argument; to send this as text, start with //"
            ));
        }
        (takes, "") if !takes.is_empty() && !takes.starts_with('[') => {
            return TypedLine::Wrong(format!("{name} needs {takes}: {}", known.does));
        }
        _ => {}
    }
    let given = (!rest.is_empty()).then(|| rest.to_owned());
    TypedLine::Order(match name {
        "/model" => Order::Model(given),
        "/clear" => Order::Clear,
        "/compact" => Order::Compact,
        "/pin" => Order::Pin(given),
        "/undo" => Order::Undo,
        "/export" => Order::Export(rest.into()),
        "/sessions" => Order::Sessions,
        "/open" => Order::Open(rest.to_owned()),
        "/cost" => Order::Cost,
        "/quit" => Order::Quit,
        _ => return TypedLine::Help,
    })
}

/// The commands that begin with this text; empty once something follows the name.
pub(super) fn beginning_with(text: &str) -> Vec<&'static SlashCommand> {
    if !text.starts_with('/') || text.starts_with("//") {
        return Vec::new();
    }
    COMMANDS
        .iter()
        .filter(|known| known.name.starts_with(text))
        .collect()
}

/// The text completed as far as the command's name is unambiguous.
pub(super) fn complete(text: &str) -> Option<String> {
    let found = beginning_with(text);
    let first = found.first()?;
    let all_have = |n: &usize| found.iter().all(|it| it.name.get(..*n) == first.name.get(..*n));
    let common = (0..=first.name.len()).rev().find(all_have).unwrap_or(0);
    let mut completed = first.name[..common].to_owned();
    if found.len() == 1 && !first.takes.is_empty() {
        completed.push(' ');
    }
    Some(completed)
}

fn unknown(name: &str) -> String {
    /// Names at this distance or more are different words.
    const FAR: usize = 3;
    let distance = |known: &SlashCommand| strsim::damerau_levenshtein(known.name, name);
    let nearest = COMMANDS.iter().min_by_key(|known| distance(known));
    let nearest = nearest.filter(|known| distance(known) < FAR);
    let shown: String = name.chars().take(40).collect();
    match nearest {
        Some(known) => format!("unknown command {shown}; did you mean {}?", known.name),
        None => {
            format!("unknown command {shown}; /help lists the commands. To send it as text, start with //")
        }
    }
}
