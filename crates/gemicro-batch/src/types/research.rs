//! `research`: a run of its own that answers a question from sources.

use gemicro_core::ask::Grant;
use gemicro_core::budget::Purpose;
use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_core::llm::LlmConfig;
use gemicro_event::{Charge, Json, StreamId};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::folder::inside;
use super::parameters::{ParameterError, filled, read};
use super::task_type::{Making, TaskType};

/// The step kind of runs that are started by a run.
pub const RUN_STEP: &str = "run";

pub(super) const TYPE: TaskType = TaskType {
    name: "research",
    description: "Answers a question from files, folders and pages, with citations.",
    step_kind: RUN_STEP,
    bound: None,
    schema: || schema_for!(ResearchParameters).to_value(),
    make,
    shape,
    granted: Some(granted),
};

/// Parameters of `research`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResearchParameters {
    /// The question.
    pub question: String,
    /// Folders and files inside the folder of the batch, and addresses of pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Answers from the texts alone, without a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// Whether the provider's web search may answer what the sources do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub web: bool,
    /// The model; else that of the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Input of a step of kind `run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// What is asked.
    pub request: RunRequest,
    /// The folder that it works in.
    pub directory: String,
    /// How models are called.
    pub llm: LlmConfig,
    /// What the run may spend of its parent's budget; what is not named is not limited.
    #[serde(default)]
    pub grant: Grant,
}

/// A request as data; the engine turns it into a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunRequest {
    /// A question to be answered from sources.
    Research(ResearchParameters),
}

/// Output of a step of kind `run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOutput {
    /// The run.
    pub run_id: StreamId,
    /// The details of its `final_result`.
    pub result: Json,
}

fn make(parameters: &Value, making: Making<'_>) -> Result<Step, ParameterError> {
    let mut it: ResearchParameters = read(parameters)?;
    filled(&it.question, "/question")?;
    if it.offline && it.sources.is_empty() {
        return Err(ParameterError::new(
            "/sources",
            "without a model there must be sources",
        ));
    }
    if it.offline && it.web {
        return Err(ParameterError::new("/web", "cannot stand beside `offline`"));
    }
    let directory = making.settings.directory.clone();
    for (idx, source) in it.sources.iter_mut().enumerate() {
        let place = format!("/sources/{idx}");
        filled(source, &place)?;
        if !source.starts_with("https://") && !source.starts_with("http://") {
            *source = inside(&directory, Some(source), &place)?;
        }
    }
    let usual = &making.settings.llm;
    let llm = LlmConfig {
        model: it.model.clone().unwrap_or_else(|| usual.model.clone()),
        ..usual.clone()
    };
    let input = RunInput {
        request: RunRequest::Research(it),
        directory,
        llm,
        grant: Grant::default(),
    };
    Ok(Step {
        key: making.key,
        kind: RUN_STEP.to_owned(),
        cost: Charge::ZERO,
        input: Json::of(&input).expect("an input has string keys only"),
        purpose: Purpose::Ordinary,
        retry: RetryPolicy {
            max_attempts: making.max_attempts,
            ..RetryPolicy::default()
        },
        timeout_ms: None,
    })
}

fn granted(step: Step, grant: Grant) -> Step {
    let Ok(input) = step.input.parse::<RunInput>() else {
        return step;
    };
    Step {
        cost: grant.reservation(),
        input: Json::of(&RunInput { grant, ..input }).expect("an input has string keys only"),
        ..step
    }
}

fn shape(_: &Step, output: &Json) -> Json {
    let Ok(RunOutput { run_id, result }) = output.parse() else {
        return output.clone();
    };
    Json::from(match &*result {
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("run_id".to_owned(), json!(run_id));
            Value::Object(fields)
        }
        other => json!({ "result": other, "run_id": run_id }),
    })
}
