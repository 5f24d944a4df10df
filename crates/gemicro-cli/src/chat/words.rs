//! Texts for news, shared by the screen and the line mode.

use gemicro_chat::{ConversationRow, Meter, ToolState};
use gemicro_event::{ErrorKind, Failure, StreamId, Usage};

use super::slash::COMMANDS;
use crate::screen::{numbers, text};

/// Number of characters shown of an id, as in `gemicro conversations list`.
const SHORT_ID: usize = 8;

/// What happens to a message without an answer.
const STAYS: &str = "your message stays and is sent with the next one; /undo removes it";

/// The advice when even a short prompt took too long.
pub(super) const OFFERS_CLEAR: &str =
    "/clear starts a new conversation, which may be faster; this one is saved";

/// The keys of the screen.
const KEYS: [(&str, &str); 7] = [
    ("Enter", "send"),
    ("Alt-Enter, Ctrl-J, \\ Enter", "start a new line"),
    ("Up, Down", "earlier messages, on the first and last line"),
    ("PageUp, PageDown", "scroll; at the end, follow new text"),
    ("Tab", "complete a command"),
    ("Esc, Ctrl-C", "stop the answer; press twice to leave"),
    ("Ctrl-D", "leave, if nothing is typed"),
];

/// The marker of a tool line.
pub(super) fn tool_mark(state: ToolState) -> &'static str {
    match state {
        ToolState::Running => "·",
        ToolState::Done => "✓",
        ToolState::Failed => "✗",
        ToolState::Denied => "⊘",
        ToolState::Stopped => "■",
    }
}

/// The end of a tool line.
pub(super) fn tool_end(state: ToolState) -> &'static str {
    match state {
        ToolState::Running => " (running)",
        ToolState::Done => "",
        ToolState::Failed => " (failed)",
        ToolState::Denied => " (denied)",
        ToolState::Stopped => " (stopped)",
    }
}

/// What to do after a failure.
pub(super) fn hints(failure: &Failure, run: Option<&StreamId>, offers_clear: bool) -> Vec<String> {
    let hint = failure.kind.hint();
    let hint = run.map_or_else(|| hint.to_owned(), |run| hint.replace("RUN", run.as_str()));
    let clear = offers_clear.then(|| OFFERS_CLEAR.to_owned());
    // After a refusal by the budget nothing was sent.
    let stays = (failure.kind != ErrorKind::BudgetExceeded).then(|| STAYS.to_owned());
    std::iter::once(hint).chain(stays).chain(clear).collect()
}

/// `3.2s · 1,247 tokens`.
pub(super) fn answer_footer(duration_ms: u64, usage: Option<&Usage>) -> String {
    let mut words = numbers::duration(duration_ms);
    if let Some(usage) = usage {
        let about = if usage.estimated { "about " } else { "" };
        words.push_str(&format!(
            " · {about}{} tokens",
            numbers::thousands(usage.total_tokens())
        ));
    }
    words
}

/// How to continue a conversation that was left.
pub(super) fn continue_with(conversation: &StreamId) -> String {
    format!("Continue with: gemicro chat {conversation}")
}

/// The texts of a meter, the most important first: prompt, all tokens, cache, cost.
pub(super) fn meter(meter: &Meter) -> Vec<String> {
    let mut prompt = format!(
        "prompt {}/{}",
        short(meter.prompt_tokens),
        short(meter.max_prompt_tokens)
    );
    if meter.is_compressed {
        prompt.push_str(&format!(" ⇣{}", meter.n_compactions));
    }
    let mut parts = vec![prompt];
    parts.extend(meter.spent.money_in_short());
    if meter.spent.tokens > 0 {
        let bound = if meter.spent.uncertain.tokens > 0 {
            "up to "
        } else {
            ""
        };
        parts.push(format!("{bound}{} tokens", short(meter.spent.tokens)));
    }
    if meter.cached_tokens > 0 {
        let share = percent(meter.cached_tokens, meter.spent.tokens);
        parts.push(format!("{share}% cached"));
    }
    parts
}

/// `part` of `whole` in percent, at most 100.
pub(super) fn percent(part: u64, whole: u64) -> u64 {
    let share = u128::from(part) * 100 / u128::from(whole.max(1));
    u64::try_from(share.min(100)).unwrap_or(100)
}

/// `812`, `3.1k`, `16k`, `1.2M`.
pub(super) fn short(n: u64) -> String {
    let (unit, size) = match n {
        0..1_000 => return n.to_string(),
        1_000..1_000_000 => ("k", 1_000),
        1_000_000..1_000_000_000 => ("M", 1_000_000),
        _ => ("G", 1_000_000_000),
    };
    match (n / size, n % size * 10 / size) {
        (whole @ 0..10, tenths @ 1..) => format!("{whole}.{tenths}{unit}"),
        (whole, _) => format!("{whole}{unit}"),
    }
}

/// The existing conversations, as lines.
pub(super) fn conversation_lines(rows: &[ConversationRow]) -> String {
    if rows.is_empty() {
        return "no conversations yet".to_owned();
    }
    let mut lines: Vec<String> = rows.iter().map(row).collect();
    lines.push("/open ID opens one".to_owned());
    lines.join("\n")
}

fn row(row: &ConversationRow) -> String {
    let id: String = row.id.as_str().chars().take(SHORT_ID).collect();
    let updated = numbers::moment(row.updated_at);
    let turns = if row.readable {
        numbers::count(usize::try_from(row.turns).unwrap_or(usize::MAX), "turn")
    } else {
        "newer".to_owned()
    };
    let updated = updated.get(..16).unwrap_or(&updated);
    format!("{id}  {updated}  {turns:>9}  {}", text::one_line(&row.name))
}

/// The text of `/help`: the commands, and the keys of the screen.
pub(super) fn help(with_keys: bool) -> String {
    let commands = COMMANDS
        .iter()
        .map(|it| (format!("{} {}", it.name, it.takes), it.does));
    let keys = KEYS
        .iter()
        .filter(|_| with_keys)
        .map(|(keys, what)| ((*keys).to_owned(), *what));
    let lines: Vec<String> = commands
        .chain(keys)
        .map(|(name, what)| format!("{}  {what}", text::pad(name.trim_end(), 26)))
        .collect();
    lines.join("\n")
}
