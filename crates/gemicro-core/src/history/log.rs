//! The append-only log of a conversation.
//!
//! The main type is [`ConversationLog`]. Nothing in it is ever changed: compaction only makes a separate
//! [`PromptPlan`](super::PromptPlan), so dropping the plan restores the original.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Author, Turn};

/// All turns of a conversation, in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Turn>", into = "Vec<Turn>")]
pub struct ConversationLog {
    turns: Vec<Turn>,
    /// Calls without an answer, with the turn that made them.
    open_calls: BTreeMap<String, u64>,
    last_user: Option<u64>,
}

impl ConversationLog {
    /// A log without turns.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn with the next number and returns that number.
    pub fn append(&mut self, mut turn: Turn) -> u64 {
        turn.number = self.turns.len() as u64 + 1;
        let number = turn.number;
        if let Some(answered) = &turn.answers {
            self.open_calls.remove(&answered.call);
        }
        for call in &turn.calls {
            self.open_calls.insert(call.id.clone(), number);
        }
        if turn.author == Author::User {
            self.last_user = Some(number);
        }
        self.turns.push(turn);
        number
    }

    /// The turns so far.
    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Number of turns; also the number of the last.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.turns.len() as u64
    }

    /// Whether there are no turns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The turn with this number.
    #[must_use]
    pub fn turn(&self, number: u64) -> Option<&Turn> {
        let idx = usize::try_from(number.checked_sub(1)?).ok()?;
        self.turns.get(idx)
    }

    /// The turns from `first` to `last`, both included.
    #[must_use]
    pub fn range(&self, first: u64, last: u64) -> &[Turn] {
        let start = usize::try_from(first.max(1) - 1)
            .unwrap_or(usize::MAX)
            .min(self.turns.len());
        let end = usize::try_from(last)
            .unwrap_or(usize::MAX)
            .clamp(start, self.turns.len());
        &self.turns[start..end]
    }

    /// The number of the last turn of the user.
    #[must_use]
    pub fn last_user(&self) -> Option<u64> {
        self.last_user
    }

    /// Turns with unanswered calls, in order.
    #[must_use]
    pub(crate) fn open_call_turns(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.open_calls.values().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Removes a user message that was added only to preview its prompt.
    pub(super) fn withdraw(&mut self, last_user: Option<u64>) {
        self.turns.pop();
        self.last_user = last_user;
    }

    /// The log as it was after turn `last`.
    #[must_use]
    pub fn cut_after(&self, last: u64) -> Self {
        Self::from(self.range(1, last).to_vec())
    }
}

impl From<Vec<Turn>> for ConversationLog {
    fn from(turns: Vec<Turn>) -> Self {
        let mut log = Self::new();
        for turn in turns {
            log.append(turn);
        }
        log
    }
}

impl From<ConversationLog> for Vec<Turn> {
    fn from(log: ConversationLog) -> Self {
        log.turns
    }
}

/// Hash of the content of some turns: the SHA-256 of authors, texts and calls, in hex.
#[must_use]
pub(crate) fn content_hash<'a>(turns: impl IntoIterator<Item = &'a Turn>) -> String {
    let mut hasher = Sha256::new();
    for turn in turns {
        hasher.update(turn.author.as_str());
        hasher.update((turn.text.len() as u64).to_le_bytes());
        hasher.update(&turn.text);
        for call in &turn.calls {
            hasher.update((call.id.len() as u64).to_le_bytes());
            hasher.update(&call.id);
            hasher.update(&call.name);
            hasher.update(call.args.to_string());
        }
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
