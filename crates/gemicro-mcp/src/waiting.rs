//! Waits for the end of a run, until the time is up, or the client cancels the call or disconnects.

use std::future::Future;
use std::time::Duration;

use futures_util::StreamExt;
use gemicro_engine::{RunSighting, RunSightings};
use gemicro_event::{ErrorKind, Event, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::progress::ProgressSender;

/// What ends the wait besides the run itself.
pub(crate) struct Patience {
    /// Deadline of the call.
    pub(crate) until: Instant,
    /// Cancelled when the client cancels the call.
    pub(crate) withdrawn: CancellationToken,
    /// Cancelled when the connection closes.
    pub(crate) closing: CancellationToken,
}

/// The result of a wait.
#[derive(Debug)]
pub(crate) enum WaitOutcome {
    /// The run has ended or was stopped; all its events.
    Ended(Vec<Event>),
    /// It continues; its events so far, and the rest of the watch.
    GoesOn(Vec<Event>, RunSightings),
    /// The client cancelled the call.
    Withdrawn,
}

/// Watches a run until the wait ends.
pub(crate) async fn wait(
    mut watching: RunSightings,
    patience: &Patience,
    progress: &mut ProgressSender,
) -> WaitOutcome {
    let mut events = Vec::new();
    loop {
        tokio::select! {
            () = patience.withdrawn.cancelled() => return WaitOutcome::Withdrawn,
            item = watching.items.next() => match item {
                Some(Ok(RunSighting::Event(event))) => {
                    progress.event(&event).await;
                    events.push(event);
                }
                Some(Ok(RunSighting::Live(item))) => progress.live(&item),
                // The source of sightings failed; the run itself may continue.
                Some(Err(failure)) => {
                    tracing::warn!(run = %watching.run, %failure, "a run can no longer be watched");
                    return WaitOutcome::GoesOn(events, watching);
                }
                None => return WaitOutcome::Ended(events),
            },
            () = patience.closing.cancelled() => return WaitOutcome::GoesOn(events, watching),
            () = tokio::time::sleep_until(patience.until) => return WaitOutcome::GoesOn(events, watching),
            () = progress.due() => progress.tell().await,
        }
    }
}

/// Runs some work to its end even if the caller stops waiting; waits for a limited time.
///
/// # Errors
/// `timeout` when it takes longer; the work then continues.
pub(crate) async fn finish_detached<T: Send + 'static>(
    within: Duration,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::time::timeout(within, tokio::spawn(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(Failure::new(ErrorKind::Internal, "a task of the server panicked")),
        Err(_) => {
            let message = "the store did not answer in time; `gemicro runs` shows what was started";
            Err(Failure::new(ErrorKind::Timeout, message))
        }
    }
}
