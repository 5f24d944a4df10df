//! The steps of a run, folded from its events.

use gemicro_core::run::events::RunReaders;
use gemicro_engine::ooda::OodaReaders;
use gemicro_event::{Charge, Event, StepKey, Timestamp};
use serde::Serialize;

/// The state of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub(crate) enum StepStanding {
    /// An attempt is running, or was cut off with its process.
    Started,
    /// Another attempt follows; the reason why the last one failed.
    Waiting(String),
    Completed,
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct StepStory {
    pub(crate) step: StepKey,
    pub(crate) kind: String,
    pub(crate) attempts: u32,
    #[serde(flatten)]
    pub(crate) standing: StepStanding,
    /// When the first attempt started.
    pub(crate) started_at: Timestamp,
    /// When it ended finally.
    pub(crate) ended_at: Option<Timestamp>,
    /// What all attempts cost.
    pub(crate) charge: Charge,
    /// Why its attempt was rejected, although the step itself is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rejected: Option<String>,
    /// Its finding, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<String>,
}

/// Takes an event into account, if it is about a step.
pub(super) fn fold(steps: &mut Vec<StepStory>, event: &Event) {
    let update = &event.update;
    let at = update.timestamp;
    match update.event_type.as_str() {
        "step_started" => {
            if let Some(it) = update.as_step_started() {
                let story = entry(steps, &it.step, at);
                story.kind = it.kind;
                story.attempts = it.attempt;
                story.standing = StepStanding::Started;
            }
        }
        "step_completed" => {
            if let Some(it) = update.as_step_completed() {
                end(entry(steps, &it.step, at), StepStanding::Completed, it.charge, at);
            }
        }
        "step_failed" => {
            if let Some(it) = update.as_step_failed() {
                end(
                    entry(steps, &it.step, at),
                    StepStanding::Failed(it.error.message),
                    it.charge,
                    at,
                );
            }
        }
        "step_retrying" => {
            if let Some(it) = update.as_step_retrying() {
                let story = entry(steps, &it.step, at);
                story.standing = StepStanding::Waiting(it.error.message);
                story.charge = story.charge.plus(it.charge);
            }
        }
        "step_parked" => {
            if let Some(it) = update.as_step_parked() {
                let story = entry(steps, &it.step, at);
                story.standing = StepStanding::Waiting(it.error.message);
                story.charge = story.charge.plus(it.charge);
            }
        }
        "step_lost" => {
            if let Some(it) = update.as_step_lost() {
                let story = entry(steps, &it.step, at);
                story.standing = StepStanding::Waiting("it was interrupted".to_owned());
                story.charge = story.charge.plus(it.charge);
            }
        }
        "conversation_recalled" => {
            if let Some(key) = &event.step {
                entry(steps, key, at).found = Some(update.message.clone());
            }
        }
        "ooda_acted" => {
            let rejection = update.as_ooda_acted().and_then(|acted| acted.rejection);
            let tried = event.step.as_ref();
            if let Some((story, rejection)) = tried
                .and_then(|key| steps.iter_mut().find(|story| story.step == *key))
                .zip(rejection)
            {
                story.rejected = Some(rejection.message.lines().next().unwrap_or_default().to_owned());
            }
        }
        _ => {}
    }
}

/// What a step of a kind does, in plain words; empty if the step's name says it.
pub(crate) fn kind_words(kind: &str) -> &'static str {
    match kind {
        "llm" => "model call",
        "agent_cli" | "agent_text" | "pipeline_agent" => "agent",
        "search" | "memory_search" => "search",
        "recall" => "conversation",
        "fetch" => "web page",
        "extract" => "passages",
        "shell" => "command",
        "run" => "run",
        "coverage" | "ooda_observe" => "coverage",
        "ooda_trial" => "test run",
        "pipeline_check" | "merge_check" => "checks",
        "pipeline_import" => "import",
        "pipeline_merge" | "merge_build" => "merge",
        _ => "",
    }
}

fn entry<'a>(steps: &'a mut Vec<StepStory>, key: &StepKey, at: Timestamp) -> &'a mut StepStory {
    let place = steps
        .iter()
        .rposition(|story| story.step == *key)
        .unwrap_or_else(|| {
            steps.push(StepStory {
                step: key.clone(),
                kind: String::new(),
                attempts: 0,
                standing: StepStanding::Started,
                started_at: at,
                ended_at: None,
                charge: Charge::ZERO,
                rejected: None,
                found: None,
            });
            steps.len() - 1
        });
    &mut steps[place]
}

fn end(story: &mut StepStory, standing: StepStanding, charge: Charge, at: Timestamp) {
    story.standing = standing;
    story.charge = story.charge.plus(charge);
    story.ended_at = Some(at);
}
