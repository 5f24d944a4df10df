//! How a turn ends, step by step: over, or told, asked to end, made to end.

use gemicro_event::ErrorKind;
use tokio::time::Instant;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunStage {
    Working,
    /// Its turn is over, and the process stays for the next one.
    Over,
    /// Its turn is over; it may still leave by itself until then.
    Lingering(Instant),
    /// Its protocol was told to stop the turn; it may answer until then.
    Notified(Instant),
    /// It was asked to end; it may do so until then.
    Asked(Instant),
    /// It is being killed; that must have worked by then.
    Killed(Instant),
    /// It was killed in every way there is.
    Forced(Instant),
}

/// What becomes of the process when its turn is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StageAfter {
    Leave,
    /// It stays, if it can take another turn.
    Stay,
}

/// Why we ended a turn or its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopCause {
    /// Its turn was over and it did not leave.
    TurnOver,
    /// For this reason: `idle_timeout`, `timeout`, `cancelled`.
    Stopped(ErrorKind),
}

impl RunStage {
    /// When the next step is due, if nothing happens before.
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

    /// Whether silence and the total limit still count.
    pub(super) fn is_working(self) -> bool {
        self == Self::Working
    }
}
