//! An agent process that keeps running between turns.
//!
//! The main type is [`WarmAgent`]. It does not start processes (see `run`) or run turns (see `turn`); its owner decides
//! which prompt goes to which process.

use std::fmt;
use std::sync::Arc;

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{CommandExit, ProcessHandle, Tier};
use tokio::time::Instant;

use super::agent::AgentProcess;
use super::capture::Captures;
use super::limits::RunLimits;
use super::outcome::{RunRecord, TurnOutcome};
use super::rest::RestingAgent;
use super::run_stage::StageAfter;
use super::turn::{AgentTurn, LeadOutcome, TurnLead, end, lead, outcome};
use super::watcher::RunWatcher;
use crate::agent_cli::AgentCli;
use crate::session::{Session, SessionId};

/// A process between two turns. Dropping it ends it and everything it started; [`WarmAgent::close`] also verifies that.
pub struct WarmAgent {
    rest: RestingAgent,
    kept: WarmState,
}

/// The state of a process between turns.
#[derive(Debug)]
pub(super) struct WarmState {
    pub(super) cli: Arc<dyn AgentCli>,
    /// The session for which it was started.
    pub(super) wish: Session,
    /// Limits of its last turn, which also apply to its end.
    pub(super) limits: RunLimits,
    pub(super) tier: Tier,
    /// The common part of all its records.
    pub(super) facts: RunRecord,
}

impl WarmAgent {
    /// Starts the rest of a process after its first turn.
    pub(super) fn new(agent: AgentProcess, kept: WarmState) -> Self {
        Self {
            rest: RestingAgent::begin(agent),
            kept,
        }
    }

    /// Its session, if reported.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        self.kept.facts.session.as_ref()
    }

    /// Identifies the process, to find it again.
    #[must_use]
    pub fn handle(&self) -> Option<&ProcessHandle> {
        self.kept.facts.handle.as_ref()
    }

    /// The sandbox level.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.kept.tier
    }

    /// Waits until the process is no longer fit for a turn: it exited, closed its output, or printed something
    /// unexpected. This can be dropped and called again.
    pub async fn wait_until_unfit(&mut self) {
        self.rest.wait_until_unfit().await;
    }

    /// Runs another turn. If the second value is `None`, the process is gone: it died, was no longer fit, or the turn
    /// left it in an unknown state. [`RunRecord::untouched`] says whether the turn can then be repeated elsewhere.
    ///
    /// The watcher is informed of the process as at its start; the gateway's listener stays that of the first turn.
    /// Dropping the future ends the agent, but without verification.
    pub async fn turn(self, turn: AgentTurn, watcher: &mut dyn RunWatcher) -> (TurnOutcome, Option<Self>) {
        let began = Instant::now();
        let Self { rest, mut kept } = self;
        let mut record = kept.facts.clone();
        let redactor = turn.redactor.clone();
        let (result, agent) = match begin(rest, &turn, &mut record, &kept).await {
            Ok((agent, captures)) => {
                if let Some(handle) = &record.handle {
                    watcher.on_started(handle);
                }
                kept.limits = turn.limits;
                let leading = TurnLead {
                    cli: kept.cli.as_ref(),
                    wish: &kept.wish,
                    limits: turn.limits,
                    captures,
                    redactor: &turn.redactor,
                    cancel: &turn.cancel,
                    after: StageAfter::Stay,
                };
                let LeadOutcome { result, agent } = lead(agent, leading, watcher, &mut record).await;
                (result, agent)
            }
            Err(RefusedTurn { failure, agent }) => (Err(failure), agent.map(|agent| *agent)),
        };
        kept.facts = record.of_process();
        let outcome = outcome(result, record, &redactor, began);
        (outcome, agent.map(|agent| Self::new(agent, kept)))
    }

    /// Ends it: closes its input, waits for the grace period of its last turn, asks it to end, waits again, then kills
    /// it. Returns the number of processes left: 0, unless the system refused to end one; `None` if it could not be
    /// verified.
    pub async fn close(self) -> Option<u32> {
        let mut agent = self.rest.end().await?;
        end(&mut agent, self.kept.limits).await;
        agent.survivors()
    }
}

impl fmt::Debug for WarmAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WarmAgent")
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

/// A turn that does not take place; holds the process if nothing is wrong with it.
struct RefusedTurn {
    failure: Failure,
    agent: Option<Box<AgentProcess>>,
}

/// Sends the prompt, unless something prevents it.
async fn begin(
    rest: RestingAgent,
    turn: &AgentTurn,
    record: &mut RunRecord,
    kept: &WarmState,
) -> Result<(AgentProcess, Captures), RefusedTurn> {
    let Some(mut agent) = rest.end().await else {
        let failure = Failure::new(ErrorKind::Internal, "the agent's task was stopped from outside");
        return Err(RefusedTurn { failure, agent: None });
    };
    if !agent.is_fit() {
        let spoke = agent.dialogue.spoke_out_of_turn();
        end(&mut agent, kept.limits).await;
        record.exit = agent.exited.as_ref().and_then(|exited| exited.exit);
        record.survivors = agent.survivors();
        return Err(RefusedTurn {
            failure: unfit(spoke, record.exit),
            agent: None,
        });
    }
    match say(&mut agent, turn) {
        Ok(captures) => Ok((agent, captures)),
        Err(failure) => Err(RefusedTurn {
            failure,
            agent: Some(Box::new(agent)),
        }),
    }
}

/// Sends the prompt to a fit process. On failure, the process is unaffected.
fn say(agent: &mut AgentProcess, turn: &AgentTurn) -> Result<Captures, Failure> {
    if turn.cancel.is_cancelled() {
        let message = "the turn was cancelled before it began";
        return Err(Failure::new(ErrorKind::Cancelled, message));
    }
    let captures = Captures::create(&turn.spool, &turn.limits, &turn.redactor)?;
    if let Err(failure) = agent.dialogue.prompt(&turn.prompt) {
        captures.discard();
        return Err(failure);
    }
    Ok(captures)
}

fn unfit(spoke: bool, exit: Option<CommandExit>) -> Failure {
    let how = match exit {
        _ if spoke => "it printed unexpected output".to_owned(),
        Some(CommandExit::Code(code)) => format!("it ended with exit code {code}"),
        Some(CommandExit::Signal(signal)) => format!("it was killed by signal {signal}"),
        None => "it was killed".to_owned(),
    };
    let message = format!("the agent cannot take another turn: {how}");
    Failure::new(ErrorKind::UpstreamError, message)
}
