//! Executes steps of kind `coverage`.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::{ErrorKind, Failure, Json};
use tokio_util::sync::CancellationToken;

use super::bounds::MAX_ANSWER_BYTES;
use super::error::CoverageError;
use super::gather::{CoverageRequest, gather_until};
use super::render::render;
use crate::types::{CoverageInput, CoverageOutput};

/// The step kind of reading coverage.
pub const COVERAGE_STEP: &str = "coverage";

/// Reads the coverage of projects.
#[derive(Debug, Clone, Copy, Default)]
pub struct CoverageExecutor;

impl Executor for CoverageExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        Box::pin(async move {
            let input: CoverageInput = call.step.read_input()?;
            let cancel = call.cancel.clone();
            // Reading checks the token itself, between two reads.
            let outcome = tokio::task::spawn_blocking(move || to_output(input, &cancel)).await;
            let outcome = outcome
                .map_err(|error| StepFailure::free(Failure::new(ErrorKind::Internal, error.to_string())))?;
            StepOutput::free(&outcome.map_err(StepFailure::free)?)
        })
    }

    /// Nothing keeps running without the driver, and reading again is harmless.
    fn survives_driver(&self) -> bool {
        false
    }
}

fn to_output(input: CoverageInput, cancel: &CancellationToken) -> Result<Json, Failure> {
    let asked = CoverageRequest {
        root: PathBuf::from(input.directory),
        reports: input.reports,
        scope: input.scope,
    };
    let gathered = gather_until(&asked, &|| cancel.is_cancelled())?;
    let output = CoverageOutput {
        coverage_data: render(&gathered, input.format),
        summary: gathered.coverage.summary(),
        reports: gathered.reports,
        warnings: gathered.warnings,
    };
    let output = Json::of(&output).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    if output.text().len() > MAX_ANSWER_BYTES {
        let n_bytes = output.text().len();
        return Err(CoverageError::LongAnswer { n_bytes }.into());
    }
    Ok(output)
}
