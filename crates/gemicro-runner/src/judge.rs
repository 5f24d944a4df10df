//! Judges whether a turn succeeded and why not: the part common to all CLIs.
//!
//! Success needs three things: the CLI claims it in its stream, it exited with 0 (or is still running for the next
//! turn), and there is an answer. An exit code alone proves nothing. Each adapter interprets its CLI's exit codes and
//! messages through [`ResultReader`].

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::json;

use crate::end::{AgentEnd, ProcessEnd, ProcessExit};
use crate::item::{EndClaim, TurnEnd};
use crate::trouble::{is_terminal_error, wait_ms};

/// Maximum number of output lines in a failure.
const LAST_LINES: usize = 20;
/// Maximum length of unfinished text in a failure.
const PARTIAL_CHARS: usize = 16_000;
/// Maximum length of a line of standard error in a message.
const LINE_CHARS: usize = 200;

/// Interprets the messages and exit codes of one CLI.
pub(crate) trait ResultReader {
    /// Name of the CLI, for messages.
    fn name(&self) -> &'static str;

    /// Returns why a turn failed if the CLI reports a failure.
    fn failed_turn(&self, end: &TurnEnd, ended: &ProcessEnd<'_>) -> Cause;

    /// Returns the meaning of an exit code that the stream does not explain; `None` for codes without a meaning.
    fn exit_code(&self, code: i32, ended: &ProcessEnd<'_>) -> Option<Cause>;
}

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cause {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) http_status: Option<u16>,
}

impl Cause {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            http_status: None,
        }
    }
}

