//! The state of a run, in words.

use gemicro_event::RunStatus;

use super::Story;
use crate::commands::batch::summary;
use crate::screen::numbers;

pub(super) fn state_in_words(story: &Story) -> String {
    let batch = story.batch.as_ref().map(summary);
    if story.has_died {
        let tasks = batch.map_or_else(String::new, |tasks| format!(": {tasks}"));
        let at = numbers::moment(story.updated_at);
        return format!("its process has died{tasks}; last event {at} UTC");
    }
    let gates = story.pipeline.iter().flat_map(|it| it.gates.last());
    let is_answered = gates
        .into_iter()
        .any(|it| it.said.is_some() && it.said_at.is_none());
    match (story.status, batch) {
        (RunStatus::Completed | RunStatus::Failed, Some(tasks)) => return format!("done: {tasks}"),
        (RunStatus::Cancelled, Some(tasks)) => return format!("cancelled: {tasks}"),
        (RunStatus::Running, Some(tasks)) => return format!("not yet: {tasks}"),
        (_, _) => {}
    }
    match story.status {
        RunStatus::Completed if story.agent.is_some() || story.conversation.is_some() => "done".to_owned(),
        RunStatus::Completed if story.is_no_answer() => {
            format!("done: {}", story.outcome.as_deref().unwrap_or("complete"))
        }
        RunStatus::Completed => {
            let n_answered = story
                .sub_queries
                .iter()
                .filter(|it| it.n_sources.is_some())
                .count();
            let partial = story.result.as_ref().and_then(|result| result.partial.as_ref());
            let part = partial.map_or_else(String::new, |why| format!("; in part: {why}"));
            format!(
                "done: {n_answered} of {} answered{part}",
                numbers::count(story.sub_queries.len(), "sub-query")
            )
        }
        RunStatus::Failed | RunStatus::Interrupted | RunStatus::Cancelled => match &story.failure {
            Some(failure) => format!("{} ({})", failure.message, failure.kind),
            None => story.status.as_str().to_owned(),
        },
        RunStatus::Parked | RunStatus::Suspended if story.has_open_gate() => {
            "waiting for an answer: yes or no (see Asks)".to_owned()
        }
        RunStatus::Suspended if is_answered => "question answered; the run can continue".to_owned(),
        RunStatus::Suspended => {
            format!(
                "for now: {}",
                story.suspended.as_deref().unwrap_or("its process ended")
            )
        }
        RunStatus::Parked if story.parked.is_some() => {
            let parked = story.parked.as_ref();
            let until = parked.map_or_else(String::new, |it| numbers::moment(it.until));
            let why = parked.map_or("", |it| it.reason.as_str());
            format!("parked until {until} UTC ({why})")
        }
        RunStatus::Parked => {
            format!(
                "waiting for an answer ({})",
                story.asks.as_deref().unwrap_or("to a question")
            )
        }
        RunStatus::Running => {
            format!("running; last event {} UTC", numbers::moment(story.updated_at))
        }
    }
}
