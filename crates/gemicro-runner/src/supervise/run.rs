//! One run of an agent: prepared, started, watched, judged.

use std::path::PathBuf;

use futures_util::stream::FuturesUnordered;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, Json};
use gemicro_guard::sandbox::{CommandExit, GatewayPort, Launcher, Profile, Tier};
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::feed::Feed;
use super::limits::RunLimits;
use super::live::{self, Live};
use super::outcome::{Outcome, RunRecord};
use super::prepare::{Prepared, prepare};
use super::process::{Process, Started};
use super::stage::{Stage, Why};
use super::tail::last_lines;
use super::version_cache::VersionCache;
use super::watch::{Clock, Watch};
use super::watcher::Watcher;
use crate::agent_cli::AgentCli;
use crate::end::{AgentEnd, Ended, Exit};
use crate::request::AgentRequest;
use crate::transcript::Transcript;

/// How many lines of standard error explain a failure.
const ERROR_LINES: usize = 200;

/// Everything a run needs.
#[derive(Debug)]
pub struct Supervision<'a> {
    /// The CLI.
    pub cli: &'a dyn AgentCli,
    /// What is wanted of it.
    pub request: &'a AgentRequest,
    /// Its sandbox. Folders and mode must be those of the request; the environment and what has to be readable
    /// of the CLI's installation are filled in.
    pub profile: Profile,
    /// Our own binary as the launcher.
    pub launcher: &'a Launcher,
    /// The walls of this machine, as probed.
    pub tier: Tier,
    /// The limits.
    pub limits: RunLimits,
    /// A folder for the output of this run; made if it is not there.
    pub spool: PathBuf,
    /// Knows the secrets that must not be kept.
    pub redactor: Redactor,
    /// Stops the run.
    pub cancel: CancellationToken,
    /// The gateway's place, where the profile's network is one.
    pub gateway: Option<GatewayPort>,
    /// Where versions of CLIs are looked up; without it the version is not checked.
    pub versions: Option<&'a VersionCache>,
}

/// Runs an agent to its end. It, and everything it started, is gone afterwards.
///
/// Dropping the future also ends the agent, but then nobody verifies it.
pub async fn supervise(run: Supervision<'_>, watcher: &mut dyn Watcher) -> Outcome {
    let began = Instant::now();
    let redactor = run.redactor.clone();
    let mut record = RunRecord::default();
    let result = attempt(run, began, watcher, &mut record).await;
    record.duration_ms = millis(began.elapsed());
    record.partial_text = redactor.redact(&record.partial_text).into_owned();
    let result = match result {
        Ok(end) => Ok(AgentEnd {
            text: redactor.redact(&end.text).into_owned(),
            ..end
        }),
        Err(failure) => Err(told(failure, &redactor, &record)),
    };
    Outcome { result, record }
}

async fn attempt(
    mut run: Supervision<'_>,
    began: Instant,
    watcher: &mut dyn Watcher,
    record: &mut RunRecord,
) -> Result<AgentEnd, Failure> {
    let cancel = run.cancel.clone();
    let cancelled = || Failure::new(ErrorKind::Cancelled, "the run was cancelled before it began");
    if cancel.is_cancelled() {
        return Err(cancelled());
    }
    let gateway = run.gateway.take();
    let Prepared {
        plan,
        dialogue,
        stdin,
        stdout: out_capture,
        stderr: err_capture,
    } = tokio::time::timeout(run.limits.total, prepare(&run, gateway.as_ref()))
        .await
        .map_err(|_| {
            let message = format!("`{} --version` did not end in time", run.cli.program());
            Failure::new(ErrorKind::Timeout, message)
        })??;
    record.tier = Some(plan.tier);
    record.reach = Some(plan.reach);
    record.unpinned.clone_from(&plan.unpinned);
    let started = tokio::select! {
        started = Process::start(plan) => started?,
        () = cancel.cancelled() => return Err(cancelled()),
    };
    let Started {
        process,
        stdin: pipe,
        stdout,
        stderr,
        listener,
    } = started;
    record.start_ms = millis(began.elapsed());
    record.handle = process.handle().cloned();
    if let Some(handle) = process.handle() {
        watcher.started(handle);
    }
    if let Some(gateway) = gateway {
        match listener.or(gateway.into_listener()) {
            Some(listener) => watcher.gateway(listener),
            None => {
                let message = "the gateway was opened for another tier or mode";
                return Err(Failure::new(ErrorKind::Internal, message));
            }
        }
    }
    let mut watch = Watch {
        process,
        feed: Feed::new(pipe, stdin),
        dialogue,
        limits: run.limits,
        live: Live::new(&run.redactor),
        stdout: out_capture,
        stderr: err_capture,
        watcher,
        clock: Clock::start(),
        transcript: Transcript::default(),
        stage: Stage::Working,
        why: None,
        exited: None,
        permissions: FuturesUnordered::new(),
    };
    watch.run(stdout, stderr, &cancel).await;
    conclude(&run, watch, record)
}

