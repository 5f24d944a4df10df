//! Reads the answers of the Interactions API, as far as gemicro needs them.
//!
//! Answers and events are read part by part, so that a field with a changed format only loses that field, not the
//! answer.

use gemicro_core::llm::FunctionCall;
use gemicro_event::Usage;
use serde_json::Value;

use super::interaction::{
    Interaction, InteractionBlock, InteractionCitation, InteractionDelta, InteractionEvent,
    InteractionProblem, InteractionStatus, InteractionStep, StreamHappening,
};

/// Reads an interaction; `None` if it is something else.
pub(super) fn read_interaction(value: &Value) -> Option<Interaction> {
    let status = value.get("status")?;
    let is_named = value.get("id").is_some() || value.get("steps").is_some();
    let is_interaction = value.get("object").is_none_or(|object| object == "interaction");
    if !status.is_string() || !is_named || !is_interaction {
        return None;
    }
    Some(partial_interaction(value))
}

/// Reads the interaction inside an event, in which any field may be missing.
fn partial_interaction(value: &Value) -> Interaction {
    let errors = value.get("errors").and_then(Value::as_array);
    Interaction {
        id: text_at(value, "id"),
        status: value
            .get("status")
            .map_or(InteractionStatus::Running, read_status),
        steps: items(value, "steps").iter().map(read_step).collect(),
        usage: value.get("usage").and_then(read_usage),
        problems: errors.map_or_else(Vec::new, |errors| errors.iter().map(read_problem).collect()),
    }
}

/// Reads the data of one event; `name` is the SSE event name.
pub(super) fn read_event(name: Option<&str>, value: &Value) -> InteractionEvent {
    let event_type = text_at(value, "event_type").or_else(|| name.map(str::to_owned));
    let event_type = event_type.unwrap_or_else(|| "without a type".to_owned());
    let index = value.get("index").and_then(Value::as_u64);
    let index = usize::try_from(index.unwrap_or(0)).unwrap_or(0);
    let null = Value::Null;
    let part = |name: &str| value.get(name).unwrap_or(&null);
    let happening = match event_type.as_str() {
        "interaction.created" => StreamHappening::Created(partial_interaction(part("interaction"))),
        "interaction.status_update" => StreamHappening::StatusChanged {
            id: text_at(value, "interaction_id"),
            status: value
                .get("status")
                .map_or(InteractionStatus::Running, read_status),
        },
        "step.start" => StreamHappening::StepStarted {
            index,
            step: read_step(part("step")),
        },
        "step.delta" => StreamHappening::StepChanged {
            index,
            delta: read_delta(part("delta")),
        },
        "step.stop" => StreamHappening::StepStopped {
            usage: value.get("usage").and_then(read_usage),
        },
        "interaction.completed" => {
            let mut interaction = partial_interaction(part("interaction"));
            if interaction.usage.is_none() {
                interaction.usage = value.pointer("/metadata/total_usage").and_then(read_usage);
            }
            StreamHappening::Completed(interaction)
        }
        "error" => StreamHappening::Failed(read_problem(part("error"))),
        _ => StreamHappening::Unknown(event_type),
    };
    InteractionEvent {
        id: value.get("event_id").and_then(word),
        happening,
    }
}

fn read_status(value: &Value) -> InteractionStatus {
    match value.as_str() {
        Some("completed") => InteractionStatus::Completed,
        Some("in_progress" | "queued") => InteractionStatus::Running,
        Some("requires_action") => InteractionStatus::RequiresAction,
        Some("requires_continuation") => InteractionStatus::RequiresContinuation,
        Some("failed") => InteractionStatus::Failed,
        Some("cancelled") => InteractionStatus::Cancelled,
        Some("incomplete") => InteractionStatus::Incomplete,
        Some("budget_exceeded") => InteractionStatus::BudgetExceeded,
        Some(status) => InteractionStatus::Unknown(status.to_owned()),
        None => InteractionStatus::Unknown(value.to_string()),
    }
}

fn read_step(value: &Value) -> InteractionStep {
    match type_of(value) {
        "user_input" | "function_result" => InteractionStep::Input,
        "thought" => InteractionStep::Thought,
        "model_output" => InteractionStep::Output {
            blocks: items(value, "content").iter().map(read_block).collect(),
            problem: value
                .get("error")
                .filter(|error| !error.is_null())
                .map(read_problem),
        },
        "function_call" => InteractionStep::FunctionCall(read_call(value)),
        step if is_tool(step) => InteractionStep::Tool,
        step => InteractionStep::Unknown(step.to_owned()),
    }
}

