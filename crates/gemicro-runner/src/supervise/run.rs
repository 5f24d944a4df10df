//! One run of an agent: prepares it, starts it, and runs its turn.

use std::path::PathBuf;
use std::sync::Arc;

use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{GatewayPort, Launcher, Profile, Tier};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::agent::AgentProcess;
use super::limits::RunLimits;
use super::outcome::{RunRecord, TurnOutcome};
use super::prepare::{PreparedRun, prepare};
use super::process::Process;
use super::run_stage::StageAfter;
use super::spares::Spares;
use super::turn::{LeadOutcome, TurnLead, lead, millis, outcome};
use super::version_cache::VersionCache;
use super::warm::{WarmAgent, WarmState};
use super::watcher::RunWatcher;
use crate::agent_cli::AgentCli;
use crate::locate::LocatedProgram;
use crate::request::AgentRequest;

/// All inputs of a run.
#[derive(Debug)]
pub struct Supervision<'a> {
    /// The adapter of the CLI.
    pub cli: &'a dyn AgentCli,
    /// The request.
    pub request: &'a AgentRequest,
    /// Its program, if already located.
    pub located: Option<LocatedProgram>,
    /// Its sandbox. Folders and mode must match the request; the environment and the readable parts of the CLI's
    /// installation are filled in.
    pub profile: Profile,
    /// Our own binary as the launcher.
    pub launcher: &'a Launcher,
    /// The sandbox level of this machine, as probed.
    pub tier: Tier,
    /// Limits on time and output.
    pub limits: RunLimits,
    /// Path prefix for the output of this run, in an existing folder: `.stdout.log` or `.stderr.log` is appended.
    pub spool: PathBuf,
    /// The secrets that must not be recorded.
    pub redactor: Redactor,
    /// Cancelling this ends the run and all its processes.
    pub cancel: CancellationToken,
    /// The gateway's port, if the profile's network needs one.
    pub gateway: Option<GatewayPort>,
    /// Cache of CLI versions; without it the version is not checked.
    pub versions: Option<&'a VersionCache>,
    /// A keeper (sandbox parent process) started ahead of time; without one the run starts its own.
    pub spares: Option<Arc<Spares>>,
}

/// Runs an agent to its end. Afterwards the agent and everything it started are gone.
///
/// Dropping the future also ends the agent, but without verification.
pub async fn supervise(run: Supervision<'_>, watcher: &mut dyn RunWatcher) -> TurnOutcome {
    let (outcome, _) = first_turn(run, StageAfter::Leave, watcher).await;
    outcome
}

/// Runs the first turn like [`supervise`], but keeps a process that can take another turn. If the second value is
/// `None`, the process is gone, as always with a CLI whose processes take only one prompt ([`AgentCli::warm`]).
///
/// Dropping the future also ends the agent, but without verification.
pub async fn supervise_warm(
    run: Supervision<'_>,
    watcher: &mut dyn RunWatcher,
) -> (TurnOutcome, Option<WarmAgent>) {
    let Some(cli) = run.cli.warm() else {
        return (supervise(run, watcher).await, None);
    };
    let (wish, limits, tier) = (run.request.session.clone(), run.limits, run.tier);
    let (outcome, agent) = first_turn(run, StageAfter::Stay, watcher).await;
    let kept = WarmState {
        cli,
        wish,
        limits,
        tier,
        facts: outcome.record.of_process(),
    };
    (outcome, agent.map(|agent| WarmAgent::new(agent, kept)))
}

async fn first_turn(
    run: Supervision<'_>,
    after: StageAfter,
    watcher: &mut dyn RunWatcher,
) -> (TurnOutcome, Option<AgentProcess>) {
    let began = Instant::now();
    let redactor = run.redactor.clone();
    let mut record = RunRecord {
        untouched: true,
        ..RunRecord::default()
    };
    let led = attempt(run, after, watcher, &mut record).await;
    let LeadOutcome { result, agent } = led.unwrap_or_else(|failure| LeadOutcome {
        result: Err(failure),
        agent: None,
    });
    (outcome(result, record, &redactor, began), agent)
}

async fn attempt(
    mut run: Supervision<'_>,
    after: StageAfter,
    watcher: &mut dyn RunWatcher,
    record: &mut RunRecord,
) -> Result<LeadOutcome, Failure> {
    let began = Instant::now();
    let cancelled = || Failure::new(ErrorKind::Cancelled, "the run was cancelled before it began");
    if run.cancel.is_cancelled() {
        return Err(cancelled());
    }
    let gateway = run.gateway.take();
    let PreparedRun {
        plan,
        dialogue,
        stdin,
        captures,
    } = tokio::time::timeout(run.limits.total, prepare(&run, gateway.as_ref()))
        .await
        .map_err(|_| {
            let message = format!("`{} --version` did not end in time", run.cli.program());
            Failure::new(ErrorKind::Timeout, message)
        })??;
    record.tier = Some(plan.tier);
    record.reach = Some(plan.reach);
    record.unpinned.clone_from(&plan.unpinned);
    let mut started = tokio::select! {
        started = Process::start(plan, run.spares.as_deref()) => started?,
        () = run.cancel.cancelled() => return Err(cancelled()),
    };
    record.start_ms = millis(began.elapsed());
    if let Some(spares) = run.spares.take() {
        // For the next run.
        let launcher = run.launcher.clone();
        tokio::spawn(async move {
            spares.lull().await;
            tokio::task::spawn_blocking(move || spares.fill(&launcher)).await
        });
    }
    record.handle = started.process.handle().cloned();
    if let Some(handle) = started.process.handle() {
        watcher.on_started(handle);
    }
    if let Some(gateway) = gateway {
        match started.listener.take().or(gateway.into_listener()) {
            Some(listener) => watcher.gateway(listener),
            None => {
                let message = "the gateway was opened for another sandbox level or mode";
                return Err(Failure::new(ErrorKind::Internal, message));
            }
        }
    }
    let leading = TurnLead {
        cli: run.cli,
        wish: &run.request.session,
        limits: run.limits,
        captures,
        redactor: &run.redactor,
        cancel: &run.cancel,
        after,
    };
    let agent = AgentProcess::new(started, stdin, dialogue);
    Ok(lead(agent, leading, watcher, record).await)
}
