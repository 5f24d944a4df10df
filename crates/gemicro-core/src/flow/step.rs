//! A step: a unit of work as plain data, and its result.

use std::time::Duration;

use gemicro_event::{Charge, ErrorKind, Failure, Json, StepKey, Usage};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::budget::Purpose;

/// One unit of work. Once completed, it is never run again, even after a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name in the run.
    pub key: StepKey,
    /// Selects the executor that runs it.
    pub kind: String,
    /// Input for the executor.
    pub input: Json,
    /// Maximum cost; reserved before each attempt.
    pub cost: Charge,
    /// Whether it may use the budget that is held back for the last step.
    pub purpose: Purpose,
    /// How often and when to retry.
    pub retry: RetryPolicy,
    /// Time limit of one attempt.
    pub timeout_ms: Option<u64>,
}

impl Step {
    /// A step that costs nothing and is tried once.
    ///
    /// # Panics
    /// When the input has keys that are not strings.
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

    /// Parses the input into the type of its executor.
    ///
    /// # Errors
    /// `internal` when it does not have that form.
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

/// When to retry a failed step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
    /// Wait before the second attempt; doubles each time.
    pub base_ms: u64,
    /// Maximum wait between two attempts.
    pub cap_ms: u64,
}

impl RetryPolicy {
    /// One attempt, and no retry.
    pub const NEVER: Self = Self {
        max_attempts: 1,
        base_ms: 0,
        cap_ms: 0,
    };

    /// A maximum number of attempts, with the default waits.
    #[must_use]
    pub fn attempts(max_attempts: u32) -> Self {
        Self {
            max_attempts,
            ..Self::default()
        }
    }

    /// The wait after attempt number `attempt` failed: exponential with up to 25 % jitter derived from `seed`, and
    /// never shorter than the provider asked for.
    #[must_use]
    pub(crate) fn wait_after(&self, attempt: u32, failure: &Failure, seed: u64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(20);
        let plain = self.base_ms.saturating_mul(1 << doublings).min(self.cap_ms);
        // A multiplicative hash spreads the seeds of neighbouring steps; it is not random, so a replay gives the same
        // waits.
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

/// The result of a completed attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutput {
    /// The complete result; replay needs nothing else.
    pub output: Json,
    /// Its actual cost.
    pub charge: Charge,
    /// Tokens that the provider reported; absent if no model was called.
    pub usage: Option<Usage>,
}

impl StepOutput {
    /// The result of a step that does not cost anything.
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

/// The result of a failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFailure {
    /// What went wrong, with its kind.
    pub failure: Failure,
    /// The cost up to the failure.
    pub spent: AttemptCost,
    /// Whether another attempt is allowed.
    pub again: Again,
}

/// Whether a failed attempt may be followed by another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// Depends on the kind of failure and the step's retry policy.
    AsUsual,
    /// No: it may have changed something that another attempt would find.
    Never,
    /// It was interrupted from outside, as by a crash: the next attempt picks it up or starts afresh.
    CutOff,
}

impl StepFailure {
    /// A failure under the usual retry rules.
    #[must_use]
    pub fn new(failure: Failure, spent: AttemptCost) -> Self {
        Self {
            failure,
            spent,
            again: Again::AsUsual,
        }
    }

    /// A failure that did not cost anything.
    #[must_use]
    pub fn free(failure: Failure) -> Self {
        Self::new(failure, AttemptCost::Nothing)
    }
}

/// What a failed attempt cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptCost {
    /// Nothing that the provider bills.
    Nothing,
    /// The provider reported it.
    Known(Charge),
    /// Unknown: charged at its worst case.
    Unknown,
}

/// The final state of a step: completed, or failed with no attempt left.
#[derive(Debug, Clone, PartialEq)]
pub enum StepEnd {
    /// It has a result.
    Completed(StepOutput),
    /// It has failed; the flow decides what that means.
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