/// Reads a function call; in a stream its arguments come later.
fn read_call(value: &Value) -> FunctionCall {
    let name = text_at(value, "name").unwrap_or_default();
    let arguments = match value.get("arguments") {
        None | Some(Value::Null) => String::new(),
        Some(Value::Object(fields)) if fields.is_empty() => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    FunctionCall {
        id: text_at(value, "id").unwrap_or_default(),
        // The model may add the namespace of its own library.
        name: name.strip_prefix("default_api:").unwrap_or(&name).to_owned(),
        arguments,
    }
}

fn read_block(value: &Value) -> InteractionBlock {
    match type_of(value) {
        "text" => InteractionBlock::Text {
            text: text_at(value, "text").unwrap_or_default(),
            citations: citations(value),
        },
        _ => InteractionBlock::Media,
    }
}

fn read_delta(value: &Value) -> InteractionDelta {
    match type_of(value) {
        // Text of another type is reported, not read as empty.
        "text" if value.get("text").is_none_or(Value::is_string) => {
            InteractionDelta::Text(text_at(value, "text").unwrap_or_default())
        }
        "text_annotation_delta" => InteractionDelta::Citations(citations(value)),
        "image" | "audio" | "video" | "document" => InteractionDelta::Media,
        "arguments_delta" => InteractionDelta::Arguments(text_at(value, "arguments").unwrap_or_default()),
        "thought_summary" | "thought_signature" => InteractionDelta::Other,
        delta if is_tool(delta) => InteractionDelta::Other,
        delta => InteractionDelta::Unknown(delta.to_owned()),
    }
}

fn type_of(value: &Value) -> &str {
    value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("without a type")
}

/// Whether a step is a tool call or result, such as `google_search_call` and `google_search_result`.
fn is_tool(kind: &str) -> bool {
    kind.ends_with("_call") || kind.ends_with("_result")
}

/// The pages among the annotations; invalid offsets count as 0.
fn citations(value: &Value) -> Vec<InteractionCitation> {
    let page = |annotation: &Value| {
        Some(InteractionCitation {
            url: text_at(annotation, "url")?,
            title: text_at(annotation, "title"),
            start: offset_at(annotation, "start_index"),
            end: offset_at(annotation, "end_index"),
        })
    };
    let pages = items(value, "annotations").iter();
    pages
        .filter(|annotation| type_of(annotation) == "url_citation")
        .filter_map(page)
        .collect()
}

fn read_problem(value: &Value) -> InteractionProblem {
    InteractionProblem {
        code: value.get("code").and_then(word),
        message: text_at(value, "message").unwrap_or_default(),
    }
}

/// Reads the usage, if the service gave any.
fn read_usage(value: &Value) -> Option<Usage> {
    // Field by field: an unreadable field only loses itself.
    let tokens = |name: &str| {
        let field = value.get(name)?;
        let number = field
            .as_u64()
            .or_else(|| field.as_f64().filter(|n| *n >= 0.0).map(|n| n.ceil() as u64));
        number.or_else(|| field.as_str()?.trim().parse().ok())
    };
    let parts = [
        tokens("total_input_tokens"),
        tokens("total_output_tokens"),
        tokens("total_thought_tokens"),
        tokens("total_cached_tokens"),
        tokens("total_tool_use_tokens"),
    ];
    let total = tokens("total_tokens");
    if parts.iter().all(Option::is_none) && total.is_none() {
        return None;
    }
    let [input, output, thought, cached, tool] = parts.map(|part| part.unwrap_or(0));
    let output_tokens = output.saturating_add(thought);
    // Tokens of the total that no part accounts for count as output, which is more expensive.
    let named = input.saturating_add(output_tokens).saturating_add(tool);
    Some(Usage {
        input_tokens: input,
        output_tokens: output_tokens.saturating_add(total.unwrap_or(0).saturating_sub(named)),
        cached_tokens: cached,
        thought_tokens: thought,
        tool_tokens: tool,
        estimated: false,
    })
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A string or number as text.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A non-empty string field.
fn text_at(value: &Value, name: &str) -> Option<String> {
    let text = value.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

fn offset_at(value: &Value, name: &str) -> usize {
    let offset = value.get(name).and_then(Value::as_u64).unwrap_or(0);
    usize::try_from(offset).unwrap_or(usize::MAX)
}
