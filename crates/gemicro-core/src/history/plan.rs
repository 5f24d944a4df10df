//! The plan of a prompt: plain data, made by compaction and used by rendering.
//!
//! The main type is [`PromptPlan`]. It is valid for one epoch: new turns are appended, everything before stays byte for
//! byte, so that providers' prompt caches hit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FactClass, FactKind, Level, Tag};

/// The parts of a log that a prompt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptPlan {
    /// Number of the epoch, from 1; every compaction starts a new one.
    pub epoch: u64,
    /// Marks the frames, so that no text of a turn can close one.
    pub tag: Tag,
    /// How strongly the conversation was compressed.
    pub level: Level,
    /// Length of the log when the epoch started.
    pub started_at: u64,
    /// The last turn shown in this epoch.
    pub shown_to: u64,
    /// Number of recognised rules and decisions that did not fit.
    pub n_decisions_lost: usize,
    /// Facts from earlier turns, written out exactly.
    pub pinned: Vec<PinnedFact>,
    /// Replacements for turns that are not shown, in order.
    pub segments: Vec<Segment>,
    /// Turns before `from` that are shown anyway.
    pub kept: Vec<u64>,
    /// All turns from this one on are shown.
    pub from: u64,
    /// How turns are shown that are not shown whole.
    pub views: BTreeMap<u64, View>,
    /// Statements of turns that are not shown, in order.
    #[serde(default)]
    pub said: Vec<ShownStatement>,
    /// Old statements shown again because a message may refer to them.
    #[serde(default)]
    pub recalled: Vec<RecalledStatements>,
}

/// A part of a turn's text that is shown verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShownStatement {
    /// The turn that says it.
    pub turn: u64,
    /// Where it starts in the text of the turn, in bytes.
    pub start: usize,
    /// Where it ends, in bytes; exclusive.
    pub end: usize,
    /// A line of pasted material, not the author's own text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pasted: bool,
}

/// The statements recalled for one message. They stay before that message during the epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledStatements {
    /// Number of the message that they precede.
    pub before: u64,
    /// The statements that it may refer to, in order.
    pub statements: Vec<ShownStatement>,
}

impl PromptPlan {
    /// A plan that shows every turn whole.
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

    /// Whether the epoch started with every turn in the prompt; new ones may be shortened.
    pub(crate) fn starts_whole(&self) -> bool {
        self.from == 1 && self.segments.is_empty() && self.pinned.is_empty() && self.said.is_empty()
    }

    /// How this turn is shown.
    #[must_use]
    pub fn view(&self, turn: u64) -> &View {
        self.views.get(&turn).unwrap_or(&View::Whole)
    }

    /// Whether a turn is shown whole.
    #[must_use]
    pub(crate) fn shows_whole(&self, turn: u64) -> bool {
        (turn >= self.from || self.kept.contains(&turn)) && *self.view(turn) == View::Whole
    }

    /// The last turn replaced by a segment; 0 if there is none.
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
    /// Its start and its end, with a hash of the whole turn between them.
    Cut {
        /// Size of the start in bytes.
        head: usize,
        /// Size of the end in bytes.
        tail: usize,
        /// Exact strings from the part that was cut.
        facts: Vec<String>,
    },
}

/// Replaces a range of turns. The turns stay in the log: without the segment they can be shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The first turn that it replaces.
    pub first: u64,
    /// The last turn that it replaces.
    pub last: u64,
    /// Hash of the content of these turns.
    pub hash: String,
    /// The replacement text.
    pub text: String,
    /// The origin of the text.
    pub origin: SegmentOrigin,
}

/// The origin of a segment's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentOrigin {
    /// A model wrote it.
    Summary,
    /// No text, because no summary was available. The prompt lists statements of these turns.
    Truncation,
}

/// A fact written out in the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedFact {
    /// The class of the fact.
    pub class: FactClass,
    /// The kind of the fact, such as a path or a version.
    pub kind: FactKind,
    /// The fact, as the turn wrote it.
    pub text: String,
    /// The turn that said it first.
    pub turn: u64,
}
