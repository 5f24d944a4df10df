//! What is committed of an agent's feedback: the lists that it is added to.

use gemicro_event::StreamId;

use super::state::PipelineState;
use crate::payload::{AgentPayload, FeedbackKind, clean_backlog, triage};
use crate::steps::{DocumentRecord, FeedbackList};

/// Returns true if something of an answer goes into a list.
pub(super) fn has_feedback(answer: &AgentPayload) -> bool {
    let is_kept = |kind| kind != FeedbackKind::Ignore;
    !answer.backlog_items().is_empty() || triage(answer).iter().any(|point| is_kept(point.kind))
}

/// The additions to the lists: ideas and feedback for later, and documentation to update.
pub(super) fn feedback_records(
    state: &PipelineState,
    run: &StreamId,
    answer: &AgentPayload,
) -> Vec<DocumentRecord> {
    let points = triage(answer);
    let of_kind = |kind| {
        let points = points.iter().filter(move |point| point.kind == kind);
        points.map(|point| point.text.as_str())
    };
    let backlog: Vec<&str> = answer
        .backlog_items()
        .into_iter()
        .chain(of_kind(FeedbackKind::Backlog))
        .collect();
    let docs: Vec<&str> = of_kind(FeedbackKind::Docs).collect();
    [(FeedbackList::Backlog, backlog), (FeedbackList::Docs, docs)]
        .into_iter()
        .map(|(list, items)| DocumentRecord::Backlog {
            items: clean_backlog(&items),
            feature: state.plan.feature.to_string(),
            date: state.date(),
            run: run.to_string(),
            list,
        })
        .filter(|record| !matches!(record, DocumentRecord::Backlog { items, .. } if items.is_empty()))
        .collect()
}
