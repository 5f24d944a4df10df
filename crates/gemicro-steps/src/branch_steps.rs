//! Runs the steps of pipelines, loops and merge queues that gemicro carries out itself.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_agents::step_tools::Tools;
use gemicro_agents::{AgentSetup, SharedAgentResources};
use gemicro_batch::ooda::{OBSERVE_STEP, TRIAL_STEP};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_core::store::Store;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_merge as queue;
use gemicro_pipeline::steps::{CHECK_STEP, DELIVER_STEP, IMPORT_STEP, INIT_STEP, MERGE_STEP, RECORD_STEP};
use serde::Serialize;

use crate::merge_queue;
use crate::ooda::{measure, try_test};
use crate::pipeline::{check, deliver, import, init, merge, record};

/// Executor of everything that a pipeline or loop does on its branch without an agent.
pub(crate) struct BranchSteps {
    tools: Arc<Tools>,
    store: Arc<dyn Store>,
}

impl BranchSteps {
    /// The kinds of its steps.
    pub(crate) const KINDS: [&'static str; 12] = [
        INIT_STEP,
        IMPORT_STEP,
        CHECK_STEP,
        RECORD_STEP,
        MERGE_STEP,
        DELIVER_STEP,
        OBSERVE_STEP,
        TRIAL_STEP,
        queue::BUILD_STEP,
        queue::CHECK_STEP,
        queue::LAND_STEP,
        queue::PUSH_STEP,
    ];

    pub(crate) fn new(
        commons: SharedAgentResources,
        setup: AgentSetup,
        redactor: Redactor,
        store: Arc<dyn Store>,
    ) -> Self {
        Self {
            store,
            tools: Arc::new(Tools {
                commons,
                setup,
                redactor,
            }),
        }
    }
}

impl Executor for BranchSteps {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let (tools, store) = (self.tools.clone(), self.store.clone());
        Box::pin(async move {
            let step = &call.step;
            match step.kind.as_str() {
                INIT_STEP => commit_output(init((&tools, store), step.read_input()?, &call).await),
                IMPORT_STEP => commit_output(import(&tools, step.read_input()?, &call).await),
                CHECK_STEP => commit_output(check(&tools, step.read_input()?, &call).await),
                RECORD_STEP => commit_output(record((&tools, store), step.read_input()?, &call).await),
                MERGE_STEP => commit_output(merge(&tools, step.read_input()?, &call).await),
                DELIVER_STEP => commit_output(deliver(&tools, step.read_input()?, &call).await),
                OBSERVE_STEP => commit_output(measure(&tools, step.read_input()?, &call).await),
                TRIAL_STEP => commit_output(try_test(&tools, step.read_input()?, &call).await),
                queue::BUILD_STEP => commit_output(merge_queue::build(&tools, step.read_input()?).await),
                queue::CHECK_STEP => {
                    commit_output(merge_queue::check(&tools, step.read_input()?, &call).await)
                }
                queue::LAND_STEP => commit_output(merge_queue::land(&tools, step.read_input()?).await),
                queue::PUSH_STEP => commit_output(merge_queue::push(&tools, step.read_input()?).await),
                other => {
                    let message = format!("{other} is not a step on a branch");
                    commit_output::<()>(Err(Failure::new(ErrorKind::Internal, message)))
                }
            }
        })
    }

    /// Its processes end with this one.
    fn survives_driver(&self) -> bool {
        false
    }
}

fn commit_output<T: Serialize>(output: Result<T, Failure>) -> Result<StepOutput, StepFailure> {
    StepOutput::free(&output.map_err(StepFailure::free)?)
}
