//! Presents a run of one task as the answer of a tool, in the JSON form that other agents expect.

use std::time::Duration;

use gemicro_event::text;
use gemicro_event::{ErrorKind, Event, Failure, Json, StreamId};
use serde::{Deserialize, Serialize};

use super::events::{AgentAnswered, AskReaders};
use super::{AgentTask, AskPlan, BranchOutcome, DeniedCall, ToolMetrics};
use crate::run::events::RunReaders;

/// Maximum number of output lines that a failure shows.
const MAX_LAST_LINES: usize = 20;

/// The answer. Its keys are a contract; only what the caller requested is added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ToolAnswer {
    /// The agent gave an answer.
    Success(ToolSuccess),
    /// The agent failed, or gave no answer.
    Failure(ToolFailure),
}

/// The answer when the agent answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolSuccess {
    /// Always true.
    pub success: bool,
    /// Name of the agent: `claude`, `codex` or `gemini`.
    pub tool: String,
    /// The session, to continue later.
    #[serde(rename = "SESSION_ID")]
    pub session: Option<String>,
    /// The agent's answer.
    pub result: String,
    /// Elapsed time, as `1m30s`.
    pub duration: String,
    /// What the agent printed, message by message; only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_messages: Option<Vec<Json>>,
    /// Metrics; only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<ToolMetrics>,
    /// The result on the branch; only if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchOutcome>,
    /// Tool calls that the guard refused; only if a branch was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denials: Option<Vec<DeniedCall>>,
    /// A message to the caller; only if the session that it named was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The answer when the agent failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolFailure {
    /// Always false.
    pub success: bool,
    /// Name of the agent: `claude`, `codex` or `gemini`.
    pub tool: String,
    /// What happened, in one sentence.
    pub error: String,
    /// Name of the error kind, from a closed list.
    pub error_kind: String,
    /// Details for the caller.
    pub error_detail: ToolErrorDetail,
    /// Elapsed time, as `0m30s`.
    pub duration: String,
    /// What the agent printed, message by message; only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_messages: Option<Vec<Json>>,
    /// Metrics; only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<ToolMetrics>,
    /// Tool calls that the guard refused, if any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<DeniedCall>,
}

/// Details of a failure that a caller may act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolErrorDetail {
    /// What happened, in one sentence.
    pub message: String,
    /// The exit code of the agent, if it had one.
    pub exit_code: Option<i64>,
    /// The last lines of its output.
    pub last_lines: Vec<String>,
    /// Maximum time without output, in seconds.
    pub idle_timeout_s: u64,
    /// Maximum total time, in seconds.
    pub max_duration_s: u64,
    /// Number of retries.
    pub retries: u32,
    /// The run that continues; only with `still_running`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<StreamId>,
}

/// Optional parts of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolExtras {
    /// Whether to add what the agent printed, as `all_messages`.
    pub all_messages: bool,
    /// Whether to add tokens, cost and times, as `metrics`.
    pub metrics: bool,
}

/// The detail of a failure from the executor of agent CLIs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentTrouble {
    /// The exit code, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The last lines of its output.
    pub last_lines: Vec<String>,
    /// The answer text up to the failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub partial: String,
    /// The session, if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tier of the sandbox that it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// It may have changed files, so it is not retried.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_have_changed: bool,
    /// Tool calls that the guard refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<DeniedCall>,
}

impl AgentTrouble {
    /// Reads it from a failure; empty if the failure has no such detail.
    #[must_use]
    pub fn of(failure: &Failure) -> Self {
        let detail = failure.detail.as_ref();
        detail.and_then(|detail| detail.parse().ok()).unwrap_or_default()
    }

    /// Turns it into the detail of a failure.
    #[must_use]
    pub fn into_detail(self) -> Json {
        Json::of(&self).expect("details have string keys only")
    }
}

/// Says that a new session was started because the one to continue was not found.
fn note(task: &AgentTask, answered: &AgentAnswered) -> Option<String> {
    let named = task.session.as_ref().filter(|_| task.begins_anew)?;
    let answer = &answered.answer;
    let is_old = answer.session.as_ref() == Some(named) || answer.retold || answered.agent != task.agent;
    let shown = text::plain(named, 80);
    (!is_old).then(|| {
        format!(
            "session {shown} was not found, so a new one was started. It has no earlier turns: send the context again"
        )
    })
}

