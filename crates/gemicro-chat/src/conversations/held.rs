//! The state that chats leave in a conversation: sessions, compression, cost.

use std::collections::BTreeMap;

use gemicro_core::history::{
    ConversationCompacted, PromptPlan, Speaker, SummaryAsked, SummaryCache, SummaryMade, Transport,
    TurnAnswered, TurnAsked, TurnFailed,
};
use gemicro_event::Charge;

/// The state that chats left in a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatState {
    /// The last speaker.
    pub speaker: Option<Speaker>,
    /// The session that has the conversation, and up to which turn.
    pub native: Option<Native>,
    /// How the last turn was sent.
    pub transport: Option<Transport>,
    /// A turn that was sent and has neither an answer nor a failure.
    pub open: Option<TurnAsked>,
    /// The plan of prompts since the last compaction.
    pub plan: Option<PromptPlan>,
    /// The available summaries.
    pub summaries: SummaryCache,
    /// Requested summaries that are not available yet, by the hash of the replaced content.
    pub open_summaries: BTreeMap<String, SummaryAsked>,
    /// Total cost of the conversation.
    pub spent: Charge,
    /// Its tokens that came from a provider's cache.
    pub cached_tokens: u64,
}

/// A session or interaction that has a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Native {
    /// The speaker that it belongs to.
    pub speaker: Speaker,
    /// Its id.
    pub session: String,
    /// The last turn in it.
    pub up_to: u64,
}

impl ChatState {
    pub(crate) fn apply_asked(&mut self, asked: TurnAsked) {
        self.speaker = Some(asked.speaker.clone());
        self.transport = Some(asked.transport);
        self.open = Some(asked);
    }

    pub(crate) fn apply_answered(&mut self, answered: TurnAnswered, up_to: u64) {
        self.spent = self.spent.plus(answered.charge);
        self.cached_tokens += answered.cached_tokens;
        let asked = self.open.take();
        let speaker = asked.map(|asked| asked.speaker);
        self.native = answered.session.zip(speaker).map(|(session, speaker)| Native {
            speaker,
            session,
            up_to,
        });
    }

    /// It is not known how much of a failed turn a session has, so the session is dropped.
    pub(crate) fn apply_failed(&mut self, failed: &TurnFailed) {
        self.spent = self.spent.plus(failed.charge);
        self.open = None;
        self.native = None;
    }

    pub(crate) fn withdrawn(&mut self, from: u64) {
        self.native = None;
        self.open = self.open.take().filter(|asked| asked.turn < from);
        self.plan = self.plan.take().filter(|plan| plan.started_at < from);
        if let Some(plan) = &mut self.plan {
            plan.shown_to = plan.shown_to.min(from.saturating_sub(1));
        }
    }

    pub(crate) fn apply_compacted(&mut self, compacted: ConversationCompacted) {
        self.plan = Some(compacted.plan);
        self.native = None;
    }

    pub(crate) fn summary_asked(&mut self, asked: SummaryAsked) {
        self.open_summaries.insert(asked.hash.clone(), asked);
    }

    pub(crate) fn summary_made(&mut self, made: SummaryMade) {
        self.open_summaries.remove(&made.hash);
        self.spent = self.spent.plus(made.charge);
        let answer = match (made.text, made.refusal) {
            (Some(text), _) => Ok(text),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => return,
        };
        self.summaries.put(made.hash, answer);
    }
}
