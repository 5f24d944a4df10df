//! Runs one turn of an agent: watches, judges and records it. It is the same for single and for long-running processes.

use std::path::PathBuf;

use futures_util::stream::FuturesUnordered;
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, Json};
use gemicro_guard::sandbox::CommandExit;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::agent::AgentProcess;
use super::capture::Captures;
use super::limits::RunLimits;
use super::live::{self, LiveItems};
use super::outcome::{RunRecord, TurnOutcome};
use super::run_stage::{RunStage, StageAfter, StopCause};
use super::tail::last_lines;
use super::watch::{TurnClock, TurnWatch};
use super::watcher::RunWatcher;
use crate::agent_cli::AgentCli;
use crate::end::{AgentEnd, ProcessEnd, ProcessExit};
use crate::prompt::AgentPrompt;
use crate::session::Session;
use crate::transcript::TurnTranscript;

/// Maximum number of lines of standard error in a failure.
const ERROR_LINES: usize = 200;

/// Another turn of a running process.
#[derive(Debug)]
pub struct AgentTurn {
    /// The prompt.
    pub prompt: AgentPrompt,
    /// The limits of this turn. The maximum line length is that of the first turn.
    pub limits: RunLimits,
    /// Path prefix for the output of this turn, in an existing folder: `.stdout.log` or `.stderr.log` is appended.
    pub spool: PathBuf,
    /// The secrets that must not be recorded.
    pub redactor: Redactor,
    /// Cancelling this stops the turn.
    pub cancel: CancellationToken,
}

/// The inputs of a turn whose prompt was already sent.
pub(super) struct TurnLead<'a> {
    pub(super) cli: &'a dyn AgentCli,
    /// The session for which the process was started.
    pub(super) wish: &'a Session,
    pub(super) limits: RunLimits,
    pub(super) captures: Captures,
    pub(super) redactor: &'a Redactor,
    pub(super) cancel: &'a CancellationToken,
    pub(super) after: StageAfter,
}

/// The result of a turn.
pub(super) struct LeadOutcome {
    pub(super) result: Result<AgentEnd, Failure>,
    /// The process, if it stays.
    pub(super) agent: Option<AgentProcess>,
}

/// Runs a turn to its end, and ends the process unless it stays.
pub(super) async fn lead(
    mut agent: AgentProcess,
    leading: TurnLead<'_>,
    watcher: &mut dyn RunWatcher,
    record: &mut RunRecord,
) -> LeadOutcome {
    let mut transcript = TurnTranscript::default();
    transcript.session.clone_from(&record.session);
    let mut watch = TurnWatch {
        agent: &mut agent,
        after: leading.after,
        limits: leading.limits,
        live: LiveItems::new(leading.redactor),
        stdout: leading.captures.stdout,
        stderr: leading.captures.stderr,
        watcher,
        clock: TurnClock::start(),
        transcript,
        stage: RunStage::Working,
        why: None,
        permissions: FuturesUnordered::new(),
    };
    watch.run(leading.cancel).await;
    let mut stays = watch.stage == RunStage::Over;
    let result = conclude(watch, leading.cli, leading.wish, record);
    // Nothing that a tool started may outlive its turn; the only way to end it is to end everything.
    if stays && agent.has_leftovers() {
        end(&mut agent, leading.limits).await;
        record.survivors = agent.survivors();
        stays = false;
    }
    LeadOutcome {
        result,
        agent: stays.then_some(agent),
    }
}

/// Ends an idle process: closes its input, waits, asks it to end, waits again, then kills it.
pub(super) async fn end(agent: &mut AgentProcess, limits: RunLimits) {
    agent.feed.close();
    let captures = Captures::nowhere();
    let mut watch = TurnWatch {
        agent,
        after: StageAfter::Leave,
        limits,
        live: LiveItems::new(&Redactor::default()),
        stdout: captures.stdout,
        stderr: captures.stderr,
        watcher: &mut (),
        clock: TurnClock::start(),
        transcript: TurnTranscript::default(),
        stage: RunStage::Lingering(Instant::now() + limits.grace),
        why: None,
        permissions: FuturesUnordered::new(),
    };
    watch.run(&CancellationToken::new()).await;
}

