//! The wire format, by the types of `genai-rs`: the only file that knows them.
//!
//! Requests are written with them; answers and events are read part by part, so that a field that has
//! changed its shape costs that field and not the answer.

use gemicro_core::llm::{LlmRequest, LlmTool};
use gemicro_event::Usage;
use genai_rs::{
    Annotation, Content, DeepResearchConfig, GenerationConfig, InteractionInput, InteractionRequest,
    InteractionStatus, ResponseFormat, StepDelta, ThinkingSummaries, Tool,
};
use serde_json::Value;

use super::interaction::{Block, Citation, Delta, Event, Happening, Interaction, Problem, Status, Step};

/// Ids that name an agent and not a model.
const AGENTS: &[&str] = &["deep-research-", "antigravity-"];
/// The agents that take a configuration for deep research.
const DEEP_RESEARCH: &str = "deep-research-";

/// How a call is made on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Streamed,
    Buffered,
    Background,
}

/// Whether an id names an agent; agents work in the background only.
pub(super) fn is_agent(model: &str) -> bool {
    AGENTS.iter().any(|start| model.starts_with(start))
}

/// The body of a create request.
pub(super) fn write_request(request: &LlmRequest, mode: Mode) -> Result<Vec<u8>, serde_json::Error> {
    let mut body = if is_agent(&request.model) {
        for_agent(request)
    } else {
        for_model(request)
    };
    match mode {
        Mode::Streamed => body.stream = Some(true),
        Mode::Buffered => {}
        Mode::Background => {
            body.background = Some(true);
            body.store = Some(true);
        }
    }
    serde_json::to_vec(&body)
}

fn for_model(request: &LlmRequest) -> InteractionRequest {
    let tools: Vec<Tool> = request.tools.iter().map(|tool| tool_of(*tool)).collect();
    let schema = request.schema.as_ref().map(|schema| (**schema).clone());
    InteractionRequest {
        model: Some(request.model.clone()),
        input: InteractionInput::Text(request.prompt.clone()),
        system_instruction: request.system.clone(),
        previous_interaction_id: request.previous.clone(),
        tools: (!tools.is_empty()).then_some(tools),
        response_format: schema.map(|schema| ResponseFormat::json_schema(schema).into()),
        generation_config: Some(GenerationConfig {
            temperature: request.temperature,
            max_output_tokens: Some(i32::try_from(request.max_output_tokens).unwrap_or(i32::MAX)),
            ..GenerationConfig::default()
        }),
        ..InteractionRequest::default()
    }
}

/// Agents bring their own instructions, tools and limits; ours go into the prompt or are left out.
fn for_agent(request: &LlmRequest) -> InteractionRequest {
    let prompt = match &request.system {
        Some(system) => format!("{system}\n\n{}", request.prompt),
        None => request.prompt.clone(),
    };
    let deep_research = request.model.starts_with(DEEP_RESEARCH);
    let summaries = || DeepResearchConfig::new().with_thinking_summaries(ThinkingSummaries::Auto);
    InteractionRequest {
        agent: Some(request.model.clone()),
        agent_config: deep_research.then(|| summaries().into()),
        input: InteractionInput::Text(prompt),
        ..InteractionRequest::default()
    }
}

fn tool_of(tool: LlmTool) -> Tool {
    match tool {
        LlmTool::GoogleSearch => Tool::GoogleSearch { search_types: None },
        LlmTool::UrlContext => Tool::UrlContext,
    }
}

/// Reads an interaction; nothing when this is something else.
pub(super) fn read_interaction(value: &Value) -> Option<Interaction> {
    let status = value.get("status")?;
    let is_named = value.get("id").is_some() || value.get("steps").is_some();
    let is_interaction = value.get("object").is_none_or(|object| object == "interaction");
    if !status.is_string() || !is_named || !is_interaction {
        return None;
    }
    Some(partial_interaction(value))
}

/// Reads the interaction inside an event, which may lack anything.
fn partial_interaction(value: &Value) -> Interaction {
    let errors = value.get("errors").and_then(Value::as_array);
    Interaction {
        id: text_at(value, "id"),
        status: value.get("status").map_or(Status::Running, read_status),
        steps: items(value, "steps").iter().map(read_step).collect(),
        usage: value.get("usage").and_then(read_usage),
        problems: errors.map_or_else(Vec::new, |errors| errors.iter().map(read_problem).collect()),
    }
}

/// Reads the data of one event; `name` is the event's name outside its data.
pub(super) fn read_event(name: Option<&str>, value: &Value) -> Event {
    let event_type = text_at(value, "event_type").or_else(|| name.map(str::to_owned));
    let event_type = event_type.unwrap_or_else(|| "without a type".to_owned());
    let index = value.get("index").and_then(Value::as_u64);
    let index = usize::try_from(index.unwrap_or(0)).unwrap_or(0);
    let null = Value::Null;
    let part = |name: &str| value.get(name).unwrap_or(&null);
    let happening = match event_type.as_str() {
        "interaction.created" => Happening::Created(partial_interaction(part("interaction"))),
        "interaction.status_update" => Happening::StatusChanged {
            id: text_at(value, "interaction_id"),
            status: value.get("status").map_or(Status::Running, read_status),
        },
        "step.start" => Happening::StepStarted {
            index,
            step: read_step(part("step")),
        },
        "step.delta" => Happening::StepChanged {
            index,
            delta: read_delta(part("delta")),
        },
        "step.stop" => Happening::StepStopped {
            usage: value.get("usage").and_then(read_usage),
        },
        "interaction.completed" => {
            let mut interaction = partial_interaction(part("interaction"));
            if interaction.usage.is_none() {
                interaction.usage = value.pointer("/metadata/total_usage").and_then(read_usage);
            }
            Happening::Completed(interaction)
        }
        "error" => Happening::Failed(read_problem(part("error"))),
        _ => Happening::Unknown(event_type),
    };
    Event {
        id: value.get("event_id").and_then(word),
        happening,
    }
}

