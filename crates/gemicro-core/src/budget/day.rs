//! The budget of a day: a limit for all runs of a store that begin on the same day (UTC).
//!
//! A run reserves its part when it begins: its own limits, or all that is left. So two runs cannot both take the rest,
//! and a run ends at its part as at any budget. The unused part is free again when the run has ended.

use gemicro_event::{Charge, ErrorKind, Failure, StreamId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::in_words;
use super::{LimitKind, Limits};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The day of a moment, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// The first moment of the day.
    pub begins_at: Timestamp,
    /// The first moment of the next day.
    pub ends_at: Timestamp,
}

impl Day {
    /// The day that a moment is in.
    #[must_use]
    pub fn of(moment: Timestamp) -> Self {
        let begin = moment.as_millis().div_euclid(DAY_MS) * DAY_MS;
        Self {
            begins_at: Timestamp::from_millis(begin),
            ends_at: Timestamp::from_millis(begin + DAY_MS),
        }
    }
}

/// The part of the day budget that a run was granted. Its limits are no larger than `left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DayGrant {
    /// The limits of all runs of the day together.
    pub cap: Limits,
    /// What was left of it when the run began.
    pub left: Limits,
    /// When the day ends.
    pub ends_at: Timestamp,
}

/// What the runs of a day use of its budget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayUse {
    /// What was used so far.
    pub spent: Charge,
    /// What unfinished runs may still use, with the runs.
    pub reserved: Vec<(StreamId, Charge)>,
}

/// Maximum number of runs that a message names.
const MAX_NAMED: usize = 3;

impl DayUse {
    fn total(&self) -> Charge {
        let reserved = self.reserved.iter().map(|(_, charge)| *charge);
        reserved.fold(self.spent, Charge::plus)
    }

    /// `12,000 tokens used, 4,000 tokens reserved by RUN (gemicro cancel RUN frees them)`.
    fn in_words(&self, cap: &Limits) -> String {
        let amounts = |charge: &Charge| {
            let kinds = [
                (LimitKind::Tokens, cap.tokens, charge.tokens),
                (LimitKind::Money, cap.micro_usd, charge.micro_usd),
                (LimitKind::Turns, cap.turns, charge.turns),
            ];
            let amounts = kinds.iter().filter(|(_, cap, _)| cap.is_some());
            let amounts: Vec<String> = amounts
                .map(|(kind, _, amount)| in_words(*kind, *amount))
                .collect();
            amounts.join(" and ")
        };
        let mut words = format!("{} used", amounts(&self.spent));
        for (run, charge) in self.reserved.iter().take(MAX_NAMED) {
            words += &format!(", {} reserved by run {run}", amounts(charge));
        }
        if self.reserved.len() > MAX_NAMED {
            words += &format!(", and more by other runs ({})", self.reserved.len() - MAX_NAMED);
        }
        match self.reserved.first() {
            Some((run, _)) => format!("{words}; `gemicro cancel {run}` frees its reservation"),
            None => words,
        }
    }
}

/// Whether a failure is about the budget of the day, not about that of the run.
#[must_use]
pub fn is_about_day(failure: &Failure) -> bool {
    failure.kind == ErrorKind::BudgetExceeded && failure.message.contains("the day budget (")
}

impl DayGrant {
    /// The part of a run that begins now.
    ///
    /// # Errors
    /// `budget_exceeded` if nothing is left.
    pub fn take(cap: Limits, day_use: &DayUse, day: Day) -> Result<Self, Failure> {
        let left = |cap: Option<u64>, used: u64| cap.map(|cap| cap.saturating_sub(used));
        let used = day_use.total();
        let grant = Self {
            cap,
            left: Limits {
                tokens: left(cap.tokens, used.tokens),
                micro_usd: left(cap.micro_usd, used.micro_usd),
                turns: left(cap.turns, used.turns),
                wall_ms: None,
            },
            ends_at: day.ends_at,
        };
        match [grant.left.tokens, grant.left.micro_usd, grant.left.turns].contains(&Some(0)) {
            false => Ok(grant),
            true => Err(Failure::new(
                ErrorKind::BudgetExceeded,
                format!(
                    "the day budget ({cap}) has nothing left: {}. It resets at {} UTC",
                    day_use.in_words(&cap),
                    minute(day.ends_at)
                ),
            )),
        }
    }

