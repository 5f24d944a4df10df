//! The closed list of error kinds, shared by events, screens, MCP, HTTP and exit codes.
//!
//! [`ErrorKind`] is the value on the wire; [`Failure`] combines it with a message. A new kind is one row
//! here: class, retryable, hint.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Json;

/// The class of a failure; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// The request was wrong: exit code 2.
    Usage,
    /// This machine or account is not set up for it: exit code 3.
    Environment,
    /// A model, provider, agent or command failed: exit code 4.
    Upstream,
    /// A limit the user set was reached: exit code 5.
    Limit,
    /// The sources contain no answer: exit code 6.
    NoAnswer,
    /// Another process has the run, or it continues in the background: exit code 7.
    Busy,
    /// A guard refused an agent's action: exit code 8.
    Refused,
    /// Only a part of the work was done: exit code 9.
    Partial,
    /// It waits for an answer: exit code 10.
    Waiting,
    /// Stopped on purpose: exit code 130.
    Stopped,
    /// A bug in gemicro: exit code 1.
    Internal,
}

impl FailureClass {
    /// The process exit code for failures of this class.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Internal => 1,
            Self::Usage => 2,
            Self::Environment => 3,
            Self::Upstream => 4,
            Self::Limit => 5,
            Self::NoAnswer => 6,
            Self::Busy => 7,
            Self::Refused => 8,
            Self::Partial => 9,
            Self::Waiting => 10,
            Self::Stopped => 130,
        }
    }
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $name:ident, $wire:literal, $class:ident, $retry:literal, $hint:literal;)+) => {
        /// Why something failed. The list is closed and documented; the wire value is `as_str`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* #[serde(rename = $wire)] $name,)+
        }

        impl ErrorKind {
            /// Every kind, in documentation order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name of the kind in JSON.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire,)+ }
            }

            /// The class of the failure, which decides the exit code.
            #[must_use]
            pub fn class(self) -> FailureClass {
                match self { $(Self::$name => FailureClass::$class,)+ }
            }

            /// Whether the same step may be retried unchanged.
            #[must_use]
            pub fn is_retryable(self) -> bool {
                match self { $(Self::$name => $retry,)+ }
            }

            /// Advice on what to do next, in general terms.
            #[must_use]
            pub fn hint(self) -> &'static str {
                match self { $(Self::$name => $hint,)+ }
            }
        }
    };
}