impl ToolAnswer {
    /// Reads a run of [`AskFlow`](super::AskFlow); one that has not ended counts as interrupted. `None` for runs of
    /// other flows.
    #[must_use]
    pub fn of(events: &[Event]) -> Option<Self> {
        let (first, last) = (events.first()?, events.last()?);
        let plan: AskPlan = first.update.as_run_started()?.plan.parse().ok()?;
        let task = &plan.task;
        let duration = last.update.timestamp.since(first.update.timestamp);
        if last.update.event_type == "final_result" {
            let answered = events
                .iter()
                .rev()
                .find_map(|event| event.update.as_agent_answered())?;
            let note = note(task, &answered);
            return Some(Self::Success(ToolSuccess {
                note,
                success: true,
                tool: answered.agent.to_string(),
                session: answered.answer.session,
                result: answered.answer.text,
                duration: minutes(duration),
                all_messages: None,
                metrics: None,
                denials: answered
                    .answer
                    .branch
                    .is_some()
                    .then_some(answered.answer.denials),
                branch: answered.answer.branch,
            }));
        }
        let failure = match (last.update.as_run_failed(), last.update.as_run_cancelled()) {
            (Some(failed), _) => failed.error,
            (None, Some(_)) => Failure::new(ErrorKind::Cancelled, "the run was cancelled"),
            (None, None) => {
                let message = format!("run {} was stopped before it completed", first.stream);
                Failure::new(ErrorKind::Interrupted, message)
            }
        };
        let retries = events
            .iter()
            .filter(|event| event.update.event_type == "step_retrying")
            .count();
        let limits = (task.idle_ms, task.total_ms);
        Some(Self::failure(
            task.agent.as_str(),
            &failure,
            limits,
            retries,
            duration,
        ))
    }

    /// A failure; `limits` are the maximum time without output and the maximum total time, in milliseconds.
    #[must_use]
    pub fn failure(
        tool: &str,
        failure: &Failure,
        limits: (u64, u64),
        retries: usize,
        duration: Duration,
    ) -> Self {
        let mut trouble = AgentTrouble::of(failure);
        let n_more = trouble.last_lines.len().saturating_sub(MAX_LAST_LINES);
        trouble.last_lines.drain(..n_more);
        Self::Failure(ToolFailure {
            success: false,
            tool: tool.to_owned(),
            error: failure.message.clone(),
            error_kind: failure.kind.to_string(),
            error_detail: ToolErrorDetail {
                message: failure.message.clone(),
                exit_code: trouble.exit_code,
                last_lines: trouble.last_lines,
                idle_timeout_s: limits.0.div_ceil(1_000),
                max_duration_s: limits.1.div_ceil(1_000),
                retries: u32::try_from(retries).unwrap_or(u32::MAX),
                run_id: None,
            },
            duration: minutes(duration),
            all_messages: None,
            metrics: None,
            denials: trouble.denials,
        })
    }

    /// The answer for a run that continues after its caller stopped waiting; `limits` are as for
    /// [`failure`](Self::failure).
    #[must_use]
    pub fn still_running(tool: &str, run: &StreamId, limits: (u64, u64), so_far: Duration) -> Self {
        let message = format!("the run continues; call run_result with run_id {run} for its answer");
        let failure = Failure::new(ErrorKind::StillRunning, message);
        let mut answer = Self::failure(tool, &failure, limits, 0, so_far);
        if let Self::Failure(failure) = &mut answer {
            failure.error_detail.run_id = Some(run.clone());
        }
        answer
    }

    /// Adds the requested extras from the events of the run.
    #[must_use]
    pub fn with_extras(mut self, extras: ToolExtras, events: &[Event]) -> Self {
        let all_messages = extras
            .all_messages
            .then(|| printed_lines(events).unwrap_or_default());
        let metrics = extras.metrics.then(|| ToolMetrics::of(events));
        match &mut self {
            Self::Success(success) => (success.all_messages, success.metrics) = (all_messages, metrics),
            Self::Failure(failure) => (failure.all_messages, failure.metrics) = (all_messages, metrics),
        }
        self
    }

    /// Whether the agent answered.
    #[must_use]
    pub fn is_success(&self) -> bool {
        match self {
            Self::Success(_) => true,
            Self::Failure(_) => false,
        }
    }
}

/// What the agent printed, from its answer or from its failure.
fn printed_lines(events: &[Event]) -> Option<Vec<Json>> {
    let answered = |event: &Event| event.update.as_agent_answered()?.answer.messages;
    let failed = |event: &Event| {
        let detail = event.update.as_run_failed()?.error.detail?;
        serde_json::from_value(detail.get("messages")?.clone()).ok()
    };
    let mut newest_first = events.iter().rev();
    newest_first.find_map(|event| answered(event).or_else(|| failed(event)))
}

/// A duration as the contract writes it: `1m30s`.
#[must_use]
pub fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}m{}s", seconds / 60, seconds % 60)
}
