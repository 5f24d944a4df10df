//! The stages in which a turn ends: finished, or notified, asked to end, killed.

use gemicro_event::ErrorKind;
use tokio::time::Instant;

/// The stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunStage {
    Working,
    /// Its turn is over, and the process stays for the next one.
    Over,
    /// Its turn is over; it may exit by itself until then.
    Lingering(Instant),
    /// Its protocol was asked to stop the turn; it may answer until then.
    Notified(Instant),
    /// The process was asked to end; it may do so until then.
    Asked(Instant),
    /// It is being killed; that must succeed by then.
    Killed(Instant),
    /// It was killed in every possible way.
    Forced(Instant),
}

/// What happens to the process after its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StageAfter {
    Leave,
    /// It stays, if it can take another turn.
    Stay,
}

/// Why we ended a turn or its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopCause {
    /// Its turn was over, but it did not exit.
    TurnOver,
    /// For this reason: `idle_timeout`, `timeout`, `cancelled`.
    Stopped(ErrorKind),
}

impl RunStage {
    /// Time of the next stage, if nothing happens before.
    pub(super) fn until(self) -> Option<Instant> {
        match self {
            Self::Working | Self::Over => None,
            Self::Lingering(at)
            | Self::Notified(at)
            | Self::Asked(at)
            | Self::Killed(at)
            | Self::Forced(at) => Some(at),
        }
    }

    /// Whether the limits on silence and duration still apply.
    pub(super) fn is_working(self) -> bool {
        self == Self::Working
    }
}
