//! Handles commands from other processes.

use gemicro_event::{AgentUpdate, Json};
use serde::Deserialize;

use super::DriveError;
use super::driver::Driver;
use crate::command::{ADJUST_BUDGET, AckStatus, AgentAck, AgentCommand, PAUSE};
use crate::run::events::{AnswerGiven, BudgetAdjusted, CancelRequested};
use crate::store::NewEvent;

impl Driver<'_> {
    /// Carries out the open commands.
    pub(super) async fn take_commands(&mut self) -> Result<(), DriveError> {
        for command in self.ctx.store.open_commands(self.run_id()).await? {
            let ack = self.handle_command(&command).await?;
            self.ctx.store.acknowledge(self.run_id(), ack).await?;
        }
        Ok(())
    }

    /// Rejects pauses requested before this driver started: whoever resumes the run wants it to continue.
    pub(super) async fn refuse_old_pauses(&mut self) -> Result<(), DriveError> {
        for command in self.ctx.store.open_commands(self.run_id()).await? {
            if command.command_type == PAUSE {
                let reason = "the run was not being driven when the pause was requested; request it again";
                let ack = AgentAck {
                    command_id: command.command_id,
                    status: AckStatus::Rejected,
                    data: Json::from(serde_json::json!({ "reason": reason })),
                };
                self.ctx.store.acknowledge(self.run_id(), ack).await?;
            }
        }
        Ok(())
    }

    /// Acknowledges commands that arrived too late; store errors no longer matter to the run.
    pub(super) async fn answer_late_commands(&self) {
        let Ok(open) = self.ctx.store.open_commands(self.run_id()).await else {
            return;
        };
        for command in open {
            let is_cancelled = command.command_type == "cancel" && self.run.cancel.is_some();
            let (status, data) = if is_cancelled {
                (AckStatus::Completed, serde_json::json!({}))
            } else {
                (
                    AckStatus::Rejected,
                    serde_json::json!({ "reason": "the run has ended" }),
                )
            };
            let ack = AgentAck {
                command_id: command.command_id,
                status,
                data: Json::from(data),
            };
            let _ = self.ctx.store.acknowledge(self.run_id(), ack).await;
        }
    }

    async fn handle_command(&mut self, command: &AgentCommand) -> Result<AgentAck, DriveError> {
        let now = self.clock.now();
        let (status, data) = match command.command_type.as_str() {
            "cancel" => {
                let reason = command
                    .data
                    .get("reason")
                    .and_then(|reason| reason.as_str())
                    .unwrap_or_default();
                if self.run.cancel.is_none() {
                    let command_id = command.command_id.clone();
                    let fact = CancelRequested {
                        command_id,
                        reason: reason.to_owned(),
                    };
                    self.append(vec![NewEvent::of_run(AgentUpdate::new(&fact, now))])
                        .await?;
                }
                (AckStatus::Completed, serde_json::json!({}))
            }
            PAUSE => {
                self.is_paused = true;
                (AckStatus::Completed, serde_json::json!({}))
            }
            "answer" => match command.data.parse::<AnswerData>() {
                // Carried out before a crash, but not yet acknowledged.
                Ok(given) if self.run.answers.get(&given.key) == Some(&given.answer) => {
                    (AckStatus::Completed, serde_json::json!({}))
                }
                Ok(given) if self.run.answers.contains_key(&given.key) => (
                    AckStatus::Rejected,
                    serde_json::json!({ "reason": "answered already" }),
                ),
                Ok(given) if self.run.asked.contains(&given.key) => {
                    let fact = AnswerGiven {
                        key: given.key,
                        answer: given.answer,
                        by: given.by,
                    };
                    self.append(vec![NewEvent::of_run(AgentUpdate::new(&fact, now))])
                        .await?;
                    let (key, answer) = (fact.key, fact.answer);
                    self.answers.send_modify(|answers| {
                        answers.insert(key, answer);
                    });
                    (AckStatus::Completed, serde_json::json!({}))
                }
                Ok(_) => (
                    AckStatus::Rejected,
                    serde_json::json!({ "reason": "the run did not ask this question" }),
                ),
                Err(error) => (
                    AckStatus::Rejected,
                    serde_json::json!({ "reason": error.to_string() }),
                ),
            },
            ADJUST_BUDGET => match command.adjusted_limits(self.run.started.limits) {
                Ok(limits) => {
                    let command_id = command.command_id.clone();
                    let fact = BudgetAdjusted { command_id, limits };
                    self.append(vec![NewEvent::of_run(AgentUpdate::new(&fact, now))])
                        .await?;
                    (
                        AckStatus::Completed,
                        serde_json::json!({ "limits": limits.to_string() }),
                    )
                }
                Err(reason) => (AckStatus::Rejected, serde_json::json!({ "reason": reason })),
            },
            _ => match self.live.handle_command(command, now) {
                Ok(facts) => {
                    self.append(facts.into_iter().map(NewEvent::of_run).collect())
                        .await?;
                    (AckStatus::Completed, serde_json::json!({}))
                }
                Err(reason) => (AckStatus::Rejected, serde_json::json!({ "reason": reason })),
            },
        };
        Ok(AgentAck {
            command_id: command.command_id.clone(),
            status,
            data: Json::from(data),
        })
    }
}

/// The data of an `answer` command.
#[derive(Deserialize)]
struct AnswerData {
    key: String,
    answer: Json,
    #[serde(default)]
    by: Option<String>,
}
