//! Describes what happens to the exit status of a statement: [`StatementPlace`], [`ExitFate`], [`Loss`].

use super::{MaskedFailure, short};

/// The context of a statement.
#[derive(Debug, Clone, Default)]
pub(super) struct StatementPlace {
    /// What happens to its status.
    pub(super) here: ExitFate,
    /// What happens to the exit status of the shell it runs in.
    pub(super) shell: ExitFate,
    /// Whether the shell tests its status, so that `set -e` does not apply: left of `&&`, or a condition.
    pub(super) is_asked: bool,
}

/// What happens to an exit status.
#[derive(Debug, Clone, Default)]
pub(super) enum ExitFate {
    /// A failure makes the whole command fail.
    #[default]
    Reaches,
    /// Only `set -e` acts on it.
    Errexit,
    /// A failure may go unnoticed.
    Lost(Loss),
}

/// How a status gets lost: the responsible part of the command, and the message before and after the program's name.
#[derive(Debug, Clone)]
pub(super) struct Loss {
    pub(super) piece: String,
    pub(super) before: String,
    pub(super) after: &'static str,
}

impl StatementPlace {
    /// Returns the same place with another fate for the status.
    pub(super) fn with(&self, here: ExitFate) -> Self {
        Self { here, ..self.clone() }
    }

    /// Returns the same place, with the status tested by the shell.
    pub(super) fn when_asked(&self, here: ExitFate) -> Self {
        Self {
            is_asked: true,
            ..self.with(here)
        }
    }

    /// Returns a place where every status is lost, even that of `exit`.
    pub(super) fn where_lost(&self, loss: Loss) -> Self {
        self.with(ExitFate::Lost(loss)).inner()
    }

    /// Returns the place inside a subshell.
    pub(super) fn inner(&self) -> Self {
        Self {
            here: self.here.as_value(),
            shell: self.here.as_value(),
            is_asked: self.is_asked,
        }
    }
}

impl ExitFate {
    /// Returns the fate of a status that becomes the status of one enclosing command, which `set -e` does see.
    pub(super) fn as_value(&self) -> Self {
        match self {
            Self::Reaches | Self::Errexit => Self::Reaches,
            Self::Lost(loss) => Self::Lost(loss.clone()),
        }
    }
}

impl Loss {
    pub(super) fn new(piece: &str, before: &str, after: &'static str) -> Self {
        let piece = short(piece);
        Self {
            before: before.replace("{}", &piece),
            piece,
            after,
        }
    }

    /// Reports a program whose status gets lost this way.
    pub(super) fn of(&self, program: &str) -> MaskedFailure {
        let reason = format!("{}`{}`{}", self.before, short(program), self.after);
        MaskedFailure::new(&self.piece, reason)
    }
}
