//! Decides the next steps of a batch.

use std::time::Duration;

use gemicro_core::ask::TaskGrant;
use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::flow::{Decision, Outcome, RunWait, Step};
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_event::{ErrorKind, Failure, Json};

use super::fold::deadline_key;
use super::item::TaskRank;
use super::state::BatchState;
use crate::contract::ItemState;
use crate::types::task_type;

/// Maximum number of steps that run or are requested at the same time.
pub const MAX_WANTED: usize = 256;

/// Decides from the ready tasks only, so its cost does not grow with the batch.
pub(super) fn decide(state: &BatchState, run: &RunState) -> Decision {
    if state.counts.open() == 0 {
        return Decision {
            finish: Some(outcome(state, run)),
            ..Decision::default()
        };
    }
    Decision {
        want: steps_to_start(state, run),
        cancel: state.stopping.iter().map(|idx| state.item(*idx).key()).collect(),
        waits: next_deadline(state).into_iter().collect(),
        finish: None,
    }
}

/// The first ready tasks by priority and index. Those of a kind that waits for a provider's limit are left out, so that
/// they do not block others.
fn steps_to_start(state: &BatchState, run: &RunState) -> Vec<Step> {
    let n_running = state.counts.running + state.counts.input_required;
    let n_running = usize::try_from(n_running).unwrap_or(MAX_WANTED);
    let n_free = MAX_WANTED.saturating_sub(n_running);
    let parked_kind = run.parked.as_ref().map(|parked| parked.kind.as_str());
    let mut first: Vec<TaskRank> = state
        .ready
        .iter()
        .filter(|(kind, _)| Some(**kind) != parked_kind)
        .flat_map(|(_, ready)| ready.iter().take(n_free).copied())
        .collect();
    first.sort_unstable();
    first.truncate(n_free);
    let grant = share(state, run);
    first
        .into_iter()
        .filter_map(|(_, idx)| {
            let item = state.item(idx);
            let step = item.step.clone()?;
            match task_type(&item.task.task_type)?.granted {
                Some(granted) if grant != TaskGrant::default() => Some(granted(step, grant)),
                Some(_) | None => Some(step),
            }
        })
        .collect()
}

/// The budget for each task whose cost is not known in advance: an equal share of the remainder.
fn share(state: &BatchState, run: &RunState) -> TaskGrant {
    let Limits {
        tokens,
        micro_usd,
        turns,
        wall_ms: _,
    } = run.started.limits;
    let left = run.ledger.available(Purpose::Ordinary);
    // With nothing left, 1 is still more than that: the step is refused.
    let part = |limit: Option<u64>, left: u64| limit.map(|_| (left / state.n_sharing.max(1)).max(1));
    TaskGrant {
        tokens: part(tokens, left.tokens),
        micro_usd: part(micro_usd, left.micro_usd),
        turns: part(turns, left.turns),
    }
}

fn next_deadline(state: &BatchState) -> Option<RunWait> {
    let (seconds, _) = state.deadlines.first_key_value()?;
    Some(RunWait::Until {
        key: deadline_key(*seconds),
        at: state.started_at.plus(Duration::from_secs(*seconds)),
    })
}

fn outcome(state: &BatchState, run: &RunState) -> Outcome {
    let counts = state.counts;
    if counts.completed == 0 {
        let errors = |is_skipped: bool| {
            let items = state.items.iter();
            let items = items.filter(move |item| (item.state == ItemState::Skipped) == is_skipped);
            items.filter_map(|item| item.error.as_ref())
        };
        // The error of a skipped task says less than that of the task it was skipped for.
        let first = errors(false).chain(errors(true)).next();
        let kind = first.map_or(ErrorKind::Internal, |error| error.kind);
        let reason = first.map_or("", |error| error.message.as_str());
        let message = format!("none of {} tasks completed; the first: {reason}", counts.total);
        return Outcome::Failed(Failure::new(kind, message));
    }
    let message = format!("{} of {} tasks completed", counts.completed, counts.total);
    let metadata = ResultMetadata::of(run);
    let data = serde_json::json!({ "answer": message, "metadata": metadata, "counts": counts });
    Outcome::Completed {
        data: Json::from(data),
        message,
    }
}
