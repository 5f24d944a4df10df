//! Interprets Gemini CLI's exit codes and errors.

use gemicro_event::ErrorKind;
use serde_json::Value;

use crate::end::{ProcessEnd, ProcessExit};
use crate::item::TurnEnd;
use crate::judge::{Cause, ResultReader};
use crate::session::Session;
use crate::trouble::{Clue, classify};

/// Interprets the results of both modes.
#[derive(Debug)]
pub(super) struct GeminiReading;

impl ResultReader for GeminiReading {
    fn name(&self) -> &'static str {
        "Gemini CLI"
    }

    fn failed_turn(&self, end: &TurnEnd, ended: &ProcessEnd<'_>) -> Cause {
        let last_notice = ended.transcript.notices.back().map(String::as_str);
        let text = end.message.as_deref().or(last_notice).unwrap_or_default();
        let http_status = end.http_status.or_else(|| exit_status(ended.exit));
        let by_reason = end.reason.as_deref().and_then(reason_kind);
        let is_cut = text.contains("terminated") && !ended.transcript.agent_text().is_empty();
        let kind = by_reason.unwrap_or_else(|| match classify(Clue { http_status, text }) {
            ErrorKind::UpstreamError if is_cut => ErrorKind::TruncatedOutput,
            kind => kind,
        });
        let words = match (plain(text), &end.reason) {
            (words, Some(reason)) if words.is_empty() => format!("the turn ended with {reason}"),
            (words, None) if words.is_empty() => "the turn failed without an error message".to_owned(),
            (words, _) => words,
        };
        Cause {
            http_status,
            ..Cause::new(kind, format!("{}: {words}", self.name()))
        }
    }

    fn exit_code(&self, code: i32, ended: &ProcessEnd<'_>) -> Option<Cause> {
        let cause = |kind, what: &str| Some(Cause::new(kind, format!("{}: {what}", self.name())));
        match code {
            41 => cause(ErrorKind::AuthFailed, "it is not set up to reach its model"),
            42 => match ended.session {
                Session::Resume(id) => cause(
                    ErrorKind::SessionNotFound,
                    &format!("there is no session {id} here"),
                ),
                Session::NewNamed(id) => {
                    cause(ErrorKind::Conflict, &format!("the session {id} already exists"))
                }
                Session::New => cause(ErrorKind::InvalidInput, "it got no input"),
            },
            44 => cause(ErrorKind::SandboxUnavailable, "its own sandbox failed"),
            52 => cause(
                ErrorKind::InvalidInput,
                "its settings are invalid or do not allow the request",
            ),
            53 => cause(ErrorKind::BudgetExceeded, "the turn limit was reached"),
            54 => cause(ErrorKind::UpstreamError, "a tool failed permanently"),
            55 => cause(ErrorKind::PermissionDenied, "it does not trust the folder"),
            130 => cause(ErrorKind::Cancelled, "it was cancelled"),
            _ => {
                let http_status = exit_status(ProcessExit::Code(code))?;
                let text = ended.stderr_tail;
                let kind = classify(Clue {
                    http_status: Some(http_status),
                    text,
                });
                Some(Cause {
                    http_status: Some(http_status),
                    ..Cause::new(
                        kind,
                        format!("{}: its model answered with HTTP {http_status}", self.name()),
                    )
                })
            }
        }
    }
}

/// Returns the HTTP status. After an API error, the exit code is the status modulo 256.
fn exit_status(exit: ProcessExit) -> Option<u16> {
    match exit {
        ProcessExit::Code(code @ 144..=255) => u16::try_from(code + 256).ok(),
        ProcessExit::Code(_) | ProcessExit::Signal(_) | ProcessExit::Running | ProcessExit::Stopped(_) => {
            None
        }
    }
}

/// Maps the error classes of a headless result and the stop reasons of ACP.
fn reason_kind(reason: &str) -> Option<ErrorKind> {
    match reason {
        "FatalTurnLimitedError" | "max_turn_requests" => Some(ErrorKind::BudgetExceeded),
        "FatalAuthenticationError" => Some(ErrorKind::AuthFailed),
        "FatalInputError" | "FatalConfigError" => Some(ErrorKind::InvalidInput),
        "FatalSandboxError" => Some(ErrorKind::SandboxUnavailable),
        "FatalUntrustedWorkspaceError" => Some(ErrorKind::PermissionDenied),
        "FatalCancellationError" | "cancelled" => Some(ErrorKind::Cancelled),
        "session/load" => Some(ErrorKind::SessionNotFound),
        "max_tokens" => Some(ErrorKind::TruncatedOutput),
        "refusal" => Some(ErrorKind::Blocked),
        _ => None,
    }
}

/// Returns the message inside `[API Error: …]`, and inside a JSON body there.
fn plain(text: &str) -> String {
    let inner = text.strip_prefix("[API Error: ").unwrap_or(text);
    let body: Option<Value> = inner
        .find('{')
        .and_then(|start| inner.get(start..))
        .and_then(|body| serde_json::Deserializer::from_str(body).into_iter().next()?.ok());
    let message = body
        .as_ref()
        .and_then(|body| body.pointer("/error/message")?.as_str());
    let words = message.unwrap_or(inner).lines().next().unwrap_or_default();
    words.trim().trim_end_matches(']').to_owned()
}
