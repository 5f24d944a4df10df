//! The result of a task: the branch, its evidence, and the merge request.

use gemicro_core::flow::Outcome;
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_event::Json;
use serde_json::{Value, json};

use super::request::request;
use super::state::PipelineState;

/// Returns the result of a completed task.
pub(super) fn result(state: &PipelineState, run: &RunState) -> Outcome {
    let plan = &state.plan;
    let branch = state.prepared.as_ref().map_or(&plan.branch, |it| &it.branch);
    let delivered = state.delivered.as_ref();
    let phases: Vec<Value> = state
        .ended
        .iter()
        .map(|it| {
            json!({
                "phase": it.phase,
                "label": it.label,
                "round": it.round,
                "outcome": it.outcome,
                "reasons": it.reasons,
                "document": it.document,
                "commit": it.commit,
            })
        })
        .collect();
    let url = delivered.and_then(|it| it.url.clone());
    let message = match &url {
        Some(url) => format!("Pipeline Success! Branch '{branch}' is open for review at {url}."),
        None => format!("Pipeline Success! Branch '{branch}' is ready for merge."),
    };
    let (title, body) = request(state, run);
    Outcome::Completed {
        data: Json::from(json!({
            "answer": delivered.and_then(|it| it.request.clone()).unwrap_or_else(|| format!("# {title}\n\n{body}")),
            "branch": branch,
            "base": state.prepared.as_ref().map(|it| it.base.clone()),
            "commit": state.tip,
            "tree": state.tree,
            "feature": plan.feature,
            "mode": plan.mode,
            "phases": phases,
            "checks": state.evidence.as_ref().map(|it| it.checks.iter().map(|check| json!({
                "name": check.name,
                "command": check.command,
                "verdict": check.verdict,
                "took_ms": check.took_ms,
            })).collect::<Vec<_>>()),
            "documents": state.documents,
            "worktree": state.worktree,
            "request_url": url,
            "request_text": delivered.and_then(|it| it.request.clone()),
            "pushed_to": delivered.and_then(|it| it.remote.clone()),
            "reports": state.reports,
            "metadata": ResultMetadata::of(run),
        })),
        message,
    }
}
