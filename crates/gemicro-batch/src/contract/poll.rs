//! Calculates when the next poll is worthwhile.

use std::time::Duration;

/// Maximum time between polls, in seconds.
const LONGEST: u64 = 60;
/// Divisor of the expected remaining time that gives the time until the next poll.
const LOOKS: u64 = 8;

/// The progress of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchProgress {
    /// Tasks without their final state.
    pub n_open: u64,
    /// Tasks that reached their final state in this batch.
    pub n_settled: u64,
    /// Time since submission.
    pub elapsed: Duration,
    /// Time during which nothing can happen, because every open task waits for a provider's limit to end.
    pub parked_for: Option<Duration>,
}

/// Seconds until the next poll: an eighth of the remaining time estimated from the progress so far, between 1 and 60.
/// 0 once every task has its final state.
#[must_use]
pub fn next_poll_seconds(progress: BatchProgress) -> u64 {
    if progress.n_open == 0 {
        return 0;
    }
    let pause = match progress.parked_for {
        Some(parked_for) => parked_for.as_millis().div_ceil(1_000),
        None => {
            // With nothing finished yet, estimate as if one task had just finished.
            let expected = progress.elapsed.as_millis() * u128::from(progress.n_open)
                / u128::from(progress.n_settled.max(1));
            expected.div_ceil(u128::from(LOOKS) * 1_000)
        }
    };
    u64::try_from(pause).unwrap_or(LONGEST).clamp(1, LONGEST)
}
