//! The driver's clock, which never goes backwards, even if the machine's clock does.

use std::time::{Duration, Instant};

use gemicro_event::Timestamp;

/// A clock that starts with the driver. If the machine's clock is set back, retries and limits still work; if it jumps
/// ahead (a laptop that slept), the jump is accepted.
#[derive(Debug)]
pub(super) struct DriverClock {
    started_at: Timestamp,
    started: Instant,
    /// The time in a recording that is followed.
    recorded: Option<Timestamp>,
}

impl Default for DriverClock {
    fn default() -> Self {
        Self {
            started_at: Timestamp::now(),
            started: Instant::now(),
            recorded: None,
        }
    }
}

impl DriverClock {
    pub(super) fn now(&self) -> Timestamp {
        self.recorded
            .unwrap_or_else(|| self.at(Timestamp::now(), self.started.elapsed()))
    }

    /// Stops at a moment of a recording.
    pub(super) fn set(&mut self, recorded: Timestamp) {
        self.recorded = Some(recorded);
    }

    fn at(&self, shown: Timestamp, elapsed: Duration) -> Timestamp {
        shown.max(self.started_at.plus(elapsed))
    }

    /// Sleeps until a time; forever without one.
    pub(super) async fn sleep_until(&self, at: Option<Timestamp>) {
        match at {
            // Add a millisecond, because the clock has millisecond precision.
            Some(at) => tokio::time::sleep(at.since(self.now()) + Duration::from_millis(1)).await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_goes_back_and_believes_a_jump_ahead() {
        let clock = DriverClock::default();
        let (start, minute) = (clock.started_at, Duration::from_secs(60));
        let an_hour_ago = Timestamp::default();
        assert_eq!(clock.at(an_hour_ago, minute), start.plus(minute));
        assert_eq!(clock.at(start.plus(minute * 90), minute), start.plus(minute * 90));
        assert_eq!(clock.at(start.plus(minute), minute), start.plus(minute));
    }
}
