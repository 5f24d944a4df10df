//! The state of each sub-query, for views that show them as a list.

use gemicro_core::research::PLAN_QUESTION;
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_event::Event;

use crate::screen::numbers;

/// The state of one sub-query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SubQueryState {
    Waiting,
    Running,
    /// Answered, with a text about it.
    Complete(String),
    /// Without an answer, with the reason.
    Failed(String),
}

/// The sub-queries of a run.
#[derive(Debug, Default)]
pub(super) struct SubQueries {
    /// Text and state, in order.
    pub(super) list: Vec<(String, SubQueryState)>,
}

impl SubQueries {
    /// Takes an event into account; returns which sub-query changed.
    pub(super) fn fold(&mut self, event: &Event) -> Option<usize> {
        let update = &event.update;
        match update.event_type.as_str() {
            "decomposition_complete" => {
                self.set(update.as_decomposition_complete()?.sub_queries);
                None
            }
            "answer_given" => {
                let given = update
                    .as_answer_given()
                    .filter(|given| given.key == PLAN_QUESTION)?;
                let edited = given.answer.get("sub_queries").cloned()?;
                self.set(
                    serde_json::from_value(edited)
                        .ok()
                        .filter(|edited: &Vec<String>| !edited.is_empty())?,
                );
                None
            }
            "sub_query_started" => self.put(update.as_sub_query_started()?.id, SubQueryState::Running),
            "sub_query_completed" => {
                let completed = update.as_sub_query_completed()?;
                let used = match (completed.tokens_used, completed.citations.len()) {
                    (0, n_sources) => numbers::count(n_sources, "source"),
                    (n_tokens, _) => format!("{} tokens", numbers::thousands(n_tokens)),
                };
                self.put(completed.id, SubQueryState::Complete(used))
            }
            "sub_query_failed" => {
                let failed = update.as_sub_query_failed()?;
                self.put(failed.id, SubQueryState::Failed(failed.error))
            }
            _ => None,
        }
    }

    fn set(&mut self, texts: Vec<String>) {
        self.list = texts
            .into_iter()
            .map(|text| (text, SubQueryState::Waiting))
            .collect();
    }

    fn put(&mut self, id: usize, standing: SubQueryState) -> Option<usize> {
        self.list.get_mut(id)?.1 = standing;
        Some(id)
    }
}