error_kinds! {
    /// There was no output for the idle limit.
    IdleTimeout, "idle_timeout", Upstream, true, "raise the idle limit, or check that the model or agent responds";
    /// The total time limit passed.
    Timeout, "timeout", Upstream, true, "raise the time limit (see --help), or ask for less";
    /// A program that is needed is not installed.
    CommandNotFound, "command_not_found", Environment, false, "install it, then run `gemicro doctor`";
    /// The credential is missing or was refused.
    AuthFailed, "auth_failed", Environment, false, "run `gemicro doctor` to see which key or login is missing";
    /// Too many requests at the moment.
    RateLimited, "rate_limited", Upstream, true, "wait a moment; gemicro retries automatically";
    /// The quota of the account is used up until its reset.
    QuotaExhausted, "quota_exhausted", Upstream, false, "wait until the quota resets, or use another model or backend";
    /// The provider returned an error that has no kind of its own.
    UpstreamError, "upstream_error", Upstream, true, "try again later; `gemicro show RUN --raw` has the provider's answer";
    /// The backend ended without any text.
    EmptyResult, "empty_result", Upstream, true, "try again, or rephrase the question";
    /// The answer was cut off.
    TruncatedOutput, "truncated_output", Upstream, true, "try again, or allow a longer answer";
    /// The provider's rules refused the prompt or the answer.
    Blocked, "blocked", Upstream, false, "rephrase the request; the provider's rules refused it";
    /// The answer does not match the requested schema or format.
    MalformedOutput, "malformed_output", Upstream, true, "try again, or use a stronger model";
    /// The request cannot be carried out as written.
    InvalidInput, "invalid_input", Usage, false, "fix the request; see --help";
    /// The budget does not allow the next call.
    BudgetExceeded, "budget_exceeded", Limit, false, "repeat it with a larger --budget or --max-duration";
    /// The system or the policy forbids it.
    PermissionDenied, "permission_denied", Environment, false, "check the permissions of the path above; a private web address needs --allow-host";
    /// The requested isolation is not available here.
    SandboxUnavailable, "sandbox_unavailable", Environment, false, "run `gemicro doctor` to see what the sandbox needs";
    /// The agent's session is gone.
    SessionNotFound, "session_not_found", Upstream, true, "start a new session";
    /// Cancelled by a user or a client.
    Cancelled, "cancelled", Stopped, false, "start it again when you need it";
    /// Stopped in the middle; can be resumed.
    Interrupted, "interrupted", Stopped, false, "continue with `gemicro resume RUN`";
    /// No sub-query was answered.
    AllSubQueriesFailed, "all_sub_queries_failed", Upstream, false, "see the reasons above; `gemicro show RUN` lists what to do next";
    /// The sources contain no answer to this question.
    NoEvidence, "no_evidence", NoAnswer, false, "add sources with --source, or ask about something they cover";
    /// The work continues in the background.
    StillRunning, "still_running", Busy, false, "watch it with `gemicro events RUN --follow`";
    /// The named thing does not exist.
    NotFound, "not_found", Usage, false, "`gemicro runs` lists the runs";
    /// Another process changed or holds it.
    Conflict, "conflict", Busy, false, "follow the message above, or wait for the other run; `gemicro runs` lists all runs";
    /// The agent left its branch.
    BranchSwitched, "branch_switched", Refused, false, "the task restarts from its last import";
    /// The agent's commits were refused.
    ImportRefused, "import_refused", Refused, false, "see the reason above";
    /// A gate stayed closed: reviewers or checks did not accept the work within the allowed rounds.
    GateClosed, "gate_closed", Refused, false, "`gemicro show RUN` shows why; continue with `gemicro retry RUN --from PHASE`";
    /// A replay does not do what its recording says.
    ReplayDiffers, "replay_differs", Refused, false, "if the change is intended, use `gemicro replay FILE --update`, or record the run again";
    /// The checks fail before anything was changed.
    ChecksFailed, "checks_failed", Environment, false, "run the failed command yourself and fix it on the base; if it passes there, the sandbox lacks a tool: docs/agents.md lists what it can use";
    /// The repository has a feature that cannot be protected.
    UnsupportedRepository, "unsupported_repository", Environment, false, "see the reason above";
    /// The store could not be read or written.
    StorageError, "storage_error", Environment, false, "run `gemicro doctor` to check the store: free space, permissions, or its server";
    /// No backend knows this model.
    UnknownModel, "unknown_model", Usage, false, "check the name of the model, or choose another with --model";
    /// A command ended with an exit code that its task does not allow.
    CommandFailed, "command_failed", Upstream, true, "read its output; `expect_exit` allows other exit codes";
    /// Some tasks of a batch completed and some did not.
    TasksFailed, "tasks_failed", Partial, false, "`gemicro batch results ID --format text` shows why; `gemicro batch retry ID` runs them again";
    /// It waits for an answer.
    InputRequired, "input_required", Waiting, false, "answer with `gemicro answer RUN yes` or `no`";
    /// A bug in gemicro.
    Internal, "internal", Internal, false, "please report it, with the output of `gemicro show RUN`";
}

impl ErrorKind {
    /// The process exit code for this kind.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        self.class().exit_code()
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not an error kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an error kind")]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct ParseErrorKindError {
    pub text: String,
}

impl FromStr for ErrorKind {
    type Err = ParseErrorKindError;

    fn from_str(text: &str) -> Result<Self, ParseErrorKindError> {
        let found = Self::ALL.iter().copied().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| ParseErrorKindError {
            text: text.to_owned(),
        })
    }
}

/// A failure: its kind, a message, and details for the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, thiserror::Error)]
#[error("{message}")]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct Failure {
    pub kind: ErrorKind,
    /// What happened, in one sentence.
    pub message: String,
    /// Details for programs: exit code, HTTP status, last lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Json>,
    /// Wait time that the other side asked for, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// A failure with only a message.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            detail: None,
            retry_after_ms: None,
        }
    }

    /// The same failure, marked as the decision of a person: nothing is broken.
    #[must_use]
    pub fn decided_by_person(self) -> Self {
        Self {
            detail: Some(Json::from(serde_json::json!({ "decided_by": "person" }))),
            ..self
        }
    }

    /// Whether a person decided it.
    #[must_use]
    pub fn is_decided_by_person(&self) -> bool {
        let decided_by = self.detail.as_ref().and_then(|detail| detail.get("decided_by"));
        decided_by.is_some_and(|who| who.as_str() == Some("person"))
    }
}
