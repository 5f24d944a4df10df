//! Reads and checks generateContent bodies.

use serde_json::Value;

use crate::answer::tokens;
use crate::call::{AnswerShape, ModelCall, SimToolResult};
use crate::scenario::ScenarioEndpoint;
use crate::server::SimulatedRefusal;

const FIELDS: &[&str] = &[
    "model",
    "contents",
    "systemInstruction",
    "system_instruction",
    "tools",
    "toolConfig",
    "tool_config",
    "safetySettings",
    "safety_settings",
    "generationConfig",
    "generation_config",
    "cachedContent",
    "cached_content",
    "serviceTier",
    "store",
    "labels",
];

/// Converts a body into a call.
pub(crate) fn call(endpoint: ScenarioEndpoint, model: &str, body: &Value, headers: Vec<String>) -> ModelCall {
    let config = either(body, "generationConfig", "generation_config");
    let system = either(body, "systemInstruction", "system_instruction");
    let mut call = ModelCall::empty(endpoint, headers);
    call.model = model.to_owned();
    let contents: Vec<&Value> = list(body, "contents").collect();
    if let Some((newest, before)) = contents.split_last() {
        call.prompt = texts(newest);
        let history: Vec<String> = before.iter().map(|content| texts(content)).collect();
        call.history = history.join("\n");
        call.results = list(newest, "parts")
            .filter_map(|part| either(part, "functionResponse", "function_response"))
            .map(result)
            .collect();
        call.chained = before
            .iter()
            .any(|content| content.get("role").and_then(Value::as_str) == Some("model"));
    }
    call.tools = list(body, "tools")
        .filter_map(|tool| either(tool, "functionDeclarations", "function_declarations"))
        .flat_map(|declared| declared.as_array().into_iter().flatten())
        .filter_map(|function| Some(function.get("name")?.as_str()?.to_owned()))
        .collect();
    call.system = system.map(texts).unwrap_or_default();
    call.stream = endpoint == ScenarioEndpoint::StreamGenerateContent;
    call.input_tokens = input_tokens(body);
    if let Some(config) = config {
        call.max_output = either(config, "maxOutputTokens", "max_output_tokens").and_then(Value::as_u64);
        call.shape = shape(config);
        let thinking = either(config, "thinkingConfig", "thinking_config");
        call.wants_thoughts = thinking
            .and_then(|thinking| either(thinking, "includeThoughts", "include_thoughts"))
            .and_then(Value::as_bool)
            .unwrap_or(false);
    }
    call
}

/// Checks a body like the service.
pub(super) fn check(body: &Value) -> Result<(), SimulatedRefusal> {
    for name in body.as_object().into_iter().flat_map(|fields| fields.keys()) {
        if !FIELDS.contains(&name.as_str()) {
            return Err(SimulatedRefusal::invalid(format!(
                "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
            )));
        }
    }
    let contents = body.get("contents").and_then(Value::as_array);
    let Some(contents) = contents.filter(|contents| !contents.is_empty()) else {
        return Err(SimulatedRefusal::invalid(
            "* GenerateContentRequest.contents: contents is not specified",
        ));
    };
    for (idx, content) in contents.iter().enumerate() {
        if let Some(role) = content.get("role").and_then(Value::as_str)
            && !["user", "model", "function", ""].contains(&role)
        {
            return Err(SimulatedRefusal::invalid("Please use a valid role: user, model."));
        }
        if content
            .get("parts")
            .and_then(Value::as_array)
            .is_none_or(Vec::is_empty)
        {
            return Err(SimulatedRefusal::invalid(format!(
                "* GenerateContentRequest.contents[{idx}].parts: contents.parts must not be empty."
            )));
        }
    }
    Ok(())
}

/// Counts the tokens of contents, system instruction and tools, for usage and countTokens.
pub(super) fn input_tokens(body: &Value) -> u64 {
    let contents: u64 = body
        .get("contents")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(content_tokens)
        .sum();
    let system = either(body, "systemInstruction", "system_instruction").map_or(0, content_tokens);
    contents + system + body.get("tools").map_or(0, tokens::of_json)
}

fn content_tokens(content: &Value) -> u64 {
    let parts = content
        .get("parts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    parts
        .map(|part| match part.get("text").and_then(Value::as_str) {
            Some(text) => tokens::of_text(text),
            None if part.get("inlineData").or(part.get("fileData")).is_some() => tokens::MEDIA,
            None => tokens::of_json(part),
        })
        .sum()
}

/// Returns a function's result: its output or error field if there is one, otherwise all of it.
fn result(response: &Value) -> SimToolResult {
    let body = response.get("response").unwrap_or(&Value::Null);
    let said = ["output", "error", "result"]
        .iter()
        .find_map(|name| body.get(name).and_then(Value::as_str));
    SimToolResult {
        tool: response["name"].as_str().unwrap_or_default().to_owned(),
        text: said.map_or_else(|| body.to_string(), str::to_owned),
    }
}

/// Returns the text of a content; function calls and results as JSON.
fn texts(content: &Value) -> String {
    let parts = content
        .get("parts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let texts: Vec<String> = parts
        .filter_map(|part| match part.get("text").and_then(Value::as_str) {
            Some(text) => Some(text.to_owned()),
            None => part
                .get("functionResponse")
                .or_else(|| part.get("functionCall"))
                .map(Value::to_string),
        })
        .collect();
    texts.join("\n")
}

fn shape(config: &Value) -> AnswerShape {
    let schemas = [
        "responseJsonSchema",
        "response_json_schema",
        "responseSchema",
        "response_schema",
    ];
    if let Some(schema) = schemas.iter().find_map(|name| config.get(name)) {
        return AnswerShape::Schema(schema.clone());
    }
    match either(config, "responseMimeType", "response_mime_type").and_then(Value::as_str) {
        Some("application/json") => AnswerShape::Json,
        _ => AnswerShape::Text,
    }
}

/// The service accepts camel case and snake case.
fn either<'v>(value: &'v Value, camel: &str, snake: &str) -> Option<&'v Value> {
    value.get(camel).or_else(|| value.get(snake))
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}