pub(crate) fn judge(reading: &dyn ResultReader, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure> {
    if let ProcessExit::Stopped(kind) = ended.exit {
        return Err(failure(stop_cause(reading, kind), ended));
    }
    let mut cause = match (ended.exit, &ended.transcript.end) {
        (_, Some(end)) if end.claim == EndClaim::Failure => reading.failed_turn(end, ended),
        (ProcessExit::Code(0) | ProcessExit::Running, Some(end)) => match judge_claim(reading, end, ended) {
            Ok(success) => return Ok(success),
            Err(cause) => cause,
        },
        (ProcessExit::Code(code), end) if code != 0 => reading
            .exit_code(code, ended)
            .unwrap_or_else(|| exit_code(reading, code, (end.as_ref(), ended))),
        (ProcessExit::Signal(signal), _) => Cause::new(
            ErrorKind::UpstreamError,
            format!("{} was killed by signal {signal}", reading.name()),
        ),
        (ProcessExit::Code(_) | ProcessExit::Running | ProcessExit::Stopped(_), _) => no_end(reading, ended),
    };
    // The gateway saw the error itself, so it takes precedence over the CLI's message.
    cause.kind = ended.upstream.unwrap_or(cause.kind);
    Err(failure(cause, ended))
}

/// Verifies a claim of success.
fn judge_claim(reading: &dyn ResultReader, end: &TurnEnd, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Cause> {
    let name = reading.name();
    let transcript = ended.transcript;
    let text = match &end.text {
        Some(text) if !text.trim().is_empty() => text,
        Some(_) | None => transcript.answer(),
    };
    if let Some(kind) = ended.upstream {
        return Err(Cause::new(
            kind,
            format!("the model's answer failed ({kind}), but {name} did not report it"),
        ));
    }
    if text.trim().is_empty() {
        return Err(Cause::new(
            ErrorKind::EmptyResult,
            format!("{name} ended without an answer"),
        ));
    }
    if transcript.is_cut() {
        return Err(Cause::new(
            ErrorKind::TruncatedOutput,
            format!("the answer of {name} is too long"),
        ));
    }
    if is_terminal_error(text) {
        let message = format!("{name} printed a terminal error as its answer: {}", text.trim());
        return Err(Cause::new(ErrorKind::MalformedOutput, message));
    }
    Ok(AgentEnd {
        text: text.to_owned(),
        session: transcript.session.clone(),
        usage: transcript.usage.map(|(usage, _)| usage),
        usage_scope: transcript.usage.map(|(_, scope)| scope),
        n_turns: end.n_turns,
        cost_micro_usd: end.cost_micro_usd,
        n_tool_calls: transcript.n_tool_calls,
        n_refused: end.n_refused,
    })
}

fn stop_cause(reading: &dyn ResultReader, kind: ErrorKind) -> Cause {
    let name = reading.name();
    let message = match kind {
        ErrorKind::IdleTimeout => format!("{name} was silent for too long"),
        ErrorKind::Timeout => format!("{name} took too long"),
        ErrorKind::Cancelled => format!("{name} was cancelled"),
        ErrorKind::BudgetExceeded => format!("{name} was stopped: the budget is used up"),
        other => format!("{name} was stopped: {other}"),
    };
    Cause::new(kind, message)
}

/// Handles exit codes with the same meaning for all CLIs.
fn exit_code(
    reading: &dyn ResultReader,
    code: i32,
    (end, ended): (Option<&TurnEnd>, &ProcessEnd<'_>),
) -> Cause {
    let name = reading.name();
    match (code, end) {
        (127, _) => Cause::new(
            ErrorKind::CommandNotFound,
            format!("{name} or its runtime is not installed"),
        ),
        (126, _) => Cause::new(ErrorKind::PermissionDenied, format!("{name} cannot be executed")),
        (_, Some(_)) => Cause::new(
            ErrorKind::UpstreamError,
            format!("{name} claimed success but exited with {code}"),
        ),
        (_, None) => {
            let last = ended
                .stderr_tail
                .lines()
                .map(str::trim)
                .rfind(|line| !line.is_empty());
            let words = last.map(|line| format!(": {}", line.chars().take(LINE_CHARS).collect::<String>()));
            let words = words.unwrap_or_default();
            Cause::new(
                ErrorKind::UpstreamError,
                format!("{name} exited with {code}{words}"),
            )
        }
    }
}

/// Handles a process that exited, or is still running, without reporting the end of its turn.
fn no_end(reading: &dyn ResultReader, ended: &ProcessEnd<'_>) -> Cause {
    let name = reading.name();
    if ended.transcript.agent_text().trim().is_empty() {
        Cause::new(
            ErrorKind::EmptyResult,
            format!("{name} ended without an answer and without a result"),
        )
    } else {
        Cause::new(
            ErrorKind::TruncatedOutput,
            format!("{name} stopped without a result"),
        )
    }
}

fn failure(cause: Cause, ended: &ProcessEnd<'_>) -> Failure {
    let transcript = ended.transcript;
    let mut detail = serde_json::Map::new();
    match ended.exit {
        ProcessExit::Code(code) => {
            detail.insert("exit_code".to_owned(), json!(code));
        }
        ProcessExit::Signal(signal) => {
            detail.insert("signal".to_owned(), json!(signal));
        }
        ProcessExit::Running | ProcessExit::Stopped(_) => {}
    }
    if let Some(status) = cause.http_status {
        detail.insert("http_status".to_owned(), json!(status));
    }
    let lines = last_lines(ended);
    if !lines.is_empty() {
        detail.insert("last_lines".to_owned(), json!(lines));
    }
    if !transcript.agent_text().is_empty() {
        let partial: String = transcript.agent_text().chars().take(PARTIAL_CHARS).collect();
        detail.insert("partial_text".to_owned(), json!(partial));
    }
    if let Some(session) = &transcript.session {
        detail.insert("session".to_owned(), json!(session));
    }
    let can_wait = matches!(
        cause.kind,
        ErrorKind::RateLimited | ErrorKind::QuotaExhausted | ErrorKind::UpstreamError
    );
    let message = transcript.end.as_ref().and_then(|end| end.message.as_deref());
    let retry_after_ms = [Some(cause.message.as_str()), message, Some(ended.stderr_tail)]
        .into_iter()
        .flatten()
        .filter(|_| can_wait)
        .find_map(|text| wait_ms(text, ended.ended_at));
    Failure {
        kind: cause.kind,
        message: cause.message,
        detail: (!detail.is_empty()).then(|| Json::from(serde_json::Value::Object(detail))),
        retry_after_ms,
    }
}

/// Returns the last lines of stray output, notices and standard error.
fn last_lines(ended: &ProcessEnd<'_>) -> Vec<String> {
    let transcript = ended.transcript;
    let stderr = ended
        .stderr_tail
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let lines: Vec<String> = transcript
        .stray_lines
        .iter()
        .chain(&transcript.notices)
        .cloned()
        .chain(stderr.map(str::to_owned))
        .collect();
    let start = lines.len().saturating_sub(LAST_LINES);
    lines.get(start..).unwrap_or_default().to_vec()
}
