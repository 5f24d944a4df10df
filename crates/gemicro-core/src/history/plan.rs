//! What a prompt will show: plain data, made by compaction and read by rendering.
//!
//! The main type is [`PromptPlan`]. It holds for one epoch: new turns are added at the end, everything before
//! stays byte for byte, so that providers' prompt caches hit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FactClass, FactKind, Level, Tag};

/// What a prompt shows of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptPlan {
    /// Counts from 1; a new one starts with every compaction.
    pub epoch: u64,
    /// Marks the frames, so that no text of a turn can close one.
    pub tag: Tag,
    /// How hard the conversation was compressed.
    pub level: Level,
    /// How many turns the log had when the epoch started.
    pub started_at: u64,
    /// The last turn that a prompt of this epoch has shown.
    pub shown_to: u64,
    /// How many recognised rules and decisions there was no room for.
    pub n_decisions_lost: usize,
    /// What was said before and is written out exactly.
    pub pinned: Vec<PinnedFact>,
    /// What stands for turns that are not shown, in order.
    pub segments: Vec<Segment>,
    /// Turns before `from` that are shown all the same.
    pub kept: Vec<u64>,
    /// From this turn on all are shown.
    pub from: u64,
    /// How turns are shown that are not shown whole.
    pub views: BTreeMap<u64, View>,
    /// Statements of turns that are not shown, in order.
    #[serde(default)]
    pub said: Vec<ShownStatement>,
    /// Old statements shown again because a message may be about them.
    #[serde(default)]
    pub recalled: Vec<RecalledStatements>,
}

/// A part of a turn's text that is shown word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShownStatement {
    /// The turn that says it.
    pub turn: u64,
    /// Where it starts in the text of the turn, in bytes.
    pub start: usize,
    /// Where it ends, in bytes; exclusive.
    pub end: usize,
    /// A line of pasted material, not the author's own words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pasted: bool,
}

/// What was found for one message. It stays before that message while the epoch lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledStatements {
    /// Number of the message that it is shown before.
    pub before: u64,
    /// What it may be about, in order.
    pub statements: Vec<ShownStatement>,
}

impl PromptPlan {
    /// Shows every turn whole.
    #[must_use]
    pub fn verbatim(tag: Tag) -> Self {
        Self {
            epoch: 1,
            tag,
            level: Level::None,
            started_at: 0,
            shown_to: 0,
            n_decisions_lost: 0,
            pinned: Vec::new(),
            segments: Vec::new(),
            kept: Vec::new(),
            from: 1,
            views: BTreeMap::new(),
            said: Vec::new(),
            recalled: Vec::new(),
        }
    }

    /// Whether anything is left out.
    #[must_use]
    pub fn compresses(&self) -> bool {
        !self.segments.is_empty() || !self.views.is_empty()
    }

    /// Whether the epoch began with every turn in the prompt; new ones may be shown shorter.
    pub(crate) fn starts_whole(&self) -> bool {
        self.from == 1 && self.segments.is_empty() && self.pinned.is_empty() && self.said.is_empty()
    }

    /// How this turn is shown.
    #[must_use]
    pub fn view(&self, turn: u64) -> &View {
        self.views.get(&turn).unwrap_or(&View::Whole)
    }

    /// Whether a turn is shown as it is.
    #[must_use]
    pub(crate) fn shows_whole(&self, turn: u64) -> bool {
        (turn >= self.from || self.kept.contains(&turn)) && *self.view(turn) == View::Whole
    }

    /// The last turn that a segment stands for; 0 when there is none.
    #[must_use]
    pub(crate) fn sealed_to(&self) -> u64 {
        self.segments.last().map_or(0, |segment| segment.last)
    }
}

/// How a turn is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "view")]
pub enum View {
    /// With its whole text.
    Whole,
    /// Not at all: an earlier turn has the same text.
    SameAs {
        /// Number of the earlier turn.
        turn: u64,
    },
    /// Its start and its end, with a hash for what is between.
    Cut {
        /// Bytes of the start.
        head: usize,
        /// Bytes of the end.
        tail: usize,
        /// Exact strings from what was cut.
        facts: Vec<String>,
    },
}

/// Stands for a range of turns. The turns stay in the log: without the segment they can be shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The first turn it stands for.
    pub first: u64,
    /// The last turn it stands for.
    pub last: u64,
    /// Names the content of these turns.
    pub hash: String,
    /// What it says instead.
    pub text: String,
    /// Where that comes from.
    pub origin: SegmentOrigin,
}

/// Where the text of a segment comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentOrigin {
    /// A model wrote it.
    Summary,
    /// It has none: no summary was to be had. Statements of these turns are listed in the prompt.
    Truncation,
}

/// A fact written out in the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedFact {
    /// What sort of fact it is.
    pub class: FactClass,
    /// The form of the fact, such as a path or a version.
    pub kind: FactKind,
    /// The fact, as the turn wrote it.
    pub text: String,
    /// The turn that said it first.
    pub turn: u64,
}
