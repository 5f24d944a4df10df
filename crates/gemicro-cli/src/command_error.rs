//! Why a command ended early, and how it is reported: what happened, then what to do next.
//!
//! [`CommandError`] is the error of every command; the exit code comes from the kind of failure alone.

use std::io;

use gemicro_core::budget::{LimitKind, is_about_day};
use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_store::FindStreamError;
use serde_json::json;

use crate::screen::{Screen, text};

/// The exit code after a first Ctrl-C, as shells use it.
pub(crate) const STOPPED: u8 = 130;

const DAY_BUDGET_HINT: &str = "wait for the reset, or raise the limit with --day-budget";
const BUDGET_HINT: &str = "repeat it with a larger --budget";
const TIME_HINT: &str = "repeat it with a larger --max-duration";

/// Why a command ended without success.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// It failed; the last thing on stderr says so.
    Report(Box<ErrorReport>),
    /// Whoever read our output has enough. Nothing to say.
    PipeClosed,
    /// All was said already; only the exit code is left.
    AlreadyReported(u8),
}

/// A failure with what this program knows to do about it.
#[derive(Debug)]
pub(crate) struct ErrorReport {
    pub(crate) failure: Failure,
    /// What to do next, where it is more exact than the kind's own hint.
    pub(crate) hint: Option<String>,
    /// The run it is about.
    pub(crate) run: Option<StreamId>,
}

impl CommandError {
    /// What failed, for callers that have no command line: hints name its flags and commands.
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Report(report) => report.failure,
            Self::PipeClosed | Self::AlreadyReported(_) => {
                Failure::new(ErrorKind::Internal, "the failure was already reported")
            }
        }
    }

    /// The request was wrong.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new_failure(ErrorKind::InvalidInput, message, hint)
    }

    /// A failure of a kind, with its own hint.
    pub(crate) fn new_failure(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let failure = Failure::new(kind, message);
        Self::Report(Box::new(ErrorReport {
            failure,
            hint: Some(hint.into()),
            run: None,
        }))
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Report(report) = &mut self {
            report.hint = Some(hint.into());
        }
        self
    }

    /// Names the run it is about.
    pub(crate) fn about(mut self, run: &StreamId) -> Self {
        if let Self::Report(report) = &mut self {
            report.run = Some(run.clone());
        }
        self
    }

    /// Names the command in the hint, where nothing more exact is known.
    pub(crate) fn of_command(self, command: impl FnOnce() -> String) -> Self {
        match &self {
            Self::Report(report)
                if report.hint.is_none() && report.failure.kind == ErrorKind::InvalidInput =>
            {
                let hint = usage_hint(&report.failure, &command());
                self.with_hint(hint)
            }
            Self::Report(_) | Self::PipeClosed | Self::AlreadyReported(_) => self,
        }
    }

    /// The exit code of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Report(report) => report.failure.kind.exit_code(),
            Self::PipeClosed => 0,
            Self::AlreadyReported(code) => *code,
        }
    }
}

impl ErrorReport {
    /// What to do next, with the run's id in its place.
    pub(crate) fn hint(&self) -> String {
        let hint = match &self.hint {
            Some(hint) => hint,
            None if is_about_day(&self.failure) => DAY_BUDGET_HINT,
            None if is_about(&self.failure, LimitKind::WallTime) => TIME_HINT,
            None if is_about(&self.failure, LimitKind::Tokens) => BUDGET_HINT,
            None if is_about(&self.failure, LimitKind::Money) => BUDGET_HINT,
            None => self.failure.kind.hint(),
        };
        match &self.run {
            Some(run) => hint.replace("RUN", run.as_str()),
            None => hint.to_owned(),
        }
    }

