//! The events of an agent task.

use gemicro_event::{event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentAnswer, AgentName, SandboxMode};

/// An agent was given a prompt. Once per step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// The agent CLI that does the work.
    pub agent: AgentName,
    /// The model it uses; if absent, the agent chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The folder that the agent works in.
    pub directory: String,
    /// What the agent may write.
    pub sandbox: SandboxMode,
    /// The branch of the folder's repository that it works on, in a private copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}
event_payload!(AgentStarted, "agent_started", |it| format!(
    "{} works {} ({})",
    it.agent,
    it.workplace(),
    it.sandbox
));

impl AgentStarted {
    /// Describes where it works, for people.
    #[must_use]
    pub fn workplace(&self) -> String {
        match &self.branch {
            None => format!("in {}", self.directory),
            Some(branch) => format!("on {branch} of {}", self.directory),
        }
    }
}

/// An agent answered. Once per step, with its completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentAnswered {
    /// The agent CLI that does the work.
    pub agent: AgentName,
    /// What it gave back.
    #[serde(flatten)]
    pub answer: AgentAnswer,
}
event_payload!(AgentAnswered, "agent_answered", |it| format!(
    "{} answered",
    it.agent
));

/// An agent wants to use a tool. Not a proof that the tool ran. From the executor, while the agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCalled {
    /// Pairs the call with its `tool_ended`.
    pub id: String,
    /// The tool, as the agent calls it.
    pub tool: String,
    /// What the tool is to do, in one line.
    pub what: String,
}
event_payload!(ToolCalled, "tool_called", |it| if it.what.is_empty() {
    format!("Tool {}", it.tool)
} else {
    format!("Tool {}: {}", it.tool, it.what)
});

/// A tool of an agent ended. From the executor, while the agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolEnded {
    /// The id of its `tool_called`.
    pub id: String,
    /// Whether the tool succeeded, failed or was denied.
    pub end: ToolEnd,
}
event_payload!(ToolEnded, "tool_ended", |it| format!("Tool {}", it.end.as_str()));

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolEnd {
    /// The tool did what it was asked.
    Done,
    /// The tool reported an error.
    Failed,
    /// It was not allowed.
    Denied,
}

impl ToolEnd {
    /// The name in journals and results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Denied => "denied",
        }
    }
}

/// The agent's program printed something that is not an event of its protocol; nothing failed. From the executor, at
/// most once per kind of output and attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentNoise {
    /// Describes the output, for people.
    pub message: String,
}
event_payload!(AgentNoise, "agent_noise", |it| it.message.clone());

/// The user's repository changed while a step worked on a branch of it, and the step cannot have caused the change.
/// From the executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepositoryChanged {
    /// The changes, at least one.
    pub changes: Vec<RepositoryChange>,
}
event_payload!(RepositoryChanged, "repository_changed", |it| it.words());

/// One change of the user's repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepositoryChange {
    /// The reference, the checkout, or the file in the git directory.
    pub what: String,
    /// The old value; absent if it did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The new value; absent if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl RepositoryChanged {
    /// `main of your repository moved from 1a2b3c4 to 5d6e7f8 during the step. Was that you?`
    fn words(&self) -> String {
        let is_branch = |change: &&RepositoryChange| change.what.starts_with("refs/heads/");
        let named = self.changes.iter().find(is_branch).or(self.changes.first());
        let Some(named) = named else {
            return "Nothing in your repository changed".to_owned();
        };
        let others = self.changes.iter().filter(|change| change.what != named.what);
        let others: Vec<&str> = others.map(RepositoryChange::name).collect();
        let more = match others.as_slice() {
            [] => String::new(),
            [_] | [_, _] | [_, _, _] => format!(", and so did {}", others.join(", ")),
            [first, rest @ ..] => format!(", and so did {first} and {} more", rest.len()),
        };
        format!("{} during the step{more}. Was that you?", named.words())
    }
}

impl RepositoryChange {
    /// The name that people use: `main`, `origin/main`.
    fn name(&self) -> &str {
        let Some(name) = self.what.strip_prefix("refs/") else {
            return &self.what;
        };
        let sorts = ["heads/", "tags/", "remotes/"];
        sorts
            .iter()
            .find_map(|sort| name.strip_prefix(sort))
            .unwrap_or(name)
    }

    fn words(&self) -> String {
        let short = |value: &str| value.chars().take(7).collect::<String>();
        let name = self.name();
        if !self.what.starts_with("refs/") {
            return format!("{name} of your repository changed");
        }
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!(
                "{name} of your repository moved from {} to {}",
                short(before),
                short(after)
            ),
            (None, Some(after)) => format!("{name} of your repository was created at {}", short(after)),
            (_, None) => format!("{name} of your repository was deleted"),
        }
    }
}

event_readers! {
    /// Readers of the events of agent tasks.
    pub trait AskReaders {
        AgentStarted => as_agent_started, try_as_agent_started;
        AgentAnswered => as_agent_answered, try_as_agent_answered;
        ToolCalled => as_tool_called, try_as_tool_called;
        ToolEnded => as_tool_ended, try_as_tool_ended;
        AgentNoise => as_agent_noise, try_as_agent_noise;
        RepositoryChanged => as_repository_changed, try_as_repository_changed;
    }

    /// Registers the events of agent tasks.
    pub fn register;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_else_changed_is_named_as_long_as_it_is_little() {
        let said = |names: &[&str]| {
            let change = |what: &&str| RepositoryChange {
                what: (*what).to_owned(),
                before: Some("1".repeat(40)),
                after: Some("2".repeat(40)),
            };
            let changes = names.iter().map(change).collect();
            RepositoryChanged { changes }.words()
        };
        let moved = "main of your repository moved from 1111111 to 2222222 during the step";
        for (names, more) in [
            (&["refs/heads/main"][..], ""),
            (&["config", "refs/heads/main"], ", and so did config"),
            (&["refs/heads/main", "refs/tags/main"], ", and so did main"),
            (
                &[
                    "config",
                    "refs/heads/main",
                    "refs/remotes/origin/main",
                    "refs/stash",
                ],
                ", and so did config, origin/main, stash",
            ),
            (
                &[
                    "config",
                    "HEAD",
                    "refs/heads/main",
                    "refs/tags/v1",
                    "refs/heads/other",
                ],
                ", and so did config and 3 more",
            ),
        ] {
            assert_eq!(said(names), format!("{moved}{more}. Was that you?"), "{names:?}");
        }
        assert_eq!(
            said(&["config"]),
            "config of your repository changed during the step. Was that you?"
        );
    }
}
