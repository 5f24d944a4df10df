//! `prompt`: one model call, on its own or as the next turn of a conversation.

use gemicro_core::budget::Purpose;
use gemicro_core::flow::Step;
use gemicro_core::llm::{AnswerDelivery, CallTime, LLM_STEP, LlmRequest, LlmResponse, json_in, llm_step};
use gemicro_event::Json;
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

use super::messages::{ChatMessage, continue_conversation, prompt_of};
use super::parameters::{ParameterError, milliseconds, read};
use super::task_type::{TaskContext, TaskType};

/// Maximum time for one call, in seconds.
const MAX_SECONDS: u64 = 3_600;
/// Maximum output of one call, in tokens.
const MAX_OUTPUT_TOKENS: u64 = 1_000_000;

pub(super) const TYPE: TaskType = TaskType {
    name: "prompt",
    description: "Asks a model and returns its text.",
    step_kind: LLM_STEP,
    bound: None,
    schema: || schema_for!(PromptParameters).to_value(),
    make,
    shape,
    granted: None,
};

/// Parameters of a task of type `prompt`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptParameters {
    /// The prompt; with `messages`, the user's next message.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Earlier messages of a conversation. The output then has all of them and the reply, for the next task.
    #[serde(default)]
    pub messages: Option<Vec<ChatMessage>>,
    /// System instructions for the model.
    #[serde(default)]
    pub system: Option<String>,
    /// The model; by default that of the batch.
    #[serde(default)]
    pub model: Option<String>,
    /// The backend; by default that of the batch.
    #[serde(default)]
    pub backend: Option<String>,
    /// JSON Schema that the answer must match.
    #[serde(default)]
    pub schema: Option<serde_json::Map<String, Value>>,
    /// Maximum output, in tokens.
    #[serde(default)]
    pub max_output_tokens: Option<u64>,
    /// Sampling temperature; by default the model's own.
    #[serde(default)]
    pub temperature: Option<f32>,
    /// Maximum time for one call, in seconds.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: PromptParameters = read(parameters)?;
    let (prompt, label) = prompt_of(it.prompt, it.messages)?;
    let config = making.llm();
    let time = match it.timeout_seconds {
        None => config.time(),
        Some(seconds) => {
            let total_ms = milliseconds(seconds, MAX_SECONDS, "/timeout_seconds")?;
            CallTime {
                total_ms,
                idle_ms: config.idle_timeout_ms.min(total_ms),
            }
        }
    };
    let max_output_tokens = it.max_output_tokens.unwrap_or(config.max_output_tokens);
    if !(1..=MAX_OUTPUT_TOKENS).contains(&max_output_tokens) {
        let message = format!("between 1 and {MAX_OUTPUT_TOKENS}");
        return Err(ParameterError::new("/max_output_tokens", message));
    }
    if it.temperature.is_some_and(|it| !(0.0..=2.0).contains(&it)) {
        return Err(ParameterError::new("/temperature", "between 0 and 2"));
    }
    let request = LlmRequest {
        previous: None,
        label,
        backend: it.backend.unwrap_or_else(|| config.backend.clone()),
        model: it.model.unwrap_or_else(|| config.model.clone()),
        system: it.system,
        prompt,
        schema: it.schema.map(|schema| Json::from(Value::Object(schema))),
        tools: Vec::new(),
        functions: Vec::new(),
        rounds: Vec::new(),
        delivery: AnswerDelivery::default(),
        max_output_tokens,
        temperature: it.temperature.or(config.temperature),
        time,
    };
    Ok(llm_step(making.key, &request, Purpose::Ordinary, &config))
}

fn shape(step: &Step, output: &Json) -> Json {
    let Ok(response) = output.parse::<LlmResponse>() else {
        return output.clone();
    };
    let has_schema = step.input.get("schema").is_some_and(|schema| !schema.is_null());
    let found = has_schema.then(|| json_in(&response.text)).flatten();
    let request = step.input.parse::<LlmRequest>().ok();
    let continued = request.and_then(|request| continue_conversation(&request, &response.text));
    let (text, messages) = match continued {
        Some((text, messages)) => (text, Some(messages)),
        None => (response.text, None),
    };
    let mut shaped = json!({ "text": text });
    if let Some(value) = found {
        shaped["json"] = (*value).clone();
    }
    if let Some(messages) = messages {
        shaped["messages"] = json!(messages);
    }
    Json::from(shaped)
}