/// Writes down what is known and judges it.
fn conclude(
    run: &Supervision<'_>,
    mut watch: Watch<'_>,
    record: &mut RunRecord,
) -> Result<AgentEnd, Failure> {
    let exited = watch.exited.take().unwrap_or_default();
    record.survivors = watch.process.survivors(&exited);
    record.exit = exited.exit;
    let Watch {
        stdout,
        stderr,
        transcript,
        clock,
        why,
        watcher,
        ..
    } = watch;
    let first_output = clock.first_output.map(|at| at - clock.began);
    record.first_output_ms = first_output.map(millis);
    let (out_record, out_tail) = stdout.finish();
    let (err_record, err_tail) = stderr.finish();
    (record.stdout, record.stderr) = (out_record, err_record);
    record.last_lines = last_lines(&out_tail, &err_tail);
    record.session.clone_from(&transcript.session);
    record.usage = transcript.usage.map(|(usage, _)| usage);
    record.usage_scope = transcript.usage.map(|(_, scope)| scope);
    record.partial_text = transcript.said().to_owned();
    if let Some(failure) = exited.failure {
        return Err(failure);
    }
    run.cli.judge(&Ended {
        exit: exit(why, exited.exit),
        transcript: &transcript,
        stderr_tail: &err_tail.lines(ERROR_LINES).join("\n"),
        session: &run.request.session,
        upstream: watcher.upstream(),
        ended_at: chrono::Local::now().fixed_offset(),
    })
}

fn exit(why: Option<Why>, exit: Option<CommandExit>) -> Exit {
    match (why, exit) {
        (Some(Why::Stopped(kind)), _) => Exit::Stopped(kind),
        (Some(Why::TurnOver), _) => Exit::Running,
        (None, Some(CommandExit::Code(code))) => Exit::Code(code),
        (None, Some(CommandExit::Signal(signal))) => Exit::Signal(signal),
        // Its keeper was killed from outside, and it with it.
        (None, None) => Exit::Signal(rustix::process::Signal::KILL.as_raw()),
    }
}

/// A failure without secrets, and with the last lines in any case.
fn told(failure: Failure, redactor: &Redactor, record: &RunRecord) -> Failure {
    let mut detail = failure.detail.map_or_else(
        || json!({}),
        |detail| serde_json::to_value(live::json(redactor, detail)).unwrap_or_default(),
    );
    if let Some(facts) = detail.as_object_mut() {
        if !record.last_lines.is_empty() {
            // What the judge has to go by is part of these.
            facts.insert("last_lines".to_owned(), json!(record.last_lines));
        }
        match record.exit {
            Some(CommandExit::Code(code)) => facts.entry("exit_code").or_insert(json!(code)),
            Some(CommandExit::Signal(signal)) => facts.entry("signal").or_insert(json!(signal)),
            None => facts.entry("started").or_insert(json!(record.handle.is_some())),
        };
    }
    Failure {
        message: redactor.redact(&failure.message).into_owned(),
        detail: Some(Json::from(detail)),
        ..failure
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
