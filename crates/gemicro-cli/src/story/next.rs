//! What to do next with a run: exact commands, most useful first.

use std::fmt::Write as _;

use gemicro_engine::BatchAnswer;
use gemicro_event::{ErrorKind, Failure, RunStatus};

use super::Story;
use super::batch_tasks::can_be_retried;
use super::pipeline::{help, next_of_pipeline};
use crate::screen::{Paint, text};

/// Questions of a batch whose answers are named.
const MAX_ANSWERS: usize = 3;
/// Failures that the same request would only meet again.
const SAME_AGAIN: &[ErrorKind] = &[
    ErrorKind::NoEvidence,
    ErrorKind::Cancelled,
    ErrorKind::Blocked,
    ErrorKind::InvalidInput,
    ErrorKind::UnknownModel,
];

/// What to do first after a failure, then the commands. A command is never cut or broken: it is there to be pasted.
pub(super) fn next(story: &Story, paint: Paint, columns: usize) -> String {
    let mut page = format!("{}\n", paint.strong("Next"));
    let is_reported = |failure: &&Failure| failure.kind != ErrorKind::Interrupted;
    let first = story.failure.as_ref().filter(is_reported);
    if let Some(words) = first.and_then(|failure| first_of_all(story, failure)) {
        for line in text::wrap_markdown(&text::one_line(&words), columns.saturating_sub(2)).lines() {
            let _ = writeln!(page, "  {line}");
        }
    }
    let commands = commands(story);
    let widths = commands.iter().map(|(command, _)| text::width(command));
    let widest = widths.max().unwrap_or(0);
    for (command, purpose) in commands {
        let line = format!("  {}  {}", text::pad(&command, widest), paint.faint(purpose));
        let fits = widest + text::width(purpose) + 4 <= columns;
        let _ = if fits {
            writeln!(page, "{line}")
        } else {
            // What it is good for is a comment: it may be pasted along.
            writeln!(page, "  {command}\n    {}", paint.faint(&format!("# {purpose}")))
        };
    }
    page
}

/// What to do before any of the commands, which are not listed twice.
fn first_of_all(story: &Story, failure: &Failure) -> Option<String> {
    let run = &story.run;
    match &story.pipeline {
        Some(pipeline) if pipeline.gone_on_by.is_some() => None,
        Some(pipeline) => help(failure, run, pipeline).first,
        // The parts of the question and the commands below say more.
        None if failure.kind == ErrorKind::AllSubQueriesFailed => None,
        None => Some(failure.kind.hint().replace("RUN", run.as_str())),
    }
}

/// A command and what it is good for.
fn commands(story: &Story) -> Vec<(String, &'static str)> {
    let run = &story.run;
    if let Some(conversation) = &story.conversation {
        let mut commands = vec![(
            format!("gemicro chat {conversation}"),
            "continue the conversation",
        )];
        if !story.status.is_terminal() {
            commands.push((format!("gemicro cancel {run}"), "end it permanently"));
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
    let mut commands = match story.status_for_next() {
        RunStatus::Completed if story.agent.is_some() || story.kind.is_about_tests => {
            vec![(format!("gemicro show {run} --format json"), "all data as JSON")]
        }
        RunStatus::Completed if story.merge.is_some() => story
            .merge
            .as_ref()
            .map_or_else(Vec::new, |merge| merge.next(run)),
        RunStatus::Suspended if story.agent.is_some() => vec![(
            format!("gemicro cancel {run}"),
            "end it permanently; then check its folder and ask again",
        )],
        RunStatus::Completed => vec![
            (
                format!("gemicro show {run} --format markdown"),
                "the whole answer",
            ),
            (format!("gemicro show {run} --format json"), "all data as JSON"),
            (
                format!("gemicro --follow {run} \"…\""),
                "ask a follow-up question",
            ),
        ],
        RunStatus::Suspended => vec![
            (
                format!("gemicro resume {run}"),
                "continue where it stopped; completed steps are not repeated",
            ),
            (format!("gemicro cancel {run}"), "end it permanently"),
        ],
        RunStatus::Parked if story.parked.is_some() => vec![
            (format!("gemicro events {run} --follow --format text"), "watch it"),
            (
                format!("gemicro resume {run}"),
                "keep waiting, if its process died",
            ),
            (format!("gemicro cancel {run}"), "end it permanently"),
        ],
        RunStatus::Parked => vec![
            (format!("gemicro resume {run}"), "answer its question"),
            (format!("gemicro cancel {run}"), "end it permanently"),
        ],
        RunStatus::Running => vec![
            (format!("gemicro events {run} --follow --format text"), "watch it"),
            (format!("gemicro resume {run}"), "continue, if its process died"),
            (format!("gemicro cancel {run}"), "end it permanently"),
        ],
        RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => Vec::new(),
    };
    let is_retryable = |kind: ErrorKind| !SAME_AGAIN.contains(&kind);
    let failed_parts = story.sub_queries.iter().filter_map(|it| it.error_kind);
    if story.status.is_terminal() && failed_parts.clone().any(is_retryable) {
        commands.insert(0, (format!("gemicro retry {run}"), "repeat the failed steps"));
    }
    if let Some(session) = &story.session {
        commands.insert(
            0,
            (
                format!("gemicro ask --session {session} \"…\""),
                "continue the conversation",
            ),
        );
    }
    commands.push((
        format!("gemicro show {run} --raw"),
        "input and output of every step",
    ));
    commands
}

fn next_of_batch(story: &Story, batch: &BatchAnswer) -> Vec<(String, &'static str)> {
    let run = &story.run;
    let results = (
        format!("gemicro batch results {run} --format json"),
        "all outputs as JSON",
    );
    let cancel = (format!("gemicro batch cancel {run}"), "end it permanently");
    let retry = (
        format!("gemicro batch retry {run}"),
        "rerun tasks that did not complete",
    );
    let asked = batch.results.iter().filter_map(|item| item.question.as_ref());
    let answers = asked.take(MAX_ANSWERS).map(|asked| {
        let command = format!("gemicro answer {} yes", asked.run_id);
        (command, "answer the waiting task; or `no`")
    });
    let commands = match story.status_for_next() {
        RunStatus::Running | RunStatus::Parked => vec![
            (format!("gemicro batch wait {run} --format text"), "wait for it"),
            (format!("gemicro resume {run}"), "continue, if its process died"),
            cancel,
        ],
        RunStatus::Suspended => vec![
            (
                format!("gemicro resume {run}"),
                "continue where it stopped; completed steps are not repeated",
            ),
            cancel,
        ],
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => {
            Vec::new()
        }
    };
    let is_open = matches!(story.status, RunStatus::Running | RunStatus::Parked);
    let retry = (!is_open && can_be_retried(batch)).then_some(retry);
    let mut commands: Vec<(String, &'static str)> = answers.chain(commands).chain(retry).collect();
    commands.push(results);
    commands.push((
        format!("gemicro show {run} --raw"),
        "input and output of every step",
    ));
    commands
}
