//! Steps that are runs of their own: their input and output.

use gemicro_core::ask::TaskGrant;
use gemicro_core::flow::Step;
use gemicro_core::llm::LlmConfig;
use gemicro_event::{Json, StreamId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::pipeline::PipelineParameters;
use super::propose_strategy::StrategyRequest;
use super::propose_test::ProposalRequest;
use super::refine_test::RefinementRequest;
use super::research::ResearchParameters;
use super::task_type::TaskContext;

/// The step kind of child runs.
pub const RUN_STEP: &str = "run";

/// Input of a step of kind `run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// The request that the child run is planned from.
    pub request: RunRequest,
    /// Its working folder.
    pub directory: String,
    /// Model settings.
    pub llm: LlmConfig,
    /// The share of the parent's budget that the run may spend; absent values are not limited.
    #[serde(default)]
    pub grant: TaskGrant,
}

/// A request as data; the engine turns it into a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunRequest {
    /// A question to be answered from sources.
    Research(ResearchParameters),
    /// A test for uncovered code.
    Proposal(Box<ProposalRequest>),
    /// A better test than that of an earlier run.
    Refinement(RefinementRequest),
    /// The gaps of a project, ranked.
    Strategy(StrategyRequest),
    /// A coding task for a pipeline of agents.
    Pipeline(PipelineParameters),
}

/// Output of a step of kind `run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOutput {
    /// Id of the run that was started.
    pub run_id: StreamId,
    /// The details of its `final_result`.
    pub result: Json,
}

/// The step of a child run.
pub(super) fn run_step(input: &RunInput, making: TaskContext<'_>) -> Step {
    making.free_step(RUN_STEP, input)
}

/// Sets the run's share of the budget.
pub(super) fn with_grant(step: Step, grant: TaskGrant) -> Step {
    let Ok(input) = step.input.parse::<RunInput>() else {
        return step;
    };
    Step {
        cost: grant.reservation(),
        input: Json::of(&RunInput { grant, ..input }).expect("an input has string keys only"),
        ..step
    }
}

/// Turns the result of a run into the output of its task.
pub(super) fn shape(_: &Step, output: &Json) -> Json {
    let Ok(RunOutput { run_id, result }) = output.parse() else {
        return output.clone();
    };
    Json::from(match &*result {
        Value::Object(fields) => {
            let mut fields = fields.clone();
            // The answer repeats the patch or strategy.
            if fields.contains_key("patch") || fields.contains_key("strategy") {
                fields.shift_remove("answer");
            }
            fields.insert("run_id".to_owned(), json!(run_id));
            Value::Object(fields)
        }
        other => json!({ "result": other, "run_id": run_id }),
    })
}
