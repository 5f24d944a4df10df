//! What to do next with a run: exact commands, most useful first.

use gemicro_engine::BatchAnswer;
use gemicro_event::{ErrorKind, RunStatus};

use super::Story;
use super::batch_tasks::can_be_retried;
use super::pipeline::next_of_pipeline;

/// A command and what it is good for.
pub(super) fn next(story: &Story) -> Vec<(String, &'static str)> {
    let run = &story.run;
    if let Some(conversation) = &story.conversation {
        let mut commands = vec![(format!("gemicro chat {conversation}"), "go on talking")];
        if !story.status.is_terminal() {
            commands.push((format!("gemicro cancel {run}"), "end it for good"));
        }
        commands.push((
            format!("gemicro events {conversation} --format text"),
            "what happened in the conversation",
        ));
        return commands;
    }
    if let Some(batch) = &story.batch {
        return next_of_batch(story, batch);
    }
    if let Some(pipeline) = &story.pipeline {
        return next_of_pipeline(story, pipeline);
    }
    let mut commands = match story.status {
        RunStatus::Completed if story.agent.is_some() || story.is_about_tests() => vec![(
            format!("gemicro show {run} --format json"),
            "everything, for programs",
        )],
        RunStatus::Suspended if story.agent.is_some() => vec![(
            format!("gemicro cancel {run}"),
            "end it for good; then look at its folder and ask again",
        )],
        RunStatus::Completed => vec![
            (
                format!("gemicro show {run} --format markdown"),
                "the whole answer",
            ),
            (
                format!("gemicro show {run} --format json"),
                "everything, for programs",
            ),
            (
                format!("gemicro --follow {run} \"…\""),
                "ask on, with what it found",
            ),
        ],
        RunStatus::Suspended => vec![
            (
                format!("gemicro resume {run}"),
                "go on where it stopped; nothing done is done again",
            ),
            (format!("gemicro cancel {run}"), "end it for good"),
        ],
        RunStatus::Parked if story.parked.is_some() => vec![
            (format!("gemicro events {run} --follow --format text"), "watch it"),
            (format!("gemicro resume {run}"), "wait on, if its process died"),
            (format!("gemicro cancel {run}"), "end it for good"),
        ],
        RunStatus::Parked => vec![
            (format!("gemicro resume {run}"), "answer what it asks"),
            (format!("gemicro cancel {run}"), "end it for good"),
        ],
        RunStatus::Running => vec![
            (format!("gemicro events {run} --follow --format text"), "watch it"),
            (format!("gemicro resume {run}"), "go on, if its process died"),
            (format!("gemicro cancel {run}"), "end it for good"),
        ],
        RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => Vec::new(),
    };
    let is_retryable = |kind: ErrorKind| !matches!(kind, ErrorKind::NoEvidence | ErrorKind::Cancelled);
    let failed_parts = story.sub_queries.iter().filter_map(|it| it.error_kind);
    if story.status.is_terminal() && failed_parts.clone().any(is_retryable) {
        commands.insert(0, (format!("gemicro retry {run}"), "ask again what failed"));
    }
    if let Some(session) = &story.session {
        commands.insert(
            0,
            (format!("gemicro ask --session {session} \"…\""), "go on talking"),
        );
    }
    commands.push((
        format!("gemicro show {run} --raw"),
        "what every step got and gave",
    ));
    commands
}

fn next_of_batch(story: &Story, batch: &BatchAnswer) -> Vec<(String, &'static str)> {
    let run = &story.run;
    let results = (
        format!("gemicro batch results {run}"),
        "every output, for programs",
    );
    let cancel = (format!("gemicro batch cancel {run}"), "end it for good");
    let retry = (
        format!("gemicro batch retry {run}"),
        "do again what has no output",
    );
    let mut commands = match story.status {
        RunStatus::Running | RunStatus::Parked => vec![
            (format!("gemicro batch wait {run} --format text"), "wait for it"),
            (format!("gemicro resume {run}"), "go on, if its process died"),
            cancel,
        ],
        RunStatus::Suspended => vec![
            (
                format!("gemicro resume {run}"),
                "go on where it stopped; nothing done is done again",
            ),
            cancel,
        ],
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => {
            Vec::from_iter(can_be_retried(batch).then_some(retry))
        }
    };
    commands.push(results);
    commands.push((
        format!("gemicro show {run} --raw"),
        "what every step got and gave",
    ));
    commands
}