fn read_status(value: &Value) -> Status {
    match serde_json::from_value(value.clone()) {
        Ok(InteractionStatus::Completed) => Status::Completed,
        Ok(InteractionStatus::InProgress) => Status::Running,
        Ok(InteractionStatus::RequiresAction) => Status::RequiresAction,
        Ok(InteractionStatus::Failed) => Status::Failed,
        Ok(InteractionStatus::Cancelled) => Status::Cancelled,
        Ok(InteractionStatus::Incomplete) => Status::Incomplete,
        Ok(InteractionStatus::BudgetExceeded) => Status::BudgetExceeded,
        // Statuses of the service that genai-rs does not list.
        _ => match value.as_str() {
            Some("queued") => Status::Running,
            Some("requires_continuation") => Status::RequiresContinuation,
            Some(status) => Status::Unknown(status.to_owned()),
            None => Status::Unknown(value.to_string()),
        },
    }
}

fn read_step(value: &Value) -> Step {
    let step_type = value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("without a type");
    match serde_json::from_value(value.clone()) {
        Ok(genai_rs::Step::UserInput { .. }) => Step::Input,
        Ok(genai_rs::Step::Thought { .. }) => Step::Thought,
        // Read from the JSON: an error with a code that is a word makes genai-rs take the step for unknown.
        _ if step_type == "model_output" => Step::Output {
            blocks: items(value, "content").iter().map(read_block).collect(),
            problem: value
                .get("error")
                .filter(|error| !error.is_null())
                .map(read_problem),
        },
        Ok(genai_rs::Step::Unknown { .. }) | Err(_) => Step::Unknown(step_type.to_owned()),
        Ok(_) => Step::Tool,
    }
}

fn read_block(value: &Value) -> Block {
    match serde_json::from_value(value.clone()) {
        Ok(Content::Text { text, annotations }) => Block::Text {
            text: text.unwrap_or_default(),
            citations: citations(annotations.unwrap_or_default()),
        },
        _ => Block::Media,
    }
}

fn read_delta(value: &Value) -> Delta {
    match serde_json::from_value(value.clone()) {
        Ok(StepDelta::Text { text }) => Delta::Text(text),
        Ok(StepDelta::TextAnnotation { annotations }) => Delta::Citations(citations(annotations)),
        Ok(
            StepDelta::Image { .. }
            | StepDelta::Audio { .. }
            | StepDelta::Video { .. }
            | StepDelta::Document { .. },
        ) => Delta::Media,
        Ok(StepDelta::Unknown { delta_type, .. }) => Delta::Unknown(delta_type),
        Ok(_) => Delta::Other,
        Err(error) => Delta::Unknown(error.to_string()),
    }
}

/// The pages among the annotations; offsets that are no numbers count from or to nothing.
fn citations(annotations: Vec<Annotation>) -> Vec<Citation> {
    let page = |annotation| match annotation {
        Annotation::UrlCitation {
            url: Some(url),
            title,
            start_index,
            end_index,
        } => Some(Citation {
            url,
            title,
            start: start_index,
            end: end_index,
        }),
        Annotation::Unknown {
            annotation_type,
            data,
        } if annotation_type == "url_citation" => Some(Citation {
            url: text_at(&data, "url")?,
            title: text_at(&data, "title"),
            start: offset_at(&data, "start_index"),
            end: offset_at(&data, "end_index"),
        }),
        _ => None,
    };
    annotations.into_iter().filter_map(page).collect()
}

fn read_problem(value: &Value) -> Problem {
    Problem {
        code: value.get("code").and_then(word),
        message: text_at(value, "message").unwrap_or_default(),
    }
}

/// Usage, unless nothing was told.
fn read_usage(value: &Value) -> Option<Usage> {
    // Field by field: one that cannot be read costs itself only.
    let told = |name: &str| {
        let field = value.get(name)?;
        let number = field
            .as_u64()
            .or_else(|| field.as_f64().filter(|n| *n >= 0.0).map(|n| n.ceil() as u64));
        number.or_else(|| field.as_str()?.trim().parse().ok())
    };
    let parts = [
        told("total_input_tokens"),
        told("total_output_tokens"),
        told("total_thought_tokens"),
        told("total_cached_tokens"),
        told("total_tool_use_tokens"),
    ];
    let total = told("total_tokens");
    if parts.iter().all(Option::is_none) && total.is_none() {
        return None;
    }
    let [input, output, thought, cached, tool] = parts.map(|part| part.unwrap_or(0));
    let output_tokens = output.saturating_add(thought);
    // What the total holds and no part names is counted as written: the dearer sort.
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

/// A name or a number as text.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A text that is there and not empty.
fn text_at(value: &Value, name: &str) -> Option<String> {
    let text = value.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

fn offset_at(value: &Value, name: &str) -> usize {
    let offset = value.get(name).and_then(Value::as_u64).unwrap_or(0);
    usize::try_from(offset).unwrap_or(usize::MAX)
}
