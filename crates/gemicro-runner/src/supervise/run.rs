//! One run of an agent: prepared, started, led through its turn.

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

/// Everything a run needs.
#[derive(Debug)]
pub struct Supervision<'a> {
    /// The adapter of the CLI that runs.
    pub cli: &'a dyn AgentCli,
    /// What is wanted of it.
    pub request: &'a AgentRequest,
    /// Its program, where that was looked for already.
    pub located: Option<LocatedProgram>,
    /// Its sandbox. Folders and mode must be those of the request; the environment and what has to be readable
    /// of the CLI's installation are filled in.
    pub profile: Profile,
    /// Our own binary as the launcher.
    pub launcher: &'a Launcher,
    /// The walls of this machine, as probed.
    pub tier: Tier,
    /// How long it may be silent and take.
    pub limits: RunLimits,
    /// Where the output of this run is kept, in a folder that is there: `.stdout.log` or `.stderr.log` is added.
    pub spool: PathBuf,
    /// Knows the secrets that must not be kept.
    pub redactor: Redactor,
    /// Cancelling this ends the run and all its processes.
    pub cancel: CancellationToken,
    /// The gateway's place, where the profile's network is one.
    pub gateway: Option<GatewayPort>,
    /// Where versions of CLIs are looked up; without it the version is not checked.
    pub versions: Option<&'a VersionCache>,
    /// A keeper started ahead of time; without one the run starts its own.
    pub spares: Option<Arc<Spares>>,
}

/// Runs an agent to its end. It, and everything it started, is gone afterwards.
///
/// Dropping the future also ends the agent, but then nobody verifies it.
pub async fn supervise(run: Supervision<'_>, watcher: &mut dyn RunWatcher) -> TurnOutcome {
    let (outcome, _) = first_turn(run, StageAfter::Leave, watcher).await;
    outcome
}

/// Runs the first turn as [`supervise`] does, but leaves a process that can take another one running. `None` beside the
/// outcome means that it is gone, as it always is with a CLI whose processes take one prompt
/// ([`AgentCli::warm`]).
///
/// Dropping the future also ends the agent, but then nobody verifies it.
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
        // For the next one.
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
                let message = "the gateway was opened for another tier or mode";
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
