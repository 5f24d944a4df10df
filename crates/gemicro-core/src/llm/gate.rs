//! Limits the calls to a backend: concurrent calls, calls per minute, and none while it is down or over its limit.
//!
//! All runs of a process share one [`BackendGate`] per backend. If a provider's limit ends within a few seconds, the
//! gate waits for it; during a longer one, a call fails at once with the remaining time, and the driver parks its run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::flow::StepFailure;

/// Maximum stated duration of a limit that closes the gate. On a longer one only that call fails, and the next one asks
/// again.
const LONGEST_CLOSED_MS: u64 = 48 * 3_600_000;

/// Limits that end sooner are waited for: nothing was sent, so no attempt is used up.
const WAIT_UP_TO: Duration = Duration::from_secs(5);

/// Limits of one backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateConfig {
    /// Maximum number of concurrent calls.
    pub max_concurrent: usize,
    /// Maximum number of calls started per minute; `None` leaves that to the provider.
    pub per_minute: Option<u32>,
    /// Number of consecutive backend failures after which it is paused.
    pub breaker_failures: u32,
    /// Length of that pause in milliseconds; then one call may try.
    pub breaker_pause_ms: u64,
}

impl Default for GateConfig {
    fn default() -> Self {
        Self {
            max_concurrent: 100,
            per_minute: None,
            breaker_failures: 10,
            breaker_pause_ms: 15_000,
        }
    }
}

/// The gate in front of one backend.
#[derive(Debug)]
pub struct BackendGate {
    config: GateConfig,
    slots: Arc<Semaphore>,
    state: Mutex<GateState>,
}

#[derive(Debug, Default)]
struct GateState {
    /// Starts within the last minute, oldest first; only kept with a limit per minute.
    starts: VecDeque<Instant>,
    /// End of the provider's limit.
    full_until: Option<Instant>,
    /// Backend failures since its last answer.
    failures: u32,
    /// End of the pause.
    open_until: Option<Instant>,
}

/// Permission for one call. Dropping it frees the slot.
#[derive(Debug)]
pub struct Pass {
    _slot: OwnedSemaphorePermit,
}

impl BackendGate {
    /// A gate with these limits.
    #[must_use]
    pub fn new(config: GateConfig) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(config.max_concurrent.max(1))),
            config,
            state: Mutex::default(),
        }
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// Immediately and without cost while the provider's limit lasts longer than a few seconds, or the backend is
    /// paused; the failure says for how long.
    pub async fn enter(&self) -> Result<Pass, StepFailure> {
        self.wait_while_closed().await?;
        let slot = self.slots.clone().acquire_owned().await;
        let slot = slot.map_err(|_| {
            StepFailure::free(Failure::new(
                ErrorKind::Internal,
                "the gate of the backend was closed",
            ))
        })?;
        while let Some(wait) = self.wait_for_the_minute() {
            tokio::time::sleep(wait).await;
        }
        // The gate may have closed while we waited.
        self.wait_while_closed().await?;
        Ok(Pass { _slot: slot })
    }

    /// Records the result of a call.
    pub fn note(&self, ended: Result<(), &Failure>) {
        let mut state = self.state();
        let now = Instant::now();
        match ended {
            Ok(()) => {
                state.failures = 0;
                state.open_until = None;
            }
            Err(failure) if is_limit(failure) => {
                // It answers, so it is not down.
                state.failures = 0;
                let end = failure
                    .retry_after_ms
                    .filter(|ms| *ms <= LONGEST_CLOSED_MS)
                    .map(|ms| now + Duration::from_millis(ms));
                state.full_until = state.full_until.max(end);
            }
            Err(failure) if is_down(failure) => {
                state.failures += 1;
                if state.failures >= self.config.breaker_failures {
                    state.open_until = Some(now + Duration::from_millis(self.config.breaker_pause_ms));
                    // After the pause, one failure is enough to pause it again.
                    state.failures = self.config.breaker_failures.saturating_sub(1);
                }
            }
            Err(_) => {}
        }
    }

    /// Waits for a limit that ends soon.
    async fn wait_while_closed(&self) -> Result<(), StepFailure> {
        loop {
            let Err(refused) = self.refuse_while_closed() else {
                return Ok(());
            };
            let left = refused.failure.retry_after_ms.map(Duration::from_millis);
            match left.filter(|left| *left < WAIT_UP_TO) {
                Some(left) => tokio::time::sleep(left).await,
                None => return Err(refused),
            }
        }
    }

    fn refuse_while_closed(&self) -> Result<(), StepFailure> {
        let state = self.state();
        let now = Instant::now();
        let left = |until: Option<Instant>| {
            until
                .map(|until| until - now.min(until))
                .filter(|left| !left.is_zero())
        };
        if let Some(left) = left(state.full_until) {
            let message = "the provider's limit is reached".to_owned();
            return Err(gate_closed(ErrorKind::RateLimited, message, left));
        }
        if let Some(left) = left(state.open_until) {
            let message = format!(
                "the backend failed {} times in a row and is paused for {} s",
                self.config.breaker_failures,
                left.as_secs() + 1
            );
            // A wait with a stated end does not use up an attempt.
            return Err(gate_closed(ErrorKind::RateLimited, message, left));
        }
        Ok(())
    }

    /// Takes a slot in the current minute, or returns the time until one may be free.
    fn wait_for_the_minute(&self) -> Option<Duration> {
        const MINUTE: Duration = Duration::from_secs(60);
        let limit = usize::try_from(self.config.per_minute?.max(1)).unwrap_or(usize::MAX);
        let mut state = self.state();
        let now = Instant::now();
        while state
            .starts
            .front()
            .is_some_and(|start| now.duration_since(*start) >= MINUTE)
        {
            state.starts.pop_front();
        }
        if state.starts.len() >= limit {
            return state
                .starts
                .front()
                .map(|oldest| MINUTE - now.duration_since(*oldest));
        }
        state.starts.push_back(now);
        None
    }

    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for BackendGate {
    fn default() -> Self {
        Self::new(GateConfig::default())
    }
}

