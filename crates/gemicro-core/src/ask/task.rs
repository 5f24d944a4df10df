//! The step that an agent CLI carries out, and its result. Plain data: processes are started elsewhere.

use std::fmt;

use gemicro_event::{Charge, Json, StepKey, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::budget::Purpose;
use crate::flow::{RetryPolicy, Step};

/// The step kind of agent CLIs.
pub const AGENT_STEP: &str = "agent_cli";

/// The step kind of agent CLIs that only answer: no session is kept, and no process stays.
pub const AGENT_TEXT_STEP: &str = "agent_text";

/// The supported agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentName {
    /// Gemini CLI, the program `gemini`.
    Gemini,
    /// Claude Code, the program `claude`.
    Claude,
    /// Codex CLI, the program `codex`.
    Codex,
}

impl AgentName {
    /// Every agent, in documentation order.
    pub const ALL: [Self; 3] = [Self::Gemini, Self::Claude, Self::Codex];

    /// The name on command lines and in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// The backend name for answering prompts; `gemini` means the API there, so Gemini CLI is `gemini-cli`.
    #[must_use]
    pub fn backend(self) -> &'static str {
        match self {
            Self::Gemini => "gemini-cli",
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// The name of its program, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Gemini => "Gemini CLI",
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    /// The agent behind a backend, if it is one.
    #[must_use]
    pub fn of_backend(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.backend() == name)
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an agent may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// It may read files, but change none.
    ReadOnly,
    /// It may write in its folder.
    #[default]
    WorkspaceWrite,
    /// Anything its user may do; there is no sandbox.
    DangerFullAccess,
}

impl SandboxMode {
    /// The name on command lines and in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::DangerFullAccess => "danger-full-access",
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One prompt for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTask {
    /// The agent CLI that does the work.
    pub agent: AgentName,
    /// The model it uses; if absent, the agent chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt that it gets.
    pub prompt: String,
    /// The working directory, as an absolute path.
    pub directory: String,
    /// What the agent may write.
    pub sandbox: SandboxMode,
    /// Whether its tools need no approval inside the sandbox.
    pub yolo: bool,
    /// The session to continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Maximum time without output before it is stopped, in milliseconds.
    pub idle_ms: u64,
    /// Maximum total time, in milliseconds.
    pub total_ms: u64,
    /// Spending limits; a missing one means no limit.
    #[serde(default)]
    pub grant: TaskGrant,
    /// A session of another agent whose conversation this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalls: Option<String>,
    /// Another agent takes over when this one meets a limit, so do not wait for the limit to end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails_over: bool,
    /// Whether the answer includes everything the agent printed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_messages: bool,
    /// The branch of the folder's repository to work on, in a private copy; without one it works in the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The conversation so far and the prompt, as one text, for a new session: used if the session to continue is gone
    /// or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retold: Option<String>,
    /// A person can be asked for permission when a tool needs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// If the session does not exist, a new one is started without an error, and the answer says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_anew: bool,
}

/// Spending limits of one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskGrant {
    /// Maximum number of tokens; `None` means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Maximum cost in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
    /// Maximum number of model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
}

impl TaskGrant {
    /// The amount to reserve for it: 0 for what is not limited.
    #[must_use]
    pub fn reservation(self) -> Charge {
        Charge {
            tokens: self.tokens.unwrap_or(0),
            micro_usd: self.micro_usd.unwrap_or(0),
            turns: self.turns.unwrap_or(0),
            ..Charge::ZERO
        }
    }
}

/// The result of an agent task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentAnswer {
    /// Its answer; never empty.
    pub text: String,
    /// The session, to continue later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tier of the sandbox that it ran in.
    pub tier: String,
    /// How the model was reached: `gateway`, or `observed` with the CLI's own login.
    pub access: String,
    /// Number of tool calls that it made.
    pub n_tool_calls: u64,
    /// Number of refused tool calls, if the agent counts them.
    pub n_refused: u64,
    /// Number of requests to its model that went through the gateway.
    pub n_requests: u64,
    /// Tokens, as counted by the gateway or reported by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Part of the charge is a worst case: a call was interrupted before it reported its usage.
    #[serde(default)]
    pub worst_case: bool,
    /// Its session was lost, and a new one got the earlier turns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retold: bool,
    /// Everything it printed, message by message, if requested.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "through_values"
    )]
    pub messages: Option<Vec<Json>>,
    /// Tool calls that the guard refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<DeniedCall>,
    /// The result on its branch, if it worked on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchOutcome>,
    /// Values submitted through gemicro's submit tool, if it had one; two only if they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submitted: Vec<serde_json::Value>,
}

/// A tool call that the guard refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Denied")]
pub struct DeniedCall {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The rule that was broken.
    pub rule: String,
    /// The part of the call that broke it.
    pub segment: String,
    /// What the agent should do instead.
    pub hint: String,
}

impl fmt::Display for DeniedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "denied {}: {} ({})", self.tool, self.segment, self.rule)
    }
}

/// The result of an agent's work on a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchOutcome {
    /// Name of the branch, without `refs/heads/`.
    pub name: String,
    /// Its commit before the work.
    pub old: String,
    /// Its commit now; the same if the agent changed nothing.
    pub new: String,
    /// Number of imported commits.
    pub n_commits: u64,
    /// Files that they change.
    pub n_files: u64,
    /// Lines added by the commits.
    pub insertions: u64,
    /// Lines removed by the commits.
    pub deletions: u64,
    /// A checkout of the branch for people, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Changes that deserve a look: settings that run code, links, large files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// Further messages to the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl BranchOutcome {
    /// A branch that did not move.
    #[must_use]
    pub fn unmoved_branch(name: String, tip: String) -> Self {
        Self {
            name,
            old: tip.clone(),
            new: tip,
            n_commits: 0,
            n_files: 0,
            insertions: 0,
            deletions: 0,
            worktree: None,
            reports: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Events flatten an answer into themselves, and serde cannot keep raw JSON through that.
fn through_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Json>>, D::Error> {
    let values: Option<Vec<serde_json::Value>> = Option::deserialize(deserializer)?;
    Ok(values.map(|values| values.into_iter().map(Json::from).collect()))
}

/// A task as a step. It is tried up to `max_attempts` times, unless it may have changed files.
#[must_use]
pub fn agent_step(key: StepKey, task: &AgentTask, purpose: Purpose, max_attempts: u32) -> Step {
    Step {
        key,
        kind: AGENT_STEP.to_owned(),
        cost: task.grant.reservation(),
        input: Json::of(task).expect("a task has string keys only"),
        purpose,
        retry: RetryPolicy::attempts(max_attempts),
        timeout_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use gemicro_event::{AgentUpdate, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::ask::{AgentAnswered, AskReaders};

    #[test]
    fn messages_survive_an_event() {
        let answer = json!({
            "text": "Done.", "tier": "full", "access": "gateway", "n_tool_calls": 0, "n_refused": 0, "n_requests": 1,
            "messages": [{ "type": "init" }, { "type": "result", "stats": { "n": 1 } }],
        });
        let answered = AgentAnswered {
            agent: AgentName::Gemini,
            answer: Json::from(answer).parse().expect("an answer"),
        };
        let update = AgentUpdate::new(&answered, Timestamp::now());
        assert_eq!(update.as_agent_answered(), Some(answered));
    }
}
