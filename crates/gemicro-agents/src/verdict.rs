//! The verdict on an attempt: the answer or the failure, and the cost.

use std::path::PathBuf;
use std::time::SystemTime;

use gemicro_core::ask::{AgentAnswer, AgentTask, AgentTrouble, BranchOutcome, DeniedCall, SandboxMode};
use gemicro_core::flow::{Again, AttemptCost, StepFailure, StepOutput};
use gemicro_event::{Charge, ErrorKind, Failure, Json, Timestamp, UnpricedTokens, Usage};
use gemicro_llm::gateway;
use gemicro_runner::supervise::{CommandExit, RunRecord, TurnOutcome};

use super::attempt_watcher::GatewayFindings;
use super::folder_changed::has_changed;

/// Everything known when an agent has ended.
pub(super) struct AttemptVerdict<'a> {
    pub(super) task: &'a AgentTask,
    pub(super) outcome: TurnOutcome,
    /// Usage counted by the gateway; `None` if the agent had a login inside the sandbox.
    pub(super) spent: Option<gateway::StepUsage>,
    /// Whether an account is billed instead of a key.
    pub(super) is_paid_by_account: bool,
    /// Findings while it worked.
    pub(super) known: GatewayFindings,
    pub(super) began: SystemTime,
    /// Everything it printed, if requested.
    pub(super) messages: Option<Vec<Json>>,
    pub(super) workplace: PathBuf,
    /// The calls that the guard refused.
    pub(super) denials: Vec<DeniedCall>,
    /// The result on its branch.
    pub(super) branch: Option<BranchOutcome>,
    /// Another attempt gets a fresh checkout.
    pub(super) is_staged: bool,
    /// Its session was lost, and a new one received the earlier turns.
    pub(super) retold: bool,
    /// Results submitted through its tool.
    pub(super) submitted: Vec<serde_json::Value>,
}

impl AttemptVerdict<'_> {
    /// Turns it into the result of a step.
    pub(super) fn into_result(self) -> Result<StepOutput, StepFailure> {
        let (charge, usage) = self.charge();
        let record = &self.outcome.record;
        match &self.outcome.result {
            Ok(end) => {
                let answer = AgentAnswer {
                    text: end.text.clone(),
                    session: record.session.as_ref().map(ToString::to_string),
                    tier: tier(record),
                    access: if self.spent.is_some() {
                        "gateway"
                    } else {
                        "observed"
                    }
                    .to_owned(),
                    n_tool_calls: self.known.n_tool_calls.max(end.n_tool_calls),
                    n_refused: end.n_refused.max(self.denials.len() as u64),
                    n_requests: self.spent.as_ref().map_or(0, |spent| spent.n_requests),
                    usage,
                    worst_case: self.spent.as_ref().is_some_and(|spent| spent.worst_case),
                    retold: self.retold,
                    messages: self.messages.clone(),
                    denials: self.denials.clone(),
                    branch: self.branch.clone(),
                    submitted: self.submitted.clone(),
                };
                let output = Json::of(&answer).map_err(|error| {
                    StepFailure::free(Failure::new(ErrorKind::Internal, error.to_string()))
                })?;
                Ok(StepOutput {
                    output,
                    charge,
                    usage,
                })
            }
            Err(failure) => {
                let failure = self.to_failure(failure);
                let is_limit = matches!(failure.kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted);
                // Another attempt would find the changes of this one; and if another agent takes over, it need not
                // wait.
                let is_last =
                    (self.may_have_changed() && !self.is_staged) || (is_limit && self.task.fails_over);
                Err(StepFailure {
                    failure,
                    spent: AttemptCost::Known(charge),
                    again: if is_last { Again::Never } else { Again::AsUsual },
                })
            }
        }
    }

    /// The failure as explained by the gateway, with all details.
    fn to_failure(&self, failure: &Failure) -> Failure {
        let record = &self.outcome.record;
        let trouble = AgentTrouble {
            exit_code: match record.exit {
                Some(CommandExit::Code(code)) => Some(i64::from(code)),
                Some(CommandExit::Signal(_)) | None => None,
            },
            last_lines: record.last_lines.clone(),
            partial: record.partial_text.clone(),
            session: record.session.as_ref().map(ToString::to_string),
            tier: record.tier.map(|_| tier(record)),
            may_have_changed: self.may_have_changed(),
            denials: self.denials.clone(),
        };
        let mut reported = Failure {
            detail: Some(trouble.into_detail()),
            ..failure.clone()
        };
        let Some(spent) = &self.spent else {
            return reported;
        };
        if let Some(kind) = self.known.ended_for {
            // gemicro stopped it, for this reason.
            reported.kind = kind;
            reported.message = match &spent.refused {
                Some(refused) if kind == ErrorKind::BudgetExceeded => refused.message.clone(),
                Some(_) | None => format!("the provider of {} limits its requests", self.task.agent),
            };
            reported.retry_after_ms = None;
        }
        if let ErrorKind::IdleTimeout | ErrorKind::Timeout = reported.kind
            && let Some(limit @ (ErrorKind::RateLimited | ErrorKind::QuotaExhausted)) = self.known.upstream
        {
            // It was silent because it waited for the limit to end.
            reported.kind = limit;
        }
        if let (ErrorKind::RateLimited | ErrorKind::QuotaExhausted, Some(until)) =
            (reported.kind, spent.quota.and_then(|quota| quota.until))
        {
            let wait = until.since(Timestamp::now());
            reported.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        }
        reported
    }

    /// Whether it may have changed something in its folder.
    fn may_have_changed(&self) -> bool {
        let may_write = self.task.sandbox != SandboxMode::ReadOnly && self.outcome.record.handle.is_some();
        may_write && (self.known.n_tool_calls > 0 || has_changed(&self.workplace, self.began))
    }

    fn charge(&self) -> (Charge, Option<Usage>) {
        let (mut charge, usage) = match &self.spent {
            Some(spent) => (spent.cost, Some(spent.usage)),
            None => {
                let usage = self.outcome.record.usage;
                let tokens = usage.map_or(0, |usage| usage.total_tokens());
                let observed = Charge {
                    tokens,
                    turns: 1,
                    ..Charge::ZERO
                };
                (observed, usage)
            }
        };
        if self.is_paid_by_account {
            let paid_by = format!("{} by its login", self.task.agent);
            charge.unpriced_models = UnpricedTokens::of(&paid_by, charge.tokens);
            charge.micro_usd = 0;
            charge.uncertain.micro_usd = 0;
        }
        (charge, usage)
    }
}

fn tier(record: &RunRecord) -> String {
    record
        .tier
        .map_or_else(|| "none".to_owned(), |tier| tier.to_string())
}
