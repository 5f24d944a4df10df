//! What becomes of the exit status of a statement: [`Place`], [`Fate`], [`Loss`].

use super::{Masked, short};

/// Where a statement stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// What becomes of its status.
    pub(super) here: Fate,
    /// What becomes of the status with which the shell it runs in ends.
    pub(super) shell: Fate,
    /// Whether the shell asks for its status, so that `set -e` does not bind: left of `&&`, a condition.
    pub(super) is_asked: bool,
    /// Whether it supplies text to something else: inside `$(…)`, left of `|`.
    pub(super) is_source: bool,
    /// In a loop: the variable with which the shell will end, so that a failure kept in it comes through.
    pub(super) keeper: Option<String>,
}

/// What becomes of an exit status.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    /// A failure makes the whole command fail.
    Reaches,
    /// Nobody looks at it but `set -e`.
    Errexit,
    /// A failure may stay unseen.
    Lost(Loss),
}

/// How a status gets lost. The texts are pieces of the command.
#[derive(Debug, Clone)]
pub(super) enum Loss {
    /// The right side of `||` may succeed.
    Or(String),
    /// It runs only if this fails.
    AfterFailure(String),
    /// The next stage of a pipeline.
    Pipe(String),
    /// The statement after it.
    Later(String),
    /// Left of `&&`, where `set -e` does not look, with something else behind the list.
    LeftOfAnd,
    /// Right of `&&`, skipped unseen when this fails.
    Skipped(String),
    /// `&`.
    Background,
    /// `!`.
    Negation,
    /// The condition of this keyword.
    Condition(&'static str),
    /// A branch of this keyword.
    Branch(&'static str),
    /// A loop that may have no round, or hides all but the last.
    Loop(&'static str),
    /// `$(…)`, `<(…)`.
    Substitution,
    /// `export x=$(…)`.
    Declaration(String),
    /// The command of a trap.
    Trap,
}

impl Place {
    /// The place of a whole command.
    pub(super) fn whole() -> Self {
        Self {
            here: Fate::Reaches,
            shell: Fate::Reaches,
            is_asked: false,
            is_source: false,
            keeper: None,
        }
    }

    /// The same place with another fate of the status.
    pub(super) fn with(&self, here: Fate) -> Self {
        Self { here, ..self.clone() }
    }

    /// The same, where the shell asks for the status.
    pub(super) fn asked(&self, here: Fate) -> Self {
        Self {
            is_asked: true,
            ..self.with(here)
        }
    }

    /// A place where nothing comes through, not even by leaving the shell.
    pub(super) fn lost(&self, loss: Loss) -> Self {
        Self {
            here: Fate::Lost(loss.clone()),
            shell: Fate::Lost(loss),
            is_asked: false,
            is_source: self.is_source,
            keeper: None,
        }
    }

    /// The place inside a shell of its own that stands here.
    pub(super) fn inner(&self) -> Self {
        Self {
            here: self.here.as_value(),
            shell: self.here.as_value(),
            keeper: None,
            ..self.clone()
        }
    }
}

impl Fate {
    /// The fate of a status that becomes the status of one command here: `set -e` sees that one.
    pub(super) fn as_value(&self) -> Self {
        match self {
            Self::Reaches | Self::Errexit => Self::Reaches,
            Self::Lost(loss) => Self::Lost(loss.clone()),
        }
    }
}

impl Loss {
    /// The finding about a program whose status gets lost this way.
    pub(super) fn of(&self, program: &str) -> Masked {
        let program = short(program);
        let masked = |piece: &str, reason: String| Masked::new(piece, reason);
        match self {
            Self::Or(right) => {
                let piece = format!("|| {}", short(right));
                masked(&piece, format!("`{piece}` hides the exit status of `{program}`"))
            }
            Self::AfterFailure(left) => masked(
                &program,
                format!("`{program}` runs only if `{}` fails", short(left)),
            ),
            Self::Pipe(next) => {
                let piece = format!("| {}", short(next));
                let reason = format!(
                    "`{piece}` hides the exit status of `{program}`: leave it out, or start with `set -o pipefail`"
                );
                masked(&piece, reason)
            }
            Self::Later(next) => {
                let piece = short(next);
                let reason = format!(
                    "`{piece}` comes after `{program}` and gives the exit status in its place: join them with `&&`"
                );
                masked(&piece, reason)
            }
            Self::LeftOfAnd => masked(
                "&&",
                format!(
                    "`set -e` does not see `{program}` fail on the left of `&&`: write it as a line of its own"
                ),
            ),
            Self::Skipped(left) => masked(
                "&&",
                format!(
                    "`set -e` does not see `{}` fail on the left of `&&`, and `{program}` is then skipped",
                    short(left)
                ),
            ),
            Self::Background => masked(
                "&",
                format!("`&` does not wait for the exit status of `{program}`"),
            ),
            Self::Negation => masked("!", format!("`!` turns the exit status of `{program}` round")),
            Self::Condition(keyword) => masked(
                keyword,
                format!("`{keyword}` uses up the exit status of `{program}`"),
            ),
            Self::Branch(keyword) => masked(
                keyword,
                format!("`{keyword}` may skip `{program}`, and the check then passes without it"),
            ),
            Self::Loop(keyword) => masked(
                keyword,
                format!(
                    "the `{keyword}` loop hides the exit status of `{program}` in all but its last round"
                ),
            ),
            Self::Substitution => masked("$(…)", format!("`$(…)` hides the exit status of `{program}`")),
            Self::Declaration(word) => masked(word, format!("`{word}` hides the exit status of `{program}`")),
            Self::Trap => masked(
                "trap",
                format!("`trap` runs `{program}` where its exit status is lost"),
            ),
        }
    }
}
