//! A run of one task as the answer of a tool: the shape that other agents call for.

use std::time::Duration;

use gemicro_event::{ErrorKind, Event, Failure, Json};
use serde::{Deserialize, Serialize};

use super::AskPlan;
use super::events::AskReaders;
use crate::run::events::RunReaders;

/// The most lines of output that a failure shows.
const MAX_LAST_LINES: usize = 20;

/// The answer. Its keys are a contract; nothing is added to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ToolAnswer {
    /// The agent answered.
    Success(ToolSuccess),
    /// It did not.
    Failure(ToolFailure),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolSuccess {
    /// Always true.
    pub success: bool,
    /// The agent.
    pub tool: String,
    /// The session, to go on with.
    #[serde(rename = "SESSION_ID")]
    pub session: Option<String>,
    /// What it said.
    pub result: String,
    /// As `1m30s`.
    pub duration: String,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolFailure {
    /// Always false.
    pub success: bool,
    /// The agent.
    pub tool: String,
    /// What happened, in one sentence.
    pub error: String,
    /// One of the closed list.
    pub error_kind: String,
    /// What a caller may act on.
    pub error_detail: ToolErrorDetail,
    /// As `0m30s`.
    pub duration: String,
}

/// What a caller may act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolErrorDetail {
    /// What happened.
    pub message: String,
    /// The exit code of the agent, where it had one.
    pub exit_code: Option<i64>,
    /// The end of its output.
    pub last_lines: Vec<String>,
    /// The limit of silence.
    pub idle_timeout_s: u64,
    /// The limit of time.
    pub max_duration_s: u64,
    /// How often it was tried again.
    pub retries: u32,
}

/// What the executor of agent CLIs knows about a failure, in its detail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentTrouble {
    /// The exit code, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The end of its output.
    pub last_lines: Vec<String>,
    /// What it had said by then.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub partial: String,
    /// The session, where it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The sandbox that held it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// It may have changed files: nobody does the same again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_have_changed: bool,
}

impl AgentTrouble {
    /// What a failure carries; empty where it carries nothing of the kind.
    #[must_use]
    pub fn of(failure: &Failure) -> Self {
        let detail = failure.detail.as_ref();
        detail.and_then(|detail| detail.parse().ok()).unwrap_or_default()
    }

    /// For the detail of a failure.
    #[must_use]
    pub fn into_detail(self) -> Json {
        Json::of(&self).expect("details have string keys only")
    }
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
            return Some(Self::Success(ToolSuccess {
                success: true,
                tool: answered.agent.to_string(),
                session: answered.answer.session,
                result: answered.answer.text,
                duration: minutes(duration),
            }));
        }
        let failure = match (last.update.as_run_failed(), last.update.as_run_cancelled()) {
            (Some(failed), _) => failed.error,
            (None, Some(_)) => Failure::new(ErrorKind::Cancelled, "the run was cancelled"),
            (None, None) => {
                let message = format!("run {} was stopped before it ended", first.stream);
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

    /// A failure; `limits` are those of silence and time, in milliseconds.
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
            },
            duration: minutes(duration),
        })
    }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}m{}s", seconds / 60, seconds % 60)
}
