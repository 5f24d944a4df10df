//! Runs one attempt at a step, with its time limit, cancellation and panic handling.

use std::time::Duration;

use gemicro_event::{ErrorKind, Failure, Json, StepKey};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::driver::Driver;
use crate::execute::{AttemptNotice, Executor, StepCall, StepReporter};
use crate::flow::{AttemptCost, Step, StepFailure, StepOutput};

/// A message from an attempt to its driver.
pub(super) struct AttemptReport {
    pub(super) step: StepKey,
    pub(super) attempt: u32,
    pub(super) said: ReportContents,
}

/// The contents of a report.
pub(super) enum ReportContents {
    /// A message while the attempt runs.
    Notice(AttemptNotice),
    Ended(Result<StepOutput, StepFailure>),
}

/// Starts an attempt as a task; its reports arrive through the driver's channel.
pub(super) fn spawn_attempt(
    driver: &Driver<'_>,
    step: Step,
    attempt: u32,
    handle: Option<Json>,
    cancel: CancellationToken,
) -> AbortHandle {
    let (step_reporter, mut words) = StepReporter::channel();
    let executor = driver.ctx.executors.get(&step.kind);
    let live = driver.ctx.live.writer(&step.key, attempt);
    let key = step.key.clone();
    let timeout = step.timeout_ms.map(Duration::from_millis);
    let grace = driver.ctx.options.grace;
    let kind = step.kind.clone();
    let call = StepCall {
        run: driver.run_id().clone(),
        step,
        attempt,
        handle,
        reporter: step_reporter,
        cancel: cancel.clone(),
        live,
        answers: driver.answered.clone(),
    };
    let reporter = driver.reporter.clone();
    let task = tokio::spawn(async move {
        let tell = |said| send(&reporter, &key, attempt, said);
        let Some(executor) = executor else {
            let message = format!("this process cannot run steps of kind {kind}");
            let failure = StepFailure::free(Failure::new(ErrorKind::Internal, message));
            return tell(ReportContents::Ended(Err(failure)));
        };
        let work = run_limited(executor.as_ref(), call, timeout, grace, cancel);
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                Some(spoken) = words.recv() => tell(ReportContents::Notice(spoken)),
                ended = &mut work => return tell(ReportContents::Ended(ended)),
            }
        }
    });
    task.abort_handle()
}

fn send(reporter: &mpsc::UnboundedSender<AttemptReport>, step: &StepKey, attempt: u32, said: ReportContents) {
    // If the driver is gone, it has abandoned this attempt.
    let _ = reporter.send(AttemptReport {
        step: step.clone(),
        attempt,
        said,
    });
}

/// Runs the executor in its own task, so that a panic becomes a failure, and stops it at the time limit.
async fn run_limited(
    executor: &dyn Executor,
    call: StepCall,
    timeout: Option<Duration>,
    grace: Duration,
    cancel: CancellationToken,
) -> Result<StepOutput, StepFailure> {
    let mut task = tokio::spawn(executor.execute(call));
    let _ended_with_us = AbortOnDrop(task.abort_handle());
    let late = async {
        match timeout {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let failure = tokio::select! {
        biased;
        joined = &mut task => return joined.unwrap_or_else(|error| Err(invalid_report(&error))),
        () = late => {
            cancel.cancel();
            let limit = timeout.unwrap_or_default();
            Failure::new(ErrorKind::Timeout, format!("no answer within {} s", limit.as_secs_f32()))
        }
        () = cancel.cancelled() => Failure::new(ErrorKind::Cancelled, "stopped on request"),
    };
    // It was asked to stop; a last-moment result or a known charge is still accepted.
    match tokio::time::timeout(grace, &mut task).await {
        Ok(Ok(Ok(output))) => Ok(output),
        Ok(Ok(Err(error))) => Err(StepFailure { failure, ..error }),
        Ok(Err(_)) | Err(_) => {
            task.abort();
            Err(StepFailure::new(failure, AttemptCost::Unknown))
        }
    }
}

fn invalid_report(error: &tokio::task::JoinError) -> StepFailure {
    let message = if error.is_panic() {
        "the executor panicked"
    } else {
        "the executor was aborted"
    };
    StepFailure::new(Failure::new(ErrorKind::Internal, message), AttemptCost::Unknown)
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
