//! What frames text as part of a conversation with a model: chat-template tokens, role labels, tool calls, logs of agents.

use super::machine_tags::{MachineTag, Marker, machine_tag, tags};
use super::structure::shapes;
use super::text::words;

/// Longest inline code that mentions a tag, in bytes.
const LONGEST_MENTION: usize = 40;

/// The text without tags that it only mentions: a tag that is all of an inline code span. Blanks take their place.
pub(super) fn without_mentions(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut pieces = text.split('`').peekable();
    let mut is_code = false;
    while let Some(piece) = pieces.next() {
        let is_closed = is_code && pieces.peek().is_some();
        let is_tag = piece.starts_with(['<', '[']) && piece.ends_with(['>', ']']);
        if is_closed && is_tag && piece.len() <= LONGEST_MENTION && !piece.contains(char::is_whitespace) {
            kept.push_str(&" ".repeat(piece.len()));
        } else {
            kept.push_str(piece);
        }
        if pieces.peek().is_some() {
            kept.push('`');
        }
        is_code = !is_code;
    }
    kept
}

/// The markers of a text that begin or end a turn, in order.
pub(super) fn markers(text: &str) -> Vec<Marker> {
    let lower = text.to_ascii_lowercase();
    let mut found = tags(&lower);
    for token in &shapes().template_tokens {
        found.extend(lower.match_indices(token.as_str()).map(|(at, _)| Marker {
            at,
            is_end: token.contains('/') || token.contains("end"),
        }));
    }
    found.extend(bar_tokens(&lower));
    found.sort_by_key(|marker| marker.at);
    found
}

/// "<|im_start|>", "<|end|>": a name between bars, which an operator such as `|>` has not.
fn bar_tokens(lower: &str) -> impl Iterator<Item = Marker> {
    let opening = ["<|", "<\u{ff5c}"]
        .into_iter()
        .flat_map(|mark| lower.match_indices(mark));
    opening.filter_map(|(at, mark)| {
        let name = &lower[at + mark.len()..];
        let is_end = ["im_end", "end", "eot", "eom", "/"]
            .iter()
            .any(|end| name.starts_with(end));
        let is_name = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '_'));
        is_name.then_some(Marker { at, is_end })
    })
}

/// Whether a line is a turn of a conversation, or the lines are the log of an agent.
pub(super) fn is_framed(text: &str) -> bool {
    text.lines().any(is_role_line) || is_message(text) || is_agent_log(text)
}

/// "role: system" with "content: …" below it.
fn is_message(text: &str) -> bool {
    let value_of = |key: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once([':', '='])?;
            let bare = |it: &str| it.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            (bare(name) == key).then(|| bare(value))
        })
    };
    let is_role = |role: String| shapes().weak_roles.contains(&role) || shapes().strong_roles.contains(&role);
    value_of("role").is_some_and(is_role) && value_of("content").is_some()
}

/// "Thought: …", "Action: …", "Observation: …": two of them in one block.
fn is_agent_log(text: &str) -> bool {
    let labels = ["thought", "action", "action input", "observation", "final answer"];
    let is_line_of = |label: &str| {
        text.lines().any(|line| {
            let name = line.split_once(':').map(|(name, _)| name.trim().to_lowercase());
            name.is_some_and(|name| name.trim_matches(|c: char| !c.is_alphanumeric()) == label)
        })
    };
    labels.into_iter().filter(|label| is_line_of(label)).count() >= 2
}

/// "Tool result", "SYSTEM_PROMPT(1)": a party and what it sends.
fn names_message(label: &str) -> bool {
    let lower = label.to_lowercase();
    let mut parts = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty());
    let (Some(party), Some(message)) = (parts.next(), parts.next()) else {
        return false;
    };
    let is_written_by_machine = label.contains(['_', '(']);
    match (party, message) {
        ("tool", "result" | "results" | "response" | "output" | "message") => true,
        ("function", "result" | "results" | "response") => true,
        ("system", "prompt" | "message" | "override" | "reminder" | "instruction" | "instructions") => true,
        ("developer", "message" | "prompt" | "instruction" | "instructions") => true,
        ("tool" | "function", "call" | "calls" | "use" | "output") => is_written_by_machine,
        _ => false,
    }
}

/// A key of JSON that names a message to or from a machine, such as "tool_result".
fn has_machine_key(lower: &str) -> bool {
    let keys = lower.split('"').skip(1).step_by(2);
    keys.into_iter()
        .any(|key| key.contains('_') && machine_tag(key) == Some(MachineTag::Sure))
}

/// A JSON object that names a tool, its arguments or a role.
pub(super) fn is_tool_call(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_key = |key: &String| lower.contains(&format!("\"{key}\""));
    lower.contains('{')
        && (shapes().call_keys.iter().filter(|key| has_key(key)).count() >= 2 || has_machine_key(&lower))
}

/// "Assistant: …", "[system] …", "NOTE TO AI READERS: …" at the start of a line.
fn is_role_line(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '>' | '*' | '-' | '#' | '_' | '`' | '"' | '“')
    });
    let (label, rest) = match line.strip_prefix(['[', '(', '<', '{']) {
        Some(inner) => match inner.split_once([']', ')', '>', '}']) {
            Some(parts) => parts,
            None => return false,
        },
        None => match line.split_once([':', '：']) {
            Some(parts) => parts,
            None => return false,
        },
    };
    let tokens = words(label);
    if tokens.is_empty() || tokens.len() > 6 || label.len() > 60 {
        return false;
    }
    let known = |list: &[String]| tokens.iter().any(|word| list.contains(&word.lower));
    if known(&shapes().strong_roles) || names_message(label) {
        return true;
    }
    let is_label_alone = tokens.len() <= 2 && shapes().weak_roles.contains(&tokens[0].lower);
    let is_shouted = label.chars().any(char::is_alphabetic) && label.chars().all(|c| !c.is_lowercase());
    let is_bracketed = line.starts_with(['[', '<', '{']);
    is_label_alone && (is_shouted || is_bracketed || addresses_reader(rest))
}

fn addresses_reader(text: &str) -> bool {
    words(text).iter().any(|word| {
        matches!(
            word.lower.as_str(),
            "you" | "your" | "you're" | "i" | "i'm" | "du" | "sie" | "你" | "您"
        )
    })
}
