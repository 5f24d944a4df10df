//! Resumes runs without a driver: interrupted resident ones, and parked ones whose process died.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{ErrorKind, Failure, RunStatus, Timestamp};
use gemicro_store::{DurableStore, RunFilter};

use super::worker_state::WorkerState;
use crate::local_run_service::LocalRunService;
use crate::run::first_event;

/// Maximum wait for the lease of a dead process to expire.
const PATIENCE: Duration = Duration::from_secs(60);

/// Resumes every run that waits for a worker, if this client's keys and settings are sufficient.
pub(super) async fn adopt(house: &Arc<WorkerState>, here: &LocalRunService) -> Result<(), Failure> {
    let desks = &house.desks;
    for status in [RunStatus::Running, RunStatus::Parked, RunStatus::Suspended] {
        let filter = RunFilter {
            status: Some(status),
            limit: Some(usize::MAX),
            ..RunFilter::default()
        };
        for row in desks.store().runs(&filter).await? {
            // On a shared store another process may drive it.
            let is_held = desks.store().is_shared() && desks.store().is_held(&row.run).await?;
            // A run stopped by its store is retried separately.
            let is_known = || desks.trouble(&row.run).is_some();
            if is_held || is_known() || !desks.claim(&row.run) {
                continue;
            }
            if !waits(desks.store(), &row).await.unwrap_or(false) {
                desks.unclaim(&row.run);
            } else {
                let (house, here) = (Arc::clone(house), here.clone());
                tokio::spawn(async move {
                    take(&here, &row).await;
                    house.desks.unclaim(&row.run);
                });
            }
        }
    }
    Ok(())
}

/// Retries runs that were stopped by their store and are due.
pub(super) fn try_again(house: &Arc<WorkerState>) {
    for here in house.desks.all() {
        for run in here.troubles().due(Instant::now()) {
            if !house.desks.claim(&run) {
                continue;
            }
            let (house, here) = (Arc::clone(house), here.clone());
            tokio::spawn(async move {
                match house.desks.store().run(&run).await {
                    Ok(row) => take(&here, &row).await,
                    Err(error) => here.troubles().note(&run, &error.into(), Instant::now()),
                }
                house.desks.unclaim(&run);
            });
        }
    }
}

/// Whether a worker should resume a run.
async fn waits(store: &DurableStore, row: &RunRow) -> Result<bool, StoreError> {
    if row.status == RunStatus::Parked {
        return Ok(true);
    }
    let started = first_event(store, &row.run).await?;
    let is_resident = started.is_some_and(|started| started.resident);
    if !is_resident || row.status == RunStatus::Running {
        return Ok(is_resident);
    }
    let all = store.read(&row.run, row.n_events.saturating_sub(1), 1).await?;
    let suspended = all
        .events
        .last()
        .and_then(|event| event.update.as_run_suspended());
    Ok(suspended.is_some_and(|suspended| suspended.cut_off))
}

/// Resumes a run as soon as the lease of its last driver has expired.
async fn take(here: &LocalRunService, row: &RunRow) {
    if let Err(why) = here.engine().can_carry(&row.run).await {
        tracing::info!(run = %row.run, %why, "a run waits for a worker with other keys or settings");
        here.troubles().note(&row.run, &why, Instant::now());
        return;
    }
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let is_early = || tokio::time::Instant::now() < deadline;
    loop {
        match run_standing(here.engine().store(), row).await {
            Ok(RunStanding::Held) if is_early() => {}
            // Its driver keeps it.
            Ok(RunStanding::Held | RunStanding::Settled) => {
                here.troubles().forget(&row.run);
                return;
            }
            Ok(RunStanding::Waits) => match here.resume(&row.run).await {
                Ok(()) => {
                    tracing::info!(run = %row.run, title = %row.title, "resuming a run");
                    return;
                }
                // Another process was faster.
                Err(failure) if failure.kind == ErrorKind::Conflict && is_early() => {}
                Err(failure) => {
                    tracing::warn!(run = %row.run, %failure, at = %Timestamp::now(), "a run cannot be resumed");
                    here.troubles().note(&row.run, &failure, Instant::now());
                    return;
                }
            },
            Err(error) => {
                tracing::warn!(run = %row.run, %error, "the state of a run is unknown");
                here.troubles().note(&row.run, &error.into(), Instant::now());
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// The state of a run that is to be resumed.
#[derive(Debug, PartialEq, Eq)]
enum RunStanding {
    /// A process drives it, or did until just now.
    Held,
    /// It waits for a worker.
    Waits,
    /// It has ended, or was suspended on request and must be resumed explicitly.
    Settled,
}

/// The current state of a run. Its last driver may have ended or suspended it meanwhile.
async fn run_standing(store: &DurableStore, row: &RunRow) -> Result<RunStanding, StoreError> {
    if store.is_held(&row.run).await? {
        return Ok(RunStanding::Held);
    }
    // A lease is released after the driver's last event, so this status is final.
    let row = store.run(&row.run).await?;
    Ok(match !row.status.is_terminal() && waits(store, &row).await? {
        true => RunStanding::Waits,
        false => RunStanding::Settled,
    })
}

#[cfg(test)]
mod tests;
