//! The prompts of a recorded conversation, made again from its events and compared with those that were sent.

use gemicro_core::history::{
    Author, HistoryConfig, HistoryError, HistoryManager, Speaker, SummaryMade, SummaryRequest, TurnAdded,
    TurnAsked, TurnsWithdrawn,
};
use gemicro_event::{Event, Json, StreamId};

use super::book::restore_history;
use super::turn::SendMode;
use crate::conversations::ChatState;
use crate::{Conversation, ConversationError};

/// A prompt that this program makes differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptDifference {
    /// The event by which the prompt was sent.
    pub seq: u64,
    /// Number of the user's turn.
    pub turn: u64,
    /// The prompt that was sent.
    pub recorded: String,
    /// The prompt that this program would send, or why it would send none.
    pub replayed: String,
}

/// Makes the prompt of every turn again and returns the first one that differs from the recorded plan of its run.
///
/// # Errors
/// When the events are not those of a conversation that this program reads.
pub fn compare_prompts(
    events: &[Event],
    config: &HistoryConfig,
    plan_of: impl Fn(&StreamId) -> Option<Json>,
) -> Result<Option<PromptDifference>, ConversationError> {
    let Some((first, rest)) = events.split_first() else {
        return Ok(None);
    };
    let mut replay = PromptReplay {
        config,
        conversation: Conversation::begin(first)?,
        before: None,
        open: None,
        asked: None,
    };
    for event in rest {
        let difference = replay.take(event, &plan_of)?;
        if difference.is_some() {
            return Ok(difference);
        }
    }
    Ok(None)
}

struct PromptReplay<'a> {
    config: &'a HistoryConfig,
    conversation: Conversation,
    /// The state before a compaction that belongs to the turn after it.
    before: Option<ChatState>,
    /// The history of the chat that sent the last turn, if it is still open.
    open: Option<HistoryManager>,
    /// The turn that was sent last.
    asked: Option<u64>,
}

impl PromptReplay<'_> {
    fn take(
        &mut self,
        event: &Event,
        plan_of: &impl Fn(&StreamId) -> Option<Json>,
    ) -> Result<Option<PromptDifference>, ConversationError> {
        let update = &event.update;
        if update.event_type == "conversation_compacted" {
            self.before = Some(self.conversation.held.clone());
        } else if let Ok(asked) = update.try_as_payload::<TurnAsked>() {
            let plan = plan_of(&asked.run);
            // The process may have ended before the run began.
            if let Some(plan) = plan
                && let Err((recorded, replayed)) = self.compare(&asked, &plan)
            {
                return Ok(Some(PromptDifference {
                    seq: event.seq,
                    turn: asked.turn,
                    recorded,
                    replayed,
                }));
            }
            self.before = None;
            self.asked = Some(asked.turn);
        } else if let Ok(added) = update.try_as_payload::<TurnAdded>() {
            // A message of the user is added when it was sent.
            if let Some(history) = self.open.as_mut().filter(|_| added.turn.author != Author::User) {
                history.add_turn(added.turn);
            }
        } else if let Ok(made) = update.try_as_payload::<SummaryMade>() {
            self.take_summary(made);
        } else if update.try_as_payload::<TurnsWithdrawn>().is_ok() {
            self.open = None;
        }
        self.conversation.add(event)?;
        Ok(None)
    }

    fn take_summary(&mut self, made: SummaryMade) {
        let asked = self.conversation.held.open_summaries.get(&made.hash);
        let (Some(history), Some(asked)) = (&mut self.open, asked) else {
            return;
        };
        let request = SummaryRequest {
            hash: made.hash,
            first: asked.first,
            last: asked.last,
            prompt: String::new(),
            max_tokens: asked.max_tokens,
        };
        let answer = match (made.text, made.refusal) {
            (Some(text), _) => Ok(text),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => return,
        };
        // Whether it is used shows in the prompts.
        let _ = history.accept_summary(&request, answer);
    }

    /// Compares the prompt of a turn; `Err` has the recorded one and that of this program. A chat that was opened again
    /// makes a prompt from the stored state, and the events do not show that, so both are tried.
    fn compare(&mut self, asked: &TurnAsked, plan: &Json) -> Result<(), (String, String)> {
        let recorded = sent_prompt(&asked.speaker, plan).unwrap_or_default();
        let stored = self.before.as_ref().unwrap_or(&self.conversation.held);
        let is_second = self.asked == Some(asked.turn);
        let n_before = asked.turn.saturating_sub(1);
        let shown = match is_second {
            true => self.conversation.log.clone(),
            false => self.conversation.log.cut_after(n_before),
        };
        let reopened = restore_history(self.config.clone(), &shown, stored);
        let mode = match is_second {
            true if n_before == 0 => SendMode::Start,
            true => SendMode::Rendered,
            false => SendMode::choose(&self.conversation.held, &asked.speaker, n_before),
        };
        let turn = self.conversation.log.turn(asked.turn).cloned();
        let text = turn.as_ref().map(|turn| turn.text.clone()).unwrap_or_default();
        let mut replayed = None;
        for mut history in self.open.take().into_iter().chain([reopened]) {
            let prompt = match prompt_of(&mut history, &text, is_second) {
                Ok(prompt) => prompt_to_send(&asked.speaker, &mode, &text, prompt),
                Err(error) => format!("(not sent: {error})"),
            };
            if prompt == recorded {
                if let Some(turn) = turn.filter(|_| !is_second) {
                    history.add_turn(turn);
                }
                self.open = Some(history);
                return Ok(());
            }
            replayed.get_or_insert(prompt);
        }
        Err((recorded, replayed.unwrap_or_default()))
    }
}

fn prompt_of(history: &mut HistoryManager, text: &str, is_second: bool) -> Result<String, HistoryError> {
    let made = match is_second {
        true => history.compress_harder().and_then(|()| history.prompt()),
        false => history.build_prompt(text),
    };
    made.map(|made| made.prompt)
}

/// What a run gets of a prompt, as `turn::plan` puts it there; empty if nothing.
fn prompt_to_send(speaker: &Speaker, mode: &SendMode, text: &str, rendered: String) -> String {
    match (speaker, mode) {
        (Speaker::Agent { .. }, SendMode::Start) => String::new(),
        (Speaker::Model { .. }, SendMode::Start) => text.to_owned(),
        (_, SendMode::Continue(_) | SendMode::Rendered) => rendered,
    }
}

/// The same, in the plan of a recorded run.
fn sent_prompt(speaker: &Speaker, plan: &Json) -> Option<String> {
    let sent = match speaker {
        Speaker::Agent { .. } => plan.get("task")?.get("retold")?,
        Speaker::Model { .. } => plan.get("prompt")?,
    };
    sent.as_str().map(str::to_owned)
}
