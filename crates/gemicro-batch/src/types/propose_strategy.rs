//! `propose_strategy`: a child run that ranks the gaps of a project's tests.

use gemicro_core::ask::TaskGrant;
use gemicro_core::flow::Step;
use gemicro_core::llm::LlmConfig;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child_run::{RUN_STEP, RunInput, RunRequest, run_step, shape, with_grant};
use super::folder::inside;
use super::parameters::{ParameterError, read};
use super::task_type::{TaskContext, TaskType};
use crate::coverage::FileScope;

/// Default number of gaps.
const DEFAULT_GAPS: usize = 10;
const MAX_GAPS: usize = 200;

pub(super) const TYPE: TaskType = TaskType {
    name: "propose_strategy",
    description: "Ranks the gaps of a project's tests by size, change and risk, with reasons; a model may write about it.",
    step_kind: RUN_STEP,
    bound: None,
    schema: || schema_for!(StrategyParameters).to_value(),
    make,
    shape,
    granted: Some(with_grant),
};

/// Parameters of a task of type `propose_strategy`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrategyParameters {
    /// The languages whose files are ranked; default all.
    #[serde(default)]
    pub scope: FileScope,
    /// Coverage reports inside the folder of the batch; by default those in the usual places.
    #[serde(default)]
    pub reports: Vec<String>,
    /// Maximum number of gaps returned; default 10.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Whether a model writes about the gaps. The ranking is the same with and without it.
    #[serde(default)]
    pub prose: bool,
    /// Notes about the project, for that model.
    #[serde(default)]
    pub semantic_context: Option<String>,
    /// That model; by default that of the batch.
    #[serde(default)]
    pub model: Option<String>,
}

/// A request for a ranking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyRequest {
    /// The languages whose files are ranked.
    pub scope: FileScope,
    /// Paths of coverage reports; empty for those in the usual places.
    pub reports: Vec<String>,
    /// Maximum number of gaps returned.
    pub most: usize,
    /// Notes about the project for the model that writes; `None` to ask no model.
    pub prose: Option<String>,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: StrategyParameters = read(parameters)?;
    let directory = making.settings.directory.clone();
    for (idx, report) in it.reports.iter().enumerate() {
        inside(&directory, Some(report), &format!("/reports/{idx}"))?;
    }
    let most = it.limit.unwrap_or(DEFAULT_GAPS);
    if !(1..=MAX_GAPS).contains(&most) {
        return Err(ParameterError::new("/limit", format!("between 1 and {MAX_GAPS}")));
    }
    let usual = making.llm();
    let input = RunInput {
        request: RunRequest::Strategy(StrategyRequest {
            scope: it.scope,
            reports: match it.reports.is_empty() {
                true => making.settings.coverage_reports.clone(),
                false => it.reports,
            },
            most,
            prose: it.prose.then(|| it.semantic_context.unwrap_or_default()),
        }),
        directory,
        llm: LlmConfig {
            model: it.model.unwrap_or_else(|| usual.model.clone()),
            ..usual.clone()
        },
        grant: TaskGrant::default(),
    };
    Ok(run_step(&input, making))
}
