//! Executes steps that are runs of their own.
//!
//! The child's id is derived from its parent and its step, so another driver of the step finds the same child: it
//! takes the result of an ended one and resumes an interrupted one. The child is cancelled with its step and
//! suspended with its parent. Its questions to a person are reported to the parent.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_batch::types::RunOutput;
use gemicro_core::drive::StopSignals;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Again, AttemptCost, StepFailure, StepOutput};
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{ErrorKind, Failure, Json, StepKey, StreamId};
use gemicro_steps::child_plan;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;

use crate::engine::Engine;
use crate::questions::report_questions;

/// Executes steps of kind `run`.
pub(crate) struct ChildRuns {
    engine: Arc<Engine>,
}

impl ChildRuns {
    pub(crate) fn new(engine: Engine) -> Self {
        Self {
            engine: Arc::new(engine),
        }
    }
}

impl Executor for ChildRuns {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let engine = self.engine.clone();
        Box::pin(async move { carry_out(&engine, call).await })
    }

    /// The child has its own journal: the next driver of the parent resumes it.
    fn survives_driver(&self) -> bool {
        true
    }
}

async fn carry_out(engine: &Engine, call: StepCall) -> Result<StepOutput, StepFailure> {
    let child = child_id(&call.run, &call.step.key);
    call.reporter.handle(Json::from(json!({ "run": child })));
    let stop = LeaveOnDrop(StopSignals::default());
    let made = Notify::new();
    let drive = async {
        match engine.store().run(&child).await {
            Ok(row) if row.status.is_terminal() => Ok(()),
            Ok(_) => {
                // Its questions are reported here, whichever process drives it.
                made.notify_one();
                match engine.resume_from(&child, stop.0.clone(), |_| true).await {
                    Ok(run) => run.wait().await.map(drop),
                    // It ended while waiting for its other driver.
                    Err(failure) if failure.kind == ErrorKind::Conflict => Ok(()),
                    Err(failure) => Err(failure),
                }
            }
            Err(StoreError::NotFound { .. }) => {
                let plan = child_plan(engine.store(), &engine.workflows, &call.step.input).await?;
                let parent = call.run.clone();
                let run = engine
                    .start_as_step(parent, &child, &plan, stop.0.clone())
                    .await?;
                made.notify_one();
                run.wait().await.map(drop)
            }
            Err(error) => Err(error.into()),
        }
    };
    let asking = async {
        made.notified().await;
        report_questions(engine.store(), &child, &call.reporter).await;
        std::future::pending::<()>().await;
    };
    tokio::pin!(drive);
    let driven = tokio::select! {
        driven = &mut drive => driven,
        () = asking => Ok(()),
        () = call.cancel.cancelled() => {
            stop.0.cancel.cancel();
            drive.await
        }
    };
    driven.map_err(StepFailure::free)?;
    outcome(engine, &child).await
}

/// The result of the child.
async fn outcome(engine: &Engine, child: &StreamId) -> Result<StepOutput, StepFailure> {
    let row = engine.store().run(child).await;
    let row = row.map_err(|error| StepFailure::free(error.into()))?;
    let failed = |failure: Failure| StepFailure {
        failure,
        spent: AttemptCost::Known(row.spent),
        // The child has already retried where that helps.
        again: Again::Never,
    };
    let last = engine
        .store()
        .read(child, row.n_events.saturating_sub(1), 1)
        .await;
    let last = last.map_err(|error| failed(error.into()))?.events.pop();
    let Some(last) = last.filter(|_| row.status.is_terminal()) else {
        let message = format!("run {child} was stopped before its end");
        return Err(StepFailure::new(
            Failure::new(ErrorKind::Interrupted, message),
            AttemptCost::Known(row.spent),
        ));
    };
    if let Some(run_failed) = last.update.as_run_failed() {
        return Err(failed(run_failed.error));
    }
    if let Some(cancelled) = last.update.as_run_cancelled() {
        return Err(failed(Failure::new(ErrorKind::Cancelled, cancelled.reason)));
    }
    let output = RunOutput {
        run_id: child.clone(),
        result: last.update.data,
    };
    Ok(StepOutput {
        output: Json::of(&output)
            .map_err(|error| failed(Failure::new(ErrorKind::Internal, error.to_string())))?,
        charge: row.spent,
        usage: None,
    })
}

/// The id of a step's child run.
fn child_id(parent: &StreamId, step: &StepKey) -> StreamId {
    let digest = Sha256::digest(format!("{parent}\n{step}"));
    let letters: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    StreamId::new(letters).expect("32 letters and digits are an id")
}

/// Leaves the child resumable when this is dropped.
struct LeaveOnDrop(StopSignals);

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        self.0.leave.cancel();
    }
}
