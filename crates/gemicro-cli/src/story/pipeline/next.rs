//! Suggests what to do next with a pipeline: exact commands, most useful first.

use gemicro_event::RunStatus;

use super::{PipelineStory, help};
use crate::story::Story;

/// Commands and their purposes.
pub(crate) fn next_of_pipeline(story: &Story, pipeline: &PipelineStory) -> Vec<(String, &'static str)> {
    let run = &story.run;
    let resume = (
        format!("gemicro resume {run}"),
        "continue; completed steps are not repeated",
    );
    let cancel = (
        format!("gemicro cancel {run}"),
        "end it permanently; its branch stays",
    );
    let mut commands = match story.status_for_next() {
        RunStatus::Completed => merge(pipeline),
        RunStatus::Suspended if pipeline.question.is_some() => {
            let answer = (format!("gemicro answer {run} yes"), "approve; use `no` to reject");
            vec![answer, resume, cancel]
        }
        RunStatus::Suspended => vec![resume, cancel],
        RunStatus::Parked if story.parked.is_some() => vec![
            (
                format!("gemicro resume {run}"),
                "keep waiting, if its process died",
            ),
            cancel,
        ],
        RunStatus::Parked if pipeline.question.is_none() => vec![
            (format!("gemicro resume {run}"), "continue, if its process ended"),
            cancel,
        ],
        RunStatus::Parked => vec![
            (format!("gemicro answer {run} yes"), "approve; use `no` to reject"),
            (format!("gemicro resume {run}"), "continue, if its process ended"),
            cancel,
        ],
        RunStatus::Running => vec![
            (format!("gemicro events {run} --follow --format text"), "watch it"),
            (format!("gemicro resume {run}"), "continue, if its process died"),
            cancel,
        ],
        RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => {
            let helped = story.failure.as_ref().map(|failure| help(failure, run, pipeline));
            let again = helped.and_then(|help| help.again);
            Vec::from_iter(again.filter(|_| pipeline.gone_on_by.is_none()))
        }
    };
    if let Some(later) = &pipeline.gone_on_by {
        let purpose = "the later run on this branch";
        commands.insert(0, (format!("gemicro show {later}"), purpose));
    }
    if pipeline.prepared.is_some() {
        commands.push((format!("gemicro diff {run}"), "what it changed"));
    }
    commands.push((format!("gemicro show {run} --format json"), "all data as JSON"));
    commands.push((
        format!("gemicro show {run} --raw"),
        "input and output of every step",
    ));
    commands
}

/// The commands to merge a branch by hand, if it has no request on a forge.
fn merge(pipeline: &PipelineStory) -> Vec<(String, &'static str)> {
    let is_offered = pipeline.delivered.as_ref().is_some_and(|it| it.url.is_some());
    match is_offered {
        true => Vec::new(),
        false => vec![(format!("git merge {}", pipeline.branch), "merge it")],
    }
}
