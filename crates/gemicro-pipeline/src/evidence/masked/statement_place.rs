//! What becomes of the exit status of a statement: [`StatementPlace`], [`ExitFate`], [`Loss`].

use super::{MaskedFailure, short};

/// Where a statement stands.
#[derive(Debug, Clone, Default)]
pub(super) struct StatementPlace {
    /// What becomes of its status.
    pub(super) here: ExitFate,
    /// What becomes of the status with which the shell it runs in ends.
    pub(super) shell: ExitFate,
    /// Whether the shell asks for its status, so that `set -e` does not bind: left of `&&`, a condition.
    pub(super) is_asked: bool,
}

/// What becomes of an exit status.
#[derive(Debug, Clone, Default)]
pub(super) enum ExitFate {
    /// A failure makes the whole command fail.
    #[default]
    Reaches,
    /// Only `set -e` looks at it.
    Errexit,
    /// A failure may stay unseen.
    Lost(Loss),
}

/// How a status gets lost: the piece of the command that loses it, and the words around the name of the program.
#[derive(Debug, Clone)]
pub(super) struct Loss {
    pub(super) piece: String,
    pub(super) before: String,
    pub(super) after: &'static str,
}

impl StatementPlace {
    /// The same place with another fate of the status.
    pub(super) fn with(&self, here: ExitFate) -> Self {
        Self { here, ..self.clone() }
    }

    /// The same, where the shell asks for the status.
    pub(super) fn when_asked(&self, here: ExitFate) -> Self {
        Self {
            is_asked: true,
            ..self.with(here)
        }
    }

    /// A place where nothing comes through, not even by leaving the shell.
    pub(super) fn where_lost(&self, loss: Loss) -> Self {
        self.with(ExitFate::Lost(loss)).inner()
    }

    /// The place inside a shell of its own that stands here.
    pub(super) fn inner(&self) -> Self {
        Self {
            here: self.here.as_value(),
            shell: self.here.as_value(),
            is_asked: self.is_asked,
        }
    }
}

impl ExitFate {
    /// The fate of a status that becomes the status of one command here: `set -e` sees that one.
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

    /// The finding about a program whose status gets lost this way.
    pub(super) fn of(&self, program: &str) -> MaskedFailure {
        let reason = format!("{}`{}`{}", self.before, short(program), self.after);
        MaskedFailure::new(&self.piece, reason)
    }
}
