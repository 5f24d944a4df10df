//! Waits for the end of a run: until it is there, the time is up, the client takes its call back or goes away.

use std::future::Future;
use std::time::Duration;

use futures_util::StreamExt;
use gemicro_engine::{RunSighting, RunSightings};
use gemicro_event::{ErrorKind, Event, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::progress::ProgressSender;

/// What ends the waiting beside the run itself.
pub(crate) struct Patience {
    /// When the call has to be answered.
    pub(crate) until: Instant,
    /// Falls when the client takes the call back.
    pub(crate) withdrawn: CancellationToken,
    /// Falls when the connection closes.
    pub(crate) closing: CancellationToken,
}

/// What the waiting brought.
#[derive(Debug)]
pub(crate) enum WaitOutcome {
    /// The run has ended or was stopped; all its events.
    Ended(Vec<Event>),
    /// It goes on; its events so far, and what is left to watch.
    GoesOn(Vec<Event>, RunSightings),
    /// The client took the call back.
    Withdrawn,
}

/// Watches a run for as long as there is patience.
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
                // Whoever tells about the run fell silent; the run itself is not known to have ended.
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

/// Does something to its end, whether or not anybody waits; waits for a while.
///
/// # Errors
/// `timeout` when it takes longer, and then it goes on.
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
