//! Collects the output of an adapter: items for us, bytes for the process, and alarms, each raised once.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::item::{AgentItem, RawLine};

/// The kind of lines that arrived since the last prompt, or since the end of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum AdapterEvents {
    /// Only session names, notices, and messages that the protocol sends at any time.
    #[default]
    Nothing,
    /// Lines of an unknown type.
    Unknown,
    /// Output that belongs to a turn, or is not a valid message.
    Speech,
}

/// Maximum number of alarm kinds per process; a hostile stream could invent any number.
const MAX_KINDS: usize = 64;
/// Maximum number of unknown lines that become items; the spool has all of them.
const MAX_RAW: u64 = 1_000;
/// Maximum length of a kind's name.
const MAX_KIND_CHARS: usize = 80;

/// Collects an adapter's output while it reads.
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
            // Alarms are raised once and raw lines are limited, so their callers record the event.
            AgentItem::Alarm { .. } | AgentItem::Raw { .. } => {}
            AgentItem::Text { .. }
            | AgentItem::Thought { .. }
            | AgentItem::ToolCall { .. }
            | AgentItem::ToolResult { .. }
            | AgentItem::Usage { .. }
            | AgentItem::Permission(_) => self.hear(AdapterEvents::Speech),
            // Later lines are between two turns.
            AgentItem::Ended(_) => self.heard = AdapterEvents::Nothing,
        }
        self.items.push(item);
    }

    /// Records the kind of a line that no item represents.
    pub(crate) fn hear(&mut self, heard: AdapterEvents) {
        self.heard = self.heard.max(heard);
    }

    /// Returns the kind of lines since the last prompt, or since the end of its turn.
    pub(crate) fn take_events(&self) -> AdapterEvents {
        self.heard
    }

    /// A prompt was sent: a new turn begins.
    pub(crate) fn begin_turn(&mut self) {
        self.heard = AdapterEvents::Nothing;
    }

    /// Adds the agent's text, unless it is empty.
    pub(crate) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            let text = text.to_owned();
            self.item(AgentItem::Text { text });
        }
    }

    /// Adds the agent's thoughts, unless they are empty.
    pub(crate) fn add_thought(&mut self, text: &str) {
        if !text.is_empty() {
            let text = text.to_owned();
            self.item(AgentItem::Thought { text });
        }
    }

    /// Keeps a line of an unknown type.
    pub(crate) fn unknown(&mut self, kind: &str, line: &[u8]) {
        self.hear(AdapterEvents::Unknown);
        self.alarm(
            &format!("unknown:{kind}"),
            "the CLI sent a line of a type that gemicro does not know",
        );
        self.raw(line);
    }

    /// Keeps a malformed line of a known type.
    pub(crate) fn malformed(&mut self, kind: &str, line: &[u8]) {
        self.hear(AdapterEvents::Speech);
        self.alarm(
            &format!("malformed:{kind}"),
            "the CLI sent a line that has invalid data",
        );
        self.raw(line);
    }

    /// Keeps a line that is not a JSON object with a type.
    pub(crate) fn not_json(&mut self, line: &[u8]) {
        self.hear(AdapterEvents::Speech);
        self.alarm("not_json", "the CLI printed a line that is not an event");
        self.raw(line);
    }

    /// Keeps a raw line, unless there were too many.
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

    /// Raises an alarm, once per kind.
    pub(crate) fn alarm(&mut self, kind: &str, message: &str) {
        // A cheap check, because a flood of bad lines calls this for each of them.
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
        // Our own messages always serialise.
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            self.input.append(&mut line);
        }
    }

    /// Returns and clears the items so far.
    pub(crate) fn take_items(&mut self) -> Vec<AgentItem> {
        std::mem::take(&mut self.items)
    }

    /// Returns and clears the bytes for the process so far.
    pub(crate) fn take_input(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.input)
    }
}