/// Records and judges a turn.
fn conclude(
    watch: TurnWatch<'_>,
    cli: &dyn AgentCli,
    wish: &Session,
    record: &mut RunRecord,
) -> Result<AgentEnd, Failure> {
    let TurnWatch {
        agent,
        stdout,
        stderr,
        transcript,
        clock,
        stage,
        why,
        watcher,
        ..
    } = watch;
    let exited = agent.exited.clone().unwrap_or_default();
    record.survivors = match stage {
        RunStage::Over => None,
        _ => agent.process.survivors(&exited),
    };
    record.exit = exited.exit;
    record.untouched = transcript.end.is_none() && agent.dialogue.is_untouched();
    let first_output = clock.first_output.map(|at| at - clock.began);
    record.first_output_ms = first_output.map(millis);
    let (out_record, out_tail) = stdout.finish();
    let (err_record, err_tail) = stderr.finish();
    (record.stdout, record.stderr) = (out_record, err_record);
    record.last_lines = last_lines(&out_tail, &err_tail);
    record.session.clone_from(&transcript.session);
    record.usage = transcript.usage.map(|(usage, _)| usage);
    record.usage_scope = transcript.usage.map(|(_, scope)| scope);
    record.partial_text = transcript.agent_text().to_owned();
    if let Some(failure) = exited.failure {
        return Err(failure);
    }
    let judged = cli.judge(&ProcessEnd {
        exit: exit(stage, why, exited.exit),
        transcript: &transcript,
        stderr_tail: &err_tail.lines(ERROR_LINES).join("\n"),
        session: wish,
        upstream: watcher.upstream(),
        ended_at: chrono::Local::now().fixed_offset(),
    });
    let cost_before = agent.cost_micro_usd;
    let cost = transcript.end.as_ref().and_then(|end| end.cost_micro_usd);
    agent.cost_micro_usd = cost.unwrap_or(cost_before);
    judged.map(|end| AgentEnd {
        cost_micro_usd: cost.map(|cost| cost.saturating_sub(cost_before)),
        ..end
    })
}

fn exit(stage: RunStage, why: Option<StopCause>, exit: Option<CommandExit>) -> ProcessExit {
    match (why, exit) {
        (Some(StopCause::Stopped(kind)), _) => ProcessExit::Stopped(kind),
        (Some(StopCause::TurnOver), _) => ProcessExit::Running,
        (None, _) if stage == RunStage::Over => ProcessExit::Running,
        (None, Some(CommandExit::Code(code))) => ProcessExit::Code(code),
        (None, Some(CommandExit::Signal(signal))) => ProcessExit::Signal(signal),
        // The keeper was killed from outside, and the process with it.
        (None, None) => ProcessExit::Signal(rustix::process::Signal::KILL.as_raw()),
    }
}

/// Builds the outcome of a turn: without secrets, and a failure always with the last lines.
pub(super) fn outcome(
    result: Result<AgentEnd, Failure>,
    mut record: RunRecord,
    redactor: &Redactor,
    began: Instant,
) -> TurnOutcome {
    record.duration_ms = millis(began.elapsed());
    record.partial_text = redactor.redact(&record.partial_text).into_owned();
    let result = match result {
        Ok(end) => Ok(AgentEnd {
            text: redactor.redact(&end.text).into_owned(),
            ..end
        }),
        Err(failure) => Err(to_failure(failure, redactor, &record)),
    };
    TurnOutcome { result, record }
}

fn to_failure(failure: Failure, redactor: &Redactor, record: &RunRecord) -> Failure {
    let mut detail = failure.detail.map_or_else(
        || json!({}),
        |detail| serde_json::to_value(live::json(redactor, detail)).unwrap_or_default(),
    );
    if let Some(facts) = detail.as_object_mut() {
        if !record.last_lines.is_empty() {
            // These include the lines that the verdict is based on.
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

pub(super) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