    /// The two lines for stderr.
    pub(crate) fn text(&self, screen: &Screen) -> String {
        let message = text::neutral(&self.failure.message);
        let hint = text::neutral(&self.hint()).into_owned();
        format!(
            "{} {message}\n  {} {hint}",
            screen.on_stderr().bad("error:"),
            screen.on_stderr().strong("hint:")
        )
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        Self::Report(Box::new(ErrorReport {
            failure,
            hint: None,
            run: None,
        }))
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let hint = store_hint(&error);
        let stopped = Self::from(Failure::from(error));
        match hint {
            Some(hint) => stopped.with_hint(hint),
            None => stopped,
        }
    }
}

impl From<FindStreamError> for CommandError {
    fn from(error: FindStreamError) -> Self {
        let hint = find_hint(&error);
        let stopped = Self::from(Failure::from(error));
        match hint {
            Some(hint) => stopped.with_hint(hint),
            None => stopped,
        }
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::new_failure(
                ErrorKind::StorageError,
                format!("the output could not be written: {error}"),
                "check free space and permissions where the output goes",
            ),
        }
    }
}

/// Whether a budget of this kind was too small.
fn is_about(failure: &Failure, kind: LimitKind) -> bool {
    let limit = failure.detail.as_ref().and_then(|detail| detail.get("limit"));
    failure.kind == ErrorKind::BudgetExceeded && limit.is_some_and(|limit| *limit == json!(kind))
}

/// What to do about a call of a command that cannot be carried out as written.
fn usage_hint(failure: &Failure, command: &str) -> String {
    let named = |name: &str| {
        let detail = failure.detail.as_ref()?;
        detail.get(name)?.as_str().map(str::to_owned)
    };
    match (named("model"), named("agent"), named("backend")) {
        (Some(model), Some(agent), _) if command != "research" => {
            format!("gemicro {command} --agent {agent} --model {model} …")
        }
        (Some(model), _, Some(backend)) => format!("gemicro --backend {backend} --model {model} \"…\""),
        _ => format!("`gemicro {command} --help` lists the options"),
    }
}

/// What to do about a run or conversation that was not found.
pub(crate) fn find_hint(error: &FindStreamError) -> Option<String> {
    let lists = |kind: &StreamKind| match kind {
        StreamKind::Run | StreamKind::Steps => "gemicro runs",
        StreamKind::Conversation => "gemicro conversations list",
        StreamKind::Memory => "gemicro memory list",
    };
    match error {
        FindStreamError::Store(error) => store_hint(error),
        FindStreamError::TooShort { wanted, .. } | FindStreamError::Ambiguous { wanted, .. } => {
            Some(format!(
                "`{}` lists the ids; give more characters of one, or `last`",
                lists(wanted)
            ))
        }
        FindStreamError::OtherKind { wanted, found, .. } => Some(format!(
            "`{}` lists the {}s; for a {}, use `gemicro {}`",
            lists(wanted),
            wanted.as_str(),
            found.as_str(),
            match found {
                StreamKind::Run | StreamKind::Steps => "show RUN",
                StreamKind::Conversation => "conversations --help",
                StreamKind::Memory => "memory --help",
            }
        )),
        FindStreamError::NotFound {
            wanted: StreamKind::Conversation,
            ..
        } => Some("`gemicro conversations list` lists the conversations".to_owned()),
        _ => None,
    }
}

/// What to do about a store that says no, where the kind alone does not tell.
pub(crate) fn store_hint(error: &StoreError) -> Option<String> {
    let hint = match error {
        StoreError::LeaseHeld { stream, .. } => format!(
            "watch it with `gemicro events {stream} --follow --format text`, or end it with `gemicro cancel {stream}`"
        ),
        StoreError::Erased { .. } => {
            "its data was deleted; `gemicro runs` lists the other runs".to_owned()
        }
        StoreError::NewerFormat { .. } => "update gemicro, or use another store".to_owned(),
        StoreError::Damaged { .. } | StoreError::MissingBlob { .. } => {
            "restore a backup of the whole state folder, blobs included; `gemicro store check` lists the damage".to_owned()
        }
        _ => return None,
    };
    Some(hint)
}
