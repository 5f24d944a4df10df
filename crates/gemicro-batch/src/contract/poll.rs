//! When it is worth asking again.

use std::time::Duration;

/// The longest pause, in seconds.
const LONGEST: u64 = 60;
/// The part of the time still expected that may pass before the next look.
const LOOKS: u64 = 8;

/// How far a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchProgress {
    /// Tasks without their final state.
    pub n_open: u64,
    /// Tasks that this batch brought to their final state.
    pub n_settled: u64,
    /// Time since it was handed in.
    pub elapsed: Duration,
    /// How long nothing can happen: everything open waits for a provider's limit to end.
    pub parked_for: Option<Duration>,
}

/// Seconds until the next look: an eighth of the time that is still expected by the pace so far, between 1 and 60.
/// 0 once every task has its final state.
#[must_use]
pub fn next_poll_seconds(progress: BatchProgress) -> u64 {
    if progress.n_open == 0 {
        return 0;
    }
    let pause = match progress.parked_for {
        Some(parked_for) => parked_for.as_millis().div_ceil(1_000),
        None => {
            // Nothing done yet says as much as one done now.
            let expected = progress.elapsed.as_millis() * u128::from(progress.n_open)
                / u128::from(progress.n_settled.max(1));
            expected.div_ceil(u128::from(LOOKS) * 1_000)
        }
    };
    u64::try_from(pause).unwrap_or(LONGEST).clamp(1, LONGEST)
}
