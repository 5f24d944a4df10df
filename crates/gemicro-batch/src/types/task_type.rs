//! The interface of task types, and the list of them.

use gemicro_core::ask::TaskGrant;
use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_core::llm::LlmConfig;
use gemicro_event::{Json, StepKey};
use serde::Serialize;
use serde_json::Value;

use super::parameters::ParameterError;
use super::settings::BatchSettings;
use super::{
    agent, execute_shell_command, get_memory_summary, pipeline, prompt, propose_strategy, propose_test,
    query_coverage, refine_test, research,
};
use crate::reference::ReferenceTemplate;

/// All types, in the order of the documentation.
pub const TASK_TYPES: &[TaskType] = &[
    prompt::TYPE,
    research::TYPE,
    agent::TYPE,
    execute_shell_command::TYPE,
    get_memory_summary::TYPE,
    query_coverage::TYPE,
    propose_test::TYPE,
    refine_test::TYPE,
    propose_strategy::TYPE,
    pipeline::TYPE,
];

/// The type with this name.
#[must_use]
pub fn task_type(name: &str) -> Option<&'static TaskType> {
    TASK_TYPES.iter().find(|task_type| task_type.name == name)
}

/// A type of task.
#[derive(Debug)]
pub struct TaskType {
    /// Its name in batches.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub description: &'static str,
    /// The kind of its step.
    pub step_kind: &'static str,
    /// The parameter in which values of other tasks become variables, never text.
    pub bound: Option<&'static str>,
    pub(super) schema: fn() -> Value,
    pub(super) make: fn(&Value, TaskContext<'_>) -> Result<Step, ParameterError>,
    pub(super) shape: fn(&Step, &Json) -> Json,
    /// Sets the step's share of the budget, for types whose cost is not known in advance.
    pub(crate) granted: Option<fn(Step, TaskGrant) -> Step>,
}

/// Everything needed to make a step, besides the parameters.
#[derive(Debug, Clone)]
pub struct TaskContext<'a> {
    /// The key of the step.
    pub key: StepKey,
    /// The settings of the batch, used as defaults.
    pub settings: &'a BatchSettings,
    /// Total number of attempts, if the task sets it.
    pub max_attempts: Option<u32>,
    /// Whether the task declares that running it twice does no harm.
    pub idempotent: bool,
    /// Values of other tasks, by their variable names in the bound parameter.
    pub variables: Vec<(String, String)>,
}

impl TaskContext<'_> {
    /// The retry policy of its step.
    pub(super) fn retry(&self) -> RetryPolicy {
        self.max_attempts
            .map_or_else(RetryPolicy::default, RetryPolicy::attempts)
    }

    /// Its step, if that costs nothing.
    pub(super) fn free_step(self, kind: &str, input: &impl Serialize) -> Step {
        Step {
            retry: self.retry(),
            ..Step::free(self.key, kind, input)
        }
    }

    /// The model settings of its step.
    pub(super) fn llm(&self) -> LlmConfig {
        let usual = &self.settings.llm;
        LlmConfig {
            max_attempts: self.max_attempts.unwrap_or(usual.max_attempts),
            ..usual.clone()
        }
    }
}

impl TaskType {
    /// JSON Schema of its parameters.
    #[must_use]
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// Checks parameters as submitted. Values that are references are checked once they are known.
    ///
    /// # Errors
    /// With the position of the invalid value.
    pub fn check(&self, parameters: &Json, settings: &BatchSettings) -> Result<(), ParameterError> {
        let value: Value = serde_json::from_str(parameters.text())
            .map_err(|error| ParameterError::new("", error.to_string()))?;
        let making = TaskContext {
            key: StepKey::new(""),
            settings,
            max_attempts: None,
            idempotent: false,
            variables: Vec::new(),
        };
        match (self.make)(&value, making) {
            Err(error) if is_reference(&value, &error.place) => Ok(()),
            checked => checked.map(drop),
        }
    }

    /// The step of a task whose references are resolved.
    ///
    /// # Errors
    /// With the position of the invalid value.
    pub fn step(&self, parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
        (self.make)(parameters, making)
    }

    /// Turns the output of the step into that of the task. Always an object.
    #[must_use]
    pub fn output(&self, step: &Step, output: &Json) -> Json {
        let shaped = (self.shape)(step, output);
        match shaped.text().starts_with('{') {
            true => shaped,
            false => Json::from(serde_json::json!({ "value": *shaped })),
        }
    }
}

/// Whether the value at a JSON pointer is a reference, so that it is not known yet.
fn is_reference(parameters: &Value, place: &str) -> bool {
    let text = parameters.pointer(place).and_then(Value::as_str);
    text.is_some_and(|text| ReferenceTemplate::read(text).references().next().is_some())
}

/// Returns the output of the step unchanged.
pub(super) fn as_it_is(_: &Step, output: &Json) -> Json {
    output.clone()
}
