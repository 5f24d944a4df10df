//! The `input` of an interaction: text, a content, or a list of contents or steps.

use serde_json::{Value, json};

use super::check::{list, unsupported_value};
use super::stored::{PreviousTurns, StoredInteraction};
use crate::answer::tokens;
use crate::call::{AnswerShape, ModelCall, SimToolResult};
use crate::scenario::ScenarioEndpoint;
use crate::server::SimulatedRefusal;

const CONTENTS: &[&str] = &["text", "image", "audio", "video", "document"];
/// Steps sent by the client; all others come from the model.
const CLIENT_STEPS: &[&str] = &["user_input", "function_result"];
const MODEL_STEPS: &[&str] = &[
    "model_output",
    "thought",
    "function_call",
    "google_search_call",
    "google_search_result",
    "url_context_call",
    "url_context_result",
    "code_execution_call",
    "code_execution_result",
    "file_search_call",
    "file_search_result",
    "google_maps_call",
    "google_maps_result",
    "mcp_server_tool_call",
    "mcp_server_tool_result",
    "processing_call",
    "processing_result",
    "retrieval_call",
    "retrieval_result",
    "tool_call",
];

const LEGACY: &str = "The legacy Interactions API schema is no longer supported. Use 'steps' in 'input'.";

/// Returns the input as steps, also from its short forms. Unknown values are left out.
pub(super) fn steps(body: &Value) -> Vec<Value> {
    let user = |content: Vec<Value>| vec![json!({"type": "user_input", "content": content})];
    match body.get("input") {
        Some(Value::String(text)) => user(vec![json!({"type": "text", "text": text})]),
        Some(content @ Value::Object(_)) => match kind(content) {
            kind if CONTENTS.contains(&kind) => user(vec![content.clone()]),
            _ => vec![content.clone()],
        },
        Some(Value::Array(items)) if items.is_empty() => Vec::new(),
        Some(Value::Array(items)) => {
            if items.iter().all(|item| CONTENTS.contains(&kind(item))) {
                user(items.clone())
            } else {
                items.clone()
            }
        }
        _ => Vec::new(),
    }
}

/// Converts a body into a call. `before` holds the turns it continues.
pub(crate) fn call(body: &Value, headers: Vec<String>, before: &PreviousTurns) -> ModelCall {
    let text = |name: &str| {
        body.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let flag = |name: &str| body.get(name) == Some(&Value::Bool(true));
    let steps = steps(body);
    let newest = steps
        .iter()
        .rposition(|step| !CLIENT_STEPS.contains(&kind(step)))
        .map_or(0, |last_of_model| last_of_model + 1);
    let prompt: Vec<String> = steps[newest..].iter().map(text_of).collect();
    let config = body.get("generation_config");
    let summaries = [config, body.get("agent_config")]
        .into_iter()
        .flatten()
        .any(|config| config.get("thinking_summaries") == Some(&json!("auto")));
    let mut call = ModelCall::empty(ScenarioEndpoint::Interactions, headers);
    let who = if body.get("agent").is_some() {
        text("agent")
    } else {
        text("model")
    };
    call.model = who.strip_prefix("models/").unwrap_or(&who).to_owned();
    call.prompt = prompt.join("\n");
    call.system = text("system_instruction");
    let earlier = before.steps.iter().chain(&steps[..newest]);
    call.history = earlier.clone().map(text_of).collect::<Vec<String>>().join("\n");
    call.tools = list(body, "tools")
        .filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned()))
        .collect();
    call.results = steps[newest..]
        .iter()
        .filter(|step| kind(step) == "function_result")
        .map(|step| SimToolResult {
            tool: tool_of(step, earlier.clone()),
            text: text_of(step),
        })
        .collect();
    call.stream = flag("stream");
    call.background = flag("background");
    call.chained = body.get("previous_interaction_id").is_some() || newest > 0;
    call.shape = shape(body);
    call.wants_thoughts = summaries;
    call.max_output = config
        .and_then(|config| config.get("max_output_tokens"))
        .and_then(Value::as_u64);
    call.input_tokens = before.tokens
        + tokens::of_text(&call.system)
        + body.get("tools").map_or(0, tokens::of_json)
        + steps.iter().map(step_tokens).sum::<u64>();
    call
}

