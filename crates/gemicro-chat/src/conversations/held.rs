//! How a conversation was held: who knows it, what was compressed, what it cost.

use std::collections::BTreeMap;

use gemicro_core::history::{
    ConversationCompacted, PromptPlan, Speaker, SummaryAsked, SummaryCache, SummaryMade, Transport,
    TurnAnswered, TurnAsked, TurnFailed,
};
use gemicro_event::Charge;

/// What chats left behind in a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatState {
    /// Who was asked last.
    pub speaker: Option<Speaker>,
    /// Who remembers the conversation, and up to where.
    pub native: Option<Native>,
    /// How the last turn was sent.
    pub transport: Option<Transport>,
    /// A turn that was sent and has neither an answer nor a failure.
    pub open: Option<TurnAsked>,
    /// What prompts show, since the last compaction.
    pub plan: Option<PromptPlan>,
    /// The summaries that there are.
    pub summaries: SummaryCache,
    /// Summaries that were asked for and are not there, by what they stand for.
    pub open_summaries: BTreeMap<String, SummaryAsked>,
    /// What all of it cost.
    pub spent: Charge,
    /// The tokens of it that came out of a provider's cache.
    pub cached_tokens: u64,
}

/// A session or interaction that knows a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Native {
    /// Whose it is.
    pub speaker: Speaker,
    /// Its name.
    pub session: String,
    /// The last turn that it knows.
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

    /// How much of a failed turn a session remembers is unknown.
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
