//! What an adapter makes of a line: items for us, bytes for the process, alarms told once.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::item::{AgentItem, RawLine};

/// What came since the last prompt, or since the end of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum AdapterEvents {
    /// Nothing but names, notices, and what the protocol sends at any time.
    #[default]
    Nothing,
    /// Lines of a type that nobody knows.
    Unknown,
    /// What only a turn consists of, or no message at all.
    Speech,
}

/// How many kinds of alarm one process may raise; a hostile stream could invent kinds without end.
const MAX_KINDS: usize = 64;
/// How many lines that nobody understands become items; the spool has them all.
const MAX_RAW: u64 = 1_000;
/// How long the name of a kind may be.
const MAX_KIND_CHARS: usize = 80;

/// Collects what an adapter says while it reads.
#[derive(Debug, Default)]
pub(crate) struct AdapterOutput {
    items: Vec<AgentItem>,
    input: Vec<u8>,
    reported: BTreeSet<String>,
    n_raw: u64,
    heard: AdapterEvents,
}

impl AdapterOutput {
    pub(crate) fn item(&mut self, item: AgentItem) {
        match &item {
            AgentItem::Started { .. } | AgentItem::Notice { .. } => {}
            // Alarms are told once and lines not without end: whoever raises them says what was heard.
            AgentItem::Alarm { .. } | AgentItem::Raw { .. } => {}
            AgentItem::Text { .. }
            | AgentItem::Thought { .. }
            | AgentItem::ToolCall { .. }
            | AgentItem::ToolResult { .. }
            | AgentItem::Usage { .. }
            | AgentItem::Permission(_) => self.hear(AdapterEvents::Speech),
            // What follows is between two turns.
            AgentItem::Ended(_) => self.heard = AdapterEvents::Nothing,
        }
        self.items.push(item);
    }

    /// Notes what a line was, where no item says it.
    pub(crate) fn hear(&mut self, heard: AdapterEvents) {
        self.heard = self.heard.max(heard);
    }

    /// What was heard since the last prompt, or since the end of its turn.
    pub(crate) fn take_events(&self) -> AdapterEvents {
        self.heard
    }

    /// A prompt is said: from here on it is another turn.
    pub(crate) fn begin_turn(&mut self) {
        self.heard = AdapterEvents::Nothing;
    }

    /// Adds what the agent said, if anything.
    pub(crate) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            let text = text.to_owned();
            self.item(AgentItem::Text { text });
        }
    }

    /// Adds what the agent thought, if anything.
    pub(crate) fn add_thought(&mut self, text: &str) {
        if !text.is_empty() {
            let text = text.to_owned();
            self.item(AgentItem::Thought { text });
        }
    }

    /// Keeps a line whose type nobody knows.
    pub(crate) fn unknown(&mut self, kind: &str, line: &[u8]) {
        self.hear(AdapterEvents::Unknown);
        self.alarm(
            &format!("unknown:{kind}"),
            "the CLI sent a line of a type that gemicro does not know",
        );
        self.raw(line);
    }

    /// Keeps a line of a known type that does not have its shape.
    pub(crate) fn malformed(&mut self, kind: &str, line: &[u8]) {
        self.hear(AdapterEvents::Speech);
        self.alarm(
            &format!("malformed:{kind}"),
            "the CLI sent a line that does not have the shape of its type",
        );
        self.raw(line);
    }

    /// Keeps a line that is no JSON object with a type.
    pub(crate) fn not_json(&mut self, line: &[u8]) {
        self.hear(AdapterEvents::Speech);
        self.alarm("not_json", "the CLI printed a line that is not an event");
        self.raw(line);
    }

    /// Keeps a line, unless there were too many.
    pub(crate) fn raw(&mut self, line: &[u8]) {
        self.n_raw += 1;
        if self.n_raw > MAX_RAW {
            return self.alarm(
                "many_raw_lines",
                "further lines that are not events are not reported",
            );
        }
        let line = RawLine::new(line);
        self.item(AgentItem::Raw { line });
    }

    /// Raises an alarm, unless one of its kind was raised before.
    pub(crate) fn alarm(&mut self, kind: &str, message: &str) {
        // A flood of bad lines asks this for each of them.
        if self.reported.contains(kind) {
            return;
        }
        let kind: String = kind.chars().take(MAX_KIND_CHARS).collect();
        let (kind, message) = match self.reported.len() {
            _ if self.reported.contains(&kind) => return,
            0..MAX_KINDS => (kind, message),
            MAX_KINDS => ("more".to_owned(), "further kinds of alarm are not reported"),
            _ => return,
        };
        self.reported.insert(kind.clone());
        let message = message.to_owned();
        self.item(AgentItem::Alarm { kind, message });
    }

    /// Writes one line of JSON to the process.
    pub(crate) fn write<T: Serialize>(&mut self, message: &T) {
        // Our own messages are plain structures: writing them cannot fail.
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            self.input.append(&mut line);
        }
    }

    /// The items so far; the next call begins anew.
    pub(crate) fn take_items(&mut self) -> Vec<AgentItem> {
        std::mem::take(&mut self.items)
    }

    /// The bytes for the process so far; the next call begins anew.
    pub(crate) fn take_input(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.input)
    }
}