/// Returns the tool of a function result: its own name, or else the name in the call.
fn tool_of<'s>(result: &Value, mut earlier: impl Iterator<Item = &'s Value>) -> String {
    let field = |step: &Value, name: &str| {
        step.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    match field(result, "name") {
        name if !name.is_empty() => name,
        _ => earlier
            .find(|step| kind(step) == "function_call" && field(step, "id") == field(result, "call_id"))
            .map(|step| field(step, "name"))
            .unwrap_or_default(),
    }
}

/// Checks the input, and its function results against the previous turn.
pub(super) fn check(body: &Value, previous: Option<&StoredInteraction>) -> Result<(), SimulatedRefusal> {
    let continues = body.get("continuation_token").is_some() && previous.is_some();
    match body.get("input") {
        None if continues => return Ok(()),
        None => return Err(SimulatedRefusal::invalid("'input' is required.")),
        Some(Value::String(_) | Value::Object(_) | Value::Array(_)) => {}
        Some(_) => {
            return Err(SimulatedRefusal::invalid(
                "'input' must be a string, an object or a list.",
            ));
        }
    }
    let steps = steps(body);
    if steps.is_empty() {
        return Err(SimulatedRefusal::invalid("'input' must not be empty."));
    }
    let mut pending: Vec<String> = previous.map(StoredInteraction::pending_calls).unwrap_or_default();
    let must_answer = !pending.is_empty();
    for (idx, step) in steps.iter().enumerate() {
        check_step(step, idx, &mut pending)?;
    }
    if must_answer && !pending.is_empty() {
        return Err(SimulatedRefusal::invalid(format!(
            "Function calls without a function_result: {}.",
            pending.join(", ")
        )));
    }
    Ok(())
}

fn check_step(step: &Value, idx: usize, pending: &mut Vec<String>) -> Result<(), SimulatedRefusal> {
    let place = format!("input[{idx}]");
    if step.get("role").is_some() {
        return Err(SimulatedRefusal::invalid(LEGACY));
    }
    let kind = kind(step);
    if !CLIENT_STEPS.contains(&kind) && !MODEL_STEPS.contains(&kind) {
        return Err(unsupported_value(kind, "type", &place));
    }
    for content in list(step, "content") {
        if !CONTENTS.contains(&self::kind(content)) {
            return Err(unsupported_value(
                self::kind(content),
                "type",
                &format!("{place}.content"),
            ));
        }
    }
    let field = |name: &str| step.get(name).and_then(Value::as_str).unwrap_or_default();
    match kind {
        "function_call" if field("signature").is_empty() => Err(SimulatedRefusal::invalid(format!(
            "Function call '{}' at '{place}' is missing its 'signature'.",
            field("name")
        ))),
        "function_call" => {
            pending.push(field("id").to_owned());
            Ok(())
        }
        "function_result" => {
            let Some(place) = pending.iter().position(|id| *id == field("call_id")) else {
                return Err(SimulatedRefusal::invalid(format!(
                    "No pending function call matches call_id '{}' at '{place}'.",
                    field("call_id")
                )));
            };
            pending.remove(place);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn shape(body: &Value) -> AnswerShape {
    let format = match body.get("response_format") {
        Some(Value::Array(formats)) => formats.iter().find(|format| kind(format) == "text"),
        other => other,
    };
    let Some(format) = format.filter(|format| format.is_object()) else {
        return AnswerShape::Text;
    };
    match (
        kind(format),
        format.get("schema"),
        format.get("mime_type").and_then(Value::as_str),
    ) {
        (_, Some(schema), _) => AnswerShape::Schema(schema.clone()),
        ("text", None, Some("application/json")) => AnswerShape::Json,
        ("text", None, _) => AnswerShape::Text,
        // A plain schema is also accepted.
        _ => AnswerShape::Schema(format.clone()),
    }
}

/// Returns the text of a step.
pub(super) fn text_of(step: &Value) -> String {
    if kind(step) == "function_result" {
        return match step.get("result") {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
    }
    if kind(step) == "function_call" {
        return format!(
            "{} {}",
            step["name"].as_str().unwrap_or_default(),
            step["arguments"]
        );
    }
    let texts: Vec<&str> = list(step, "content")
        .filter_map(|content| content.get("text").and_then(Value::as_str))
        .collect();
    texts.join("\n")
}

pub(super) fn step_tokens(step: &Value) -> u64 {
    match kind(step) {
        "user_input" | "model_output" => list(step, "content")
            .map(|content| match content.get("text").and_then(Value::as_str) {
                Some(text) => tokens::of_text(text),
                None => tokens::MEDIA,
            })
            .sum(),
        "function_result" => tokens::of_text(&text_of(step)),
        "function_call" => {
            let name = step.get("name").and_then(Value::as_str).unwrap_or_default();
            tokens::of_text(name) + step.get("arguments").map_or(0, tokens::of_json)
        }
        _ => 0,
    }
}

fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}
