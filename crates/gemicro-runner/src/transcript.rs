//! Collects the items of one turn, for judging it.

use std::collections::VecDeque;

use gemicro_event::Usage;

use crate::item::{AgentItem, TurnEnd, UsageScope};
use crate::session::SessionId;

/// Maximum size of an agent's text. Text before its last tool call is dropped first; a longer answer counts as
/// truncated.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of notices and stray lines.
const MAX_LINES: usize = 20;
/// Maximum length of each.
const MAX_LINE_CHARS: usize = 2_000;

/// Everything known about a turn.
#[derive(Debug, Clone, Default)]
pub struct TurnTranscript {
    /// The session that the CLI reported, if any.
    pub session: Option<SessionId>,
    /// Tokens used, as last reported.
    pub usage: Option<(Usage, UsageScope)>,
    /// How the turn ended according to the CLI.
    pub end: Option<TurnEnd>,
    /// Number of tool calls.
    pub n_tool_calls: u64,
    /// The last notices of the CLI, oldest first.
    pub notices: VecDeque<String>,
    /// The last lines that were not events.
    pub stray_lines: VecDeque<String>,
    said: String,
    /// Start of the text after the last tool call in `said`.
    answer_start: usize,
    is_cut: bool,
}

impl TurnTranscript {
    /// Collects items.
    pub fn of<'a>(items: impl IntoIterator<Item = &'a AgentItem>) -> Self {
        let mut transcript = Self::default();
        for item in items {
            transcript.add(item);
        }
        transcript
    }

    /// Returns an empty transcript for the next turn of the same process and session.
    #[must_use]
    pub fn next_turn(&self) -> Self {
        Self {
            session: self.session.clone(),
            ..Self::default()
        }
    }

    /// Adds the next item.
    pub fn add(&mut self, item: &AgentItem) {
        match item {
            AgentItem::Started { session, .. } => self.session = Some(session.clone()),
            AgentItem::Text { text } => {
                if self.said.len().saturating_add(text.len()) > MAX_TEXT_BYTES {
                    self.said.drain(..self.answer_start);
                    self.answer_start = 0;
                }
                if self.said.len().saturating_add(text.len()) > MAX_TEXT_BYTES {
                    self.is_cut = true;
                } else {
                    self.said.push_str(text);
                }
            }
            AgentItem::ToolCall { .. } => {
                self.n_tool_calls = self.n_tool_calls.saturating_add(1);
                self.answer_start = self.said.len();
            }
            AgentItem::Permission(_) => self.answer_start = self.said.len(),
            AgentItem::Usage { usage, scope } => self.usage = Some((*usage, *scope)),
            AgentItem::Notice { message } => keep_last(&mut self.notices, message),
            AgentItem::Ended(end) => self.end = Some(end.clone()),
            AgentItem::Raw { line } => keep_last(&mut self.stray_lines, &line.text()),
            AgentItem::Thought { .. } | AgentItem::ToolResult { .. } | AgentItem::Alarm { .. } => {}
        }
    }

    /// All text of the agent in this turn.
    #[must_use]
    pub fn agent_text(&self) -> &str {
        &self.said
    }

    /// Its answer: the text after its last tool call, or all text if there is none after it.
    #[must_use]
    pub fn answer(&self) -> &str {
        let last = self.said.get(self.answer_start..).unwrap_or_default();
        if last.trim().is_empty() { &self.said } else { last }
    }

    /// Whether some of its text was dropped.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

fn keep_last(lines: &mut VecDeque<String>, line: &str) {
    if lines.len() == MAX_LINES {
        lines.pop_front();
    }
    lines.push_back(line.chars().take(MAX_LINE_CHARS).collect());
}
