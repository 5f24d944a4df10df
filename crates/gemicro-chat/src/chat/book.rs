//! The conversation of a chat: its turns and prompts. Every change is written to the store before it counts.

use gemicro_core::history::{
    ConversationCompacted, ConversationLog, HistoryConfig, HistoryManager, PromptResult, SummaryAsked,
    SummaryMade, SummaryRefusal, SummaryRequest, TurnAdded, TurnsWithdrawn,
};
use gemicro_core::history::{Turn, TurnKind};
use gemicro_event::text;
use gemicro_event::{AgentUpdate, Charge, Payload, StreamId, Timestamp};

use crate::conversations::{ChatState, HeldConversation};
use crate::{Conversation, ConversationError};

/// Maximum length of a conversation's name, which comes from its first message.
const NAME_CHARS: usize = 60;

pub(super) struct Book {
    pub(super) holding: HeldConversation,
    pub(super) name: String,
    pub(super) history: HistoryManager,
    pub(super) held: ChatState,
    /// Number of compactions that are written to the store.
    n_written: u64,
}

/// An event with the current time.
pub(super) fn fact<P: Payload>(payload: &P) -> AgentUpdate {
    AgentUpdate::new(payload, Timestamp::now())
}

impl Book {
    /// A conversation without turns.
    pub(super) fn fresh(holding: HeldConversation, config: HistoryConfig) -> Self {
        Self {
            holding,
            name: String::new(),
            history: HistoryManager::new(config),
            held: ChatState::default(),
            n_written: 0,
        }
    }

    pub(super) fn of(holding: HeldConversation, conversation: Conversation, config: HistoryConfig) -> Self {
        let history = restore_history(config, &conversation.log, &conversation.held);
        Self {
            holding,
            name: conversation.name,
            n_written: history.compaction_count(),
            history,
            held: conversation.held,
        }
    }

    pub(super) fn log(&self) -> &ConversationLog {
        self.history.log()
    }

    /// Writes events; the first write creates the conversation.
    pub(super) async fn write(&mut self, facts: Vec<AgentUpdate>) -> Result<(), ConversationError> {
        if !self.holding.is_fresh() {
            return self.holding.write(facts).await;
        }
        if self.name.is_empty() {
            self.name = "untitled".to_owned();
        }
        self.holding.begin(&self.name, None, facts).await
    }

    /// The prompt for this message.
    pub(super) fn prompt_for(&mut self, message: &str) -> Result<PromptResult, Refusal> {
        self.history.build_prompt(message).map_err(Refusal::of)
    }

    /// The event for a compaction since the last write, if there was one.
    pub(super) fn compaction(&mut self) -> Option<AgentUpdate> {
        let count = self.history.compaction_count();
        if count == self.n_written {
            return None;
        }
        let plan = self.history.plan()?.clone();
        let report = self.history.report()?;
        let compacted = ConversationCompacted {
            plan,
            conversation_tokens: self.history.estimated_total_tokens(),
            prompt_tokens: report.tokens_after,
            n_lost: report.lost.len() as u64,
        };
        self.n_written = count;
        self.held.apply_compacted(compacted.clone());
        Some(fact(&compacted))
    }

    /// Adds a turn to the log; the caller must write the event.
    pub(super) fn add(&mut self, turn: Turn) -> (Turn, AgentUpdate) {
        if self.name.is_empty() && turn.kind == TurnKind::Message {
            self.name = name_of(&turn.text);
        }
        let number = self.history.add_turn(turn.clone());
        let turn = Turn { number, ..turn };
        let added = fact(&TurnAdded { turn: turn.clone() });
        (turn, added)
    }

    /// Withdraws all turns from this one on.
    pub(super) async fn withdraw(&mut self, from: u64) -> Result<(), ConversationError> {
        self.write(vec![fact(&TurnsWithdrawn { from })]).await?;
        self.held.withdrawn(from);
        let log = self.log().cut_after(from.saturating_sub(1));
        let config = self.history.config().clone();
        self.history = restore_history(config, &log, &self.held);
        self.n_written = self.history.compaction_count();
        Ok(())
    }

    /// Notes that a summary is being written.
    pub(super) async fn ask_summary(
        &mut self,
        request: &SummaryRequest,
        run: &StreamId,
    ) -> Result<(), ConversationError> {
        let asked = SummaryAsked {
            hash: request.hash.clone(),
            first: request.first,
            last: request.last,
            max_tokens: request.max_tokens,
            run: run.clone(),
        };
        self.write(vec![fact(&asked)]).await?;
        self.held.summary_asked(asked);
        Ok(())
    }

    /// Accepts a summary, or the reason why there is none.
    pub(super) async fn take_summary(
        &mut self,
        request: &SummaryRequest,
        answer: Result<String, SummaryRefusal>,
        charge: Charge,
    ) -> Result<Result<(), SummaryRefusal>, ConversationError> {
        let taken = self.history.accept_summary(request, answer);
        let text = self.history.summaries().get(&request.hash);
        let made = SummaryMade {
            hash: request.hash.clone(),
            text: text.and_then(|text| text.as_ref().ok().cloned()),
            refusal: taken.as_ref().err().cloned(),
            charge,
        };
        self.write(vec![fact(&made)]).await?;
        self.held.summary_made(made);
        Ok(taken)
    }
}

/// Why a prompt cannot be made.
pub(super) struct Refusal(pub(super) String);

impl Refusal {
    fn of(error: gemicro_core::history::HistoryError) -> Self {
        Self(format!(
            "{error}: send less, or put it in a file and name the file"
        ))
    }
}

/// Restores the history with the same plan, so that the next prompt continues the last one.
pub(super) fn restore_history(
    config: HistoryConfig,
    log: &ConversationLog,
    held: &ChatState,
) -> HistoryManager {
    let history = HistoryManager::from_log(config, log);
    match &held.plan {
        Some(plan) => history.with_plan(plan.clone(), held.summaries.clone()),
        None => history,
    }
}

/// The name of a conversation that begins with this text.
fn name_of(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    text::shortened(&text::plain(line, usize::MAX), NAME_CHARS)
}
