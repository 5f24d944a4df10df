//! The account of a run: how much is spent, reserved and left.
//!
//! [`Ledger`] is a fold: its methods mirror events and may be applied twice. As long as no call costs more than it
//! reserved, spent and reserved together never exceed a limit; a call that does is charged in full and reported.

use std::collections::BTreeMap;

use gemicro_event::{Charge, StepKey};

use super::{BudgetRefusal, LimitKind, Limits};

/// What a reservation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Any step but the last; it may not use the budget that is held back for the last one.
    Ordinary,
    /// The step that delivers (synthesis, report): it may use what was held back.
    Last,
}

/// How the real cost of a call compares with its reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct SettledCost {
    /// The cost above the reservation; it is charged too.
    pub overrun: Option<Charge>,
}

/// The account. It has every attempt of a run, so only tests clone it; see [`Ledger::draft`].
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Clone))]
pub struct Ledger {
    limits: Limits,
    held_back: Charge,
    attempts: BTreeMap<StepKey, BTreeMap<u32, LedgerAttempt>>,
    spent: Charge,
    reserved: Charge,
    /// The part of both that the last step took; it counts against the budget held back for it.
    taken_by_last: Charge,
}

/// One attempt of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LedgerAttempt {
    reservation: Charge,
    purpose: Purpose,
    state: ReservationState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReservationState {
    Reserved,
    Settled,
    Released,
    /// The cost is unknown; the reservation is charged until it is known.
    Forfeited,
}

impl Ledger {
    /// An account with nothing spent. `held_back` is reserved for the last step.
    #[must_use]
    pub fn new(limits: Limits, held_back: Charge) -> Self {
        Self {
            limits,
            held_back,
            attempts: BTreeMap::new(),
            spent: Charge::ZERO,
            reserved: Charge::ZERO,
            taken_by_last: Charge::ZERO,
        }
    }

    /// The amount that can still be reserved for this purpose; `u64::MAX` if there is no limit.
    #[must_use]
    pub fn available(&self, purpose: Purpose) -> Charge {
        let used = self.spent.plus(self.reserved);
        let used = match purpose {
            Purpose::Ordinary => used.plus(self.held_back.minus(self.taken_by_last)),
            Purpose::Last => used,
        };
        let left = |limit: Option<u64>, used: u64| limit.map_or(u64::MAX, |limit| limit.saturating_sub(used));
        Charge {
            tokens: left(self.limits.tokens, used.tokens),
            micro_usd: left(self.limits.micro_usd, used.micro_usd),
            turns: left(self.limits.turns, used.turns),
            ..Charge::ZERO
        }
    }

    /// Reserves the worst case of an attempt. An attempt that already has a reservation is left unchanged.
    ///
    /// # Errors
    /// When one of the limits has too little left; nothing is reserved then.
    pub fn reserve(
        &mut self,
        step: &StepKey,
        attempt: u32,
        worst_case: Charge,
        purpose: Purpose,
    ) -> Result<(), BudgetRefusal> {
        if self.attempt(step, attempt).is_some() {
            return Ok(());
        }
        let left = self.available(purpose);
        let checks = [
            (LimitKind::Tokens, worst_case.tokens, left.tokens),
            (LimitKind::Money, worst_case.micro_usd, left.micro_usd),
            (LimitKind::Turns, worst_case.turns, left.turns),
        ];
        if let Some(&(limit, asked, left)) = checks.iter().find(|(_, asked, left)| asked > left) {
            return Err(BudgetRefusal { limit, asked, left });
        }
        self.hold(step, attempt, worst_case, purpose);
        Ok(())
    }

    /// Folds a reservation that was granted before, without checking the limits.
    pub fn hold(&mut self, step: &StepKey, attempt: u32, worst_case: Charge, purpose: Purpose) {
        if self.attempt(step, attempt).is_some() {
            return;
        }
        self.reserved = self.reserved.plus(worst_case.amounts());
        self.take(purpose, worst_case);
        self.put(
            step,
            attempt,
            LedgerAttempt {
                reservation: worst_case,
                purpose,
                state: ReservationState::Reserved,
            },
        );
    }

