//! The view of a batch that callers poll.

use gemicro_core::flow::read_plan;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::BoardLine;
use gemicro_event::{ErrorKind, Event, Failure, Json, Timestamp};

use super::item::TaskItem;
use super::state::{BatchState, Keep};
use crate::contract::{BatchAnswer, BatchProgress, ItemAnswer, ItemState, next_poll_seconds};

/// Folds the whole journal of a batch, keeping every output.
///
/// # Errors
/// When it is not the journal of a batch.
pub fn board<'e>(events: impl IntoIterator<Item = &'e Event>) -> Result<BatchState, Failure> {
    let mut events = events.into_iter();
    let first = events.next();
    let started = first
        .and_then(|event| event.update.as_run_started())
        .ok_or_else(|| {
            Failure::new(
                ErrorKind::StorageError,
                "a journal that does not begin with its start",
            )
        })?;
    let mut state = BatchState::new(read_plan(&started.plan)?, Keep::All)?;
    for event in first.into_iter().chain(events) {
        state.fold(event);
    }
    Ok(state)
}

impl BatchState {
    /// The answer to a poll at this moment. Outputs are in it if the state has them: see [`board`].
    #[must_use]
    pub fn answer(&self, response_id: &str, now: Timestamp) -> BatchAnswer {
        let results = self.items.iter().map(|item| item.answer(item.output.as_ref()));
        BatchAnswer::new(
            response_id.to_owned(),
            results.collect(),
            next_poll_seconds(self.progress(now)),
        )
    }

    /// The progress of the batch.
    #[must_use]
    pub fn progress(&self, now: Timestamp) -> BatchProgress {
        let n_open = self.counts.open();
        let only_waits = self.counts.parked > 0 && self.counts.running == 0;
        BatchProgress {
            n_open,
            n_settled: (self.counts.total - n_open).saturating_sub(self.n_given),
            elapsed: now.since(self.started_at),
            parked_for: self
                .parked_until
                .filter(|until| only_waits && *until > now)
                .map(|until| until.since(now)),
        }
    }
}

impl BatchState {
    /// The board lines that changed since the last call.
    pub(super) fn lines(&mut self) -> Vec<BoardLine> {
        let changed = std::mem::take(&mut self.changed);
        let line = |(place, output): (u32, Option<Json>)| {
            let item = self.item(place);
            let answer = item.answer(output.as_ref().or(item.output.as_ref()));
            BoardLine {
                place,
                state: item.state.as_str().to_owned(),
                shown: Json::of(&answer).expect("an answer has string keys only"),
            }
        };
        changed.into_iter().map(line).collect()
    }
}

impl TaskItem {
    fn answer(&self, output: Option<&Json>) -> ItemAnswer {
        ItemAnswer {
            task_id: self.task.task_id.clone(),
            status: self.state.status(),
            output: match (self.state, &self.error) {
                (ItemState::Completed, _) => output.cloned().unwrap_or_default(),
                (state, Some(error)) if state.is_final() => {
                    let printed = output.or_else(|| self.failed_output(error));
                    printed.cloned().unwrap_or_else(Json::empty)
                }
                _ => Json::empty(),
            },
            error: self.error.as_ref().map(|error| error.message.clone()),
            state: self.state,
            error_kind: self.error.as_ref().map(|error| error.kind),
            question: self.question.clone(),
        }
    }
}