fn gate_closed(kind: ErrorKind, message: String, left: Duration) -> StepFailure {
    StepFailure::free(Failure {
        retry_after_ms: u64::try_from(left.as_millis()).ok().map(|ms| ms + 1),
        ..Failure::new(kind, message)
    })
}

/// Whether it is a provider limit with a stated end.
fn is_limit(failure: &Failure) -> bool {
    matches!(failure.kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted)
        && failure.retry_after_ms.is_some()
}

/// Whether the backend itself fails, as opposed to a bad request or a malformed answer.
fn is_down(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        ErrorKind::UpstreamError | ErrorKind::IdleTimeout | ErrorKind::Timeout
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(seconds: u64) -> Failure {
        Failure {
            retry_after_ms: Some(seconds * 1_000),
            ..Failure::new(ErrorKind::RateLimited, "429")
        }
    }

    fn down() -> Failure {
        Failure::new(ErrorKind::UpstreamError, "503")
    }

    async fn later(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_stated_limit_closes_it_for_everyone_until_its_end() {
        let gate = BackendGate::default();
        gate.note(Err(&limited(20)));
        gate.note(Err(&limited(5)));
        let refused = gate.enter().await.expect_err("closed").failure;
        assert_eq!(
            (refused.kind, refused.retry_after_ms),
            (ErrorKind::RateLimited, Some(20_001))
        );
        later(15).await;
        assert!(gate.enter().await.is_err());
        later(6).await;
        assert!(gate.enter().await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_that_ends_soon_is_waited_for() {
        let gate = BackendGate::default();
        let started = Instant::now();
        gate.note(Err(&limited(4)));
        assert!(gate.enter().await.is_ok());
        assert!(Instant::now() - started >= Duration::from_secs(4));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_open_the_breaker_and_one_call_tries_again() {
        let gate = BackendGate::new(GateConfig {
            breaker_failures: 3,
            breaker_pause_ms: 10_000,
            ..Default::default()
        });
        for _ in 0..2 {
            gate.note(Err(&down()));
        }
        gate.note(Ok(()));
        for n in 0..3 {
            assert!(gate.enter().await.is_ok(), "failure {n}");
            gate.note(Err(&down()));
        }
        let refused = gate.enter().await.expect_err("open").failure;
        assert_eq!(refused.kind, ErrorKind::RateLimited);
        assert!(refused.message.contains("3 times in a row"), "{refused}");
        later(11).await;
        assert!(gate.enter().await.is_ok());
        gate.note(Err(&down()));
        assert!(gate.enter().await.is_err(), "still down");
        later(11).await;
        gate.note(Ok(()));
        gate.note(Err(&down()));
        assert!(gate.enter().await.is_ok(), "it had answered");
    }

    #[tokio::test(start_paused = true)]
    async fn wrong_requests_do_not_open_it() {
        let gate = BackendGate::new(GateConfig {
            breaker_failures: 1,
            ..Default::default()
        });
        for kind in [
            ErrorKind::InvalidInput,
            ErrorKind::AuthFailed,
            ErrorKind::MalformedOutput,
            ErrorKind::Cancelled,
        ] {
            gate.note(Err(&Failure::new(kind, "no")));
        }
        assert!(gate.enter().await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn only_so_many_at_once_and_in_a_minute() {
        let gate = Arc::new(BackendGate::new(GateConfig {
            max_concurrent: 2,
            per_minute: Some(3),
            ..Default::default()
        }));
        let started = Instant::now();
        let first = gate.enter().await.expect("free");
        let _second = gate.enter().await.expect("free");
        let third = tokio::spawn({
            let gate = gate.clone();
            async move { gate.enter().await.map(|_| Instant::now()) }
        });
        later(5).await;
        assert!(!third.is_finished());
        drop(first);
        let at = third.await.expect("joined").expect("free");
        assert_eq!(at - started, Duration::from_secs(5));
        gate.enter().await.expect("the next minute");
        assert_eq!(Instant::now() - started, Duration::from_secs(60));
    }
}
