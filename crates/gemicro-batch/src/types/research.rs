//! `research`: a child run that answers a question from sources.

use gemicro_core::ask::TaskGrant;
use gemicro_core::corpus::is_url;
use gemicro_core::flow::Step;
use gemicro_core::llm::LlmConfig;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child_run::{RUN_STEP, RunInput, RunRequest, run_step, shape, with_grant};
use super::folder::inside;
use super::parameters::{ParameterError, read, require_text};
use super::task_type::{TaskContext, TaskType};

pub(super) const TYPE: TaskType = TaskType {
    name: "research",
    description: "Answers a question from files, folders and pages, with citations.",
    step_kind: RUN_STEP,
    bound: None,
    schema: || schema_for!(ResearchParameters).to_value(),
    make,
    shape,
    granted: Some(with_grant),
};

/// Parameters of a task of type `research`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResearchParameters {
    /// The question in the words of the user.
    pub question: String,
    /// Folders and files inside the folder of the batch, and addresses of pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Answer from the sources only, without a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// Whether the provider's web search may answer what the sources do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub web: bool,
    /// The model; by default that of the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let mut it: ResearchParameters = read(parameters)?;
    require_text(&it.question, "/question")?;
    if it.offline && it.sources.is_empty() {
        return Err(ParameterError::new(
            "/sources",
            "without a model there must be sources",
        ));
    }
    if it.offline && it.web {
        return Err(ParameterError::new("/web", "cannot be combined with `offline`"));
    }
    let directory = making.settings.directory.clone();
    for (idx, source) in it.sources.iter_mut().enumerate() {
        let place = format!("/sources/{idx}");
        require_text(source, &place)?;
        if is_url(source) && it.offline {
            let reason = "is a web address, and `offline` opens no connection: name a file instead";
            return Err(ParameterError::new(&place, reason));
        }
        if !is_url(source) {
            *source = inside(&directory, Some(source), &place)?;
        }
    }
    let usual = making.llm();
    let llm = LlmConfig {
        model: it.model.clone().unwrap_or_else(|| usual.model.clone()),
        ..usual.clone()
    };
    let input = RunInput {
        request: RunRequest::Research(it),
        directory,
        llm,
        grant: TaskGrant::default(),
    };
    Ok(run_step(&input, making))
}