    /// Charges the cost of an attempt and frees its reservation. A second call changes nothing; a forfeited attempt is
    /// corrected; an attempt without a reservation is charged in full as an overrun.
    pub fn settle(&mut self, step: &StepKey, attempt: u32, actual: Charge) -> SettledCost {
        let Some(known) = self.attempt(step, attempt) else {
            let unreserved = LedgerAttempt {
                reservation: Charge::ZERO,
                purpose: Purpose::Ordinary,
                state: ReservationState::Settled,
            };
            self.put(step, attempt, unreserved);
            self.spent = self.spent.plus(actual);
            return SettledCost {
                overrun: over(actual, Charge::ZERO),
            };
        };
        let overrun = match known.state {
            ReservationState::Settled => return SettledCost::default(),
            ReservationState::Reserved => {
                self.reserved = self.reserved.minus(known.reservation.amounts());
                self.give_back(known.purpose, known.reservation);
                over(actual, known.reservation)
            }
            ReservationState::Forfeited => {
                self.spent = self.spent.minus(known.reservation.as_upper_bound());
                self.give_back(known.purpose, known.reservation);
                over(actual, known.reservation)
            }
            ReservationState::Released => over(actual, Charge::ZERO),
        };
        self.spent = self.spent.plus(actual);
        self.take(known.purpose, actual);
        self.put(
            step,
            attempt,
            LedgerAttempt {
                state: ReservationState::Settled,
                ..known
            },
        );
        SettledCost { overrun }
    }

    /// Frees the reservation of an attempt that did not cost anything.
    pub fn release(&mut self, step: &StepKey, attempt: u32) {
        if let Some(known) = self
            .attempt(step, attempt)
            .filter(|known| known.state == ReservationState::Reserved)
        {
            self.reserved = self.reserved.minus(known.reservation.amounts());
            self.give_back(known.purpose, known.reservation);
            self.put(
                step,
                attempt,
                LedgerAttempt {
                    state: ReservationState::Released,
                    ..known
                },
            );
        }
    }

    /// Charges the whole reservation of an attempt whose outcome is unknown.
    pub fn forfeit(&mut self, step: &StepKey, attempt: u32) {
        if let Some(known) = self
            .attempt(step, attempt)
            .filter(|known| known.state == ReservationState::Reserved)
        {
            self.reserved = self.reserved.minus(known.reservation.amounts());
            self.spent = self.spent.plus(known.reservation.as_upper_bound());
            self.put(
                step,
                attempt,
                LedgerAttempt {
                    state: ReservationState::Forfeited,
                    ..known
                },
            );
        }
    }

    /// A copy for trying out reservations for these steps before they become events. It contains only these steps, so
    /// its cost does not grow with the number of attempts in the account.
    #[must_use]
    pub fn draft<'s>(&self, steps: impl Iterator<Item = &'s StepKey>) -> Self {
        let known = steps.filter_map(|step| self.attempts.get_key_value(step));
        Self {
            attempts: known.map(|(step, tries)| (step.clone(), tries.clone())).collect(),
            ..*self
        }
    }

    /// Changes the limits of an active run. A limit below the used amount stops new reservations.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The caps that the ledger enforces.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Everything charged so far, without open reservations.
    #[must_use]
    pub fn total_charge(&self) -> Charge {
        self.spent
    }

    /// The sum reserved for running attempts.
    #[must_use]
    pub fn reserved(&self) -> Charge {
        self.reserved
    }

    /// The amount neither spent nor reserved, including the part for the last step; `u64::MAX` if there is no limit.
    #[must_use]
    pub fn remaining(&self) -> Charge {
        self.available(Purpose::Last)
    }

    /// The used share of the limit that is closest to exhausted; 0 without limits, above 1 after an overrun.
    #[must_use]
    pub(crate) fn used_share(&self) -> f64 {
        let share = |limit: Option<u64>, spent: u64| match limit {
            None => 0.0,
            Some(0) if spent == 0 => 0.0,
            Some(limit) => as_f64(spent) / as_f64(limit.max(1)),
        };
        share(self.limits.tokens, self.spent.tokens)
            .max(share(self.limits.micro_usd, self.spent.micro_usd))
            .max(share(self.limits.turns, self.spent.turns))
    }

    #[cfg(test)]
    pub(super) fn n_steps(&self) -> usize {
        self.attempts.len()
    }

    fn attempt(&self, step: &StepKey, attempt: u32) -> Option<LedgerAttempt> {
        self.attempts.get(step)?.get(&attempt).copied()
    }

    fn put(&mut self, step: &StepKey, attempt: u32, state: LedgerAttempt) {
        match self.attempts.get_mut(step) {
            Some(attempts) => drop(attempts.insert(attempt, state)),
            None => drop(
                self.attempts
                    .insert(step.clone(), BTreeMap::from([(attempt, state)])),
            ),
        }
    }

    fn take(&mut self, purpose: Purpose, amount: Charge) {
        if purpose == Purpose::Last {
            self.taken_by_last = self.taken_by_last.plus(amount.amounts());
        }
    }

    fn give_back(&mut self, purpose: Purpose, amount: Charge) {
        if purpose == Purpose::Last {
            self.taken_by_last = self.taken_by_last.minus(amount.amounts());
        }
    }
}

fn over(actual: Charge, reservation: Charge) -> Option<Charge> {
    Some(actual.beyond(reservation)).filter(|overrun| *overrun != Charge::ZERO)
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn as_f64(amount: u64) -> f64 {
    amount as f64
}
