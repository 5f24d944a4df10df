//! Reserves a new run's share of the daily budget.

use gemicro_core::budget::{Day, DayGrant, DayUse, Limits};
use gemicro_core::drive::AnyFlow;
use gemicro_event::{Charge, Failure, Timestamp};
use gemicro_steps::Plan;
use gemicro_store::{DayLock, DurableStore};

use crate::run::first_event;

/// A plan limited to what is left of the daily budget.
pub(crate) struct DayPart {
    /// The plan with reduced limits.
    pub(crate) plan: Plan,
    pub(crate) grant: DayGrant,
    /// Held until the run is in the journal, where the next run counts it.
    _lock: DayLock,
}

/// Reserves the share of a run that starts now; `None` if no daily budget applies.
///
/// # Errors
/// `budget_exceeded` if nothing is left of the day; `invalid_input` if a budget in dollars cannot be enforced.
pub(crate) async fn take(
    store: &DurableStore,
    cap: Limits,
    flow: &dyn AnyFlow,
    plan: &Plan,
) -> Result<Option<DayPart>, Failure> {
    if cap == Limits::NONE {
        return Ok(None);
    }
    let lock = store.lock_day().await?;
    let day = Day::of(Timestamp::now());
    let used = used_today(store, day).await?;
    let grant = DayGrant::take(cap, &used, day)?;
    let limits = grant.within(plan.limits);
    flow.check_limits(&plan.plan, &limits)?;
    let plan = Plan {
        limits,
        ..plan.clone()
    };
    Ok(Some(DayPart {
        plan,
        grant,
        _lock: lock,
    }))
}

/// The usage of today's runs; an open run reserves what is left of its limits.
async fn used_today(store: &DurableStore, day: Day) -> Result<DayUse, Failure> {
    let used = store.used_by_runs(day.begins_at, day.ends_at).await?;
    let mut day_use = DayUse {
        spent: used.ended.amounts(),
        reserved: Vec::new(),
    };
    for (run, spent) in used.open {
        let limits = first_event(store, &run)
            .await?
            .map_or(Limits::NONE, |started| started.limits);
        day_use.spent = day_use.spent.plus(spent.amounts());
        let left = |limit: Option<u64>, spent: u64| limit.unwrap_or(0).saturating_sub(spent);
        let reserved = Charge {
            tokens: left(limits.tokens, spent.tokens),
            micro_usd: left(limits.micro_usd, spent.micro_usd),
            turns: left(limits.turns, spent.turns),
            ..Charge::ZERO
        };
        if reserved != Charge::ZERO {
            day_use.reserved.push((run, reserved));
        }
    }
    Ok(day_use)
}
