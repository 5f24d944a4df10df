//! Runs the steps of pipelines that are gemicro's own.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_agents::step_tools::Tools;
use gemicro_agents::{AgentCommons, AgentSetup};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::redact::Redactor;
use gemicro_event::{Charge, ErrorKind, Failure, Json};
use gemicro_pipeline::steps::{CHECK_STEP, DELIVER_STEP, IMPORT_STEP, INIT_STEP, MERGE_STEP, RECORD_STEP};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{check, deliver, import, init, merge, record};

/// Everything that a pipeline does itself.
pub(crate) struct PipelineSteps {
    tools: Arc<Tools>,
}

impl PipelineSteps {
    /// The kinds of its steps.
    pub(crate) const KINDS: [&'static str; 6] = [
        INIT_STEP,
        IMPORT_STEP,
        CHECK_STEP,
        RECORD_STEP,
        MERGE_STEP,
        DELIVER_STEP,
    ];

    pub(crate) fn new(commons: AgentCommons, setup: AgentSetup, redactor: Redactor) -> Self {
        Self {
            tools: Arc::new(Tools {
                commons,
                setup,
                redactor,
            }),
        }
    }
}

impl Executor for PipelineSteps {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let tools = self.tools.clone();
        Box::pin(async move {
            let input = &call.step.input;
            let output = match call.step.kind.as_str() {
                INIT_STEP => written(init::init(&tools, read(input)?, &call).await),
                IMPORT_STEP => written(import::import(&tools, read(input)?, &call).await),
                CHECK_STEP => written(check::check(&tools, read(input)?, &call).await),
                RECORD_STEP => written(record::record(&tools, read(input)?, &call).await),
                MERGE_STEP => written(merge::merge(&tools, read(input)?, &call).await),
                DELIVER_STEP => written(deliver::deliver(&tools, read(input)?, &call).await),
                other => Err(Failure::new(
                    ErrorKind::Internal,
                    format!("{other} is no step of a pipeline"),
                )),
            };
            Ok(StepOutput {
                output: output.map_err(StepFailure::free)?,
                charge: Charge::ZERO,
                usage: None,
            })
        })
    }

    /// What it runs ends with us.
    fn goes_on_outside(&self) -> bool {
        false
    }
}

fn read<T: DeserializeOwned>(input: &Json) -> Result<T, StepFailure> {
    input.parse().map_err(|error| {
        let message = format!("the input of a step cannot be read: {error}");
        StepFailure::free(Failure::new(ErrorKind::Internal, message))
    })
}

fn written(output: Result<impl Serialize, Failure>) -> Result<Json, Failure> {
    Json::of(&output?).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))
}
