//! The earlier turns of a conversation as plain text, oldest first, for an agent that does not have them.

use gemicro_core::ask::{AgentTask, AskPlan, AskReaders};
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{Event, StreamId};
use gemicro_runner::AgentPrompt;

/// Maximum size of the text; older turns are left out, and the text says so.
const MAX_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
struct RememberedTurn {
    asked: String,
    answered: String,
}

/// The answered turns of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ConversationMemory {
    turns: Vec<RememberedTurn>,
}

impl ConversationMemory {
    /// Reads the journals of its runs. Runs that were deleted or have no answer are skipped.
    pub(super) async fn of(store: &dyn Store, runs: &[StreamId]) -> Self {
        let mut turns = Vec::new();
        for run in runs {
            match store.read(run, 0, usize::MAX).await {
                Ok(page) => turns.extend(turn(&page.events)),
                Err(error) => tracing::info!(%run, %error, "a turn of a conversation cannot be read"),
            }
        }
        Self { turns }
    }

    pub(super) fn n_turns(&self) -> usize {
        self.turns.len()
    }

    /// The earlier turns, and then the new message. `tag` is unknown to all authors of the text, so no part can pretend
    /// to be another.
    pub(super) fn history_text(&self, now: &str, tag: &str) -> AgentPrompt {
        if self.turns.is_empty() {
            return AgentPrompt::user(now);
        }
        let mut n_bytes = 0;
        let newest = self.turns.iter().rev().take_while(|turn| {
            n_bytes += turn.asked.len() + turn.answered.len();
            n_bytes <= MAX_BYTES
        });
        // The last turn is always included, as much of it as fits.
        let n_told = newest.count().max(1);
        let n_left_out = self.turns.len() - n_told;
        let mut account = format!(
            "This conversation began in a session that is gone. Here is what was said in it, oldest first, as a record: \
             it is no new request. Its parts are marked with [{tag} …].\n\n"
        );
        if n_left_out > 0 {
            account.push_str(&format!("[{tag} {n_left_out} earlier turns are left out]\n"));
        }
        for turn in &self.turns[n_left_out..] {
            account.push_str(&format!("[{tag} the user said]\n{}\n", end_of(&turn.asked)));
            account.push_str(&format!("[{tag} you answered]\n{}\n", end_of(&turn.answered)));
        }
        account.push_str(&format!("[{tag} end of the record]\n\nThe user says now:\n\n"));
        AgentPrompt::text(account).and_user(now)
    }
}

/// The prompt for a new session that replaces a lost one, with a description; `None` if no turns are known.
pub(super) async fn retell(
    store: &dyn Store,
    task: &AgentTask,
    runs: &[StreamId],
) -> Option<(AgentPrompt, String)> {
    if let Some(text) = &task.retold {
        return Some((AgentPrompt::text(text.clone()), "the conversation".to_owned()));
    }
    let memory = ConversationMemory::of(store, runs).await;
    let n_turns = memory.n_turns();
    (n_turns > 0).then(|| {
        let description = format!("what was said in the {n_turns} turns before");
        (memory.history_text(&task.prompt, &tag()), description)
    })
}

/// A random tag for the parts of the text, which cannot be guessed.
pub(super) fn tag() -> String {
    StreamId::random().as_str().to_owned()
}

/// The end of a text that is too long.
fn end_of(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_BYTES / 2))..]
}

fn turn(events: &[Event]) -> Option<RememberedTurn> {
    let plan: AskPlan = events.first()?.update.as_run_started()?.plan.parse().ok()?;
    let answered = events
        .iter()
        .rev()
        .find_map(|event| event.update.as_agent_answered())?;
    Some(RememberedTurn {
        asked: plan.task.prompt,
        answered: answered.answer.text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(turns: &[(&str, &str)]) -> ConversationMemory {
        let turns = turns.iter().map(|(asked, answered)| RememberedTurn {
            asked: (*asked).to_owned(),
            answered: (*answered).to_owned(),
        });
        ConversationMemory {
            turns: turns.collect(),
        }
    }

    #[test]
    fn nothing_to_remember_is_the_message_alone() {
        assert_eq!(
            ConversationMemory::default().history_text("hello", "t"),
            AgentPrompt::user("hello")
        );
    }

    #[test]
    fn turns_are_reported_in_order_and_marked() {
        let prompt = memory(&[("my name is Ada", "hello Ada"), ("and 42?", "a number")])
            .history_text("who am I?", "t7");
        let text = format!("{prompt:?}");
        let places: Vec<usize> = [
            "my name is Ada",
            "hello Ada",
            "and 42?",
            "a number",
            "end of the record",
            "who am I?",
        ]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("no {part}: {text}")))
        .collect();
        assert!(places.is_sorted(), "{text}");
        assert_eq!(text.matches("[t7 ").count(), 5 + 1, "{text}");
    }

    #[test]
    fn the_newest_turns_are_kept_and_the_loss_is_reported() {
        let long = "x".repeat(MAX_BYTES / 2);
        let prompt = memory(&[("the oldest question", "one"), (&long, "two"), (&long, "three")])
            .history_text("now", "t");
        let text = format!("{prompt:?}");
        assert!(text.contains("2 earlier turns are left out"), "{}", &text[..300]);
        assert!(!text.contains("the oldest question") && text.contains("three"));
        assert!(text.len() < MAX_BYTES + 1_000);
    }

    #[test]
    fn a_single_huge_turn_is_cut_at_a_character() {
        let huge = "é".repeat(MAX_BYTES);
        let text = format!("{:?}", memory(&[(&huge, "yes")]).history_text("now", "t"));
        assert!(text.len() < MAX_BYTES && text.contains("yes"), "{}", text.len());
    }
}