    /// These limits, capped at the run's part of the day.
    #[must_use]
    pub fn within(&self, limits: Limits) -> Limits {
        let smaller = |own: Option<u64>, left: Option<u64>| match (own, left) {
            (Some(own), Some(left)) => Some(own.min(left)),
            (own, left) => own.or(left),
        };
        Limits {
            tokens: smaller(limits.tokens, self.left.tokens),
            micro_usd: smaller(limits.micro_usd, self.left.micro_usd),
            turns: smaller(limits.turns, self.left.turns),
            wall_ms: limits.wall_ms,
        }
    }

    /// Explains why a run with these limits ran out of budget; `None` if its own limits were smaller.
    #[must_use]
    pub fn explain(&self, limits: &Limits) -> Option<String> {
        let pairs = [
            (LimitKind::Tokens, limits.tokens, self.left.tokens),
            (LimitKind::Money, limits.micro_usd, self.left.micro_usd),
            (LimitKind::Turns, limits.turns, self.left.turns),
        ];
        let by_day = pairs
            .iter()
            .find_map(|(kind, limit, left)| left.filter(|_| limit == left).map(|left| kind.amount(left)))?;
        Some(format!(
            "the day budget ({}) had only {by_day} left for this run; it resets at {} UTC",
            self.cap,
            minute(self.ends_at)
        ))
    }
}

/// The timestamp as `2026-11-18 00:00`, in UTC.
fn minute(moment: Timestamp) -> String {
    let text = moment.to_string();
    text.get(..16).unwrap_or(&text).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokens: u64) -> Limits {
        Limits {
            tokens: Some(tokens),
            ..Limits::NONE
        }
    }

    fn charge(tokens: u64) -> Charge {
        Charge {
            tokens,
            ..Charge::ZERO
        }
    }

    fn used(tokens: u64) -> DayUse {
        DayUse {
            spent: charge(tokens),
            reserved: Vec::new(),
        }
    }

    #[test]
    fn a_day_is_a_day_of_utc() {
        let day = Day::of("2026-11-17T23:59:59.999Z".parse().unwrap());
        assert_eq!(day.begins_at.to_string(), "2026-11-17T00:00:00.000Z");
        assert_eq!(day.ends_at.to_string(), "2026-11-18T00:00:00.000Z");
        assert_eq!(Day::of(day.ends_at).begins_at, day.ends_at);
    }

    #[test]
    fn a_run_gets_what_is_left_and_nothing_after_that() {
        let day = Day::of("2026-11-17T12:00:00Z".parse().unwrap());
        let grant = DayGrant::take(tokens(1_000), &used(400), day).unwrap();
        assert_eq!(grant.within(Limits::NONE), tokens(600));
        assert_eq!(grant.within(tokens(50)), tokens(50));
        assert_eq!(grant.within(tokens(9_999)), tokens(600));
        let said = grant.explain(&tokens(600)).unwrap();
        assert_eq!(
            said,
            "the day budget (1k) had only 600 left for this run; it resets at 2026-11-18 00:00 UTC"
        );
        assert_eq!(grant.explain(&tokens(50)), None);
        for used_up in [used(1_000), used(2_000)] {
            let refused = DayGrant::take(tokens(1_000), &used_up, day).unwrap_err();
            assert_eq!(refused.kind, ErrorKind::BudgetExceeded);
            assert!(is_about_day(&refused), "{refused}");
            assert!(refused.message.contains("2026-11-18 00:00 UTC"), "{refused}");
        }
        let shared = DayUse {
            spent: charge(12_000),
            reserved: vec![(StreamId::new("8f3kq0zz").unwrap(), charge(4_000))],
        };
        let refused = DayGrant::take(tokens(16_000), &shared, day).unwrap_err();
        assert_eq!(
            refused.message,
            "the day budget (16k) has nothing left: 12,000 tokens used, 4,000 tokens reserved by run 8f3kq0zz; \
             `gemicro cancel 8f3kq0zz` frees its reservation. It resets at 2026-11-18 00:00 UTC"
        );
    }
}
