//! Commands that processes send to a run, and the acknowledgements they get.
//!
//! Commands are rows of the store, so any process can send one; the run's driver carries it out and acknowledges it.
//! Sending the same command id twice has the effect of one command.

use gemicro_event::{CommandId, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Limits, LimitsError};

/// The command that suspends a run, so that it can be resumed.
pub const PAUSE: &str = "pause";

/// The command that changes the limits of a run.
pub const ADJUST_BUDGET: &str = "adjust_budget";

/// A request to a running (or suspended) run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCommand {
    /// `cancel`, `pause`, `answer`, `adjust_budget`, or a command of the run's flow; unknown ones are rejected without an error.
    pub command_type: String,
    /// Chosen by the sender.
    pub command_id: CommandId,
    /// The parameters of the command; each type has its own.
    pub data: Json,
}

impl AgentCommand {
    /// Asks the run to end as cancelled.
    #[must_use]
    pub fn cancel(reason: &str) -> Self {
        Self::new("cancel", serde_json::json!({ "reason": reason }))
    }

    /// Asks the run to suspend; it can be resumed.
    #[must_use]
    pub fn pause() -> Self {
        Self::new(PAUSE, serde_json::json!({}))
    }

    /// Changes limits of the run, as in `--budget`; limits that are not named stay.
    #[must_use]
    pub fn adjust_budget(limits: &Limits) -> Self {
        Self::new(ADJUST_BUDGET, serde_json::json!({ "budget": limits.to_string() }))
    }

    /// Answers the question `key` that the run waits on.
    #[must_use]
    pub fn answer(key: &str, answer: &Json) -> Self {
        Self::new("answer", serde_json::json!({ "key": key, "answer": **answer }))
    }

    /// Names the sender.
    #[must_use]
    pub fn by(self, who: &str) -> Self {
        let mut data = (*self.data).clone();
        if let Some(details) = data.as_object_mut() {
            details.insert("by".to_owned(), who.into());
        }
        Self {
            data: Json::from(data),
            ..self
        }
    }

    /// A command with these parameters and a random id.
    #[must_use]
    pub fn new(command_type: &str, data: serde_json::Value) -> Self {
        Self {
            command_type: command_type.to_owned(),
            command_id: CommandId::random(),
            data: Json::from(data),
        }
    }
}

/// The data of an `adjust_budget` command.
#[derive(Deserialize)]
struct BudgetData {
    budget: String,
}

impl AgentCommand {
    /// The limits that an `adjust_budget` command asks for, beside the limits of the run now; `unlimited` removes all.
    ///
    /// # Errors
    /// With the reason why the data cannot be read.
    pub fn adjusted_limits(&self, now: Limits) -> Result<Limits, String> {
        let BudgetData { budget } = self.data.parse().map_err(|error| error.to_string())?;
        let asked: Limits = budget.parse().map_err(|error: LimitsError| error.to_string())?;
        Ok(match asked == Limits::NONE {
            true => asked,
            false => Limits {
                tokens: asked.tokens.or(now.tokens),
                micro_usd: asked.micro_usd.or(now.micro_usd),
                wall_ms: asked.wall_ms.or(now.wall_ms),
                turns: asked.turns.or(now.turns),
            },
        })
    }
}

/// The state of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AckStatus {
    /// It will be carried out.
    Accepted,
    /// It will not; the data says why.
    Rejected,
    /// It was carried out.
    Completed,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentAck {
    /// Id of the command that this answers or records.
    pub command_id: CommandId,
    /// What became of it.
    pub status: AckStatus,
    /// What the sender may need to know, such as why it was rejected.
    pub data: Json,
}
