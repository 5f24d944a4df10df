//! Budgets: limits on what a run may use, and the account of what it used.
//!
//! [`Limits`] are set by the user (`--budget 50k`). [`Ledger`] is the account: every call reserves its worst case
//! before it starts and settles its true cost afterwards, so the sum never exceeds a limit. Both are plain data without
//! a clock; the ledger is a fold over events.
//!
//! Files: `limits` (the data), `parse` (its text form), `ledger` (the account), `refusal` (why a call may not start),
//! `day` (the limit for all runs of a day).

mod day;
mod ledger;
mod limits;
mod parse;
mod refusal;
#[cfg(test)]
mod tests;

pub use day::{Day, DayGrant, DayUse, is_about_day};
pub use ledger::{Ledger, Purpose, SettledCost};
pub use limits::{LimitKind, Limits};
pub use parse::LimitsError;
pub use refusal::BudgetRefusal;
