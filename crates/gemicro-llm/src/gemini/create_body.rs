//! Writes the body of a request to the Interactions API.

use std::borrow::Cow;

use gemicro_core::llm::{FunctionResult, FunctionRound, LlmFunction, LlmRequest, LlmTool};
use serde::Serialize;
use serde_json::{Value, json};

/// Prefixes of ids that name an agent and not a model.
const AGENTS: &[&str] = &["deep-research-", "antigravity-"];
/// Prefix of the agents that accept a deep-research configuration.
const DEEP_RESEARCH: &str = "deep-research-";

/// The way in which an answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireMode {
    Streamed,
    Buffered,
    Background,
}

/// Whether an id names an agent; agents only work in the background.
pub(super) fn is_agent(model: &str) -> bool {
    AGENTS.iter().any(|start| model.starts_with(start))
}

/// The body of a create request; absent fields are omitted.
#[derive(Serialize, Default)]
struct CreateBody<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_config: Option<Value>,
    input: CreateInput<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_interaction_id: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<GenerationConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    background: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<&'r str>,
}

/// The new input: text, or the results of function calls.
#[derive(Serialize)]
#[serde(untagged)]
enum CreateInput<'r> {
    Text(Cow<'r, str>),
    Results(Vec<Value>),
}

impl Default for CreateInput<'_> {
    fn default() -> Self {
        Self::Text(Cow::Borrowed(""))
    }
}

#[derive(Serialize)]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    max_output_tokens: u64,
}

/// Writes the body of a create request.
pub(super) fn write_request(request: &LlmRequest, mode: WireMode) -> Result<Vec<u8>, serde_json::Error> {
    let mut body = if is_agent(&request.model) {
        for_agent(request)
    } else {
        for_model(request)
    };
    match mode {
        WireMode::Streamed => body.stream = Some(true),
        WireMode::Buffered => {}
        WireMode::Background => {
            body.background = Some(true);
            body.store = Some(true);
        }
    }
    serde_json::to_vec(&body)
}

fn for_model(request: &LlmRequest) -> CreateBody<'_> {
    let json_format = |schema| json!({ "type": "text", "mime_type": "application/json", "schema": schema });
    // The service remembers everything up to the calls; only their results are new.
    let (input, previous) = match request.rounds.last() {
        Some(round) => (results_of(round), round.interaction.as_deref()),
        None => (
            CreateInput::Text(Cow::Borrowed(&request.prompt)),
            request.previous.as_deref(),
        ),
    };
    let tools = request.tools.iter().map(|tool| tool_of(*tool));
    CreateBody {
        model: Some(&request.model),
        input,
        system_instruction: request.system.as_deref(),
        previous_interaction_id: previous,
        tools: tools.chain(request.functions.iter().map(function_of)).collect(),
        response_format: request.schema.as_deref().map(json_format),
        generation_config: Some(GenerationConfig {
            temperature: request.temperature,
            // The service's field is a 32-bit number.
            max_output_tokens: request.max_output_tokens.min(i32::MAX as u64),
        }),
        ..CreateBody::default()
    }
}

/// Agents have their own instructions, tools and limits; a system prompt is put before the prompt, the rest is omitted.
fn for_agent(request: &LlmRequest) -> CreateBody<'_> {
    let input = match &request.system {
        Some(system) => Cow::Owned(format!("{system}\n\n{}", request.prompt)),
        None => Cow::Borrowed(request.prompt.as_str()),
    };
    let deep_research = request.model.starts_with(DEEP_RESEARCH);
    CreateBody {
        agent: Some(&request.model),
        agent_config: deep_research.then(|| json!({ "type": "deep-research", "thinking_summaries": "auto" })),
        input: CreateInput::Text(input),
        ..CreateBody::default()
    }
}

fn function_of(function: &LlmFunction) -> Value {
    json!({
        "type": "function", "name": function.name, "description": function.description,
        "parameters": function.parameters,
    })
}

fn results_of(round: &FunctionRound) -> CreateInput<'_> {
    let result = |result: &FunctionResult| {
        let mut step = json!({
            "type": "function_result", "call_id": result.call, "name": result.name, "result": result.text,
        });
        if result.is_error {
            step["is_error"] = Value::Bool(true);
        }
        step
    };
    CreateInput::Results(round.results.iter().map(result).collect())
}

fn tool_of(tool: LlmTool) -> Value {
    match tool {
        LlmTool::GoogleSearch => json!({ "type": "google_search" }),
        LlmTool::UrlContext => json!({ "type": "url_context" }),
    }
}
