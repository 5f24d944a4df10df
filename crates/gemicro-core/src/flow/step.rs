//! A step: a unit of work as plain data, and what became of it.

use std::time::Duration;

use gemicro_event::{Charge, ErrorKind, Failure, Json, StepKey, Usage};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::budget::Purpose;

/// One unit of work. Once completed it is never run again, whatever happens to the process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name in the run.
    pub key: StepKey,
    /// Which executor runs it.
    pub kind: String,
    /// What the executor gets.
    pub input: Json,
    /// The most it can cost; reserved before each attempt.
    pub cost: Charge,
    /// Whether it may use what the budget holds back for the last step.
    pub purpose: Purpose,
    /// How often and when to try again.
    pub retry: RetryPolicy,
    /// Time limit of one attempt.
    pub timeout_ms: Option<u64>,
}

impl Step {
    /// A step that costs nothing and is tried once.
    ///
    /// # Panics
    /// When the input has keys that are no text.
    #[must_use]
    pub fn free(key: StepKey, kind: &str, input: &impl Serialize) -> Self {
        Self {
            key,
            kind: kind.to_owned(),
            input: Json::of(input).expect("an input has string keys only"),
            cost: Charge::ZERO,
            purpose: Purpose::Ordinary,
            retry: RetryPolicy::NEVER,
            timeout_ms: None,
        }
    }

    /// The input as its executor knows it.
    ///
    /// # Errors
    /// `internal` when it has another shape.
    pub fn read_input<T: DeserializeOwned>(&self) -> Result<T, StepFailure> {
        self.input.parse().map_err(|error| {
            let message = format!(
                "the input of step {} ({}) cannot be read: {error}",
                self.key, self.kind
            );
            StepFailure::free(Failure::new(ErrorKind::Internal, message))
        })
    }
}

/// When to try a failed step again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// Attempts in all, the first included.
    pub max_attempts: u32,
    /// Wait before the second attempt; doubles each time.
    pub base_ms: u64,
    /// The longest wait between two attempts.
    pub cap_ms: u64,
}

impl RetryPolicy {
    /// One attempt, and no retry.
    pub const NEVER: Self = Self {
        max_attempts: 1,
        base_ms: 0,
        cap_ms: 0,
    };

    /// So many attempts in all, with the usual waits.
    #[must_use]
    pub fn attempts(max_attempts: u32) -> Self {
        Self {
            max_attempts,
            ..Self::default()
        }
    }

    /// The wait after attempt number `attempt` failed: exponential with up to 25 % jitter taken from `seed`,
    /// never shorter than what the other side asked for.
    #[must_use]
    pub(crate) fn wait_after(&self, attempt: u32, failure: &Failure, seed: u64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(20);
        let plain = self.base_ms.saturating_mul(1 << doublings).min(self.cap_ms);
        // A multiplicative hash spreads the seeds of neighbouring steps; no random source, so replay agrees.
        let spread = seed
            .wrapping_add(u64::from(attempt))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            >> 40;
        let jitter = plain * (spread % 1000) / 4000;
        let asked = failure.retry_after_ms.unwrap_or(0);
        Duration::from_millis((plain + jitter).max(asked))
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            base_ms: 500,
            cap_ms: 30_000,
        }
    }
}

/// What an executor gives back when it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutput {
    /// The complete result; replay needs nothing else.
    pub output: Json,
    /// What it really cost.
    pub charge: Charge,
    /// Tokens that the provider reported; absent where no model was called.
    pub usage: Option<Usage>,
}

impl StepOutput {
    /// The result of a step that costs nothing.
    ///
    /// # Errors
    /// `internal` when it cannot be written as JSON.
    pub fn free(output: &impl Serialize) -> Result<Self, StepFailure> {
        let output = Json::of(output)
            .map_err(|error| StepFailure::free(Failure::new(ErrorKind::Internal, error.to_string())))?;
        Ok(Self {
            output,
            charge: Charge::ZERO,
            usage: None,
        })
    }
}

/// What an executor gives back when it could not do it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFailure {
    /// What went wrong, with its kind.
    pub failure: Failure,
    /// What was spent on the way.
    pub spent: AttemptCost,
    /// Whether a kind that may pass is worth another attempt.
    pub again: Again,
}

/// Whether a failed attempt may be followed by another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// As the kind of failure and the step's policy say.
    AsUsual,
    /// No: it may have changed something that another attempt would meet.
    Never,
    /// It was cut off from outside, as by a crash: the next attempt picks it up or starts afresh.
    CutOff,
}

impl StepFailure {
    /// A failure after which the usual rules hold.
    #[must_use]
    pub fn new(failure: Failure, spent: AttemptCost) -> Self {
        Self {
            failure,
            spent,
            again: Again::AsUsual,
        }
    }

    /// A failure that cost nothing.
    #[must_use]
    pub fn free(failure: Failure) -> Self {
        Self::new(failure, AttemptCost::Nothing)
    }
}

/// What a failed attempt cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptCost {
    /// The other side did no work that it bills.
    Nothing,
    /// The other side told us.
    Known(Charge),
    /// Nobody knows: counted at its worst case.
    Unknown,
}

/// How a step ended for good: completed, or failed with no attempt left.
#[derive(Debug, Clone, PartialEq)]
pub enum StepEnd {
    /// It has a result.
    Completed(StepOutput),
    /// It has none; the flow decides what that means.
    Failed(Failure),
}

#[cfg(test)]
mod tests {
    use gemicro_event::ErrorKind;

    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_with_a_quarter_of_jitter() {
        let policy = RetryPolicy::default();
        let plain = Failure::new(ErrorKind::UpstreamError, "503");
        let table = [
            (1, 500),
            (2, 1_000),
            (3, 2_000),
            (4, 4_000),
            (7, 30_000),
            (60, 30_000),
        ];
        for (attempt, base) in table {
            for seed in [0, 1, 7, u64::MAX] {
                let wait = policy.wait_after(attempt, &plain, seed).as_millis();
                assert!(
                    (base..=base + base / 4).contains(&wait),
                    "attempt {attempt}: {wait} ms"
                );
                assert_eq!(
                    wait,
                    policy.wait_after(attempt, &plain, seed).as_millis(),
                    "the same seed, the same wait"
                );
            }
        }
        let spread: std::collections::BTreeSet<_> =
            (0..20).map(|seed| policy.wait_after(1, &plain, seed)).collect();
        assert!(spread.len() > 10, "neighbouring steps do not all wake together");
        let asked = Failure {
            retry_after_ms: Some(90_000),
            ..plain
        };
        assert_eq!(policy.wait_after(1, &asked, 3), Duration::from_secs(90));
    }
}
